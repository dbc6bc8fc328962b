/** Nodes as a grid of cells, however many there are: how full each is, by its colour and its filling. */

import { h } from "./dom.js";
import { Surface } from "./surface.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").MachineNode} MachineNode */

const GAP = 2;

export class NodeGrid {
  /**
   * @param {(node: MachineNode) => void} open
   */
  constructor(open) {
    /** @type {MachineNode[]} */ this.nodes = [];
    /** @type {ArrayLike<number>} */ this.used = [];
    this.cell = 12;
    this.columns = 1;
    this.tip = h("div", { class: "tip", role: "status" });
    this.surface = new Surface({ label: "nodes", height: 40, draw: (surface) => this.draw(surface) });
    this.surface.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.surface.canvas.addEventListener("click", (event) => {
      const node = this.nodeAt(event);
      if (node) open(node);
    });
    this.element = h("div", { class: "grid" }, this.surface.canvas, this.tip);
  }

  /**
   * @param {MachineNode[]} nodes
   * @param {ArrayLike<number>} used processors
   */
  show(nodes, used) {
    [this.nodes, this.used] = [nodes, used];
    const counts = { UP: 0, DRAINING: 0, DOWN: 0 };
    for (const node of nodes) counts[/** @type {keyof typeof counts} */ (node.state)]++;
    const label = `${nodes.length} nodes: ${counts.UP} up, ${counts.DRAINING} draining, ${counts.DOWN} down`;
    this.surface.canvas.setAttribute("aria-label", label);
    this.surface.ask();
  }

  /** @param {Surface} surface */
  draw(surface) {
    const count = this.nodes.length;
    const { context, palette, width } = surface;
    // Cells as large as they can be in a third of the width.
    this.cell = Math.max(3, Math.min(18, Math.floor(Math.sqrt((width * 220) / Math.max(count, 1))) - GAP));
    this.columns = Math.max(1, Math.floor(width / (this.cell + GAP)));
    const height = Math.ceil(count / this.columns) * (this.cell + GAP) + GAP;
    if (height !== surface.height) {
      queueMicrotask(() => surface.setHeight(height));
      return;
    }
    for (let place = 0; place < count; place++) {
      const node = this.nodes[place];
      const x = (place % this.columns) * (this.cell + GAP);
      const y = Math.floor(place / this.columns) * (this.cell + GAP);
      context.fillStyle = palette.field;
      context.fillRect(x, y, this.cell, this.cell);
      if (node.state === "DOWN" || node.state === "DRAINING") {
        this.strike(x, y, node.state === "DOWN" ? palette.bad : palette.warn, node.state === "DOWN");
      }
      const part = node.processors ? this.used[place] / node.processors : 0;
      if (part > 0) {
        const full = Math.max(1, Math.round(this.cell * part));
        context.fillStyle = node.state === "UP" ? palette.accent : palette.warn;
        context.fillRect(x, y + this.cell - full, this.cell, full);
      }
    }
  }

  /**
   * A node that takes no work: crossed out where it is down, with one stroke where it is draining.
   * @param {number} x
   * @param {number} y
   * @param {string} colour
   * @param {boolean} twice
   */
  strike(x, y, colour, twice) {
    const { context } = this.surface;
    context.strokeStyle = colour;
    context.lineWidth = Math.max(1, this.cell / 8);
    context.beginPath();
    context.moveTo(x, y + this.cell);
    context.lineTo(x + this.cell, y);
    if (twice) {
      context.moveTo(x, y);
      context.lineTo(x + this.cell, y + this.cell);
    }
    context.stroke();
  }

  /** @param {MouseEvent} event */
  nodeAt(event) {
    const column = Math.floor(event.offsetX / (this.cell + GAP));
    const row = Math.floor(event.offsetY / (this.cell + GAP));
    return column < this.columns ? this.nodes[row * this.columns + column] : undefined;
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const node = this.nodeAt(event);
    if (!node) {
      this.tip.textContent = "";
      return;
    }
    const used = this.used[this.nodes.indexOf(node)];
    const state = node.state === "UP" ? "" : `, ${node.state.toLowerCase()}${node.reason ? `: ${node.reason}` : ""}`;
    this.tip.textContent = `${node.name}: ${used} of ${node.processors} processors used${state}`;
  }

  destroy() {
    this.surface.destroy();
  }
}
