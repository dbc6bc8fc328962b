/** Users, accounts and queues: what each has, has used, and how long it waited. */

import { addressOf, here, keep, oneOf } from "../address.js";
import { fill, h } from "../dom.js";
import { quantile, sharesBy } from "../figures.js";
import { duration, number, percent } from "../format.js";
import { call } from "../gateway.js";
import { panel } from "../parts.js";
import { Table } from "../table.js";

/** @typedef {import("../model.js").Model} Model */
/** @typedef {import("../figures.js").Share & {name: string, part: number, median: number | null, late: number | null}} Row */

const BY = ["user", "account", "queue"];
const READ_MS = 2000;

export class PeopleView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    const { params } = here();
    this.by = oneOf(params, "by", BY);
    this.seen = -1;
    this.read = -Infinity;
    this.rereading = 0;
    this.choice = h("div", { class: "choice", role: "group", "aria-label": "by" });
    this.reports = h("div", {});
    this.table = new Table(
      /** @type {ConstructorParameters<typeof Table<Row>>[0]} */ ({
        label: "shares",
        sort: params.get("sort") ?? "-used",
        sorted: (sort) => keep({ sort: sort === "-used" ? null : sort }),
        keyOf: (row) => row.name,
        open: (row) => (location.hash = addressOf("jobs", { q: row.name })),
        columns: columns(),
        most: 20,
      }),
    );
    this.element = h("div", {}, h("div", { class: "tools" }, this.choice), this.table.element, this.reports);
    this.showChoice();
    if (model.live && model.weighs && model.role !== "user") void this.readReports();
  }

  showChoice() {
    fill(
      this.choice,
      BY.map((one) => h("button", { type: "button", "aria-pressed": String(one === this.by), onclick: () => this.choose(one) }, `${one}s`)),
    );
  }

  /** @param {string} by */
  choose(by) {
    this.by = by;
    keep({ by: by === BY[0] ? null : by });
    this.showChoice();
    this.seen = -1;
    this.read = -Infinity;
    this.update();
  }

  update() {
    if (this.model.version === this.seen) return;
    if (performance.now() - this.read < READ_MS) {
      this.rereading ||= setTimeout(() => {
        this.rereading = 0;
        this.update();
      }, READ_MS);
      return;
    }
    this.seen = this.model.version;
    const shares = sharesBy(this.model, /** @type {"user"} */ (this.by));
    const all = [...shares.values()].reduce((sum, share) => sum + share.used, 0);
    const rows = [...shares].map(([name, share]) => ({
      ...share,
      name,
      part: all ? share.used / all : 0,
      median: quantile(share.waits, 0.5),
      late: quantile(share.waits, 0.95),
    }));
    this.table.show(rows);
    this.read = performance.now();
  }

  /** Where the policy keeps fairshare and limits, what it says of them; operators alone may ask. */
  async readReports() {
    for (const name of ["fairshare", "limits"]) {
      try {
        const { json } = await call("ClusterService/GetReport", { name });
        const made = reportTable(JSON.parse(json));
        if (made) this.reports.append(panel(name === "fairshare" ? "Fairshare" : "Limits", made));
      } catch {
        // A policy without them, or a caller who may not see them.
      }
    }
  }

  destroy() {
    clearTimeout(this.rereading);
    this.table.destroy();
  }
}

/** @returns {import("../table.js").Column<Row>[]} */
function columns() {
  const hours = (/** @type {number} */ seconds) => number(seconds / 3600, 1);
  return [
    { name: "name", title: "Name", width: "minmax(6rem, 14rem)", cell: (row) => row.name || "none", sort: (row) => row.name },
    { name: "jobs", title: "Jobs", width: "5rem", figure: true, cell: (row) => number(row.jobs), sort: (row) => row.jobs },
    { name: "running", title: "Running", width: "5.5rem", figure: true, narrow: true, cell: (row) => number(row.running), sort: (row) => row.running },
    { name: "waiting", title: "Waiting", width: "5.5rem", figure: true, cell: (row) => number(row.waiting), sort: (row) => row.waiting },
    { name: "processors", title: "Procs now", width: "6rem", figure: true, narrow: true, cell: (row) => number(row.processors), sort: (row) => row.processors },
    { name: "used", title: "Proc-hours", width: "7rem", figure: true, cell: (row) => hours(row.used), sort: (row) => row.used },
    { name: "part", title: "Share", width: "6rem", figure: true, narrow: true, cell: (row) => percent(row.part), sort: (row) => row.part },
    { name: "median", title: "Median wait", width: "7.5rem", figure: true, narrow: true, cell: (row) => duration(row.median), sort: (row) => row.median },
    { name: "late", title: "95 % wait below", width: "8.5rem", figure: true, narrow: true, cell: (row) => duration(row.late), sort: (row) => row.late },
    { name: "asked", title: "Time used of asked", width: "9rem", figure: true, narrow: true, cell: (row) => percent(endedPart(row)), sort: (row) => endedPart(row) },
    { name: "cpu", title: "Processors busy", width: "8rem", figure: true, narrow: true, cell: (row) => percent(row.cpuOf ? row.cpu / row.cpuOf : null), sort: (row) => (row.cpuOf ? row.cpu / row.cpuOf : null) },
  ];
}

/** @param {Row} row */
function endedPart(row) {
  return row.asked ? row.ended / row.asked : null;
}

/**
 * The first list of records in a report, as a table.
 * @param {Record<string, any>} report
 */
function reportTable(report) {
  const rows = Object.values(report).find((value) => Array.isArray(value) && value.length && typeof value[0] === "object");
  if (!rows) return null;
  const names = Object.keys(rows[0]).filter((name) => typeof rows[0][name] !== "object" || rows[0][name] === null);
  const cell = (/** @type {any} */ value) => (typeof value === "number" ? number(value, value % 1 ? 2 : 0) : String(value ?? "–"));
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "plain-table" },
      h("thead", {}, h("tr", {}, names.map((name) => h("th", {}, name.replaceAll("_", " "))))),
      h("tbody", {}, rows.slice(0, 200).map((/** @type {any} */ row) => h("tr", {}, names.map((name) => h("td", { class: typeof row[name] === "number" ? "figure" : "" }, cell(row[name])))))),
    ),
  );
}
