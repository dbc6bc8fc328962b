/** A recorded run: what was replayed, what came of it, and how full the machine was. */

import { Axis } from "../axis.js";
import { h } from "../dom.js";
import { meanOf, usedOverTime, waitingOverTime } from "../figures.js";
import { duration, number, percent } from "../format.js";
import { card, facts, panel } from "../parts.js";
import { drawCaption, drawSteps, drawTicks } from "../strips.js";
import { Surface } from "../surface.js";

/** @typedef {import("../model.js").Model} Model */

export class RunView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const { metrics, policy, parameters, jobs } = model.runs[0];
    this.used = usedOverTime(jobs, Infinity);
    this.waiting = waitingOverTime(jobs, Infinity);
    this.surface = new Surface({ label: "utilization and waiting jobs over the run", height: 250, draw: (surface) => this.draw(surface) });
    const cards = h(
      "div",
      { class: "cards" },
      card("Jobs", number(jobs.length), model.title),
      card("Policy", policy, Object.entries(parameters).map(([name, value]) => `${name}=${value}`).join(", ")),
      card("Utilization", percent(metrics.utilization), `${number(model.machine)} processors`),
      card("Mean wait", duration(metrics.mean_wait_s), `median ${duration(metrics.median_wait_s)}`),
      card("Bounded slowdown", number(metrics.mean_bounded_slowdown, 2), "mean"),
    );
    const rows = Object.entries(metrics).map(([name, value]) => /** @type {[string, string]} */ ([words(name), shown(name, value)]));
    this.element = h("div", { class: "run" }, cards, panel("The whole run", this.surface.canvas), panel("Measures", facts(rows)));
  }

  update() {
    this.surface.ask();
  }

  /** @param {Surface} surface */
  draw(surface) {
    const { times } = this.used;
    const axis = new Axis(Math.min(times[0] ?? 0, this.waiting.times[0] ?? Infinity), times[times.length - 1] ?? 1);
    [axis.left, axis.width] = [0, surface.width];
    const [upper, lower] = [{ top: 20, height: 90 }, { top: 140, height: 82 }];
    const most = this.waiting.values.reduce((large, value) => Math.max(large, value), 1);
    drawTicks(surface, axis, lower);
    drawSteps(surface, axis, upper, this.used, this.model.machine, surface.palette.accent);
    drawSteps(surface, axis, lower, this.waiting, most, surface.palette.warn);
    const mean = this.model.machine ? meanOf(this.used, axis.from, axis.to) / this.model.machine : 0;
    drawCaption(surface, axis, upper, `Processors in use, ${percent(mean)} on average`, number(this.model.machine));
    drawCaption(surface, axis, lower, "Jobs that wait", number(most));
  }

  destroy() {
    this.surface.destroy();
  }
}

/** @param {string} name */
export function words(name) {
  return name.replace(/_s$/, "").replaceAll("_", " ");
}

/**
 * @param {string} name
 * @param {number | null} value
 */
export function shown(name, value) {
  if (value === null) return "–";
  if (name.endsWith("_s")) return duration(value);
  if (name === "utilization" || name === "loss_of_capacity") return percent(value);
  return number(value, value % 1 ? 3 : 0);
}
