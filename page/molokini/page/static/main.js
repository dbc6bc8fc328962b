/** The page of a live server: logs in, then shows. */

import { Live } from "./live.js";
import { logIn, usedLink } from "./login.js";
import { Model } from "./model.js";
import { Refusal } from "./gateway.js";
import { Shell } from "./shell.js";
import { NOW, OTHERS, TIME } from "./views.js";
import { MatrixView } from "./views/matrix.js";
import { ReservationsView } from "./views/reservations.js";

const model = new Model();
const shell = new Shell(model, [
  NOW,
  TIME,
  { name: "matrix", title: "Matrix", when: () => model.rows, make: () => new MatrixView(model) },
  ...OTHERS,
  { name: "reservations", title: "Reservations", make: () => new ReservationsView(model) },
]);
const live = new Live(model, () => void begin(true));
shell.live = live;
shell.logIn = async () => {
  if (await logIn("", true)) await begin(true);
};

/** @param {boolean} again whether somebody looked already, and the login has ended */
async function begin(again) {
  try {
    if (!again) await usedLink();
    await live.start();
    shell.show();
  } catch (error) {
    if (error instanceof Refusal && error.unproven) {
      await logIn(again ? "The login has ended; what is shown stays where it is." : "");
      await begin(again);
    } else {
      shell.fail(error instanceof Error ? error.message : String(error), () => void begin(again));
    }
  }
}

void begin(false);
