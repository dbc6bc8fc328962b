/** A recorded run, from the columns that a file holds. */

import { Job } from "./model.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Run} Run */

/**
 * @typedef {object} Column numbers, byte by byte: all first bytes, then all second ones
 * @property {"i32" | "f64"} kind
 * @property {boolean} grows each is the difference to the one before
 * @property {string} data gzip in base64
 */

/**
 * @typedef {object} RunData
 * @property {string} policy
 * @property {Record<string, string>} parameters
 * @property {Record<string, number | null>} metrics
 * @property {Record<"start" | "end" | "state", Column>} columns
 * @property {Record<"first" | "count" | "node" | "processors", Column>} [places]
 */

/**
 * @typedef {object} FileData
 * @property {string} title
 * @property {boolean} [plays] whether it is played at once
 * @property {number} processors
 * @property {{name: string, processors: number}[]} nodes
 * @property {Record<"id" | "submit" | "estimate" | "processors" | "user" | "queue" | "account", Column>} columns
 * @property {Record<"user" | "queue" | "account", string[]>} names
 * @property {string[]} states
 * @property {RunData[]} runs
 */

/** What a whole column has where there is no value. */
const NONE = -2147483648;

/**
 * Fill a model with what a file holds.
 * @param {Model} model
 * @param {FileData} data
 */
export async function readFile(model, data) {
  const common = await columnsOf(data.columns);
  model.title = data.title;
  model.machine = data.processors;
  model.setNodes(
    data.nodes.map((node) => ({ ...node, state: "UP", reason: "", memory: 0, features: [], cluster: "" })),
  );
  for (const run of data.runs) model.runs.push(await readRun(data, common, run));
  const [first] = model.runs;
  model.policy = first.policy;
  model.parameters = first.parameters;
  const last = first.jobs.reduce((late, job) => Math.max(late, job.end ?? job.start ?? job.submit), 0);
  model.setClock(last, 0);
  model.putJobs(first.jobs);
  model.complete = true;
}

/**
 * @param {FileData} data
 * @param {Record<string, ArrayLike<number>>} common
 * @param {RunData} run
 * @returns {Promise<Run>}
 */
async function readRun(data, common, run) {
  const own = await columnsOf(run.columns);
  const places = run.places ? await columnsOf(run.places) : null;
  const jobs = [];
  for (let place = 0; place < common.id.length; place++) {
    const job = new Job(common.id[place], null);
    job.submit = common.submit[place];
    job.eligible = job.submit;
    job.estimate = common.estimate[place];
    job.processors = common.processors[place];
    job.user = data.names.user[common.user[place]];
    job.queue = data.names.queue[common.queue[place]];
    job.account = data.names.account[common.account[place]];
    job.start = valueOf(own.start[place]);
    job.end = valueOf(own.end[place]);
    job.state = data.states[own.state[place]];
    if (places !== null) {
      const first = places.first[place];
      for (let k = first; k < first + places.count[place]; k++) job.pieces.push([places.node[k], places.processors[k]]);
    }
    jobs.push(job);
  }
  const { policy, parameters, metrics } = run;
  return { policy, parameters, metrics, jobs };
}

/** @param {number} value */
function valueOf(value) {
  return value === NONE || Number.isNaN(value) ? null : value;
}

/**
 * @param {Record<string, Column>} columns
 * @returns {Promise<Record<string, ArrayLike<number>>>}
 */
async function columnsOf(columns) {
  const names = Object.keys(columns);
  const values = await Promise.all(names.map((name) => columnOf(columns[name])));
  return Object.fromEntries(names.map((name, place) => [name, values[place]]));
}

/**
 * @param {Column} column
 * @returns {Promise<Int32Array | Float64Array>}
 */
async function columnOf({ kind, grows, data }) {
  const packed = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = kind === "i32" ? 4 : 8;
  const count = bytes.length / size;
  const plain = new Uint8Array(bytes.length);
  for (let byte = 0; byte < size; byte++) {
    for (let place = 0; place < count; place++) plain[place * size + byte] = bytes[byte * count + place];
  }
  const values = kind === "i32" ? new Int32Array(plain.buffer) : new Float64Array(plain.buffer);
  if (grows) for (let place = 1; place < count; place++) values[place] += values[place - 1];
  return values;
}
