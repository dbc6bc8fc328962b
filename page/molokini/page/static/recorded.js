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

/**
 * A timeline of CPUs; its instants are nanoseconds.
 * @typedef {object} InsideData
 * @property {string} title
 * @property {number} from_ns
 * @property {number} to_ns
 * @property {{name: string, cpu: boolean}[]} rows
 * @property {string[]} segments
 * @property {Record<"start" | "length" | "segment" | "cpu" | "process", Column>} columns
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
  for (const [place, run] of data.runs.entries()) {
    model.runs.push(await readRun(data, common, run, place ? model.twin() : model));
  }
  const [first] = model.runs;
  model.policy = first.policy;
  model.parameters = first.parameters;
  const last = model.runs.flatMap((run) => run.jobs).reduce((late, job) => Math.max(late, job.end ?? job.start ?? job.submit), 0);
  for (const run of model.runs) {
    run.model.setClock(last, 0);
    run.model.policy = run.policy;
    run.model.putJobs(run.jobs);
  }
  model.complete = true;
}

/**
 * Fill a model with what a file about CPUs holds.
 * @param {Model} model
 * @param {InsideData} data
 */
export async function readInside(model, data) {
  const { start, length, segment, cpu, process } = await columnsOf(data.columns);
  const seconds = (/** @type {ArrayLike<number>} */ values) => Float64Array.from(values, (one) => one / 1e9);
  const pieces = { start: seconds(start), length: seconds(length), segment, cpu, process };
  model.title = data.title;
  model.inside = { from: data.from_ns / 1e9, to: data.to_ns / 1e9, rows: data.rows, segments: data.segments, pieces };
  model.complete = true;
}

/**
 * @param {FileData} data
 * @param {Record<string, ArrayLike<number>>} common
 * @param {RunData} run
 * @param {Model} model
 * @returns {Promise<Run>}
 */
async function readRun(data, common, run, model) {
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
      const [first, behind] = [places.first[place], places.first[place] + places.count[place]];
      job.on = Int32Array.prototype.subarray.call(places.node, first, behind);
      job.each = Int32Array.prototype.subarray.call(places.processors, first, behind);
    }
    jobs.push(job);
  }
  const { policy, parameters, metrics } = run;
  return { policy, parameters, metrics, jobs, model };
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
