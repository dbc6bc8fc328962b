/** Time: what ran, runs and is planned, on which processors; and of one job why it waits, and until when. */

import { here, keep, numberIn, oneOf } from "../address.js";
import { Axis } from "../axis.js";
import { fill, h, say } from "../dom.js";
import { duration, instant, number, word } from "../format.js";
import { Gantt } from "../gantt.js";
import { jobLink, stateMark } from "../parts.js";
import { whyParts } from "../why.js";

/** @typedef {import("../model.js").Job} Job */
/** @typedef {import("../model.js").Model} Model */

const BY = ["user", "state", "queue", "account"];
const READ_MS = 1500;

export class TimeView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const { params } = here();
    this.gantt = new Gantt(model, {
      choose: (job) => this.choose(job),
      hover: (job, node) => this.hover(job, node),
      moved: () => this.later(),
    });
    this.gantt.by = oneOf(params, "by", BY);
    this.gantt.search = params.get("q") ?? "";
    this.from = numberIn(params, "from");
    this.to = numberIn(params, "to");
    this.wanted = params.get("job");
    this.placed = false;
    this.seen = -1;
    this.read = -Infinity;
    this.saving = 0;
    this.rereading = 0;
    this.tip = h("div", { class: "tip", role: "status" });
    this.legend = h("ul", { class: "legend", "aria-label": "colours" });
    this.side = h("aside", { class: "side", hidden: true, "aria-live": "polite" });
    this.search = h("input", {
      type: "search",
      placeholder: "Job, user, name …",
      "aria-label": "show only jobs of",
      value: this.gantt.search,
      oninput: () => this.find(this.search.value),
    });
    this.by = h(
      "select",
      { "aria-label": "colours by", onchange: () => this.colourBy(this.by.value) },
      BY.map((one) => h("option", { value: one, selected: one === this.gantt.by }, `by ${one}`)),
    );
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ act) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const middle = () => this.gantt.axis.left + this.gantt.axis.width / 2;
    this.element = h(
      "div",
      { class: "time-view" },
      h(
        "div",
        { class: "tools" },
        this.search,
        this.by,
        button("−", "further away", () => this.gantt.zoom(1.6, middle())),
        button("+", "closer", () => this.gantt.zoom(1 / 1.6, middle())),
        button("Rows +", "fewer nodes, larger", () => this.gantt.zoomRows(1 / 1.6, 1e6)),
        button("Rows −", "more nodes", () => this.gantt.zoomRows(1.6, 1e6)),
        button("All", "all that there is", () => this.all()),
        model.live && button("Now", "the present", () => this.toNow()),
        this.legend,
      ),
      h("div", { class: "stage" }, h("div", { class: "chart" }, this.gantt.surface.canvas, this.tip), this.side),
    );
  }

  update() {
    const { model } = this;
    const [now, version] = [performance.now(), model.version + model.machineVersion];
    if (version !== this.seen && now - this.read > READ_MS) {
      this.seen = version;
      this.gantt.read();
      this.showLegend();
      this.read = performance.now();
      if (!this.placed) this.first();
      if (this.wanted !== null) {
        const job = model.jobs.get(this.wanted);
        if (job !== undefined) this.choose(job);
        this.wanted = job === undefined && !model.complete ? this.wanted : null;
      }
    } else if (version !== this.seen && !this.rereading) {
      this.rereading = setTimeout(() => {
        this.rereading = 0;
        this.update();
      }, READ_MS);
    }
    this.gantt.surface.setHeight(Math.max(320, window.innerHeight - (window.innerWidth < 640 ? 300 : 190)));
    this.gantt.surface.ask();
  }

  /** What is shown at first: what the address says, else the last hours of a live server, all of a log. */
  first() {
    if (!this.model.jobs.size && this.model.live && !this.model.complete) return;
    this.placed = true;
    const { gantt, model } = this;
    const now = model.now();
    const all = gantt.whole();
    gantt.axis = model.live ? new Axis(Math.max(all.from, now - 6 * 3600), Math.max(now + 3 * 3600, Math.min(all.to, now + 12 * 3600))) : all;
    if (this.from !== null && this.to !== null && this.to > this.from) gantt.axis = new Axis(this.from, this.to);
  }

  all() {
    this.gantt.axis = this.gantt.whole();
    this.gantt.zoomRows(Infinity, 0);
  }

  toNow() {
    const { axis } = this.gantt;
    const { span } = axis;
    axis.from = this.model.now() - span * 0.67;
    axis.to = axis.from + span;
    this.gantt.moved();
  }

  /** @param {string} text */
  find(text) {
    this.gantt.search = text;
    keep({ q: text });
    this.gantt.colour();
    this.gantt.surface.ask();
  }

  /** @param {string} by */
  colourBy(by) {
    this.gantt.by = by;
    keep({ by: by === BY[0] ? null : by });
    this.gantt.colour();
    this.showLegend();
    this.gantt.surface.ask();
  }

  showLegend() {
    fill(
      this.legend,
      this.gantt.legend.map(({ name, colour }) => {
        const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.background = colour;
        return h("li", { title: name }, swatch, name);
      }),
    );
  }

  /** The address keeps up when the hand rests. */
  later() {
    clearTimeout(this.saving);
    const { from, to } = this.gantt.axis;
    this.saving = setTimeout(() => keep({ from: from.toFixed(1), to: to.toFixed(1) }), 250);
  }

  /** @param {Job | null} job */
  choose(job) {
    this.gantt.chosen = job;
    keep({ job: job?.key ?? null });
    this.side.hidden = job === null;
    if (job !== null) this.showJob(job);
    this.gantt.surface.ask();
  }

  /** @param {Job} job */
  showJob(job) {
    const now = this.model.now();
    fill(
      this.side,
      h(
        "div",
        { class: "side-head" },
        h("h2", {}, "Job ", jobLink(job), job.name ? ` ${job.name}` : ""),
        h("button", { type: "button", class: "plain", "aria-label": "close", onclick: () => this.choose(null) }, "✕"),
      ),
      h("p", {}, stateMark(job.state)),
      h("p", { class: "hint" }, `${job.user}, ${job.queue}, ${number(job.processors)} processors, asks for ${duration(job.estimate)}`),
      h("p", { class: "hint" }, `submitted ${instant(job.submit, now)}, waited ${duration(job.wait(now))}`),
      job.start !== null && h("p", { class: "hint" }, `started ${instant(job.start, now)}, ${job.end === null ? "expected to end" : "ended"} ${instant(job.end ?? job.expectedEnd ?? job.start + job.estimate, now)}`),
      job.start === null && whyParts(this.model, job, (key) => this.toJob(key)),
    );
  }

  /** @param {string} key */
  toJob(key) {
    const job = this.model.jobs.get(key);
    if (job !== undefined) this.choose(job);
  }

  /**
   * @param {Job | null} job
   * @param {string} node
   */
  hover(job, node) {
    const now = this.model.now();
    if (job === null) {
      say(this.tip, node);
      return;
    }
    const when = job.start === null ? `promised for ${instant(job.reserved, now)}` : `${instant(job.start, now)}, ${duration(job.elapsed(now))}`;
    say(this.tip, `${job.key} ${job.name} (${job.user}, ${number(job.processors)} processors): ${word(job.state)}, ${when}${node ? `, on ${node}` : ""}`);
  }

  destroy() {
    clearTimeout(this.saving);
    clearTimeout(this.rereading);
    this.gantt.destroy();
  }
}
