/** A recorded run played on scaled time: the model is made what it was at an instant, again and again. */

import { h, say } from "./dom.js";
import { instant } from "./format.js";
import { Job } from "./model.js";

/** @typedef {import("./model.js").Model} Model */

const EVERY_MS = 250;
/** The whole run takes so long at the slowest of the speeds. */
const WHOLE_S = 240;
const SPEEDS = [1, 4, 16];

export class Player {
  /**
   * @param {Model} model
   * @param {boolean} plays at once, from the beginning on
   */
  constructor(model, plays) {
    this.model = model;
    /** Every run: its jobs as they will be, and as they are shown. */
    this.parts = model.runs.map((run) => ({ model: run.model, truth: run.jobs, shown: run.jobs.map((job) => Object.assign(new Job(job.id, job.index), job)) }));
    this.first = model.runs[0].jobs.reduce((least, job) => Math.min(least, job.submit), Infinity);
    this.last = model.now();
    this.at = plays ? this.first : this.last;
    this.speed = SPEEDS[0];
    this.timer = 0;
    this.button = h("button", { type: "button", onclick: () => this.turn() }, "▶ Play");
    this.time = h("output", { class: "time" });
    this.slider = h("input", {
      type: "range",
      min: "0",
      max: "1000",
      step: "1",
      "aria-label": "instant of the run",
      oninput: () => this.to(this.first + (Number(this.slider.value) / 1000) * (this.last - this.first)),
    });
    const speeds = h(
      "select",
      { "aria-label": "speed", onchange: () => (this.speed = Number(speeds.value)) },
      SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)),
    );
    this.element = h("div", { class: "player", role: "group", "aria-label": "the run over time" }, this.button, speeds, this.slider, this.time);
    this.to(this.at);
    if (plays) this.turn();
  }

  turn() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = 0;
    } else {
      if (this.at >= this.last) this.at = this.first;
      this.timer = setInterval(() => this.step(), EVERY_MS);
    }
    say(this.button, this.timer ? "❚❚ Pause" : "▶ Play");
  }

  step() {
    const share = (EVERY_MS / 1000 / WHOLE_S) * this.speed;
    this.to(Math.min(this.last, this.at + share * (this.last - this.first)));
    if (this.at >= this.last) this.turn();
  }

  /** Show the run as it was. @param {number} at */
  to(at) {
    const { model } = this;
    this.at = at;
    for (const part of this.parts) this.show(part, at);
    model.notify();
    this.slider.value = String(((at - this.first) / Math.max(1e-9, this.last - this.first)) * 1000);
    say(this.time, instant(at));
  }

  /**
   * One run as it was.
   * @param {Player["parts"][number]} part
   * @param {number} at
   */
  show({ model, truth, shown }, at) {
    model.playing = at < this.last;
    model.setClock(at, 0);
    model.jobs.clear();
    for (const [place, job] of truth.entries()) {
      if (job.submit > at) continue;
      const now = shown[place];
      const started = job.start !== null && job.start <= at;
      const ended = job.end !== null && job.end <= at;
      now.start = started ? job.start : null;
      now.end = ended ? job.end : null;
      now.state = ended || (!started && job.state === "REFUSED") || at >= this.last ? job.state : started ? "RUNNING" : "WAITING";
      model.jobs.set(now.key, now);
    }
    model.version++;
  }
}
