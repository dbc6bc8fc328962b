/** What stands around every view: where to go, what the time is, what is wrong, light or dark. */

import { addressOf, here } from "./address.js";
import { fill, h, say } from "./dom.js";
import { instant, instantsAreTimes } from "./format.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{element: HTMLElement, update: () => void, destroy: () => void}} View */

const REAL_CLOCK_FROM = 1e8;
const LOOK_MS = 1000;

export class Shell {
  /**
   * @param {Model} model
   * @param {import("./views.js").ViewKind[]} kinds in the order in which they are offered
   */
  constructor(model, kinds) {
    this.model = model;
    this.kinds = kinds;
    /** @type {import("./live.js").Live | null} */ this.live = null;
    /** @type {View | null} */ this.view = null;
    this.address = "";
    /** How many views there are for the model. */ this.offered = 0;
    this.title = h("span", { class: "title" });
    this.time = h("time", { class: "time" });
    this.who = h("span", { class: "who" });
    /** Asks for a token, where anonymous readers may look. */ this.logIn = async () => {};
    this.enter = h("button", { type: "button", hidden: true, onclick: () => void this.logIn() }, "Log in");
    this.trouble = h("p", { class: "trouble", role: "status", hidden: true });
    this.links = h("nav", { "aria-label": "views" });
    this.main = h("main", { tabIndex: -1 });
    this.theme = h("button", { type: "button", class: "plain", onclick: () => this.turnTheme() });
    /** What is shown below the header, beside the views. @type {HTMLElement | null} */ this.below = null;
    this.started = false;
    document.documentElement.dataset.theme = stored() ?? "";
  }

  /** Begin to show, or go on. */
  show() {
    instantsAreTimes(this.model.live && this.model.clock.at > REAL_CLOCK_FROM);
    if (!this.started) {
      this.started = true;
      fill(
        document.body,
        h("a", { class: "skip", href: "#", onclick: (/** @type {Event} */ event) => this.skip(event) }, "To the content"),
        h("header", {}, this.title, this.links, h("div", { class: "aside" }, this.time, this.who, this.enter, this.theme)),
        this.below,
        this.trouble,
        this.main,
      );
      window.addEventListener("hashchange", () => this.route(true));
      document.addEventListener("keydown", (event) => this.key(event));
      this.model.subscribe(() => this.update());
      setInterval(() => this.tick(), LOOK_MS);
      this.sayTheme();
    }
    this.route();
    this.update();
  }

  /** The views that there is something for. */
  known() {
    return this.kinds.filter((one) => !one.when || one.when(this.model));
  }

  /** @param {boolean} [moved] whether the address has changed: what a view keeps in it is read again */
  route(moved = false) {
    const { view, about } = here();
    const known = this.known();
    this.offered = known.length;
    const chosen = known.find((one) => one.name === view) ?? known[0];
    const address = `${chosen.name}/${about}`;
    fill(this.links, known.filter((one) => !one.hidden).map((one) => this.link(one, chosen.under ?? chosen.name)));
    if (address === this.address && this.view && !moved) {
      this.view.update();
      return;
    }
    this.address = address;
    this.view?.destroy();
    this.view = chosen.make(this.model, about, this.live);
    fill(this.main, this.view.element);
    document.title = `${chosen.title}${about ? ` ${about}` : ""} – ${this.model.title || "Molokini"}`;
    this.view.update();
    window.scrollTo(0, 0);
  }

  /**
   * @param {{name: string, title: string}} one
   * @param {string} present
   */
  link(one, present) {
    return h("a", { href: addressOf(one.name), "aria-current": one.name === present ? "page" : false }, one.title);
  }

  update() {
    const { model } = this;
    say(this.title, model.title || "Molokini");
    say(this.who, model.user && !model.anonymous ? `${model.user} (${model.role})` : "");
    this.enter.hidden = !model.anonymous;
    say(this.trouble, model.trouble);
    this.trouble.hidden = !model.trouble;
    document.body.dataset.complete = String(model.complete);
    // Another policy may have something else to show.
    if (this.known().length === this.offered) this.view?.update();
    else this.route();
    this.tick();
  }

  tick() {
    say(this.time, this.model.inside ? "" : instant(this.model.now()));
  }

  /**
   * Say why there is nothing to show.
   * @param {string} message
   * @param {() => void} again
   */
  fail(message, again) {
    if (this.started) {
      this.model.trouble = message;
      this.update();
      setTimeout(again, 3000);
      return;
    }
    const retry = h("button", { type: "button", class: "primary", onclick: again }, "Try again");
    fill(document.body, h("main", { class: "failed", role: "alert" }, h("h1", {}, "Nothing to show"), h("p", {}, message), retry));
  }

  /** @param {Event} event */
  skip(event) {
    event.preventDefault();
    this.main.focus();
  }

  /** Views by their numbers, the search by a slash. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
    if (event.key === "/") {
      const search = /** @type {HTMLInputElement | null} */ (this.main.querySelector("input[type=search]"));
      search?.focus();
      if (search) event.preventDefault();
    }
    const place = Number(event.key) - 1;
    const shown = this.known().filter((one) => !one.hidden);
    if (shown[place]) location.hash = addressOf(shown[place].name);
  }

  turnTheme() {
    const order = ["", "light", "dark"];
    const { dataset } = document.documentElement;
    dataset.theme = order[(order.indexOf(dataset.theme ?? "") + 1) % order.length];
    try {
      localStorage.setItem("theme", dataset.theme);
    } catch {
      // A file may have no storage; the choice then lasts as long as the page is open.
    }
    this.sayTheme();
    window.dispatchEvent(new Event("theme"));
  }

  sayTheme() {
    const { theme } = document.documentElement.dataset;
    say(this.theme, theme === "light" ? "☀" : theme === "dark" ? "☾" : "◐");
    const now = theme || "as the system has it";
    this.theme.title = `Colours: ${now}`;
    this.theme.setAttribute("aria-label", `Colours: ${now}; change`);
  }
}

function stored() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}
