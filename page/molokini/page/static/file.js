/** The page of a file: it has its data in it, and asks nobody. */

import { h } from "./dom.js";
import { instantsAreTimes } from "./format.js";
import { Model } from "./model.js";
import { Player } from "./player.js";
import { readFile } from "./recorded.js";
import { Shell } from "./shell.js";

const model = new Model();
const shell = new Shell(model);

async function begin() {
  const element = document.getElementById("data");
  try {
    const data = JSON.parse(element?.textContent ?? "");
    await readFile(model, data);
    instantsAreTimes(false);
    shell.below = new Player(model, data.plays === true).element;
    shell.show();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    document.body.append(h("main", { class: "failed", role: "alert" }, h("h1", {}, "This file cannot be read"), h("p", {}, message)));
  }
}

void begin();
