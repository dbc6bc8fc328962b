/** Nodes and queues: what there is, what is used of it, what takes no work and why. */

import { nodeActions } from "../actions.js";
import { addressOf, here, keep, oneOf } from "../address.js";
import { h, say } from "../dom.js";
import { usedOnNodes } from "../figures.js";
import { duration, memory, number } from "../format.js";
import { jobLink, panel, stateMark } from "../parts.js";
import { Table } from "../table.js";

/** @typedef {import("../model.js").Model} Model */
/** @typedef {import("../model.js").Queue & {waiting: number, held: number, running: number}} QueueRow */
/** @typedef {import("../model.js").MachineNode & {used: number, jobs: import("../model.js").Job[]}} NodeRow */

const STATES = ["", "up", "draining", "down"];
const MOST_JOBS = 6;

export class NodesView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const { params } = here();
    this.search = h("input", {
      type: "search",
      placeholder: "Node or feature …",
      "aria-label": "show only nodes of",
      value: params.get("q") ?? "",
      oninput: () => this.filter(),
    });
    const state = oneOf(params, "state", STATES);
    this.states = h(
      "select",
      { "aria-label": "state", onchange: () => this.filter() },
      STATES.map((one) => h("option", { value: one, selected: one === state }, one || "all states")),
    );
    this.count = h("span", { class: "count", role: "status" });
    this.nodes = new Table(
      /** @type {ConstructorParameters<typeof Table<NodeRow>>[0]} */ ({
        label: "nodes",
        most: 16,
        sort: params.get("sort") ?? "",
        sorted: (sort) => keep({ sort }),
        keyOf: (node) => node.name,
        columns: nodeColumns(),
      }),
    );
    this.queues = new Table(
      /** @type {ConstructorParameters<typeof Table<QueueRow>>[0]} */ ({
        label: "queues",
        most: 10,
        keyOf: (queue) => queue.name,
        open: (queue) => (location.hash = addressOf("jobs", { q: queue.name })),
        columns: queueColumns(),
      }),
    );
    this.ofQueues = panel("Queues", this.queues.element);
    const actions = nodeActions(model, () => this.nodes.rows.map((node) => node.name));
    this.element = h(
      "div",
      {},
      panel("Nodes", h("div", { class: "tools" }, this.search, this.states, actions, this.count), this.nodes.element),
      this.ofQueues,
    );
  }

  filter() {
    keep({ q: this.search.value, state: this.states.value });
    this.update();
  }

  update() {
    const { model } = this;
    const used = usedOnNodes(model);
    const jobs = jobsOnNodes(model);
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const state = this.states.value.toUpperCase();
    const rows = [];
    for (const [place, node] of model.nodes.entries()) {
      if (state && node.state !== state) continue;
      const text = `${node.name} ${node.features.join(" ")} ${node.cluster}`.toLowerCase();
      if (words.every((word) => text.includes(word))) rows.push({ ...node, used: used[place], jobs: jobs[place] ?? [] });
    }
    this.nodes.show(rows);
    say(this.count, `${number(rows.length)} of ${number(model.nodes.length)} nodes`);
    const counts = countsOf(model);
    const none = { waiting: 0, held: 0, running: 0 };
    // They come behind all else, and a file has none.
    this.ofQueues.hidden = model.queues.length === 0;
    this.queues.show(model.queues.map((queue) => ({ ...queue, ...(counts.get(queue.name) ?? none) })));
  }

  destroy() {
    this.nodes.destroy();
    this.queues.destroy();
  }
}

/** @returns {import("../table.js").Column<NodeRow>[]} */
function nodeColumns() {
  return [
    { name: "name", title: "Node", width: "minmax(6rem, 12rem)", cell: (node) => node.name, sort: (node) => node.name },
    { name: "state", title: "State", width: "7rem", cell: (node) => stateMark(node.state), sort: (node) => node.state },
    { name: "used", title: "Procs used", width: "7rem", figure: true, cell: (node) => `${number(node.used)} of ${number(node.processors)}`, sort: (node) => node.used },
    { name: "memory", title: "Memory", width: "6rem", figure: true, narrow: true, cell: (node) => memory(node.memory), sort: (node) => node.memory },
    { name: "features", title: "Features", width: "minmax(4rem, 10rem)", narrow: true, cell: (node) => node.features.join(", ") },
    { name: "jobs", title: "Jobs", width: "minmax(6rem, 1fr)", narrow: true, cell: (node) => jobsCell(node) },
    { name: "reason", title: "Why", width: "minmax(6rem, 1fr)", cell: (node) => node.reason },
  ];
}

/** @param {NodeRow} node */
function jobsCell(node) {
  const shown = node.jobs.slice(0, MOST_JOBS).flatMap((job) => [jobLink(job), " "]);
  return h("span", {}, shown, node.jobs.length > MOST_JOBS ? `and ${node.jobs.length - MOST_JOBS} more` : "");
}

/** @returns {import("../table.js").Column<QueueRow>[]} */
function queueColumns() {
  const limits = (/** @type {QueueRow} */ queue) => {
    const { max_processors, max_estimate_s, max_jobs, max_jobs_per_user, max_running_per_user } = queue.limits;
    const parts = [
      max_processors && `${number(max_processors)} processors a job`,
      max_estimate_s && `${duration(max_estimate_s)} a job`,
      max_jobs && `${number(max_jobs)} jobs`,
      max_jobs_per_user && `${number(max_jobs_per_user)} jobs a user`,
      max_running_per_user && `${number(max_running_per_user)} running a user`,
    ];
    return parts.filter(Boolean).join(", ");
  };
  const takes = (/** @type {QueueRow} */ queue) => (queue.enabled ? (queue.started ? "takes and starts jobs" : "takes jobs, starts none") : queue.started ? "takes none" : "closed");
  return [
    { name: "name", title: "Queue", width: "minmax(6rem, 12rem)", cell: (queue) => queue.name },
    { name: "running", title: "Running", width: "5.5rem", figure: true, cell: (queue) => number(queue.running) },
    { name: "waiting", title: "Waiting", width: "5.5rem", figure: true, cell: (queue) => number(queue.waiting) },
    { name: "held", title: "Held", width: "4rem", figure: true, cell: (queue) => number(queue.held) },
    { name: "takes", title: "Open", width: "minmax(6rem, 12rem)", narrow: true, cell: takes },
    { name: "limits", title: "Limits", width: "minmax(6rem, 2fr)", narrow: true, cell: limits },
  ];
}

/** @param {Model} model */
function jobsOnNodes(model) {
  /** @type {import("../model.js").Job[][]} */ const found = [];
  for (const job of model.jobs.values()) {
    if (job.state !== "RUNNING") continue;
    for (const node of job.on) (found[node] ??= []).push(job);
  }
  return found;
}

/** @param {Model} model */
function countsOf(model) {
  /** @type {Map<string, {waiting: number, held: number, running: number}>} */ const found = new Map();
  for (const job of model.jobs.values()) {
    const counts = found.get(job.queue) ?? { waiting: 0, held: 0, running: 0 };
    if (job.state === "WAITING") counts.waiting++;
    if (job.state === "HELD") counts.held++;
    if (job.state === "RUNNING") counts.running++;
    found.set(job.queue, counts);
  }
  return found;
}
