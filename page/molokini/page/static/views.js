/** The views, in the order in which they are offered. */

import { CompareView } from "./views/compare.js";
import { JobView } from "./views/job.js";
import { JobsView } from "./views/jobs.js";
import { MatrixView } from "./views/matrix.js";
import { NodesView } from "./views/nodes.js";
import { NowView } from "./views/now.js";
import { PeopleView } from "./views/people.js";
import { ReservationsView } from "./views/reservations.js";
import { RunView } from "./views/run.js";
import { TimeView } from "./views/time.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./live.js").Live} Live */

/**
 * @typedef {object} ViewKind
 * @property {string} name in the address
 * @property {string} title
 * @property {string} [under] the name of the view to which it belongs
 * @property {boolean} [hidden] reached from others alone
 * @property {(model: Model, about: string, live: Live | null) => import("./shell.js").View} make
 */

/** @type {ViewKind[]} */
const KNOWN = [
  { name: "run", title: "Run", make: (model) => new RunView(model) },
  { name: "now", title: "Now", make: (model) => new NowView(model) },
  { name: "compare", title: "Compare", make: (model) => new CompareView(model) },
  { name: "time", title: "Time", make: (model) => new TimeView(model) },
  { name: "matrix", title: "Matrix", make: (model) => new MatrixView(model) },
  { name: "jobs", title: "Jobs", make: (model, _, live) => new JobsView(model, live) },
  { name: "job", title: "Job", under: "jobs", hidden: true, make: (model, about) => new JobView(model, about) },
  { name: "people", title: "Shares", make: (model) => new PeopleView(model) },
  { name: "nodes", title: "Nodes", make: (model) => new NodesView(model) },
  { name: "reservations", title: "Reservations", make: (model) => new ReservationsView(model) },
];

/**
 * Those that *model* has something for.
 * @param {Model} model
 * @returns {ViewKind[]}
 */
export function views(model) {
  const without = new Set(model.live ? ["run", "compare"] : ["reservations"]);
  if (!model.live && model.runs.length < 2) without.add("compare");
  if (!model.rows) without.add("matrix");
  if (!model.nodes.length && !model.live) without.add("nodes");
  return KNOWN.filter((one) => !without.has(one.name));
}
