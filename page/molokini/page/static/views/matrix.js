/** The matrix of gang scheduling: rows take turns, columns are processors; who stands where, now. */

import { addressOf } from "../address.js";
import { fill, h, say } from "../dom.js";
import { duration, instant, number, percent } from "../format.js";
import { call, Refusal } from "../gateway.js";
import { card, panel } from "../parts.js";
import { groupColour, MOST_GROUPS, onColour, pixelOf, Surface } from "../surface.js";
import { Table } from "../table.js";

/** @typedef {import("../model.js").Model} Model */
/** @typedef {{job: number | string, processors: number, home: number, rows: number[], columns: [number, number][], rate: number,
 *   stall_s: number, start_s: number | null, expected_end_s: number | null}} Placed */
/** @typedef {{columns: number, away: [number, number][], quantum_s: number | null, mode: string, active_row: number | null,
 *   occupied: number, waiting: number, rows: {row: number, used: number, free: number}[], jobs: Placed[]}} Told */

const BAND = 40;
const GAP = 4;
const HEAD = 22;
const LEFT = 56;
const READ_MS = 1000;

export class MatrixView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    /** @type {Told | null} */ this.told = null;
    this.seen = -1;
    this.reading = false;
    this.timer = 0;
    /** @type {Placed | null} */ this.pointed = null;
    this.cards = h("div", { class: "cards" });
    this.note = h("p", { class: "empty", role: "status", hidden: true });
    this.tip = h("div", { class: "tip", role: "status" });
    this.surface = new Surface({ label: "rows and columns of the matrix", height: 120, draw: (surface) => this.draw(surface) });
    const { canvas } = this.surface;
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => this.point(null, ""));
    canvas.addEventListener("click", (event) => {
      const found = this.at(event);
      if (found) location.hash = addressOf("job", {}, String(found.job));
    });
    this.table = new Table(
      /** @type {ConstructorParameters<typeof Table<Placed>>[0]} */ ({
        label: "jobs in the matrix",
        empty: "No job is in the matrix.",
        most: 14,
        keyOf: (one) => String(one.job),
        open: (one) => (location.hash = addressOf("job", {}, String(one.job))),
        columns: this.columns(),
      }),
    );
    const drawn = h("div", { class: "drawn" }, canvas, this.tip);
    this.element = h("div", { class: "matrix" }, this.cards, this.note, panel("Rows and columns", drawn), panel("Jobs in it", this.table.element));
  }

  columns() {
    const of = (/** @type {Placed} */ one) => this.model.jobs.get(String(one.job));
    const now = () => this.model.now();
    return [
      { name: "job", title: "Job", width: "6rem", cell: (/** @type {Placed} */ one) => h("a", { href: addressOf("job", {}, String(one.job)) }, String(one.job)) },
      { name: "user", title: "User", width: "minmax(4rem, 8rem)", cell: (/** @type {Placed} */ one) => of(one)?.user ?? "" },
      { name: "name", title: "Name", width: "minmax(4rem, 10rem)", narrow: true, cell: (/** @type {Placed} */ one) => of(one)?.name ?? "" },
      { name: "processors", title: "Procs", width: "4.5rem", figure: true, cell: (/** @type {Placed} */ one) => number(one.processors) },
      { name: "home", title: "Home row", width: "6.5rem", figure: true, cell: (/** @type {Placed} */ one) => number(one.home) },
      { name: "rows", title: "Rows", width: "minmax(4rem, 8rem)", cell: (/** @type {Placed} */ one) => one.rows.join(", ") },
      { name: "columns", title: "Columns", width: "minmax(5rem, 1fr)", narrow: true, cell: (/** @type {Placed} */ one) => one.columns.map(span).join(", ") },
      { name: "rate", title: "Rate", width: "5rem", figure: true, cell: (/** @type {Placed} */ one) => number(one.rate, 2) },
      { name: "stall", title: "Stands still for", width: "8rem", figure: true, narrow: true, cell: (/** @type {Placed} */ one) => (one.stall_s ? duration(one.stall_s) : "") },
      { name: "start", title: "Started", width: "10rem", figure: true, narrow: true, cell: (/** @type {Placed} */ one) => instant(one.start_s, now()) },
      { name: "end", title: "Expected end", width: "10rem", figure: true, narrow: true, cell: (/** @type {Placed} */ one) => instant(one.expected_end_s, now()) },
    ];
  }

  update() {
    const version = this.model.version + this.model.machineVersion;
    if (version === this.seen || this.reading || this.timer) return;
    this.seen = version;
    void this.read();
  }

  async read() {
    this.reading = true;
    try {
      const { json } = await call("ClusterService/GetReport", { name: "matrix" });
      this.told = JSON.parse(json);
      this.note.hidden = true;
      this.show();
    } catch (error) {
      say(this.note, error instanceof Refusal ? error.message : "The server does not answer.");
      this.note.hidden = false;
    }
    this.reading = false;
    // At most once a second, however much happens.
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.update();
    }, READ_MS);
  }

  show() {
    const { told } = this;
    if (told === null) return;
    const turns = told.quantum_s === null ? "" : `${duration(told.quantum_s)} each`;
    fill(
      this.cards,
      card("Rows", number(told.rows.length), turns),
      card("Columns", number(told.columns), told.away.length ? `${number(told.away.reduce((sum, [first, last]) => sum + last - first + 1, 0))} not in service` : "processors"),
      card("Occupied", percent(told.occupied), told.mode === "exact" ? "turns on a fixed grid" : "rows share evenly"),
      card("In the matrix", number(told.jobs.length), `${number(told.waiting)} wait`),
    );
    this.table.show(told.jobs);
    this.surface.setHeight(HEAD + Math.max(1, told.rows.length) * (BAND + GAP) + 4);
    this.surface.canvas.setAttribute("aria-label", `matrix of ${told.rows.length} rows and ${told.columns} columns with ${told.jobs.length} jobs`);
    this.surface.ask();
  }

  /** @param {number} width */
  scale(width) {
    return (width - LEFT - 4) / Math.max(1, this.told?.columns ?? 1);
  }

  /** @param {Surface} surface */
  draw(surface) {
    const { told } = this;
    if (told === null) return;
    const { context, palette, width } = surface;
    const scale = this.scale(width);
    context.textBaseline = "middle";
    context.fillStyle = palette.quiet;
    context.textAlign = "left";
    context.fillText(`processor 0`, LEFT, HEAD / 2);
    context.textAlign = "right";
    context.fillText(number(told.columns - 1), width - 4, HEAD / 2);
    for (const { row, free } of told.rows) {
      const y = HEAD + row * (BAND + GAP);
      const turn = row === told.active_row;
      context.fillStyle = palette.field;
      context.fillRect(LEFT, y, scale * told.columns, BAND);
      context.fillStyle = turn ? palette.ink : palette.quiet;
      context.textAlign = "right";
      context.fillText(`${turn ? "▸ " : ""}row ${row}`, LEFT - 8, y + BAND / 2 - 7);
      context.fillText(`${number(free)} free`, LEFT - 8, y + BAND / 2 + 8);
      for (const piece of told.away) this.hatch(LEFT + piece[0] * scale, y, (piece[1] - piece[0] + 1) * scale, palette.bad);
    }
    told.jobs.forEach((one, place) => this.drawJob(one, place, scale));
  }

  /**
   * In its home row a job is solid, its copies in other rows are pale and hatched.
   * @param {Placed} one
   * @param {number} place
   * @param {number} scale
   */
  drawJob(one, place, scale) {
    const { context, palette } = this.surface;
    for (const row of one.rows) {
      const y = HEAD + row * (BAND + GAP);
      for (const [first, last] of one.columns) {
        const [x, wide] = [LEFT + first * scale, Math.max(1, (last - first + 1) * scale - 1)];
        context.globalAlpha = row === one.home ? 1 : 0.35;
        context.fillStyle = groupColour(place % (MOST_GROUPS - 1));
        context.fillRect(x, y, wide, BAND);
        context.globalAlpha = 1;
        if (row !== one.home) this.hatch(x, y, wide, palette.paper);
        if (one === this.pointed) {
          context.strokeStyle = palette.ink;
          context.lineWidth = 2;
          context.strokeRect(x + 1, y + 1, Math.max(0, wide - 2), BAND - 2);
        }
        context.fillStyle = row === one.home ? onColour(pixelOf(groupColour(place % (MOST_GROUPS - 1)))) : palette.ink;
        context.textAlign = "center";
        const text = String(one.job);
        if (context.measureText(text).width + 6 < wide) context.fillText(text, x + wide / 2, y + BAND / 2);
      }
    }
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} wide
   * @param {string} colour
   */
  hatch(x, y, wide, colour) {
    const { context } = this.surface;
    context.save();
    context.beginPath();
    context.rect(x, y, wide, BAND);
    context.clip();
    context.beginPath();
    for (let from = x - BAND; from < x + wide; from += 7) {
      context.moveTo(from, y + BAND);
      context.lineTo(from + BAND, y);
    }
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.globalAlpha = 0.7;
    context.stroke();
    context.restore();
  }

  /**
   * The job at a place of the canvas.
   * @param {MouseEvent} event
   */
  at(event) {
    const { told } = this;
    if (told === null) return undefined;
    const row = Math.floor((event.offsetY - HEAD) / (BAND + GAP));
    const column = Math.floor((event.offsetX - LEFT) / this.scale(this.surface.width));
    return told.jobs.find((one) => one.rows.includes(row) && one.columns.some(([first, last]) => first <= column && column <= last));
  }

  /** @param {MouseEvent} event */
  hover(event) {
    const found = this.at(event);
    const job = found && this.model.jobs.get(String(found.job));
    const who = job ? `${job.user}${job.name ? `, ${job.name}` : ""}` : "";
    this.point(found ?? null, found ? `${found.job} (${who}): rows ${found.rows.join(", ")}, home row ${found.home}, processors ${found.columns.map(span).join(", ")}` : "");
  }

  /**
   * @param {Placed | null} found
   * @param {string} text
   */
  point(found, text) {
    say(this.tip, text);
    this.surface.canvas.style.cursor = found ? "pointer" : "default";
    if (found === this.pointed) return;
    this.pointed = found;
    this.surface.ask();
  }

  destroy() {
    clearTimeout(this.timer);
    this.surface.destroy();
    this.table.destroy();
  }
}

/** @param {[number, number]} range */
function span([first, last]) {
  return first === last ? String(first) : `${first}–${last}`;
}
