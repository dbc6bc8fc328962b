/** Why a job waits, until when, what would help: the answers of the server, asked for when somebody looks. */

import { fill, h } from "./dom.js";
import { refOf } from "./forecasts.js";
import { instant, number } from "./format.js";
import { call } from "./gateway.js";

/** @typedef {import("./model.js").Job} Job */
/** @typedef {import("./model.js").Model} Model */

const MOST_IN_FRONT = 12;

/**
 * @param {Model} model
 * @param {Job} job
 * @param {(key: string) => void} open
 */
export function whyParts(model, job, open) {
  const place = h("div", { class: "why-parts", "data-name": "why" }, h("p", {}, job.reason));
  if (model.live && job.open) void load(model, job, open, place);
  return place;
}

/**
 * @param {Model} model
 * @param {Job} job
 * @param {(key: string) => void} open
 * @param {HTMLElement} place
 */
async function load(model, job, open, place) {
  const parts = [];
  try {
    const why = await call("JobService/ExplainJob", refOf(job));
    const { text = "", in_front = [], in_front_count = 0, what_would_help = [] } = why;
    parts.push(h("p", { "data-name": "rule" }, text || job.reason));
    if (what_would_help.length) {
      parts.push(h("h3", {}, "What would help"), h("ul", {}, what_would_help.map((/** @type {string} */ one) => h("li", {}, one))));
    }
    if (in_front.length) {
      const shown = in_front.slice(-MOST_IN_FRONT).map(String);
      parts.push(
        h("h3", {}, `In front of it: ${number(in_front_count)}`),
        h(
          "p",
          { class: "links" },
          shown.map((/** @type {string} */ key) => h("button", { type: "button", class: "plain link", onclick: () => open(key) }, key)),
        ),
      );
    }
    if (why.priority_parts?.length) parts.push(...priority(why));
  } catch (error) {
    parts.push(h("p", { class: "refusal" }, error instanceof Error ? error.message : String(error)));
  }
  fill(place, ...parts);
  if (job.state === "WAITING" && !model.anonymous) place.append(h("h3", {}, "Until when"), await forecast(model, job));
}

/**
 * It may take seconds; what is known without it is shown before.
 * @param {Model} model
 * @param {Job} job
 */
async function forecast(model, job) {
  try {
    return expected(model, await call("JobService/ForecastJob", { job: refOf(job) }));
  } catch (error) {
    return h("p", { class: "refusal" }, error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {Model} model
 * @param {any} told
 */
function expected(model, told) {
  const now = model.now();
  if (!told.possible) return h("p", {}, told.reason ?? "it cannot start");
  const [from, to] = [instant(told.earliest_s ?? 0, now), instant(told.latest_s ?? 0, now)];
  const band = from === to ? "" : `; between ${from} and ${to}`;
  return h("p", { "data-name": "expected" }, `about ${instant(told.start_s ?? 0, now)}${band}`);
}

/** @param {any} told */
function priority(told) {
  const rows = told.priority_parts.map((/** @type {any} */ part) =>
    h("tr", {}, h("td", {}, [part.component, part.subcomponent].filter(Boolean).join(", ")), h("td", { class: "figure" }, number(part.product ?? 0, 1))),
  );
  return [h("h3", {}, `Priority ${number(told.priority ?? 0, 1)}`), h("table", { class: "plain-table" }, h("tbody", {}, rows))];
}
