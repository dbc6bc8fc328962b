/** What has happened to a job, one line each, while somebody looks. */

import { fill, h } from "./dom.js";
import { refOf } from "./forecasts.js";
import { instant, word } from "./format.js";
import { listen } from "./gateway.js";

/** @typedef {import("./model.js").Job} Job */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {{sequence: number, time_s?: number, kind: string, array_index?: number, state: string, attempt?: number, exit_code?: number, reason?: string}} Told */

const MOST = 500;

export class History {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    /** @type {Told[]} */ this.told = [];
    this.over = new AbortController();
    this.asking = 0;
    this.list = h("ol", { class: "events", "aria-label": "events", tabIndex: 0 });
    this.note = h("p", { class: "hint", role: "status" });
    this.element = h("div", {}, this.list, this.note);
  }

  /** Listen to what happens to *job*. @param {Job} job */
  async follow(job) {
    const mine = (/** @type {Told} */ one) => job.index === null || one.array_index === undefined || one.array_index === job.index;
    const message = { job_ids: [refOf(job).id], after: 0 };
    try {
      await listen("JobService/WatchJobs", message, (one) => mine(one) && this.add(one, job), this.over.signal);
    } catch (error) {
      if (!this.over.signal.aborted) this.note.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /**
   * @param {Told} one
   * @param {Job} job
   */
  add(one, job) {
    this.told.push(one);
    if (this.told.length > MOST) this.told.shift();
    // Those that come together are shown together.
    this.asking ||= setTimeout(() => {
      this.asking = 0;
      this.show(job);
    }, 50);
  }

  /** @param {Job} job */
  show(job) {
    const now = this.model.now();
    fill(
      this.list,
      this.told.map((one) =>
        h(
          "li",
          { "data-kind": one.kind },
          h("span", { class: "when" }, instant(one.time_s ?? 0, now)),
          h("span", { class: "kind" }, word(one.kind), one.array_index !== undefined && job.index === null ? ` [${one.array_index}]` : ""),
          h("span", { class: "why" }, detail(one)),
        ),
      ),
    );
    this.note.textContent = this.told.some((one) => one.kind === "submitted") ? "" : "Events before these are no longer kept.";
  }

  destroy() {
    clearTimeout(this.asking);
    this.over.abort();
  }
}

/** @param {Told} one */
function detail(one) {
  const parts = [];
  if (one.kind === "ended") parts.push(word(one.state), one.exit_code ? `exit code ${one.exit_code}` : "");
  if (one.kind === "started" && (one.attempt ?? 0) > 1) parts.push(`attempt ${one.attempt}`);
  parts.push(one.reason ?? "");
  return parts.filter(Boolean).join(", ");
}
