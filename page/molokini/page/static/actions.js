/** What a caller may do, each with a question that names what it will be done to, and the server's own answer. */

import { h, say } from "./dom.js";
import { refOf } from "./forecasts.js";
import { number } from "./format.js";
import { call } from "./gateway.js";

/** @typedef {import("./model.js").Job} Job */
/** @typedef {import("./model.js").Model} Model */

/**
 * @typedef {object} Action
 * @property {string} name
 * @property {string} method
 * @property {string[]} states in which it can be done
 * @property {string} says what it does, for the question
 * @property {boolean} [danger]
 */

/** @type {Action[]} */
const OF_JOBS = [
  { name: "Hold", method: "HoldJobs", states: ["WAITING"], says: "It keeps its place and does not start until it is released." },
  { name: "Release", method: "ReleaseJobs", states: ["HELD"], says: "The hold of its user is taken away." },
  { name: "Requeue", method: "RequeueJobs", states: ["RUNNING"], says: "It is ended and waits again; its work is lost.", danger: true },
  { name: "Cancel", method: "CancelJobs", states: ["HELD", "WAITING", "RUNNING", "SUSPENDED"], says: "It ends, and does not run again.", danger: true },
];

/**
 * Buttons for what the user who looks can do to a job.
 * @param {Model} model
 * @param {Job} job
 */
export function jobActions(model, job) {
  const mine = model.user === job.user || model.role !== "user";
  if (!model.live || !mine) return h("div", { class: "actions" });
  const buttons = OF_JOBS.filter((one) => one.states.includes(job.state)).map((one) =>
    h("button", { type: "button", onclick: () => void askJob(one, job) }, one.name),
  );
  return h("div", { class: "actions" }, buttons);
}

/**
 * @param {Action} action
 * @param {Job} job
 */
function askJob(action, job) {
  const name = job.name ? ` “${job.name}”` : "";
  const what = `${action.name} job ${job.key}${name} of ${job.user}, ${number(job.processors)} processors?`;
  return confirmed({
    title: what,
    says: action.says,
    verb: action.name,
    danger: action.danger ?? false,
    run: (reason) => call(`JobService/${action.method}`, { jobs: [refOf(job)], reason }),
  });
}

/**
 * Buttons for what operators do to nodes.
 * @param {Model} model
 * @param {() => string[]} names of the nodes that are chosen
 */
export function nodeActions(model, names) {
  if (!model.live || model.role === "user") return h("div", { class: "actions" });
  const button = (/** @type {string} */ verb, /** @type {string} */ state, /** @type {string} */ says) =>
    h("button", { type: "button", onclick: () => askNodes(verb, state, says, names()) }, verb);
  return h(
    "div",
    { class: "actions" },
    button("Drain", "DRAINING", "What runs there goes on; nothing new starts."),
    button("Resume", "UP", "Jobs may start there again."),
  );
}

/**
 * @param {string} verb
 * @param {string} state
 * @param {string} says
 * @param {string[]} names
 */
function askNodes(verb, state, says, names) {
  if (!names.length) return;
  const shown = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${number(names.length - 3)} more` : names.join(", ");
  const run = (/** @type {string} */ reason) => call("ClusterService/ChangeNodes", { names, state, reason });
  void confirmed({ title: `${verb} ${shown}?`, says, verb, danger: false, run });
}

/**
 * Ask, do it, and say what the server says where it refuses.
 * @param {{title: string, says: string, verb: string, danger: boolean, run: (reason: string) => Promise<any>}} asked
 * @returns {Promise<void>}
 */
export function confirmed({ title, says, verb, danger, run }) {
  return new Promise((resolve) => {
    const reason = h("input", { type: "text", id: "reason", maxLength: 1000, autocomplete: "off" });
    const refusal = h("p", { class: "refusal", role: "alert" });
    const go = h("button", { type: "submit", class: danger ? "danger" : "primary" }, verb);
    const close = () => {
      dialog.close();
      dialog.remove();
      resolve();
    };
    const send = async () => {
      go.disabled = true;
      try {
        const { refusals = [] } = await run(reason.value);
        const refused = refusals.filter(Boolean);
        if (refused.length) throw new Error(refused.join("; "));
        close();
      } catch (error) {
        say(refusal, error instanceof Error ? error.message : String(error));
        go.disabled = false;
      }
    };
    const dialog = h(
      "dialog",
      { "aria-label": title, onclose: close },
      h(
        "form",
        {
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            void send();
          },
        },
        h("h1", {}, title),
        h("p", {}, says),
        h("label", { htmlFor: "reason" }, "Reason (may be empty)"),
        reason,
        refusal,
        h("div", { class: "buttons" }, h("button", { type: "button", onclick: close }, "Leave it"), go),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
    reason.focus();
  });
}
