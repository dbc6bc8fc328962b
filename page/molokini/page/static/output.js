/** What a job has written: the end of its file first, and more of what is before it on demand. */

import { fill, h, say } from "./dom.js";
import { number } from "./format.js";
import { ask, Refusal } from "./gateway.js";

/** @typedef {import("./model.js").Job} Job */
/** @typedef {{path: string, size: number, from: number, to: number, text: string}} Piece */

const FOLLOW_MS = 2000;
/** More than this of a file is not held. */
const MOST = 1_000_000;
/** Colours and moves of a terminal. */
const TERMINAL = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

export class Output {
  /** @param {() => Job | undefined} job */
  constructor(job) {
    this.job = job;
    this.error = false;
    /** @type {Piece | null} */ this.piece = null;
    this.timer = 0;
    this.over = false;
    this.choice = h("div", { class: "choice", role: "group", "aria-label": "which output" });
    this.earlier = h("button", { type: "button", hidden: true, onclick: () => void this.before() }, "Show earlier");
    this.note = h("span", { class: "count", role: "status" });
    this.text = h("pre", { class: "output", tabIndex: 0, "aria-label": "output of the job" });
    this.element = h("div", { hidden: true }, h("div", { class: "tools" }, this.choice, this.earlier, this.note), this.text);
    this.choose(false);
  }

  /** @param {boolean} error standard error and not standard output */
  choose(error) {
    this.error = error;
    this.piece = null;
    const names = /** @type {[string, boolean][]} */ ([["standard output", false], ["standard error", true]]);
    fill(
      this.choice,
      names.map(([name, one]) => h("button", { type: "button", "aria-pressed": String(one === error), onclick: () => this.choose(one) }, name)),
    );
    void this.read();
  }

  /** @param {string} range */
  get(range) {
    const job = this.job();
    return ask(`/output?job=${encodeURIComponent(job?.key ?? "")}&of=${this.error ? "error" : "output"}${range}`);
  }

  /** The end, and what is added to it. */
  async read() {
    clearTimeout(this.timer);
    const wanted = this.error;
    try {
      const { piece } = this;
      const found = /** @type {Piece} */ (await this.get(piece === null ? "" : `&from=${piece.to}`));
      if (wanted !== this.error || this.over) return;
      // A file that has become shorter was started over.
      if (piece === null || found.from !== piece.to) this.piece = found;
      else this.piece = { ...found, from: piece.from, text: piece.text + found.text };
      if (this.piece.text.length > MOST) this.drop();
      this.show();
    } catch (error) {
      if (wanted !== this.error || this.over) return;
      this.element.hidden = false;
      this.earlier.hidden = true;
      say(this.text, "");
      say(this.note, error instanceof Refusal ? error.message : "The server does not answer.");
      if (error instanceof Refusal && error.reason !== "no_output_yet") return;
    }
    if (this.job()?.open || (this.piece && this.piece.to < this.piece.size)) this.timer = setTimeout(() => void this.read(), FOLLOW_MS);
  }

  /** What is before that which is shown. */
  async before() {
    const { piece } = this;
    if (piece === null) return;
    const found = /** @type {Piece} */ (await this.get(`&before=${piece.from}`));
    if (this.piece !== piece) return;
    this.piece = { ...piece, from: found.from, text: found.text + piece.text };
    this.show();
  }

  /** Let the beginning go. */
  drop() {
    const { piece } = this;
    if (piece === null) return;
    const text = piece.text.slice(-MOST / 2);
    const gone = new TextEncoder().encode(piece.text.slice(0, -text.length)).length;
    this.piece = { ...piece, from: piece.from + gone, text };
  }

  show() {
    const { piece } = this;
    if (piece === null) return;
    const ends = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 4;
    const text = piece.text.replace(TERMINAL, "");
    this.element.hidden = false;
    this.earlier.hidden = piece.from === 0 || piece.text.length >= MOST;
    say(this.note, `${piece.path}: ${number(piece.size)} bytes${piece.from ? `, shown from ${number(piece.from)} on` : ""}`);
    say(this.text, text || "It is empty.");
    if (ends) this.text.scrollTop = this.text.scrollHeight;
  }

  destroy() {
    this.over = true;
    clearTimeout(this.timer);
  }
}
