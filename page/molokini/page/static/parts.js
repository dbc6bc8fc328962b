/** Pieces that several views show. */

import { addressOf } from "./address.js";
import { h } from "./dom.js";
import { instant, word } from "./format.js";

/** @typedef {import("./model.js").Job} Job */

const MARKS = /** @type {Record<string, string>} */ ({
  HELD: "‖",
  WAITING: "◷",
  RUNNING: "▶",
  SUSPENDED: "❚",
  COMPLETED: "✓",
  CANCELLED: "⊘",
  FAILED: "✕",
  TIMED_OUT: "⏱",
  NODE_LOST: "⚠",
  REFUSED: "⊘",
  UP: "✓",
  DRAINING: "◒",
  DOWN: "✕",
});

/** A state by its sign, its word and its colour: each of them is enough. @param {string} state */
export function stateMark(state) {
  const mark = h("span", { "aria-hidden": "true", class: "mark" }, MARKS[state] ?? "·");
  return h("span", { class: `state ${state.toLowerCase()}` }, mark, word(state));
}

/** @param {Job} job */
export function jobLink(job) {
  return h("a", { href: addressOf("job", {}, job.key) }, job.key);
}

/**
 * @param {string} title
 * @param {string} value
 * @param {string} [note]
 * @param {string} [name] by which tests and scripts find it
 */
export function card(title, value, note = "", name = title) {
  return h(
    "div",
    { class: "card", "data-name": name },
    h("div", { class: "card-title" }, title),
    h("div", { class: "card-value" }, value),
    h("div", { class: "card-note" }, note),
  );
}

/**
 * A section with its heading.
 * @param {string} title
 * @param {...(import("./dom.js").Child)} children
 */
export function panel(title, ...children) {
  return h("section", { class: "panel", "aria-label": title }, h("h2", {}, title), ...children);
}

/**
 * Pairs of a name and a value.
 * @param {[string, import("./dom.js").Child][]} pairs those without a value are left out
 */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return h(
    "dl",
    { class: "facts" },
    shown.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { "data-name": name }, value)]),
  );
}

/**
 * When a waiting job is expected to start, as the policy has promised it.
 * @param {Job} job
 * @param {number} now
 */
export function expectedStart(job, now) {
  return job.reserved === null ? "" : instant(job.reserved, now);
}
