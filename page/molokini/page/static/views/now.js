/** Now: the queue and why it waits, the nodes, the last hours, what ended badly. */

import { addressOf, keep, oneOf, here } from "../address.js";
import { Axis } from "../axis.js";
import { fill, h } from "../dom.js";
import { meanOf, usedOnNodes, usedOverTime, waitingOverTime } from "../figures.js";
import { Forecasts } from "../forecasts.js";
import { areTimes, duration, instant, number, percent } from "../format.js";
import { NodeGrid } from "../grid.js";
import { BAD } from "../model.js";
import { card, jobLink, panel, stateMark } from "../parts.js";
import { drawCaption, drawSteps, drawTicks } from "../strips.js";
import { Surface } from "../surface.js";
import { Table } from "../table.js";

/** @typedef {import("../model.js").Job} Job */
/** @typedef {import("../model.js").Model} Model */

const HOURS = ["6", "1", "24", "168"];
const MOST_BAD = 8;
const DAY_S = 86400;

/**
 * A clock that is no clock of days begins at 0.
 * @param {number} at
 */
function sinceOrZero(at) {
  return areTimes() ? at : Math.max(0, at);
}

export class NowView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.hours = oneOf(here().params, "hours", HOURS);
    this.forecasts = new Forecasts(model, () => this.showQueue());
    this.cards = h("div", { class: "cards" });
    this.surface = new Surface({
      label: "utilization and waiting jobs over the last hours",
      height: 210,
      draw: (surface) => this.drawHistory(surface),
    });
    this.grid = new NodeGrid((node) => (location.hash = addressOf("nodes", { q: node.name })));
    this.queue = this.queueTable();
    this.bad = h("div", { class: "ended" });
    this.choice = h(
      "select",
      { "aria-label": "how far back", onchange: () => this.chooseHours() },
      [...HOURS].sort((one, other) => Number(one) - Number(other)).map((hours) =>
        h("option", { value: hours, selected: hours === this.hours }, hours === "168" ? "7 days" : `${hours} h`),
      ),
    );
    this.used = usedOverTime([], 0);
    this.waiting = waitingOverTime([], 0);
    this.seen = -1;
    const recent = panel("The last hours", h("div", { class: "tools" }, this.choice), this.surface.canvas);
    const queue = panel("Queue", this.queue.element);
    const nodes = model.nodes.length || model.live ? panel("Nodes", this.grid.element) : h("div", {});
    const ended = panel("Ended badly", this.bad);
    this.element = h("div", { class: "now" }, this.cards, h("div", { class: "columns" }, recent, nodes), queue, ended);
  }

  queueTable() {
    const { model } = this;
    return new Table(
      /** @type {ConstructorParameters<typeof Table<Job>>[0]} */ ({
        label: "jobs that wait",
        empty: "No job waits.",
        most: 14,
        keyOf: (job) => job.key,
        open: (job) => (location.hash = addressOf("job", {}, job.key)),
        columns: [
          { name: "job", title: "Job", width: "5.5rem", cell: (job) => jobLink(job) },
          { name: "state", title: "State", width: "6rem", cell: (job) => stateMark(job.state), narrow: true },
          { name: "user", title: "User", width: "minmax(4rem, 7rem)", cell: (job) => job.user },
          { name: "name", title: "Name", width: "minmax(4rem, 10rem)", cell: (job) => job.name, narrow: true },
          { name: "queue", title: "Queue", width: "minmax(4rem, 7rem)", cell: (job) => job.queue, narrow: true },
          { name: "processors", title: "Procs", width: "4rem", figure: true, cell: (job) => number(job.processors) },
          { name: "estimate", title: "Asks for", width: "7.2rem", figure: true, narrow: true, cell: (job) => duration(job.estimate) },
          { name: "wait", title: "Waited", width: "7.2rem", figure: true, cell: (job) => duration(job.wait(model.now())) },
          { name: "start", title: "Expected", width: "9.5rem", figure: true, narrow: true, cell: (job) => this.expected(job) },
          { name: "reason", title: "Why it waits", width: "minmax(14rem, 3fr)", cell: (job) => job.reason },
        ],
      }),
    );
  }

  /** @param {Job} job */
  expected(job) {
    if (job.reserved !== null) return instant(job.reserved, this.model.now());
    return this.forecasts.text(job);
  }

  chooseHours() {
    this.hours = this.choice.value;
    keep({ hours: this.hours === HOURS[0] ? null : this.hours });
    this.surface.ask();
  }

  update() {
    const { model } = this;
    if (model.version !== this.seen) {
      this.seen = model.version;
      const jobs = [...model.jobs.values()];
      this.used = usedOverTime(jobs, model.now());
      this.waiting = waitingOverTime(jobs, model.now());
    }
    this.showCards();
    this.showQueue();
    this.grid.show(model.nodes, usedOnNodes(model));
    this.showBad();
    this.surface.ask();
  }

  showCards() {
    const { model } = this;
    const counts = { RUNNING: 0, WAITING: 0, HELD: 0, SUSPENDED: 0 };
    let used = 0;
    for (const job of model.jobs.values()) {
      if (job.state in counts) counts[/** @type {keyof typeof counts} */ (job.state)]++;
      if (job.state === "RUNNING") used += job.processors;
    }
    const up = model.nodes.filter((node) => node.state === "UP").length;
    const all = model.processors;
    const now = model.now();
    const since = Math.max(now - DAY_S, this.used.times[0] ?? now);
    const day = all && since < now ? meanOf(this.used, since, now) / all : null;
    const aside = [counts.HELD && `${number(counts.HELD)} held`, counts.SUSPENDED && `${number(counts.SUSPENDED)} suspended`];
    fill(
      this.cards,
      card("Running", number(counts.RUNNING), `${number(used)} of ${number(all)} processors`),
      card("Waiting", number(counts.WAITING), aside.filter(Boolean).join(", ")),
      card("In use now", percent(all ? used / all : null), day === null ? "" : `${percent(day)} over ${duration(now - since)}`),
      model.nodes.length > 0 && card("Nodes", number(model.nodes.length), up === model.nodes.length ? "all up" : `${number(up)} up`),
      card("Policy", model.policy || "–", model.live && !model.nodes.length ? "no nodes have joined" : ""),
    );
  }

  showQueue() {
    const waiting = [];
    for (const job of this.model.jobs.values()) {
      if (job.state === "WAITING" || job.state === "HELD") waiting.push(job);
    }
    waiting.sort((one, other) => Number(one.state === "HELD") - Number(other.state === "HELD") || one.id - other.id);
    this.queue.show(waiting);
    this.forecasts.want(waiting.filter((job) => job.state === "WAITING" && job.reserved === null).slice(0, 10));
  }

  showBad() {
    const ended = [...this.model.jobs.values()].filter((job) => BAD.includes(job.state) && job.end !== null);
    ended.sort((one, other) => (other.end ?? 0) - (one.end ?? 0));
    const now = this.model.now();
    if (!ended.length) {
      fill(this.bad, h("p", { class: "empty" }, "Nothing has."));
      return;
    }
    const rows = ended.slice(0, MOST_BAD).map((job) =>
      h(
        "li",
        { "data-key": job.key },
        jobLink(job),
        stateMark(job.state),
        h("span", { class: "who" }, `${job.user}${job.name ? `: ${job.name}` : ""}`),
        h("span", { class: "why" }, job.reason || (job.signal ? `signal ${job.signal}` : `exit code ${job.exit}`)),
        h("span", { class: "when" }, instant(job.end, now)),
      ),
    );
    fill(this.bad, h("ul", { class: "list" }, rows));
  }

  /** @param {Surface} surface */
  drawHistory(surface) {
    const now = this.model.now();
    const axis = new Axis(sinceOrZero(now - Number(this.hours) * 3600), now);
    [axis.left, axis.width] = [0, surface.width];
    const [upper, lower] = [{ top: 20, height: 70 }, { top: 116, height: 66 }];
    const all = this.model.processors || 1;
    const most = this.waiting.values.reduce((large, value) => Math.max(large, value), 1);
    drawTicks(surface, axis, lower);
    drawSteps(surface, axis, upper, this.used, all, surface.palette.accent, now);
    drawSteps(surface, axis, lower, this.waiting, most, surface.palette.warn, now);
    drawCaption(surface, axis, upper, "Processors in use", number(all));
    drawCaption(surface, axis, lower, "Jobs that wait", number(most));
  }

  destroy() {
    this.queue.destroy();
    this.grid.destroy();
    this.surface.destroy();
    this.forecasts.stop();
  }
}
