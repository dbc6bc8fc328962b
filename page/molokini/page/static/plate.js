/** An image of rectangles that is kept from frame to frame: moved where it can be, painted where it must be. */

import { paint, shift } from "./bars.js";

/** What takes longer than this is painted once in a while, not at each frame. */
const SLOW_MS = 10;
const REST_MS = 90;

/**
 * What is shown of the rectangles: where on the surface, which times and rows.
 * @typedef {object} Shown
 * @property {number} left in pixels of the page
 * @property {number} above
 * @property {number} width
 * @property {number} height
 * @property {number} from
 * @property {number} span
 * @property {number} top
 * @property {number} bottom
 * @property {number} now what is later is only expected
 * @property {number} version grows when rectangles or colours change
 */

export class Plate {
  /** @param {import("./surface.js").Surface} surface */
  constructor(surface) {
    this.surface = surface;
    this.stage = document.createElement("canvas");
    this.ink = this.stage.getContext("2d");
    /** @type {ImageData | null} */ this.image = null;
    this.pixels = new Uint32Array(0);
    /** Of the image as it is: what it was painted for, and its first column, in pixels of its scale. */
    this.painted = { key: "", first: 0, from: 0, to: 1, top: 0, bottom: 1, version: -1 };
    /** What the last whole image took, milliseconds. */ this.cost = 0;
    this.resting = 0;
    this.rested = false;
  }

  /**
   * @param {import("./bars.js").Rectangles} bars
   * @param {Shown} shown
   * @param {Uint32Array} solid the colour of each job
   * @param {Uint32Array} faint the same for what is only expected
   */
  draw(bars, shown, solid, faint) {
    const { surface } = this;
    const { top, bottom, version, span } = shown;
    const [width, height] = [Math.round(shown.width * surface.ratio), Math.round(shown.height * surface.ratio)];
    if (this.image === null || this.image.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      [this.stage.width, this.stage.height] = [width, height];
      this.painted.version = -1;
    }
    // In whole pixels, so that an image that is moved is the one that would be painted.
    const pixel = span / width;
    const first = Math.round(shown.from / pixel);
    const from = first * pixel;
    const now = Number.isFinite(shown.now) ? Math.round(shown.now / pixel) * pixel : Infinity;
    const frame = { width, height, from, to: from + span, top, bottom, now };
    const key = [pixel.toPrecision(9), width, height, top, bottom, now, version].join();
    const by = this.painted.key === key ? this.painted.first - first : width;
    if (Math.abs(by) >= width) {
      if (this.cost > SLOW_MS && !this.rested && this.painted.version === version) {
        this.stretch(shown);
        return;
      }
      const began = performance.now();
      this.pixels.fill(0);
      paint(bars, this.pixels, frame, 0, width, solid, faint);
      this.cost = performance.now() - began;
    } else if (by !== 0) {
      shift(this.pixels, frame, by);
      paint(bars, this.pixels, frame, by > 0 ? 0 : width + by, by > 0 ? by : width, solid, faint);
    }
    this.rested = false;
    this.painted = { key, first, from, to: from + span, top, bottom, version };
    this.ink?.putImageData(this.image, 0, 0);
    surface.context.drawImage(this.stage, shown.left, shown.above, width / surface.ratio, height / surface.ratio);
  }

  /**
   * While a hand moves, an image of very many rectangles is stretched; it is painted when the hand rests.
   * @param {Shown} shown
   */
  stretch({ left, above, width, height, from, span, top, bottom }) {
    const { painted } = this;
    const { context } = this.surface;
    const [across, down] = [width / span, height / (bottom - top)];
    context.save();
    context.beginPath();
    context.rect(left, above, width, height);
    context.clip();
    context.imageSmoothingEnabled = false;
    const [x, y] = [left + (painted.from - from) * across, above + (painted.top - top) * down];
    context.drawImage(this.stage, x, y, (painted.to - painted.from) * across, (painted.bottom - painted.top) * down);
    context.restore();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.rested = true;
      this.surface.ask();
    }, REST_MS);
  }

  destroy() {
    clearTimeout(this.resting);
  }
}
