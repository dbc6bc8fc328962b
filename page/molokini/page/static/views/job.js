/** A job: its life, what it used of what it asked for, why it waits, its parts, its script. */

import { jobActions } from "../actions.js";
import { addressOf } from "../address.js";
import { Axis } from "../axis.js";
import { fill, h, say } from "../dom.js";
import { duration, instant, memory, number, percent } from "../format.js";
import { call, Refusal } from "../gateway.js";
import { History } from "../history.js";
import { Output } from "../output.js";
import { facts, jobLink, panel, stateMark } from "../parts.js";
import { drawTicks } from "../strips.js";
import { Surface } from "../surface.js";
import { whyParts } from "../why.js";

/** @typedef {import("../model.js").Job} Job */
/** @typedef {import("../model.js").Model} Model */

const MOST_PARTS = 500;
const MOST_TEXT = 20_000;

export class JobView {
  /**
   * @param {Model} model
   * @param {string} key
   */
  constructor(model, key) {
    this.model = model;
    this.key = key;
    /** @type {any} what the server tells of it alone */ this.told = null;
    this.gone = "";
    this.seen = "";
    this.asked = "";
    this.shown = "";
    this.title = h("h1", {});
    this.actions = h("div", {});
    this.life = new Surface({ label: "the life of the job", height: 74, draw: (surface) => this.drawLife(surface) });
    this.body = h("div", {});
    this.further = h("div", {});
    /** @type {History | null} */ this.history = null;
    /** @type {Output | null} */ this.output = null;
    this.element = h("div", { class: "job" }, h("div", { class: "job-head" }, this.title, this.actions), this.life.canvas, this.body, this.further);
  }

  get job() {
    return this.model.jobs.get(this.key);
  }

  update() {
    const job = this.job;
    const version = `${job?.state} ${job?.attempt} ${job?.reason} ${job?.start} ${this.model.complete}`;
    if (this.asked !== version) {
      this.asked = version;
      if (this.model.live) void this.load();
    }
    this.show();
  }

  async load() {
    const found = /^(\d{1,15})(?:\[(\d{1,10})\])?$/.exec(this.key);
    if (!found) {
      this.gone = "There is no such job.";
      this.show();
      return;
    }
    const ref = { id: Number(found[1]), ...(found[2] === undefined ? {} : { array_index: Number(found[2]) }) };
    try {
      this.told = await call("JobService/GetJob", { job: ref });
      this.gone = "";
    } catch (error) {
      this.gone = error instanceof Refusal ? error.message : "The server does not answer.";
    }
    this.show();
  }

  show() {
    const { model, told } = this;
    const job = this.job;
    const seen = JSON.stringify([job, told, this.gone, Math.floor(model.now())]);
    if (seen === this.seen) return;
    const first = this.seen === "";
    this.seen = seen;
    if (job === undefined) {
      fill(this.title, `Job ${this.key}`);
      const why = this.gone || (model.complete || !model.live ? "There is no such job." : "Loading …");
      fill(this.body, h("p", { class: "empty", role: "status" }, why));
      return;
    }
    fill(this.title, `Job ${job.key}`, job.name ? h("span", { class: "job-name" }, ` ${job.name} `) : " ", stateMark(job.state));
    const state = `${job.state}`;
    if (this.actions.dataset.state !== state) {
      this.actions.dataset.state = state;
      fill(this.actions, jobActions(model, job));
    }
    this.life.ask();
    if (model.live) this.showFurther(job);
    if (first || this.shown !== `${job.state} ${job.reason} ${told?.version}`) {
      this.shown = `${job.state} ${job.reason} ${told?.version}`;
      this.showParts(job);
    }
    const elapsed = this.body.querySelector("[data-name=ran]");
    if (elapsed) say(elapsed, duration(job.elapsed(model.now())));
  }

  /** What is asked for by itself: what has happened, and what the job has written. @param {Job} job */
  showFurther(job) {
    if (this.history === null) {
      this.history = new History(this.model);
      this.further.append(panel("What happened", this.history.element));
      void this.history.follow(job);
    }
    // What nodes only emulate writes nothing; others' output is not shown to users.
    const mine = this.model.role !== "user" || job.user === this.model.user;
    if (this.output === null && job.start !== null && mine && this.told && !this.told.emulated) {
      this.output = new Output(() => this.job);
      this.further.append(panel("Output", this.output.element));
    }
  }

  /** @param {Job} job */
  showParts(job) {
    const { model, told } = this;
    const now = model.now();
    const spec = told?.spec ?? {};
    const nodes = Array.from(job.on, (node, k) => `${model.nodes[node]?.name ?? node}: ${job.each[k]}`);
    const parts = [...model.jobs.values()].filter((one) => one.id === job.id && one.key !== job.key).slice(0, MOST_PARTS);
    fill(
      this.body,
      h(
        "div",
        { class: "columns" },
        panel(
          "Asked for",
          facts([
            ["user", job.user],
            ["queue", job.queue],
            ["account", job.account],
            ["processors", number(job.processors)],
            ["time", duration(job.estimate)],
            ["memory", job.memoryAsked ? memory(job.memoryAsked) : ""],
            ["nodes", spec.resources?.nodes ? number(spec.resources.nodes) : ""],
            ["features", (spec.resources?.features ?? []).join(", ")],
            ["quality of service", spec.qos ?? ""],
            ["depends on", (spec.dependencies ?? []).map((/** @type {any} */ one) => `${one.kind.toLowerCase().replaceAll("_", " ")} ${one.job_id ?? ""}`).join(", ")],
            ["comment", spec.comment ?? ""],
          ]),
        ),
        panel(
          "What became of it",
          facts([
            ["submitted", instant(job.submit, now)],
            ["could start from", job.eligible !== null && job.eligible > job.submit ? instant(job.eligible, now) : ""],
            ["waited", duration(job.wait(now))],
            ["started", job.start === null ? "" : instant(job.start, now)],
            ["ended", job.end === null ? "" : instant(job.end, now)],
            ["expected to end", job.state === "RUNNING" && job.expectedEnd !== null ? instant(job.expectedEnd, now) : ""],
            ["ran", job.start === null ? "" : duration(job.elapsed(now))],
            ["attempts", job.attempt > 1 ? number(job.attempt) : ""],
            ["exit code", job.open ? "" : String(job.exit)],
            ["signal", job.signal ? String(job.signal) : ""],
            ["why", job.open && job.start === null ? "" : job.reason],
            ["on", nodes.length > 24 ? `${nodes.slice(0, 24).join(", ")} and ${nodes.length - 24} more` : nodes.join(", ")],
          ]),
        ),
      ),
      job.start === null && job.open && panel("Why it waits", whyParts(model, job, (key) => (location.hash = addressOf("job", {}, key)))),
      job.start !== null && panel("Used of what it asked for", ...efficiency(job, now)),
      parts.length > 0 && panel("Other parts", h("p", { class: "links" }, parts.flatMap((one) => [h("span", {}, jobLink(one), " ", stateMark(one.state)), " "]))),
      ...texts(spec),
    );
  }

  /** @param {Surface} surface */
  drawLife(surface) {
    const job = this.job;
    if (job === undefined) return;
    const { context, palette } = surface;
    const now = this.model.now();
    const end = job.end ?? Math.max(now, job.expectedEnd ?? now, job.start === null ? (job.reserved ?? now) + job.estimate : job.start + job.estimate);
    const margin = Math.max(1, (end - job.submit) * 0.01);
    const axis = new Axis(job.submit - margin, end + margin);
    [axis.left, axis.width] = [4, surface.width - 8];
    const box = { top: 22, height: 22 };
    drawTicks(surface, axis, box);
    const ready = job.eligible ?? (job.start === null ? (job.end ?? now) : job.submit);
    const waited = job.start ?? job.end ?? now;
    const piece = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ colour, /** @type {string} */ text, alpha = 1) => {
      if (to <= from) return;
      const [x0, x1] = [axis.x(from), axis.x(to)];
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillRect(x0, box.top, Math.max(1, x1 - x0 - 1), box.height);
      context.globalAlpha = 1;
      context.fillStyle = palette.quiet;
      context.textAlign = "left";
      context.textBaseline = "bottom";
      if (x1 - x0 > context.measureText(text).width) context.fillText(text, x0, box.top - 4);
    };
    piece(job.submit, Math.min(ready, waited), palette.held, "could not start");
    piece(Math.max(job.submit, ready), waited, palette.warn, "waited", 0.75);
    if (job.start !== null) {
      piece(job.start, job.end ?? now, palette.accent, job.end === null ? "runs" : "ran");
      if (job.end === null) piece(now, job.start + job.estimate, palette.accent, "left of what it asked for", 0.3);
    } else if (job.open && job.reserved !== null) {
      piece(job.reserved, job.reserved + job.estimate, palette.plan, "promised", 0.4);
    }
  }

  destroy() {
    this.history?.destroy();
    this.output?.destroy();
    this.life.destroy();
  }
}

/**
 * Bars of what was used, and what would have been enough.
 * @param {Job} job
 * @param {number} now
 */
function efficiency(job, now) {
  const elapsed = job.elapsed(now) ?? 0;
  const rows = [meter("time", elapsed, job.estimate, `${duration(elapsed)} of ${duration(job.estimate)}`)];
  if (job.cpu) {
    const most = elapsed * job.processors;
    rows.push(meter("processors", job.cpu, most, `${duration(job.cpu)} of ${duration(most)} of processor time`));
  }
  if (job.memory && job.memoryAsked) rows.push(meter("memory", job.memory, job.memoryAsked, `${memory(job.memory)} of ${memory(job.memoryAsked)}`));
  const advice = [];
  if (job.state === "COMPLETED" && elapsed < job.estimate * 0.5) {
    advice.push(`${duration(Math.ceil((elapsed * 1.25) / 60) * 60)} would have been enough time, with a quarter to spare: a job that asks for less starts earlier.`);
  }
  if (!job.open && job.cpu && job.cpu < 0.5 * elapsed * job.processors && job.processors > 1) {
    advice.push(`It kept ${number(Math.max(1, Math.ceil(job.cpu / Math.max(1, elapsed))))} of its ${number(job.processors)} processors busy.`);
  }
  return [...rows, ...advice.map((text) => h("p", { class: "hint" }, text))];
}

/**
 * @param {string} name
 * @param {number} used
 * @param {number} asked
 * @param {string} text
 */
function meter(name, used, asked, text) {
  const part = asked ? used / asked : 0;
  const full = h("div", { class: part > 1 ? "meter-full over" : "meter-full" });
  full.style.width = `${Math.min(100, part * 100)}%`;
  return h(
    "div",
    { class: "meter-row", "data-name": `used-${name}` },
    h("span", { class: "meter-name" }, name),
    h("div", { class: "meter", role: "meter", "aria-label": name, "aria-valuenow": Math.round(part * 100), "aria-valuemin": 0, "aria-valuemax": 100 }, full),
    h("span", { class: "meter-part" }, percent(part)),
    h("span", { class: "meter-text" }, text),
  );
}

/** @param {any} spec */
function texts(spec) {
  const shown = [];
  if (spec.argv?.length) shown.push(panel("Command", h("pre", {}, spec.argv.join(" "))));
  if (spec.script) shown.push(panel("Script", h("pre", { tabIndex: 0 }, cut(spec.script))));
  const environment = Object.entries(spec.environment ?? {});
  if (environment.length) {
    const text = environment.map(([name, value]) => `${name}=${value}`).join("\n");
    shown.push(panel("Environment", h("pre", { tabIndex: 0 }, cut(text))));
  }
  const paths = facts([
    ["directory", spec.working_directory ?? ""],
    ["standard output", spec.stdout_path ?? ""],
    ["standard error", spec.stderr_path ?? ""],
  ]);
  if (paths.childElementCount) shown.push(panel("Files", paths));
  return shown;
}

/** @param {string} text */
function cut(text) {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}\n… ${number(text.length - MOST_TEXT)} more characters`;
}

