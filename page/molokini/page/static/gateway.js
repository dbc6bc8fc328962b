/** Calls of the server's methods, the ones that every other program calls. */

export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message the server's own line
   * @param {string} reason a word for machines
   */
  constructor(status, message, reason) {
    super(message);
    this.status = status;
    this.reason = reason;
  }

  get unproven() {
    return this.status === 401;
  }
}

/**
 * Call a method.
 * @param {string} method such as "JobService/ListJobs"
 * @param {Record<string, unknown>} [message]
 * @returns {Promise<any>}
 */
export function call(method, message = {}) {
  return ask(`/molokini.v1.${method}`, { method: "POST", body: JSON.stringify(message) });
}

/**
 * Ask for a document of the page itself: "/session", "/login".
 * @param {string} path
 * @param {RequestInit} [request]
 * @returns {Promise<any>}
 */
export async function ask(path, request = {}) {
  const answer = await fetch(path, {
    headers: { "Content-Type": "application/json" },
    credentials: "same-origin",
    cache: "no-store",
    ...request,
  });
  const document = await answer.json().catch(() => ({}));
  if (answer.ok) return document;
  const { message = `the server answers ${answer.status}`, reason = "" } = document.error ?? {};
  throw new Refusal(answer.status, message, reason);
}

/**
 * Call a method that answers with a stream, until it ends or *signal* ends it.
 * @param {string} method
 * @param {Record<string, unknown>} message
 * @param {(one: any) => void} each
 * @param {AbortSignal} signal
 */
export async function listen(method, message, each, signal) {
  const answer = await fetch(`/molokini.v1.${method}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    credentials: "same-origin",
    cache: "no-store",
    body: JSON.stringify(message),
    signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const lines = (text + part.value).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const document = JSON.parse(line);
      if (document.error) throw new Refusal(document.error.code === "UNAUTHENTICATED" ? 401 : answer.status, document.error.message ?? "", document.error.reason ?? "");
      each(document);
    }
  }
  if (answer.ok) return;
  const { message: told = `the server answers ${answer.status}`, reason = "" } = text ? (JSON.parse(text).error ?? {}) : {};
  throw new Refusal(answer.status, told, reason);
}
