/** The views, in the order in which they are offered. */

import { NowView } from "./views/now.js";

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
const KNOWN = [{ name: "now", title: "Now", make: (model) => new NowView(model) }];

/**
 * Those that *model* has something for.
 * @param {Model} model
 * @returns {ViewKind[]}
 */
export function views(model) {
  return KNOWN;
}
