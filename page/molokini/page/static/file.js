/** The page of a file: it has its data in it, and asks no server. */

import { h } from "./dom.js";
import { instantsAreTimes } from "./format.js";
import { Model } from "./model.js";
import { Player } from "./player.js";
import { readFile, readInside } from "./recorded.js";
import { Shell } from "./shell.js";
import { NOW, OTHERS, TIME } from "./views.js";
import { CompareView } from "./views/compare.js";
import { InsideView } from "./views/inside.js";
import { RunView } from "./views/run.js";

const model = new Model();
const ofJobs = () => model.inside === null;
const shell = new Shell(model, [
  { name: "inside", title: "Inside the nodes", when: () => !ofJobs(), make: () => new InsideView(model) },
  ...[
    { name: "run", title: "Run", make: () => new RunView(model) },
    NOW,
    { name: "compare", title: "Compare", when: () => model.runs.length > 1, make: () => new CompareView(model) },
    TIME,
    ...OTHERS,
  ].map((/** @type {import("./views.js").ViewKind} */ one) => ({ ...one, when: () => ofJobs() && (one.when?.(model) ?? true) })),
]);

async function begin() {
  const element = document.getElementById("data");
  try {
    const data = JSON.parse(element?.textContent ?? "");
    instantsAreTimes(false);
    if (data.schema === "molokini.page-inside/1") {
      await readInside(model, data);
    } else {
      await readFile(model, data);
      shell.below = new Player(model, data.plays === true).element;
    }
    shell.show();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    document.body.append(h("main", { class: "failed", role: "alert" }, h("h1", {}, "This file cannot be read"), h("p", {}, message)));
  }
}

void begin();
