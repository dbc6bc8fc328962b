/** The views that a live server and a file have both. */

import { JobView } from "./views/job.js";
import { JobsView } from "./views/jobs.js";
import { NodesView } from "./views/nodes.js";
import { NowView } from "./views/now.js";
import { PeopleView } from "./views/people.js";
import { TimeView } from "./views/time.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./live.js").Live} Live */

/**
 * @typedef {object} ViewKind
 * @property {string} name in the address
 * @property {string} title
 * @property {string} [under] the name of the view to which it belongs
 * @property {boolean} [hidden] reached from others alone
 * @property {(model: Model) => boolean} [when] whether there is something for it
 * @property {(model: Model, about: string, live: Live | null) => import("./shell.js").View} make
 */

/** @type {ViewKind} */
export const NOW = { name: "now", title: "Now", make: (model) => new NowView(model) };

/** @type {ViewKind} */
export const TIME = { name: "time", title: "Time", make: (model) => new TimeView(model) };

/** All jobs, a job, and who has them; nodes, where they are known. @type {ViewKind[]} */
export const OTHERS = [
  { name: "jobs", title: "Jobs", make: (model, _, live) => new JobsView(model, live) },
  { name: "job", title: "Job", under: "jobs", hidden: true, make: (model, about) => new JobView(model, about) },
  { name: "people", title: "Shares", make: (model) => new PeopleView(model) },
  { name: "nodes", title: "Nodes", when: (model) => model.live || model.nodes.length > 0, make: (model) => new NodesView(model) },
];
