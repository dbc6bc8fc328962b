/** The one canvas on which everything over time is drawn: sharp on any screen, in the colours of the page. */

import { h } from "./dom.js";

/** Okabe and Ito's colours, told apart by most who are colour-blind; lighter ones where it is dark. */
const GROUPS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#8c8c8c"];

/** @typedef {Record<"ink" | "quiet" | "line" | "paper" | "field" | "accent" | "plan" | "warn" | "bad" | "held" | "reserved", string>} Palette */

const NAMES = /** @type {(keyof Palette)[]} */ ([
  ...["ink", "quiet", "line", "paper", "field", "accent", "plan", "warn", "bad", "held", "reserved"],
]);

export class Surface {
  /**
   * @param {object} options
   * @param {string} options.label what is drawn, for those who hear it
   * @param {number} options.height
   * @param {(surface: Surface) => void} options.draw
   */
  constructor({ label, height, draw }) {
    this.canvas = h("canvas", { role: "img", "aria-label": label, class: "surface" });
    this.canvas.style.height = `${height}px`;
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.drawing = draw;
    this.width = 0;
    this.height = height;
    this.ratio = 1;
    this.asked = 0;
    /** What the last drawing took, milliseconds. */
    this.took = 0;
    this.palette = /** @type {Palette} */ ({});
    this.font = "12px system-ui";
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.canvas);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.onTheme = () => {
      this.readPalette();
      this.recoloured();
      this.ask();
    };
    /** Called when the colours of the page have changed. */
    this.recoloured = () => {};
    this.dark.addEventListener("change", this.onTheme);
    window.addEventListener("theme", this.onTheme);
  }

  /** @param {number} height */
  setHeight(height) {
    if (height === this.height) return;
    this.height = height;
    this.canvas.style.height = `${height}px`;
    this.fit();
  }

  fit() {
    const width = this.canvas.clientWidth;
    if (!width) return;
    this.ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    if (!this.palette.ink) this.readPalette();
    this.now();
  }

  readPalette() {
    const style = getComputedStyle(this.canvas);
    for (const name of NAMES) this.palette[name] = style.getPropertyValue(`--${name}`).trim();
    this.font = `12px ${style.fontFamily}`;
  }

  /** Draw before the next frame. */
  ask() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => this.now());
  }

  now() {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    if (!this.width || !this.canvas.isConnected) return;
    const began = performance.now();
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    this.context.font = this.font;
    this.drawing(this);
    this.took = performance.now() - began;
  }

  destroy() {
    cancelAnimationFrame(this.asked);
    this.observer.disconnect();
    this.dark.removeEventListener("change", this.onTheme);
    window.removeEventListener("theme", this.onTheme);
  }
}

/**
 * The colour of a name among others; the last is that of all behind the first seven.
 * @param {number} place
 */
export function groupColour(place) {
  return GROUPS[Math.min(place, GROUPS.length - 1)];
}

export const MOST_GROUPS = GROUPS.length;

/**
 * @param {string} colour #rrggbb
 * @returns {number} as pixels of an ImageData are written on a little-endian machine
 */
export function pixelOf(colour) {
  const value = Number.parseInt(colour.slice(1, 7), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

/**
 * The colour of a text that can be read on a pixel's colour.
 * @param {number} pixel
 */
export function onColour(pixel) {
  const bright = 0.299 * (pixel & 0xff) + 0.587 * ((pixel >> 8) & 0xff) + 0.114 * ((pixel >> 16) & 0xff);
  return bright > 140 ? "#10161d" : "#ffffff";
}
