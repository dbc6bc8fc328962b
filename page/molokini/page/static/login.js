/** Logins: by the code of a link, else by a token that is typed in. */

import { h, say } from "./dom.js";
import { ask, Refusal } from "./gateway.js";

/**
 * Log in by the code behind the address, if there is one. It was in no request, and is taken out of the address.
 */
export async function usedLink() {
  const found = /^#login=([\w-]+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", "#/now");
  try {
    await ask("/login", { method: "POST", body: JSON.stringify({ code: found[1] }) });
  } catch (error) {
    if (!(error instanceof Refusal) || !error.unproven) throw error;
    // A link that was used: who is logged in stays so, others are asked for a token.
  }
}

/**
 * Ask for a token until one is good.
 * @param {string} why
 * @param {boolean} [may] whether it may be left, as where anonymous readers may look
 * @returns {Promise<boolean>} whether somebody is logged in
 */
export function logIn(why, may = false) {
  return new Promise((resolve) => {
    const token = h("input", { type: "password", id: "token", autocomplete: "off", required: true, spellcheck: false });
    const refusal = h("p", { class: "refusal", role: "alert" });
    const send = async () => {
      try {
        await ask("/login", { method: "POST", body: JSON.stringify({ token: token.value }) });
        close(true);
      } catch (error) {
        say(refusal, error instanceof Error ? error.message : String(error));
        token.select();
      }
    };
    const close = (/** @type {boolean} */ done) => {
      dialog.close();
      dialog.remove();
      resolve(done);
    };
    const form = h(
      "form",
      {
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void send();
        },
      },
      h("h1", {}, "Log in"),
      why && h("p", {}, why),
      h("label", { htmlFor: "token" }, "Token"),
      token,
      h("p", { class: "hint" }, "The server's owner has one in the file “token” beside the state; others ask an administrator: molokini token issue."),
      refusal,
      h("div", { class: "buttons" }, may && h("button", { type: "button", onclick: () => close(false) }, "Not now"), h("button", { type: "submit", class: "primary" }, "Log in")),
    );
    const oncancel = (/** @type {Event} */ event) => (may ? close(false) : event.preventDefault());
    const dialog = h("dialog", { class: "login", "aria-label": "Log in", oncancel }, form);
    document.body.append(dialog);
    dialog.showModal();
    token.focus();
  });
}
