/** Jobs as rectangles over processors and time, and how very many of them get into the pixels of one frame. */

import { firstAfter } from "./figures.js";
import { Pool } from "./pool.js";

/** @typedef {import("./model.js").Job} Job */
/** @typedef {import("./model.js").Model} Model */

export const RAN = 0;
export const RUNS = 1;
export const PLANNED = 2;

const BLOCK = 256;
/** Wider than this, a line is filled by one call; calls for narrow ones would take longer than they do. */
const NARROW = 16;

/**
 * What of the bars lies where in an image: the times from *from* to *to*, the rows from *top* to *bottom*.
 * @typedef {object} Frame
 * @property {number} width
 * @property {number} height
 * @property {number} from
 * @property {number} to
 * @property {number} top
 * @property {number} bottom
 * @property {number} now what is later is only expected
 */

/** Rectangles in the order of their begins, column by column. */
export class Rectangles {
  constructor() {
    this.count = 0;
    this.start = new Float64Array(0);
    this.end = new Float64Array(0);
    this.latest = new Float64Array(0);
    this.first = new Int32Array(0);
    this.last = new Int32Array(0);
    this.job = new Int32Array(0);
    this.kind = new Uint8Array(0);
    /** Rectangles in the order of their lengths. */ this.longest = new Uint32Array(0);
  }

  /**
   * Take these.
   * @param {number[]} flat begin, end, first row, the row behind the last, number of what it shows, kind; one behind the other
   */
  settle(flat) {
    const count = flat.length / 6;
    const order = new Uint32Array(count).map((_, place) => place);
    order.sort((one, other) => flat[6 * one] - flat[6 * other]);
    this.count = count;
    this.start = new Float64Array(count);
    this.end = new Float64Array(count);
    this.first = new Int32Array(count);
    this.last = new Int32Array(count);
    this.job = new Int32Array(count);
    this.kind = new Uint8Array(count);
    order.forEach((from, to) => {
      this.start[to] = flat[6 * from];
      this.end[to] = flat[6 * from + 1];
      this.first[to] = flat[6 * from + 2];
      this.last[to] = flat[6 * from + 3];
      this.job[to] = flat[6 * from + 4];
      this.kind[to] = flat[6 * from + 5];
    });
    this.longest = longestFirst(this.start, this.end);
    // Of each block the latest end: a block that is over before a frame begins is passed over.
    this.latest = new Float64Array(Math.ceil(count / BLOCK)).map((_, block) => {
      let latest = -Infinity;
      for (let k = block * BLOCK; k < Math.min(count, (block + 1) * BLOCK); k++) latest = Math.max(latest, this.end[k]);
      return latest;
    });
  }

  /**
   * Call *each* with the place of every rectangle that is there between two instants, by their begins.
   * @param {number} from
   * @param {number} to
   * @param {(place: number) => void} each
   */
  between(from, to, each) {
    for (let block = 0; block < this.latest.length; block++) {
      if (this.start[block * BLOCK] > to) return;
      if (this.latest[block] < from) continue;
      const last = Math.min(this.count, (block + 1) * BLOCK);
      for (let k = block * BLOCK; k < last; k++) {
        if (this.start[k] > to) return;
        if (this.end[k] >= from) each(k);
      }
    }
  }

  /**
   * As *between*, only those of a length: what is looked at is the smaller of what is long and what is in sight.
   * @param {number} from
   * @param {number} to
   * @param {number} least seconds
   * @param {(place: number) => boolean} each false: enough
   */
  long(from, to, least, each) {
    const { start, end, longest, count } = this;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[longest[middle]] - start[longest[middle]] >= least) low = middle + 1;
      else high = middle;
    }
    if (low <= firstAfter(start, to) - firstAfter(start, from)) {
      for (let place = 0; place < low; place++) {
        const k = longest[place];
        if (start[k] <= to && end[k] >= from && !each(k)) return;
      }
      return;
    }
    let more = true;
    this.between(from, to, (k) => {
      if (more && end[k] - start[k] >= least) more = each(k);
    });
  }

  /**
   * The rectangle at a point, the one on top; -1: none.
   * @param {number} at
   * @param {number} row
   */
  under(at, row) {
    let found = -1;
    this.between(at, at, (k) => {
      if (this.first[k] <= row && row < this.last[k]) found = k;
    });
    return found;
  }
}

/** The jobs of a model. */
export class Bars extends Rectangles {
  /** @param {Model} model */
  constructor(model) {
    super();
    this.rows = 0;
    /** The first row of each node. @type {number[]} */ this.firstRow = [];
    /** @type {Job[]} */ this.jobs = [];
    const nodes = model.nodes.length ? model.nodes : [{ processors: widest(model), state: "UP" }];
    this.pools = nodes.map((node) => {
      const pool = new Pool(this.rows, node.processors);
      this.firstRow.push(this.rows);
      this.rows += node.processors;
      return pool;
    });
    this.open = nodes.map((node) => node.state === "UP");
    /** @type {number[]} */ const flat = [];
    const now = model.now();
    for (const job of started(model)) {
      const runs = job.end === null;
      const end = job.end ?? Math.max(now, job.expectedEnd ?? job.start + job.estimate);
      this.place(flat, job, job.start, end, runs ? RUNS : RAN, job.on, job.each);
    }
    for (const job of planned(model)) {
      const start = Math.max(job.reserved, now);
      this.place(flat, job, start, start + job.estimate, PLANNED, ...this.where(job.processors, start));
    }
    this.settle(flat);
  }

  /**
   * @param {number[]} flat
   * @param {Job} job
   * @param {number} start
   * @param {number} end
   * @param {number} kind
   * @param {import("./model.js").Whole} on nodes
   * @param {import("./model.js").Whole} each processors on each
   */
  place(flat, job, start, end, kind, on, each) {
    const number = this.jobs.push(job) - 1;
    const [nodes, counts] = on.length ? inOrder(on, each) : [[0], [job.processors]];
    let last = -1;
    const add = (/** @type {number} */ first, /** @type {number} */ behind) => {
      // Neighbours become one rectangle.
      if (last >= 0 && flat[last + 3] === first) {
        flat[last + 3] = behind;
      } else {
        last = flat.length;
        flat.push(start, end, first, behind, number, kind);
      }
    };
    for (let k = 0; k < nodes.length; k++) {
      const pool = this.pools[nodes[k]];
      if (pool === undefined) continue;
      if (pool.takeWhole(counts[k], start, end)) {
        add(pool.first, pool.first + pool.size);
        continue;
      }
      const got = pool.take(counts[k], start, end);
      for (let place = 0; place < got.length; place += 2) add(got[place], got[place + 1]);
    }
  }

  /**
   * Nodes for a job that is planned: which ones it gets is not known before it starts, so the first that have room.
   * @param {number} processors
   * @param {number} at
   * @returns {[number[], number[]]} the nodes, and how many processors on each
   */
  where(processors, at) {
    /** @type {number[]} */ const on = [];
    /** @type {number[]} */ const each = [];
    for (let node = 0; node < this.pools.length && processors > 0; node++) {
      const room = this.open[node] ? Math.min(this.pools[node].count(at), processors) : 0;
      if (room > 0) {
        on.push(node);
        each.push(room);
      }
      processors -= room;
    }
    return [on, each];
  }

  /**
   * The node of a row.
   * @param {number} row
   */
  nodeOf(row) {
    let [low, high] = [0, this.firstRow.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.firstRow[middle] <= row) low = middle;
      else high = middle;
    }
    return low;
  }
}

/**
 * Rectangles as pixels. Each is written straight into the memory of an image: what takes time is their area.
 * @param {Rectangles} bars
 * @param {Uint32Array} pixels
 * @param {Frame} frame
 * @param {number} left the first column that is painted
 * @param {number} right the first one that is not
 * @param {Uint32Array} solid the colour of each job
 * @param {Uint32Array} faint the same for what is only expected
 */
export function paint(bars, pixels, frame, left, right, solid, faint) {
  const { width, height, from, to, top, bottom, now } = frame;
  const { start, end, first, last, latest, job, kind, count } = bars;
  const across = width / (to - from);
  const down = height / (bottom - top);
  const nowX = Math.round((now - from) * across);
  const [earliest, until] = [from + (left - 1) / across, from + (right + 1) / across];
  for (let group = 0; group < latest.length && start[group * BLOCK] <= until; group++) {
    if (latest[group] < earliest) continue;
    const behind = Math.min(count, (group + 1) * BLOCK);
    for (let k = group * BLOCK; k < behind; k++) {
      if (start[k] > until) return;
      if (end[k] < earliest) continue;
      let y0 = Math.round((first[k] - top) * down);
      let y1 = Math.round((last[k] - top) * down);
      if (y1 <= 0 || y0 >= height) continue;
      let x0 = Math.round((start[k] - from) * across);
      let x1 = Math.round((end[k] - from) * across);
      if (x1 < left || x0 >= right) continue;
      // However small, a job is a pixel; with room, there is a gap between neighbours.
      if (x1 - x0 > 3) x1--;
      if (y1 - y0 > 3) y1--;
      x1 = Math.min(right, Math.max(x1, x0 + 1));
      y1 = Math.min(height, Math.max(y1, y0 + 1));
      x0 = Math.max(left, x0);
      y0 = Math.max(0, y0);
      const sure = kind[k] === RAN ? x1 : kind[k] === RUNS ? Math.min(x1, Math.max(x0, nowX)) : x0;
      if (sure > x0) block(pixels, width, x0, sure, y0, y1, solid[job[k]]);
      if (x1 > sure) block(pixels, width, Math.max(x0, sure), x1, y0, y1, faint[job[k]]);
    }
  }
}

/**
 * @param {Uint32Array} pixels
 * @param {number} width of the image
 * @param {number} x0
 * @param {number} x1
 * @param {number} y0
 * @param {number} y1
 * @param {number} colour
 */
function block(pixels, width, x0, x1, y0, y1, colour) {
  if (x1 - x0 > NARROW) {
    for (let line = y0 * width; line < y1 * width; line += width) pixels.fill(colour, line + x0, line + x1);
    return;
  }
  for (let line = y0 * width; line < y1 * width; line += width) {
    for (let place = line + x0; place < line + x1; place++) pixels[place] = colour;
  }
}

/**
 * Move an image by whole columns, and leave what comes in empty.
 * @param {Uint32Array} pixels
 * @param {Frame} frame
 * @param {number} by columns to the right
 */
export function shift(pixels, { width, height }, by) {
  const far = Math.min(width, Math.abs(by));
  for (let y = 0; y < height; y++) {
    const line = y * width;
    if (by > 0) {
      pixels.copyWithin(line + far, line, line + width - far);
      pixels.fill(0, line, line + far);
    } else {
      pixels.copyWithin(line, line + far, line + width);
      pixels.fill(0, line + width - far, line + width);
    }
  }
}

/**
 * Nodes in the order of their numbers, with their processors.
 * @param {import("./model.js").Whole} on
 * @param {import("./model.js").Whole} each
 * @returns {[import("./model.js").Whole, import("./model.js").Whole]}
 */
function inOrder(on, each) {
  let k = 1;
  while (k < on.length && on[k - 1] <= on[k]) k++;
  if (k >= on.length) return [on, each];
  const order = Uint32Array.from(on, (_, place) => place).sort((one, other) => on[one] - on[other]);
  return [Array.from(order, (place) => on[place]), Array.from(order, (place) => each[place])];
}

/**
 * @param {Float64Array} start
 * @param {Float64Array} end
 */
function longestFirst(start, end) {
  const lengths = end.map((one, k) => start[k] - one);
  return new Uint32Array(start.length).map((_, k) => k).sort((one, other) => lengths[one] - lengths[other]);
}

/** @param {Model} model */
function started(model) {
  const found = [];
  for (const job of model.jobs.values()) {
    if (job.start !== null && job.state !== "SUSPENDED") found.push(/** @type {Job & {start: number}} */ (job));
  }
  return found.sort((one, other) => one.start - other.start || one.id - other.id);
}

/** @param {Model} model */
function planned(model) {
  const found = [];
  for (const job of model.jobs.values()) {
    if (job.start === null && job.reserved !== null && job.open) found.push(/** @type {Job & {reserved: number}} */ (job));
  }
  return found.sort((one, other) => one.reserved - other.reserved || one.id - other.id);
}

/** Where nodes are not known, as many rows as are used at once at most. @param {Model} model */
function widest(model) {
  const changes = [];
  for (const job of started(model)) {
    const end = job.end ?? Math.max(model.now(), job.start + job.estimate);
    changes.push([job.start, job.processors], [end, -job.processors]);
  }
  changes.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  let [used, most] = [0, 1];
  for (const [, change] of changes) most = Math.max(most, (used += change));
  return most;
}
