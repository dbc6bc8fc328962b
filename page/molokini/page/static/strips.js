/** What is drawn of one value over time: a filled line of steps, an axis of times, the present. */

/** @typedef {import("./surface.js").Surface} Surface */
/** @typedef {import("./axis.js").Axis} Axis */
/** @typedef {import("./figures.js").Steps} Steps */

import { firstAfter, highest } from "./figures.js";

/**
 * A step function as an area, at most two points a pixel however many steps there are.
 * @param {Surface} surface
 * @param {Axis} axis
 * @param {{top: number, height: number}} box
 * @param {Steps} steps
 * @param {number} most the value at the top
 * @param {string} colour
 * @param {number} [until] nothing is drawn behind this instant
 */
export function drawSteps(surface, axis, box, steps, most, colour, until = Infinity) {
  const { context } = surface;
  const bottom = box.top + box.height;
  const y = (/** @type {number} */ value) => bottom - (Math.min(value, most) / (most || 1)) * (box.height - 2);
  const end = Math.min(axis.left + axis.width, axis.x(until));
  let place = Math.max(0, firstAfter(steps.times, axis.from) - 1);
  context.beginPath();
  context.moveTo(axis.left, bottom);
  let last = place < steps.times.length && steps.times[place] <= axis.from ? steps.values[place] : 0;
  context.lineTo(axis.left, y(last));
  while (place < steps.times.length) {
    const x = axis.x(steps.times[place]);
    if (x > end) break;
    if (x < axis.left) {
      last = steps.values[place++];
      continue;
    }
    // The largest of a pixel's values stands for them.
    const next = Math.max(place + 1, firstAfter(steps.times, axis.at(Math.floor(x) + 1), place));
    const high = highest(steps, place, next);
    context.lineTo(x, y(last));
    context.lineTo(x, y(high));
    last = steps.values[next - 1];
    context.lineTo(x, y(last));
    place = next;
  }
  context.lineTo(end, y(last));
  context.lineTo(end, bottom);
  context.closePath();
  context.fillStyle = colour;
  context.globalAlpha = 0.25;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  context.lineJoin = "bevel";
  context.stroke();
}

/**
 * Ticks and their texts below a box, and faint lines through it.
 * @param {Surface} surface
 * @param {Axis} axis
 * @param {{top: number, height: number}} box
 */
export function drawTicks(surface, axis, box) {
  const { context, palette } = surface;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.lineWidth = 1;
  for (const { at, text } of axis.ticks()) {
    const x = Math.round(axis.x(at)) + 0.5;
    context.strokeStyle = palette.line;
    context.beginPath();
    context.moveTo(x, box.top);
    context.lineTo(x, box.top + box.height + 3);
    context.stroke();
    context.fillStyle = palette.quiet;
    const half = context.measureText(text).width / 2;
    if (x - half >= axis.left - 4 && x + half <= axis.left + axis.width + 4) {
      context.fillText(text, x, box.top + box.height + 5);
    }
  }
}

/**
 * The present, as a line.
 * @param {Surface} surface
 * @param {Axis} axis
 * @param {{top: number, height: number}} box
 * @param {number} now
 */
export function drawNow(surface, axis, box, now) {
  const x = Math.round(axis.x(now)) + 0.5;
  if (x < axis.left || x > axis.left + axis.width) return;
  const { context, palette } = surface;
  context.strokeStyle = palette.bad;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, box.top);
  context.lineTo(x, box.top + box.height);
  context.stroke();
}

/**
 * A caption at the left of a box, and the value at its top at the right.
 * @param {Surface} surface
 * @param {Axis} axis
 * @param {{top: number, height: number}} box
 * @param {string} caption
 * @param {string} most
 */
export function drawCaption(surface, axis, box, caption, most) {
  const { context, palette } = surface;
  context.textBaseline = "bottom";
  context.textAlign = "left";
  context.fillStyle = palette.ink;
  context.fillText(caption, axis.left, box.top - 4);
  context.textAlign = "right";
  context.fillStyle = palette.quiet;
  context.fillText(most, axis.left + axis.width, box.top - 4);
  context.strokeStyle = palette.line;
  context.beginPath();
  context.moveTo(axis.left, box.top + box.height + 0.5);
  context.lineTo(axis.left + axis.width, box.top + box.height + 0.5);
  context.stroke();
}
