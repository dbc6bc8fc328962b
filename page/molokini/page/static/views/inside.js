/** Inside the nodes: what each CPU did, and each process on it, to the nanosecond. */

import { here, keep, numberIn } from "../address.js";
import { Axis, fineText } from "../axis.js";
import { RAN, Rectangles } from "../bars.js";
import { fill, h, say } from "../dom.js";
import { number, percent } from "../format.js";
import { panel } from "../parts.js";
import { Plate } from "../plate.js";
import { drawTicks } from "../strips.js";
import { groupColour, pixelOf, Surface } from "../surface.js";

/** @typedef {import("../model.js").Model} Model */
/** @typedef {import("../model.js").Inside} Inside */

const LEFT = 150;
const ABOVE = 8;
const BELOW = 26;
const ROW = 20;
const SHORTEST_S = 1e-7;
/** Each kind of segment has its colour; what is idle has that of an empty place. */
const COLOURS = /** @type {Record<string, number>} */ ({ compute: 0, spin: 1, send: 2, receive: 5, switch: 6, kernel: 3, sync: 7 });

export class InsideView {
  /** @param {Model} model */
  constructor(model) {
    this.inside = /** @type {Inside} */ (model.inside);
    const { inside } = this;
    this.bars = new Rectangles();
    this.bars.settle(flatOf(inside));
    const { params } = here();
    const [from, to] = [numberIn(params, "from"), numberIn(params, "to")];
    this.axis = from !== null && to !== null && to > from ? new Axis(from, to, SHORTEST_S) : new Axis(inside.from, inside.to, SHORTEST_S);
    this.top = 0;
    this.solid = new Uint32Array(0);
    this.version = 0;
    this.saving = 0;
    this.tip = h("div", { class: "tip", role: "status" });
    this.legend = h("ul", { class: "legend", "aria-label": "colours" });
    const height = ABOVE + BELOW + ROW * Math.min(inside.rows.length, 36);
    this.surface = new Surface({ label: `CPUs and processes over time: ${inside.rows.length} rows`, height, draw: (surface) => this.draw(surface) });
    this.surface.recoloured = () => this.colour();
    this.plate = new Plate(this.surface);
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ act) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const middle = () => this.axis.left + this.axis.width / 2;
    const tools = h(
      "div",
      { class: "tools" },
      button("−", "further away", () => this.zoom(1.6, middle())),
      button("+", "closer", () => this.zoom(1 / 1.6, middle())),
      button("All", "all that there is", () => this.all()),
      this.legend,
    );
    this.element = h("div", { class: "inside" }, h("h1", {}, model.title), tools, h("div", { class: "chart" }, this.surface.canvas, this.tip), panel("What the CPUs did in sight", this.sums()));
    this.listen();
  }

  sums() {
    this.table = h("tbody", {});
    const head = ["", "ms of CPU time", "share"].map((text) => h("th", {}, text));
    return h("table", { class: "plain-table", "aria-label": "time by segment" }, h("thead", {}, h("tr", {}, head)), this.table);
  }

  update() {
    this.surface.ask();
  }

  colour() {
    const { surface } = this;
    if (!surface.palette.paper) surface.readPalette();
    this.version++;
    const colours = this.inside.segments.map((name) => (name in COLOURS ? groupColour(COLOURS[name]) : surface.palette.field));
    this.solid = Uint32Array.from(colours, pixelOf);
    fill(
      this.legend,
      this.inside.segments.map((name, place) => {
        const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.background = colours[place];
        return h("li", {}, swatch, name);
      }),
    );
  }

  /** How many rows are in sight. */
  get seen() {
    return Math.min(this.inside.rows.length, (this.surface.height - ABOVE - BELOW) / ROW);
  }

  /** @param {Surface} surface */
  draw(surface) {
    if (!this.solid.length) this.colour();
    const { axis, inside, top } = this;
    axis.left = surface.width > 600 ? LEFT : 84;
    axis.width = surface.width - axis.left - 8;
    if (axis.width < 20) return;
    const box = { top: ABOVE, height: this.seen * ROW };
    drawTicks(surface, axis, box);
    const shown = { left: axis.left, above: box.top, width: axis.width, height: box.height };
    // Rows of the image: a third of each is empty, so that rows stand apart.
    this.plate.draw(this.bars, { ...shown, from: axis.from, span: axis.span, top: 3 * top, bottom: 3 * (top + this.seen), now: Infinity, version: this.version }, this.solid, this.solid);
    const { context, palette } = surface;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let row = Math.floor(top); row < Math.min(inside.rows.length, top + this.seen); row++) {
      const { name, cpu } = inside.rows[row];
      context.fillStyle = cpu ? palette.ink : palette.quiet;
      const most = Math.floor(axis.left / 7.2);
      context.fillText(name.length > most ? `${name.slice(0, most - 1)}…` : name, axis.left - 8, box.top + (row - top + 0.36) * ROW);
    }
    this.showSums();
  }

  /** What the CPUs did between the ends of the axis. */
  showSums() {
    const { bars, axis, inside } = this;
    const sums = new Float64Array(inside.segments.length);
    bars.between(axis.from, axis.to, (k) => {
      if (!inside.rows[Math.floor(bars.first[k] / 3)].cpu) return;
      sums[bars.job[k]] += Math.min(bars.end[k], axis.to) - Math.max(bars.start[k], axis.from);
    });
    const all = sums.reduce((sum, one) => sum + one, 0);
    const rows = inside.segments.map((name, place) => [name, number(sums[place] * 1e3, 3), percent(all ? sums[place] / all : 0)]);
    if (this.table) fill(this.table, rows.map(([name, ...figures]) => h("tr", { "data-name": name }, h("th", { scope: "row" }, name), figures.map((text) => h("td", { class: "figure" }, text)))));
  }

  /**
   * @param {number} factor
   * @param {number} x
   */
  zoom(factor, x) {
    this.axis.zoom(factor, x);
    this.moved();
  }

  /**
   * @param {number} across
   * @param {number} down
   */
  pan(across, down) {
    this.axis.pan(across);
    this.top = Math.max(0, Math.min(this.inside.rows.length - this.seen, this.top - down / ROW));
    this.moved();
  }

  all() {
    [this.axis.from, this.axis.to] = [this.inside.from, this.inside.to];
    this.top = 0;
    this.moved();
  }

  moved() {
    this.surface.ask();
    clearTimeout(this.saving);
    this.saving = setTimeout(() => keep({ from: this.axis.from.toFixed(9), to: this.axis.to.toFixed(9) }), 250);
  }

  listen() {
    const { canvas } = this.surface;
    canvas.tabIndex = 0;
    /** @type {{x: number, y: number} | null} */ let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, y: event.offsetY };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held) {
        this.pan(event.offsetX - held.x, event.offsetY - held.y);
        held = { x: event.offsetX, y: event.offsetY };
      } else this.point(event);
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (held = null));
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (event.shiftKey) this.pan(0, -(event.deltaY || event.deltaX));
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(-event.deltaX, 0);
        else this.zoom(Math.exp(event.deltaY * 0.0015), event.offsetX);
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => {
      const middle = this.axis.left + this.axis.width / 2;
      const step = this.axis.width / 8;
      const moves = /** @type {Record<string, () => void>} */ ({
        ArrowLeft: () => this.pan(step, 0),
        ArrowRight: () => this.pan(-step, 0),
        ArrowUp: () => this.pan(0, 3 * ROW),
        ArrowDown: () => this.pan(0, -3 * ROW),
        "+": () => this.zoom(0.7, middle),
        "-": () => this.zoom(1 / 0.7, middle),
      });
      if (event.ctrlKey || event.metaKey || !(event.key in moves)) return;
      event.preventDefault();
      event.stopPropagation();
      moves[event.key]();
    });
  }

  /** @param {PointerEvent} event */
  point(event) {
    const row = Math.floor(this.top + (event.offsetY - ABOVE) / ROW);
    const at = this.axis.at(event.offsetX);
    const k = event.offsetX < this.axis.left ? -1 : this.bars.under(at, 3 * row);
    if (k < 0) {
      say(this.tip, "");
      return;
    }
    const { start, end, job } = this.bars;
    const [from, lasts] = [start[k], end[k] - start[k]];
    say(this.tip, `${this.inside.rows[row]?.name ?? ""}: ${this.inside.segments[job[k]]} for ${fineText(lasts, lasts / 1000)}, from ${fineText(from, 1e-6)} on`);
  }

  destroy() {
    clearTimeout(this.saving);
    this.plate.destroy();
    this.surface.destroy();
  }
}

/**
 * The pieces as rectangles: each in the row of its CPU, and in that of its process.
 * @param {Inside} inside
 */
function flatOf(inside) {
  /** @type {number[]} */ const flat = [];
  const { start, length, segment, cpu, process } = inside.pieces;
  for (let k = 0; k < start.length; k++) {
    for (const row of process[k] < 0 ? [cpu[k]] : [cpu[k], process[k]]) {
      flat.push(start[k], start[k] + length[k], 3 * row, 3 * row + 2, segment[k], RAN);
    }
  }
  return flat;
}
