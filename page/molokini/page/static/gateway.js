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
