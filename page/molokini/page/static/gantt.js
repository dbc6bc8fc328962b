/** The Gantt chart: past, present and planned on one canvas; pan, zoom, hover, choose. */

import { Axis } from "./axis.js";
import { Bars, RAN, RUNS } from "./bars.js";
import { usedOverTime, waitingOverTime } from "./figures.js";
import { number } from "./format.js";
import { Plate } from "./plate.js";
import { drawCaption, drawNow, drawSteps, drawTicks } from "./strips.js";
import { groupColour, MOST_GROUPS, onColour, pixelOf, Surface } from "./surface.js";

/** @typedef {import("./model.js").Job} Job */
/** @typedef {import("./model.js").Model} Model */

const LEFT = 84;
const UPPER = { top: 20, height: 46 };
const CHART_TOP = 86;
const BELOW = 26;
const MOST_LABELS = 120;
const STATE_COLOURS = /** @type {Record<string, keyof import("./surface.js").Palette>} */ ({
  RUNNING: "accent",
  COMPLETED: "quiet",
  FAILED: "bad",
  TIMED_OUT: "warn",
  NODE_LOST: "bad",
  CANCELLED: "held",
});

export class Gantt {
  /**
   * @param {Model} model
   * @param {object} options
   * @param {(job: Job | null) => void} options.choose
   * @param {(job: Job | null, text: string) => void} options.hover
   * @param {(axis: Axis) => void} options.moved
   */
  constructor(model, options) {
    this.model = model;
    this.options = options;
    this.axis = new Axis(0, 1);
    this.bars = new Bars(model);
    this.by = "user";
    /** What it shows, where there are several. */ this.name = "";
    this.search = "";
    /** @type {Job | null} */ this.chosen = null;
    this.top = 0;
    this.bottom = 1;
    /** Whether some rows alone are shown. */ this.closer = false;
    /** @type {{name: string, colour: string}[]} */ this.legend = [];
    this.solid = new Uint32Array(0);
    this.faint = new Uint32Array(0);
    this.used = usedOverTime([], 0);
    this.waiting = usedOverTime([], 0);
    /** Grows when bars or colours change. */ this.painting = 0;
    this.surface = new Surface({ label: "jobs over processors and time", height: 560, draw: () => this.draw() });
    this.surface.recoloured = () => this.colour();
    this.plate = new Plate(this.surface);
    this.listen();
  }

  /** Take what the model has now. */
  read() {
    const jobs = [...this.model.jobs.values()];
    this.bars = new Bars(this.model);
    if (!this.closer) [this.top, this.bottom] = [0, this.bars.rows];
    this.used = usedOverTime(jobs, this.model.now());
    this.waiting = waitingOverTime(jobs, this.model.now());
    this.colour();
    this.surface.ask();
  }

  /** The span of everything that there is. */
  whole() {
    const { bars, model } = this;
    const from = bars.count ? bars.start[0] : model.now() - 3600;
    const to = bars.latest.reduce((late, one) => Math.max(late, one), from);
    const margin = Math.max(1, (to - from) * 0.02);
    return new Axis(from - margin, Math.max(to, from + 60) + margin);
  }

  colour() {
    const { bars, surface } = this;
    this.painting++;
    if (!surface.palette.paper) surface.readPalette();
    const { palette } = surface;
    const count = bars.jobs.length;
    this.solid = new Uint32Array(count);
    this.faint = new Uint32Array(count);
    const colours = this.by === "state" ? this.byState() : this.byName();
    const wanted = matcher(this.search);
    const [other, paper] = [palette.field || "#cccccc", palette.paper || "#ffffff"];
    /** @type {Map<string, [number, number]>} */ const made = new Map();
    for (let place = 0; place < count; place++) {
      const job = bars.jobs[place];
      const colour = wanted(job) ? colours(job) : other;
      let pair = made.get(colour);
      if (pair === undefined) made.set(colour, (pair = [pixelOf(colour), pixelOf(mixed(colour, paper))]));
      [this.solid[place], this.faint[place]] = pair;
    }
  }

  /** @returns {(job: Job) => string} */
  byState() {
    const { palette } = this.surface;
    const states = [...new Set(this.bars.jobs.map((job) => job.state))].sort();
    this.legend = states.map((state) => ({
      name: state.toLowerCase().replaceAll("_", " "),
      colour: palette[STATE_COLOURS[state] ?? "plan"],
    }));
    return (job) => palette[STATE_COLOURS[job.state] ?? "plan"];
  }

  /** Those that have used most have a colour of their own. @returns {(job: Job) => string} */
  byName() {
    const field = /** @type {"user" | "queue" | "account"} */ (this.by);
    /** @type {Map<string, number>} */ const sums = new Map();
    const now = this.model.now();
    for (const job of this.bars.jobs) {
      sums.set(job[field], (sums.get(job[field]) ?? 0) + (job.elapsed(now) ?? 0) * job.processors);
    }
    const names = [...sums].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([name]) => name);
    const own = names.slice(0, names.length > MOST_GROUPS ? MOST_GROUPS - 1 : MOST_GROUPS);
    const places = new Map(own.map((name, place) => [name, place]));
    this.legend = own.map((name, place) => ({ name: name || `no ${field}`, colour: groupColour(place) }));
    if (own.length < names.length) this.legend.push({ name: `${names.length - own.length} others`, colour: groupColour(MOST_GROUPS) });
    return (job) => groupColour(places.get(job[field]) ?? MOST_GROUPS);
  }

  /** Frame *job*. @param {Job | null} job */
  choose(job) {
    this.chosen = job;
    this.surface.ask();
  }

  get chart() {
    return { top: CHART_TOP, height: this.surface.height - CHART_TOP - BELOW };
  }

  draw() {
    const { surface, axis, bars, model, chart } = this;
    axis.left = surface.width > 600 && model.nodes.length ? LEFT : 8;
    axis.width = surface.width - axis.left - 8;
    if (axis.width < 20) return;
    const now = model.now();
    const most = this.model.processors || this.bars.rows;
    drawSteps(surface, axis, UPPER, this.used, most, surface.palette.accent, now);
    drawCaption(surface, axis, UPPER, this.name ? `${this.name}: processors in use` : "Processors in use", `of ${number(most)}`);
    drawTicks(surface, axis, { top: chart.top, height: chart.height });
    this.drawBars(now);
    this.drawReservations();
    if (surface.width > 600) this.drawNodes();
    if (model.live || model.playing) drawNow(surface, axis, { top: UPPER.top, height: chart.top + chart.height - UPPER.top }, now);
    this.drawLabels();
    this.drawChosen();
  }

  /** @param {number} now */
  drawBars(now) {
    const { axis, chart, top, bottom } = this;
    const shown = this.model.live || this.model.playing ? now : Infinity;
    const place = { left: axis.left, above: chart.top, width: axis.width, height: chart.height };
    this.plate.draw(this.bars, { ...place, from: axis.from, span: axis.span, top, bottom, now: shown, version: this.painting }, this.solid, this.faint);
  }

  /** @param {number} row */
  y(row) {
    return this.chart.top + ((row - this.top) / (this.bottom - this.top)) * this.chart.height;
  }

  drawNodes() {
    const { surface, model, bars } = this;
    const { context, palette } = surface;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = palette.quiet;
    const { top, height } = this.chart;
    const rows = (this.bottom - this.top) / height;
    let next = top + 5;
    let place = Math.max(0, bars.nodeOf(this.top));
    while (place < model.nodes.length) {
      const node = model.nodes[place];
      const y = this.y(bars.firstRow[place] + node.processors / 2);
      if (y > top + height - 5) return;
      if (y >= next) {
        next = y + 15;
        context.fillStyle = node.state === "UP" ? palette.quiet : palette.bad;
        context.fillText(shortened(node.name, 12), this.axis.left - 6, y);
      }
      // However many there are, those between two names are not looked at.
      place = Math.max(place + 1, bars.nodeOf(this.top + (next - top) * rows));
    }
  }

  drawLabels() {
    const { surface, axis, bars, chart } = this;
    const { context } = surface;
    const rowHeight = chart.height / (this.bottom - this.top);
    const now = this.model.now();
    const widest = 34 * (axis.span / axis.width);
    context.textAlign = "left";
    context.textBaseline = "middle";
    let count = 0;
    bars.long(axis.from, axis.to, widest, (k) => {
      if ((bars.last[k] - bars.first[k]) * rowHeight < 13) return true;
      const x0 = Math.max(axis.left, axis.x(bars.start[k]));
      const width = Math.min(axis.left + axis.width, axis.x(bars.end[k])) - x0;
      if (width < 34) return true;
      const y = (Math.max(this.y(bars.first[k]), chart.top) + Math.min(this.y(bars.last[k]), chart.top + chart.height)) / 2;
      if (y < chart.top + 6 || y > chart.top + chart.height - 6) return true;
      const job = bars.jobs[bars.job[k]];
      const most = Math.floor((width - 8) / 7);
      const text = shortened(job.name && most > job.key.length + 4 ? `${job.key} ${job.name}` : job.key, most);
      // Where the rest is only expected, the bar is pale behind the present.
      const strong = bars.kind[k] === RAN || (bars.kind[k] === RUNS && axis.x(now) - x0 > 3.5 * text.length);
      context.fillStyle = strong ? onColour(this.solid[bars.job[k]]) : surface.palette.ink;
      context.fillText(text, x0 + 4, y);
      return ++count < MOST_LABELS;
    });
  }

  drawReservations() {
    const { surface, axis, model, chart, bars } = this;
    const { context, palette } = surface;
    for (const one of model.reservations) {
      const [x0, x1] = [axis.x(one.start), axis.x(one.end ?? axis.to)].map((x) => Math.max(axis.left, Math.min(axis.left + axis.width, x)));
      if (x1 <= x0) continue;
      const rows = one.nodes.map((name) => model.nodeNumbers.get(name)).filter((place) => place !== undefined);
      const parts = rows.length
        ? rows.map((place) => [bars.firstRow[place], bars.firstRow[place] + model.nodes[place].processors])
        : [[bars.rows - Math.min(one.processors, bars.rows), bars.rows]];
      context.fillStyle = palette.reserved;
      context.globalAlpha = 0.45;
      for (const [first, last] of parts) {
        const [y0, y1] = [Math.max(chart.top, this.y(first)), Math.min(chart.top + chart.height, this.y(last))];
        if (y1 > y0) context.fillRect(x0, y0, x1 - x0, Math.max(1, y1 - y0));
      }
      context.globalAlpha = 1;
      context.fillStyle = palette.plan;
      context.textAlign = "left";
      context.textBaseline = "top";
      if (x1 - x0 > 40) context.fillText(shortened(one.name, Math.floor((x1 - x0) / 7)), x0 + 4, Math.max(chart.top, this.y(parts[0][0])) + 3);
    }
  }

  drawChosen() {
    const { surface, axis, bars, chosen, chart } = this;
    if (chosen === null) return;
    const { context, palette } = surface;
    context.save();
    context.beginPath();
    context.rect(axis.left, chart.top, axis.width, chart.height);
    context.clip();
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    bars.between(axis.from, axis.to, (k) => {
      if (bars.jobs[bars.job[k]].key !== chosen.key) return;
      const [x0, y0] = [axis.x(bars.start[k]), this.y(bars.first[k])];
      context.strokeRect(x0, y0, Math.max(2, axis.x(bars.end[k]) - x0), Math.max(2, this.y(bars.last[k]) - y0));
    });
    context.restore();
  }

  // Hands.

  listen() {
    const { canvas } = this.surface;
    canvas.tabIndex = 0;
    /** @type {{x: number, y: number, far: boolean} | null} */ let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, y: event.offsetY, far: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held === null) {
        this.point(event);
        return;
      }
      const [across, down] = [event.offsetX - held.x, event.offsetY - held.y];
      if (!held.far && Math.abs(across) + Math.abs(down) < 4) return;
      held = { x: event.offsetX, y: event.offsetY, far: true };
      this.pan(across, down);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held !== null && !held.far) this.options.choose(this.jobAt(event.offsetX, event.offsetY));
      held = null;
    });
    canvas.addEventListener("pointercancel", () => (held = null));
    canvas.addEventListener("pointerleave", () => this.options.hover(null, ""));
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (event.shiftKey) this.zoomRows(Math.exp((event.deltaY || event.deltaX) * 0.0015), event.offsetY);
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(-event.deltaX, 0);
        else this.zoom(Math.exp(event.deltaY * 0.0015), event.offsetX);
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const middle = this.axis.left + this.axis.width / 2;
    const step = this.axis.width / 8;
    const moves = /** @type {Record<string, () => void>} */ ({
      ArrowLeft: () => this.pan(step, 0),
      ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, 60),
      ArrowDown: () => this.pan(0, -60),
      "+": () => this.zoom(0.7, middle),
      "-": () => this.zoom(1 / 0.7, middle),
      Escape: () => this.options.choose(null),
      n: () => this.step(1),
      p: () => this.step(-1),
    });
    const move = event.ctrlKey || event.metaKey ? undefined : moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  /** To the next job that is in sight, or the one before. @param {number} by */
  step(by) {
    /** @type {Job[]} */ const seen = [];
    const wanted = matcher(this.search);
    this.bars.between(this.axis.from, this.axis.to, (k) => {
      const job = this.bars.jobs[this.bars.job[k]];
      if (seen[seen.length - 1] !== job && wanted(job)) seen.push(job);
    });
    if (!seen.length) return;
    const at = seen.findIndex((job) => job.key === this.chosen?.key);
    this.options.choose(seen[(at + by + seen.length) % seen.length] ?? seen[0]);
  }

  /**
   * @param {number} across
   * @param {number} down
   */
  pan(across, down) {
    this.axis.pan(across);
    const rows = (down / this.chart.height) * (this.bottom - this.top);
    const by = Math.max(Math.min(rows, this.top), this.bottom - this.bars.rows);
    this.top -= by;
    this.bottom -= by;
    this.moved();
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
   * @param {number} factor
   * @param {number} y
   */
  zoomRows(factor, y) {
    const part = Math.max(0, Math.min(1, (y - this.chart.top) / this.chart.height));
    const at = this.top + (this.bottom - this.top) * part;
    // All of them, where the factor has no end.
    const span = Math.max(Math.min(8, this.bars.rows), Math.min(this.bars.rows, (this.bottom - this.top) * factor));
    this.top = Math.max(0, Math.min(this.bars.rows - span, at - span * part));
    this.bottom = this.top + span;
    this.closer = span < this.bars.rows;
    this.moved();
  }

  moved() {
    this.surface.ask();
    this.options.moved(this.axis);
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  jobAt(x, y) {
    const { chart, axis } = this;
    if (y < chart.top || y > chart.top + chart.height || x < axis.left) return null;
    const row = this.top + ((y - chart.top) / chart.height) * (this.bottom - this.top);
    // A pixel is several seconds and several rows: what is painted last there is what is meant.
    const k = this.bars.under(axis.at(x), Math.floor(row));
    return k < 0 ? null : this.bars.jobs[this.bars.job[k]];
  }

  /** @param {PointerEvent} event */
  point(event) {
    const job = this.jobAt(event.offsetX, event.offsetY);
    const row = Math.floor(this.top + ((event.offsetY - this.chart.top) / this.chart.height) * (this.bottom - this.top));
    const node = row >= 0 && row < this.bars.rows ? this.model.nodes[this.bars.nodeOf(row)] : undefined;
    this.surface.canvas.style.cursor = job ? "pointer" : "default";
    this.options.hover(job, node?.name ?? "");
  }

  destroy() {
    this.plate.destroy();
    this.surface.destroy();
  }
}

/**
 * Whether a job is meant by a search: by its number, or a part of its name, its user, its queue.
 * @param {string} search
 * @returns {(job: Job) => boolean}
 */
export function matcher(search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return () => true;
  return (job) => {
    const text = `${job.key} ${job.name} ${job.user} ${job.queue} ${job.account}`.toLowerCase();
    return words.every((word) => (/^\d+$/.test(word) ? job.key === word || job.key.startsWith(`${word}[`) : text.includes(word)));
  };
}

/**
 * @param {string} text
 * @param {number} most
 */
function shortened(text, most) {
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}

/**
 * Between two colours, nearer to the second.
 * @param {string} colour
 * @param {string} paper
 */
function mixed(colour, paper) {
  const parts = [1, 3, 5].map((place) => {
    const [one, other] = [colour, paper].map((text) => Number.parseInt(text.slice(place, place + 2), 16));
    return Math.round(one * 0.38 + other * 0.62).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}
