/** Time along a width: where an instant lies, which instants get a tick; pan and zoom. */

import { areTimes, elapsed, number } from "./format.js";

const SHORTEST_S = 1;
const STEPS_S = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200],
  ...[1, 2, 7, 14, 30, 60, 90, 180, 365, 730, 1825].map((days) => days * 86400),
];

export class Axis {
  /**
   * @param {number} from
   * @param {number} to
   * @param {number} [shortest] seconds that it shows at least
   */
  constructor(from, to, shortest = SHORTEST_S) {
    this.shortest = shortest;
    this.from = from;
    this.to = Math.max(to, from + shortest);
    this.left = 0;
    this.width = 1;
  }

  get span() {
    return this.to - this.from;
  }

  /** @param {number} instant */
  x(instant) {
    return this.left + ((instant - this.from) / this.span) * this.width;
  }

  /** @param {number} x */
  at(x) {
    return this.from + ((x - this.left) / this.width) * this.span;
  }

  /** @param {number} pixels to the right */
  pan(pixels) {
    const seconds = (pixels / this.width) * this.span;
    this.from -= seconds;
    this.to -= seconds;
  }

  /**
   * @param {number} factor below 1: closer
   * @param {number} x stays where it is
   */
  zoom(factor, x) {
    const at = this.at(x);
    const span = Math.min(Math.max(this.span * factor, this.shortest), 100 * 365 * 86400);
    const part = (x - this.left) / this.width;
    this.from = at - span * part;
    this.to = this.from + span;
  }

  /**
   * Round instants, none nearer to the next than *apart* pixels, and their texts.
   * @param {number} [apart]
   * @returns {{at: number, text: string}[]}
   */
  ticks(apart = 90) {
    const least = (this.span / this.width) * apart;
    const step = least > 0.5 ? (STEPS_S.find((one) => one >= least) ?? STEPS_S[STEPS_S.length - 1]) : fineStep(least);
    // Round in the viewer's zone, whose midnights are not those of UTC.
    const zone = areTimes() ? new Date(this.from * 1000).getTimezoneOffset() * 60 : 0;
    const made = [];
    for (let at = Math.ceil((this.from - zone) / step) * step + zone; at <= this.to && made.length < 200; at += step) {
      made.push({ at, text: step < 1 ? fineText(at, step) : tickText(at, step) });
    }
    return made;
  }
}

/**
 * @param {number} at
 * @param {number} step
 */
function tickText(at, step) {
  if (!areTimes()) return step >= 86400 ? `${Math.round(at / 86400)} d` : elapsed(at).replace(step >= 60 ? /:00$/ : /$^/, "");
  const date = new Date(at * 1000);
  const midnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
  if (step >= 86400 || midnight) {
    return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(step > 30 * 86400 ? { year: "numeric" } : {}) });
  }
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...(step < 60 ? { second: "2-digit" } : {}) });
}

/** The next of 1, 2 and 5 of a power of ten. @param {number} least */
function fineStep(least) {
  const ten = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((one) => one * ten >= least * 0.999) ?? 10) * ten;
}

/**
 * Parts of a second, in the unit of the step.
 * @param {number} at
 * @param {number} step
 */
export function fineText(at, step) {
  const [size, unit] = /** @type {[number, string]} */ ([[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]].find(([one]) => Number(one) <= step * 2) ?? [1e-9, "ns"]);
  const digits = Math.max(0, Math.round(-Math.log10(step / size) + 0.3));
  return `${number(at / size, Math.min(3, digits))} ${unit}`;
}
