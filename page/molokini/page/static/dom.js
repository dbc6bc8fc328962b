/** Elements made from data. Text is only ever text: nothing of a job is read as HTML. */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with properties and children. `class`, `role`, `aria-*` and `data-*` are attributes, functions
 * behind `on*` are listeners, everything else is a property.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown> | null} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name in made && name !== "role" && name !== "list") {
      Reflect.set(made, name, value);
    } else {
      made.setAttribute(name === "className" ? "class" : name, value === true ? "" : String(value));
    }
  }
  made.append(...nodes(children));
  return made;
}

/**
 * Put children in the place of those that an element has.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...nodes(children));
}

/**
 * Set a text, where it differs: an element that stays the same keeps its selection.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  return children
    .flat()
    .filter((one) => one !== null && one !== undefined && one !== false)
    .map((one) => (one instanceof Node ? one : String(one)));
}
