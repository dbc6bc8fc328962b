/** When jobs will start, as the server reckons: asked for one at a time, and not again for a while. */

import { instant } from "./format.js";
import { call } from "./gateway.js";

/** @typedef {import("./model.js").Job} Job */
/** @typedef {{asked: number, text: string, title: string, start: number | null}} Forecast */

const GOOD_FOR_MS = 30_000;

export class Forecasts {
  /**
   * @param {import("./model.js").Model} model
   * @param {() => void} changed
   */
  constructor(model, changed) {
    this.model = model;
    this.changed = changed;
    /** @type {Map<string, Forecast>} */ this.known = new Map();
    /** @type {Job[]} */ this.wanted = [];
    this.running = false;
    this.stopped = false;
  }

  /** @param {Job} job */
  text(job) {
    return this.known.get(job.key)?.text ?? "";
  }

  /** @param {Job[]} jobs */
  want(jobs) {
    this.wanted = jobs;
    if (!this.running && this.model.live && !this.model.anonymous) void this.run();
  }

  stop() {
    this.stopped = true;
  }

  async run() {
    this.running = true;
    let any = false;
    try {
      for (let job = this.next(); job !== undefined && !this.stopped; job = this.next()) {
        this.known.set(job.key, await this.reckon(job));
        any = true;
      }
    } finally {
      this.running = false;
    }
    if (any && !this.stopped) this.changed();
  }

  next() {
    const old = performance.now() - GOOD_FOR_MS;
    return this.wanted.find((job) => (this.known.get(job.key)?.asked ?? -Infinity) < old);
  }

  /**
   * @param {Job} job
   * @returns {Promise<Forecast>}
   */
  async reckon(job) {
    const asked = performance.now();
    const none = { asked, text: "", title: "", start: null };
    try {
      const { possible, start_s, reason = "" } = await call("JobService/ForecastJob", { job: refOf(job) });
      if (!possible) return { ...none, title: reason };
      const start = start_s ?? 0;
      return { asked, text: `≈ ${instant(start, this.model.now())}`, title: "", start };
    } catch {
      // The job may have gone meanwhile; the next change of the queue asks again.
      return none;
    }
  }
}

/** @param {Job} job */
export function refOf(job) {
  return job.index === null ? { id: job.id } : { id: job.id, array_index: job.index };
}
