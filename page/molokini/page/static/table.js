/** A table of any number of rows: only those that are seen are in the document. */

import { fill, h, say } from "./dom.js";

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} name
 * @property {string} title
 * @property {(row: Row) => string | Node} cell
 * @property {(row: Row) => number | string | null} [sort] what rows are ordered by; none: they are not
 * @property {boolean} [figure] at the right, with digits of one width
 * @property {string} [width] as in CSS
 * @property {boolean} [narrow] left out where the window is narrow
 */

const ROW = 30;
const AROUND = 8;

/**
 * @template Row
 */
export class Table {
  /**
   * @param {object} options
   * @param {string} options.label for those who hear it
   * @param {Column<Row>[]} options.columns
   * @param {(row: Row) => string} options.keyOf
   * @param {(row: Row) => void} [options.open] what Enter and a click do
   * @param {string} [options.sort] a column's name, behind "-" the other way round
   * @param {(sort: string) => void} [options.sorted]
   * @param {string} [options.empty]
   * @param {number} [options.most] rows after which it scrolls; without, it fills what there is
   */
  constructor(options) {
    this.options = options;
    this.sort = options.sort ?? "";
    /** @type {Row[]} */ this.rows = [];
    /** @type {Row[]} */ this.given = [];
    this.at = 0;
    this.first = -1;
    this.last = -1;
    const width = (/** @type {Column<Row>[]} */ some) => some.map((one) => one.width ?? "minmax(4rem, 1fr)").join(" ");
    this.head = h("div", { class: "row head", role: "row" }, options.columns.map((column) => this.header(column)));
    this.body = h("div", { class: "rows", role: "rowgroup" });
    this.note = h("p", { class: "empty", hidden: true }, options.empty ?? "There are none.");
    this.element = h(
      "div",
      {
        class: options.most ? "table" : "table tall",
        role: "grid",
        "aria-label": options.label,
        tabIndex: 0,
        onscroll: () => this.draw(),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
        onclick: (/** @type {MouseEvent} */ event) => this.click(event),
      },
      this.head,
      this.body,
      this.note,
    );
    this.element.style.setProperty("--columns", width(options.columns));
    this.element.style.setProperty("--narrow-columns", width(options.columns.filter((one) => !one.narrow)));
    if (options.most) this.element.style.maxHeight = `${(options.most + 1) * ROW + 2}px`;
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
  }

  /** @param {Column<Row>} column */
  header(column) {
    const classes = `cell${column.figure ? " figure" : ""}${column.narrow ? " wide-only" : ""}`;
    if (!column.sort) return h("div", { class: classes, role: "columnheader" }, column.title);
    const button = h("button", { type: "button", onclick: () => this.by(column.name) }, column.title);
    return h("div", { class: classes, role: "columnheader", "data-name": column.name }, button);
  }

  /** @param {string} name */
  by(name) {
    this.sort = this.sort === name ? `-${name}` : name;
    this.options.sorted?.(this.sort);
    this.show(this.given);
  }

  /**
   * Show these rows, in the chosen order.
   * @param {Row[]} rows
   */
  show(rows) {
    this.given = rows;
    const name = this.sort.replace("-", "");
    const column = this.options.columns.find((one) => one.name === name);
    this.rows = column?.sort ? sorted(rows, column.sort, this.sort.startsWith("-")) : rows;
    for (const header of this.head.querySelectorAll("[data-name]")) {
      const mine = header.getAttribute("data-name") === name;
      const order = !mine ? "none" : this.sort.startsWith("-") ? "descending" : "ascending";
      header.setAttribute("aria-sort", order);
    }
    this.at = Math.min(this.at, Math.max(0, this.rows.length - 1));
    this.element.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.note.hidden = this.rows.length > 0;
    this.body.style.height = `${this.rows.length * ROW}px`;
    this.first = -1;
    this.draw();
  }

  /** Put the rows into the document that are seen. */
  draw() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - AROUND);
    const height = clientHeight || ROW * (this.options.most ?? 20);
    const last = Math.min(this.rows.length, Math.ceil((scrollTop + height) / ROW) + AROUND);
    if (first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    fill(this.body, this.rows.slice(first, last).map((row, place) => this.line(row, first + place)));
  }

  /**
   * @param {Row} row
   * @param {number} place
   */
  line(row, place) {
    const cells = this.options.columns.map((column) => {
      const classes = `cell${column.figure ? " figure" : ""}${column.narrow ? " wide-only" : ""}`;
      const content = column.cell(row);
      const title = typeof content === "string" ? content : undefined;
      return h("div", { class: classes, role: "gridcell", "data-column": column.name, title }, content);
    });
    const chosen = place === this.at && document.activeElement === this.element;
    const made = h(
      "div",
      {
        class: `row${this.options.open ? " opens" : ""}`,
        role: "row",
        "aria-rowindex": place + 2,
        "aria-selected": chosen,
        "data-key": this.options.keyOf(row),
        "data-place": place,
      },
      cells,
    );
    made.style.transform = `translateY(${place * ROW}px)`;
    return made;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    const steps = /** @type {Record<string, number>} */ ({
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    });
    if (event.target !== this.element || !this.rows.length) return;
    if (event.key in steps) {
      this.at = Math.max(0, Math.min(this.rows.length - 1, this.at + steps[event.key]));
      const top = this.at * ROW;
      const { scrollTop, clientHeight } = this.element;
      if (top < scrollTop) this.element.scrollTop = top;
      if (top + 2 * ROW > scrollTop + clientHeight) this.element.scrollTop = top + 2 * ROW - clientHeight;
      this.first = -1;
      this.draw();
      event.preventDefault();
    } else if (event.key === "Enter") {
      this.options.open?.(this.rows[this.at]);
      event.preventDefault();
    }
  }

  /** @param {MouseEvent} event */
  click(event) {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("a, button")) return;
    const line = target.closest("[data-place]");
    if (line === null) return;
    this.at = Number(line.getAttribute("data-place"));
    this.options.open?.(this.rows[this.at]);
  }

  /** @param {string} text */
  tell(text) {
    say(this.note, text);
  }

  destroy() {
    this.observer.disconnect();
  }
}

/**
 * Rows by a value; those without one last, equal ones as they were.
 * @template Row
 * @param {Row[]} rows
 * @param {(row: Row) => number | string | null} value
 * @param {boolean} down
 * @returns {Row[]}
 */
export function sorted(rows, value, down) {
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  const sign = down ? -1 : 1;
  keyed.sort((one, other) => {
    if (one.key === other.key) return 0;
    if (one.key === null) return 1;
    if (other.key === null) return -1;
    return one.key < other.key ? -sign : sign;
  });
  return keyed.map(({ row }) => row);
}
