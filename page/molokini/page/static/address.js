/** What is shown stands in the address, so that a link shows what its sender saw. */

/**
 * @typedef {object} Place
 * @property {string} view
 * @property {string} about what of it: a job's number
 * @property {URLSearchParams} params
 */

/** @returns {Place} */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...about] = path.split("/");
  return { view, about: decoded(about.join("/")), params: new URLSearchParams(query) };
}

/**
 * The address of a view.
 * @param {string} view
 * @param {Record<string, string | number | null | undefined>} [params] empty ones are left out
 * @param {string} [about]
 */
export function addressOf(view, params = {}, about = "") {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${view}${about ? `/${encodeURIComponent(about)}` : ""}${text ? `?${text}` : ""}`;
}

/**
 * Change parameters of the present view; no new entry of the browser's history.
 * @param {Record<string, string | number | null | undefined>} params
 */
export function keep(params) {
  const { view, about, params: present } = here();
  const merged = { ...Object.fromEntries(present), ...params };
  const address = addressOf(view, merged, about);
  if (address !== location.hash) history.replaceState(null, "", address);
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/**
 * A number of the address, which anybody may have typed.
 * @param {URLSearchParams} params
 * @param {string} name
 * @returns {number | null}
 */
export function numberIn(params, name) {
  const text = params.get(name);
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/**
 * A word of the address, where it is one of those that are known.
 * @param {URLSearchParams} params
 * @param {string} name
 * @param {readonly string[]} known the first where it is none
 */
export function oneOf(params, name, known) {
  const text = params.get(name) ?? "";
  return known.includes(text) ? text : known[0];
}
