/** Jobs: all of them, filtered and sorted; what is chosen stands in the address. */

import { addressOf, here, keep, oneOf } from "../address.js";
import { h, say } from "../dom.js";
import { duration, instant, number } from "../format.js";
import { matcher } from "../gantt.js";
import { STATES } from "../model.js";
import { jobLink, stateMark } from "../parts.js";
import { Table } from "../table.js";

/** @typedef {import("../model.js").Job} Job */
/** @typedef {import("../model.js").Model} Model */

const MANY = 20_000;
const PATIENCE_MS = 2000;

export class JobsView {
  /**
   * @param {Model} model
   * @param {import("../live.js").Live | null} live
   */
  constructor(model, live) {
    this.model = model;
    const { params } = here();
    this.state = oneOf(params, "state", ["", "open", "ended", ...STATES.map((state) => state.toLowerCase())]);
    this.seen = -1;
    this.read = -Infinity;
    this.rereading = 0;
    this.search = h("input", {
      type: "search",
      placeholder: "Job, user, name, queue, account …",
      "aria-label": "show only jobs of",
      value: params.get("q") ?? "",
      oninput: () => this.filter(),
    });
    this.states = h(
      "select",
      { "aria-label": "state", onchange: () => this.filter() },
      [["", "all states"], ["open", "not ended"], ["ended", "ended"], ...STATES.map((state) => [state.toLowerCase(), state.toLowerCase().replaceAll("_", " ")])].map(
        ([value, text]) => h("option", { value, selected: value === this.state }, text),
      ),
    );
    this.count = h("span", { class: "count", role: "status" });
    this.older = h("button", { type: "button", hidden: true, onclick: () => void live?.guarded(() => live.readAll()) }, "Load older jobs");
    this.table = new Table(
      /** @type {ConstructorParameters<typeof Table<Job>>[0]} */ ({
        label: "jobs",
        empty: "No job is like that.",
        sort: params.get("sort") ?? "-job",
        sorted: (sort) => keep({ sort: sort === "-job" ? null : sort }),
        keyOf: (job) => job.key,
        open: (job) => (location.hash = addressOf("job", {}, job.key)),
        columns: columns(model),
      }),
    );
    this.element = h("div", {}, h("div", { class: "tools" }, this.search, this.states, this.older, this.count), this.table.element);
  }

  filter() {
    this.state = this.states.value;
    keep({ q: this.search.value, state: this.state });
    this.show();
  }

  update() {
    const { model } = this;
    const many = model.jobs.size > MANY;
    const since = performance.now() - this.read;
    if (model.version === this.seen) return;
    if (many && since < PATIENCE_MS) {
      // A table of very many is not sorted again at each change.
      this.rereading ||= setTimeout(() => {
        this.rereading = 0;
        this.update();
      }, PATIENCE_MS);
      return;
    }
    this.show();
  }

  show() {
    const { model } = this;
    this.seen = model.version;
    const wanted = matcher(this.search.value);
    const state = this.state.toUpperCase();
    const rows = [];
    for (const job of model.jobs.values()) {
      if (state === "OPEN" ? !job.open : state === "ENDED" ? job.open : state && job.state !== state) continue;
      if (wanted(job)) rows.push(job);
    }
    this.table.show(rows);
    this.older.hidden = model.since === null;
    const all = rows.length === model.jobs.size ? "" : ` of ${number(model.jobs.size)}`;
    say(this.count, `${number(rows.length)}${all} jobs${model.live && !model.complete ? ", loading …" : ""}`);
    this.read = performance.now();
  }

  destroy() {
    clearTimeout(this.rereading);
    this.table.destroy();
  }
}

/**
 * @param {Model} model
 * @returns {import("../table.js").Column<Job>[]}
 */
function columns(model) {
  const now = () => model.now();
  const order = (/** @type {Job} */ job) => job.id * 1e6 + (job.index ?? -1) + 1;
  return [
    { name: "job", title: "Job", width: "6.5rem", cell: (job) => jobLink(job), sort: order },
    { name: "state", title: "State", width: "8rem", cell: (job) => stateMark(job.state), sort: (job) => STATES.indexOf(job.state) },
    { name: "user", title: "User", width: "minmax(4rem, 8rem)", cell: (job) => job.user, sort: (job) => job.user },
    { name: "name", title: "Name", width: "minmax(4rem, 12rem)", narrow: true, cell: (job) => job.name, sort: (job) => job.name || null },
    { name: "queue", title: "Queue", width: "minmax(4rem, 7rem)", narrow: true, cell: (job) => job.queue, sort: (job) => job.queue },
    { name: "processors", title: "Procs", width: "4.5rem", figure: true, cell: (job) => number(job.processors), sort: (job) => job.processors },
    { name: "submitted", title: "Submitted", width: "10rem", figure: true, narrow: true, cell: (job) => instant(job.submit, now()), sort: (job) => job.submit },
    { name: "wait", title: "Waited", width: "7.2rem", figure: true, cell: (job) => duration(job.wait(now())), sort: (job) => job.wait(now()) },
    { name: "ran", title: "Ran", width: "7.2rem", figure: true, cell: (job) => duration(job.elapsed(now())), sort: (job) => job.elapsed(now()) },
    { name: "estimate", title: "Asked for", width: "7.2rem", figure: true, narrow: true, cell: (job) => duration(job.estimate), sort: (job) => job.estimate },
    { name: "reason", title: "Why", width: "minmax(10rem, 3fr)", narrow: true, cell: (job) => job.reason },
  ];
}

