/** Reservations: what is kept, from when to when, for whom, where; and what the policy has promised to jobs. */

import { addressOf } from "../address.js";
import { h } from "../dom.js";
import { duration, instant, number } from "../format.js";
import { jobLink, panel } from "../parts.js";
import { Table } from "../table.js";

/** @typedef {import("../model.js").Job} Job */
/** @typedef {import("../model.js").Model} Model */
/** @typedef {import("../model.js").Reservation} Reservation */

export class ReservationsView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const now = () => model.now();
    this.made = new Table(
      /** @type {ConstructorParameters<typeof Table<Reservation>>[0]} */ ({
        label: "reservations",
        empty: "Nothing is reserved.",
        most: 12,
        keyOf: (one) => one.name,
        open: (one) => {
          const end = one.end ?? one.start + 86400;
          const around = Math.max(60, (end - one.start) / 2);
          location.hash = addressOf("time", { from: one.start - around, to: end + around });
        },
        columns: [
          { name: "name", title: "Name", width: "minmax(6rem, 14rem)", cell: (one) => one.name },
          { name: "processors", title: "Procs", width: "5rem", figure: true, cell: (one) => number(one.nodes.length ? null : one.processors) },
          { name: "start", title: "From", width: "11rem", figure: true, cell: (one) => instant(one.start, now()) },
          { name: "end", title: "Until", width: "11rem", figure: true, narrow: true, cell: (one) => (one.end === null ? "no end" : instant(one.end, now())) },
          { name: "access", title: "For", width: "minmax(6rem, 1fr)", narrow: true, cell: (one) => one.access.join(", ") || "no job (maintenance)" },
          { name: "nodes", title: "Nodes", width: "minmax(6rem, 1fr)", narrow: true, cell: (one) => one.nodes.join(", ") || "any" },
          { name: "standing", title: "Comes again", width: "8rem", narrow: true, cell: (one) => one.standing || "no" },
        ],
      }),
    );
    this.promised = new Table(
      /** @type {ConstructorParameters<typeof Table<Job>>[0]} */ ({
        label: "promised starts",
        empty: "No start is promised.",
        most: 14,
        keyOf: (job) => job.key,
        open: (job) => (location.hash = addressOf("time", { job: job.key })),
        columns: [
          { name: "job", title: "Job", width: "6.5rem", cell: (job) => jobLink(job) },
          { name: "user", title: "User", width: "minmax(4rem, 8rem)", cell: (job) => job.user },
          { name: "name", title: "Name", width: "minmax(4rem, 12rem)", narrow: true, cell: (job) => job.name },
          { name: "processors", title: "Procs", width: "5rem", figure: true, cell: (job) => number(job.processors) },
          { name: "start", title: "Promised start", width: "11rem", figure: true, cell: (job) => instant(job.reserved, now()) },
          { name: "in", title: "In", width: "8rem", figure: true, narrow: true, cell: (job) => duration(Math.max(0, (job.reserved ?? 0) - now())) },
          { name: "estimate", title: "For", width: "8rem", figure: true, narrow: true, cell: (job) => duration(job.estimate) },
        ],
      }),
    );
    this.element = h("div", {}, panel("Reservations of administrators", this.made.element), panel("Starts that the policy has promised", this.promised.element));
  }

  update() {
    this.made.show(this.model.reservations);
    const promised = [...this.model.jobs.values()].filter((job) => job.reserved !== null && job.start === null && job.open);
    this.promised.show(promised.sort((one, other) => (one.reserved ?? 0) - (other.reserved ?? 0)));
  }

  destroy() {
    this.made.destroy();
    this.promised.destroy();
  }
}
