/** Compare: two runs of the same jobs, job by job; who starts earlier, who later. */

import { here, keep, oneOf, addressOf } from "../address.js";
import { Axis } from "../axis.js";
import { fill, h, say } from "../dom.js";
import { usedOverTime, waitingOverTime } from "../figures.js";
import { duration, number, percent } from "../format.js";
import { Gantt } from "../gantt.js";
import { jobLink, panel } from "../parts.js";
import { drawCaption, drawNow, drawSteps, drawTicks } from "../strips.js";
import { Surface } from "../surface.js";
import { Table } from "../table.js";
import { shown, words } from "./run.js";

/** @typedef {import("../model.js").Job} Job */
/** @typedef {import("../model.js").Model} Model */
/** @typedef {{name: string, jobs: number, before: number, after: number, earlier: number, later: number}} Row */
/** @typedef {{job: Job, before: number, after: number}} Pair */

const HEIGHT = 300;
const READ_MS = 1000;
const BY = ["user", "queue", "size"];
const METRICS = ["mean_wait_s", "median_wait_s", "p95_wait_s", "mean_bounded_slowdown", "utilization", "makespan_s"];

export class CompareView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const { params } = here();
    const names = model.runs.map((_, place) => String(place));
    this.other = Number(oneOf(params, "with", names.slice(1)));
    this.by = oneOf(params, "by", BY);
    this.choice = h("div", { class: "choice", role: "group", "aria-label": "by" });
    this.runs = h(
      "select",
      { "aria-label": "compared with", onchange: () => this.chooseRun(Number(this.runs.value)) },
      model.runs.slice(1).map((run, place) => h("option", { value: place + 1, selected: place + 1 === this.other }, run.policy)),
    );
    this.measures = h("div", { class: "scroll" });
    this.surface = new Surface({ label: "both runs on one axis of time", height: 330, draw: (surface) => this.draw(surface) });
    this.groups = new Table(
      /** @type {ConstructorParameters<typeof Table<Row>>[0]} */ ({
        label: "winners and losers",
        most: 12,
        sort: "change",
        keyOf: (row) => row.name,
        columns: groupColumns(),
      }),
    );
    this.jobs = new Table(
      /** @type {ConstructorParameters<typeof Table<Pair>>[0]} */ ({
        label: "differences by job",
        most: 14,
        sort: "-size",
        keyOf: (pair) => pair.job.key,
        open: (pair) => (location.hash = addressOf("time", { job: pair.job.key })),
        columns: jobColumns(),
      }),
    );
    this.seen = -1;
    this.drawn = -Infinity;
    this.rereading = 0;
    this.hovered = h("div", { class: "tip", role: "status" });
    this.charts = [0, this.other].map((place) => this.chart(place));
    this.both = h("div", { class: "both" }, this.charts.map((chart) => chart.surface.canvas), this.hovered);
    const tools = h("div", { class: "tools" }, h("button", { type: "button", onclick: () => this.all() }, "All"), h("span", { class: "count" }, "Both show the same time; choose a job, and it is framed in both."));
    this.element = h(
      "div",
      { class: "compare" },
      h("div", { class: "tools" }, h("span", {}, `${model.runs[0].policy} against`), this.runs),
      h("div", { class: "columns" }, panel("Over time", this.surface.canvas), panel("Measures", this.measures)),
      panel("Both on one axis", tools, this.both),
      panel("Who waits less, who longer", h("div", { class: "tools" }, this.choice), this.groups.element),
      panel("Job by job", this.jobs.element),
    );
    /** @type {{run: import("../model.js").Run, used: import("../figures.js").Steps, waiting: import("../figures.js").Steps}[]} */
    this.series = [];
    this.read();
  }

  /**
   * Jobs of one run over time; a move of one is a move of both.
   * @param {number} place
   */
  chart(place) {
    const run = this.model.runs[place];
    const chart = new Gantt(run.model, {
      choose: (job) => this.charts.forEach((one) => one.choose(job === null ? null : (one.model.jobs.get(job.key) ?? null))),
      hover: (job, node) => say(this.hovered, job ? this.told(job, run.policy, node) : ""),
      moved: (axis) => this.together(axis, chart),
    });
    chart.surface.canvas.setAttribute("aria-label", `jobs over processors and time under ${run.policy}`);
    chart.surface.setHeight(HEIGHT);
    chart.name = run.policy;
    return chart;
  }

  /**
   * @param {Job} job
   * @param {string} policy
   * @param {string} node
   */
  told(job, policy, node) {
    const twins = this.model.runs.map((run) => `${run.policy}: waited ${duration(run.model.jobs.get(job.key)?.wait(this.model.now()))}`);
    return `${job.key} (${job.user}, ${number(job.processors)} processors) under ${policy}${node ? `, on ${node}` : ""}; ${[twins[0], twins[this.other]].join(", ")}`;
  }

  /**
   * @param {Axis} axis
   * @param {Gantt} moved
   */
  together(axis, moved) {
    for (const one of this.charts) {
      if (one === moved) continue;
      [one.axis.from, one.axis.to] = [axis.from, axis.to];
      [one.top, one.bottom, one.closer] = [moved.top, moved.bottom, moved.closer];
      one.surface.ask();
    }
  }

  all() {
    const wholes = this.charts.map((one) => one.whole());
    const axis = new Axis(Math.min(...wholes.map((one) => one.from)), Math.max(...wholes.map((one) => one.to)));
    for (const one of this.charts) {
      [one.axis.from, one.axis.to] = [axis.from, axis.to];
      [one.top, one.bottom, one.closer] = [0, one.bars.rows, false];
      one.surface.ask();
    }
  }

  /** @param {number} place */
  chooseRun(place) {
    this.charts[1].destroy();
    this.other = place;
    this.charts[1] = this.chart(place);
    fill(this.both, this.charts.map((chart) => chart.surface.canvas), this.hovered);
    [this.seen, this.drawn] = [-1, -Infinity];
    this.update();
    keep({ with: place === 1 ? null : place });
    this.read();
  }

  /** @param {string} by */
  choose(by) {
    this.by = by;
    keep({ by: by === BY[0] ? null : by });
    this.read();
  }

  read() {
    const [one, other] = [this.model.runs[0], this.model.runs[this.other]];
    this.series = [one, other].map((run) => ({ run, used: usedOverTime(run.jobs, Infinity), waiting: waitingOverTime(run.jobs, Infinity) }));
    /** @type {Pair[]} */ const pairs = [];
    for (const [place, job] of one.jobs.entries()) {
      const twin = other.jobs[place];
      if (job.start === null || !twin || twin.start === null) continue;
      pairs.push({ job, before: job.start - job.submit, after: twin.start - twin.submit });
    }
    fill(
      this.choice,
      BY.map((by) => h("button", { type: "button", "aria-pressed": String(by === this.by), onclick: () => this.choose(by) }, `by ${by}`)),
    );
    this.groups.show(grouped(pairs, this.by));
    this.jobs.show(pairs.filter((pair) => pair.before !== pair.after));
    const rows = METRICS.filter((name) => name in one.metrics).map((name) => {
      const [before, after] = [one.metrics[name], other.metrics[name] ?? null];
      const change = before && after !== null ? after / before - 1 : null;
      const signed = change === null ? "–" : `${change > 0 ? "+" : "−"}${percent(Math.abs(change))}`;
      return h("tr", {}, h("th", { scope: "row" }, words(name)), [shown(name, before), shown(name, after), signed].map((text) => h("td", { class: "figure" }, text)));
    });
    const head = h("tr", {}, ["", one.policy, other.policy, "change"].map((text) => h("th", {}, text)));
    fill(this.measures, h("table", { class: "plain-table" }, h("thead", {}, head), h("tbody", {}, rows)));
    this.surface.ask();
  }

  update() {
    this.surface.ask();
    const { version } = this.model;
    if (version === this.seen) return;
    if (performance.now() - this.drawn < READ_MS) {
      this.rereading ||= setTimeout(() => {
        this.rereading = 0;
        this.update();
      }, READ_MS);
      return;
    }
    const first = this.seen < 0;
    this.seen = version;
    for (const one of this.charts) one.read();
    if (first) this.all();
    this.drawn = performance.now();
  }

  /** @param {Surface} surface */
  draw(surface) {
    if (!this.series.length) return;
    const ends = this.series.flatMap(({ used }) => [...used.times.subarray(-1)]);
    const begins = this.series.flatMap(({ waiting, used }) => [...waiting.times.subarray(0, 1), ...used.times.subarray(0, 1)]);
    const axis = new Axis(Math.min(...begins), Math.max(...ends));
    [axis.left, axis.width] = [0, surface.width];
    const most = this.series.reduce((large, { waiting }) => waiting.values.reduce((one, value) => Math.max(one, value), large), 1);
    const { palette } = surface;
    this.series.forEach(({ run, used, waiting }, place) => {
      const top = 20 + place * 150;
      const [upper, lower] = [{ top, height: 56 }, { top: top + 78, height: 46 }];
      if (place === 1) drawTicks(surface, axis, lower);
      drawSteps(surface, axis, upper, used, this.model.machine, place ? palette.plan : palette.accent);
      drawSteps(surface, axis, lower, waiting, most, palette.warn);
      drawCaption(surface, axis, upper, `${run.policy}: processors in use`, number(this.model.machine));
      drawCaption(surface, axis, lower, `${run.policy}: jobs that wait`, number(most));
      if (this.model.playing) drawNow(surface, axis, { top, height: 124 }, this.model.now());
    });
  }

  destroy() {
    clearTimeout(this.rereading);
    for (const one of this.charts) one.destroy();
    this.surface.destroy();
    this.groups.destroy();
    this.jobs.destroy();
  }
}

/** @param {number} seconds */
function signed(seconds) {
  return `${seconds > 0 ? "+" : ""}${duration(seconds)}`;
}

/** @returns {import("../table.js").Column<Row>[]} */
function groupColumns() {
  const change = (/** @type {Row} */ row) => (row.after - row.before) / row.jobs;
  return [
    { name: "name", title: "Name", width: "minmax(6rem, 14rem)", cell: (row) => row.name || "none", sort: (row) => row.name },
    { name: "jobs", title: "Jobs", width: "5rem", figure: true, cell: (row) => number(row.jobs), sort: (row) => row.jobs },
    { name: "before", title: "Mean wait", width: "8rem", figure: true, narrow: true, cell: (row) => duration(row.before / row.jobs), sort: (row) => row.before / row.jobs },
    { name: "after", title: "Then", width: "8rem", figure: true, narrow: true, cell: (row) => duration(row.after / row.jobs), sort: (row) => row.after / row.jobs },
    { name: "change", title: "Change", width: "8rem", figure: true, cell: (row) => signed(change(row)), sort: change },
    { name: "earlier", title: "Earlier", width: "5.5rem", figure: true, cell: (row) => number(row.earlier), sort: (row) => row.earlier },
    { name: "later", title: "Later", width: "5.5rem", figure: true, cell: (row) => number(row.later), sort: (row) => row.later },
  ];
}

/** @returns {import("../table.js").Column<Pair>[]} */
function jobColumns() {
  const change = (/** @type {Pair} */ pair) => pair.after - pair.before;
  return [
    { name: "job", title: "Job", width: "6.5rem", cell: (pair) => jobLink(pair.job), sort: (pair) => pair.job.id },
    { name: "user", title: "User", width: "minmax(4rem, 8rem)", cell: (pair) => pair.job.user, sort: (pair) => pair.job.user },
    { name: "processors", title: "Procs", width: "5rem", figure: true, cell: (pair) => number(pair.job.processors), sort: (pair) => pair.job.processors },
    { name: "before", title: "Waited", width: "8rem", figure: true, narrow: true, cell: (pair) => duration(pair.before), sort: (pair) => pair.before },
    { name: "after", title: "Then", width: "8rem", figure: true, narrow: true, cell: (pair) => duration(pair.after), sort: (pair) => pair.after },
    { name: "size", title: "Change", width: "9rem", figure: true, cell: (pair) => signed(change(pair)), sort: (pair) => Math.abs(change(pair)) },
  ];
}

/**
 * @param {Pair[]} pairs
 * @param {string} by
 * @returns {Row[]}
 */
function grouped(pairs, by) {
  /** @type {Map<string, Row>} */ const found = new Map();
  for (const { job, before, after } of pairs) {
    const name = by === "size" ? sizeOf(job.processors) : by === "queue" ? job.queue : job.user;
    let row = found.get(name);
    if (row === undefined) found.set(name, (row = { name, jobs: 0, before: 0, after: 0, earlier: 0, later: 0 }));
    row.jobs++;
    row.before += before;
    row.after += after;
    if (after < before) row.earlier++;
    if (after > before) row.later++;
  }
  return [...found.values()];
}

/** @param {number} processors */
function sizeOf(processors) {
  const limit = [1, 8, 64, 512].find((one) => processors <= one);
  return { 1: "1 processor", 8: "2 to 8", 64: "9 to 64", 512: "65 to 512" }[limit ?? 0] ?? "513 and more";
}
