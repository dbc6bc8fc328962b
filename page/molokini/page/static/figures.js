/** Figures over time and by group, computed from the jobs of a model. */

/** @typedef {import("./model.js").Job} Job */
/** @typedef {import("./model.js").Model} Model */

/**
 * A step function: from times[k] on it is values[k].
 * @typedef {object} Steps
 * @property {Float64Array} times
 * @property {Float64Array} values
 * @property {Float64Array} highs of each GROUP values the largest
 */

const GROUP = 64;

/**
 * How many processors are used from when on.
 * @param {Iterable<Job>} jobs
 * @param {number} now running jobs use theirs until then
 */
export function usedOverTime(jobs, now) {
  const changes = [];
  for (const job of jobs) {
    if (job.start === null) continue;
    const end = job.end ?? (job.state === "RUNNING" ? now : job.start);
    if (end > job.start) changes.push(job.start, job.processors, end, -job.processors);
  }
  return stepsOf(changes);
}

/**
 * How many jobs wait from when on.
 * @param {Iterable<Job>} jobs
 * @param {number} now
 */
export function waitingOverTime(jobs, now) {
  const changes = [];
  for (const job of jobs) {
    const end = job.start ?? (job.open ? now : (job.end ?? job.submit));
    if (end > job.submit) changes.push(job.submit, 1, end, -1);
  }
  return stepsOf(changes);
}

/**
 * @param {number[]} changes instants and by how much the value changes there, one behind the other
 * @returns {Steps}
 */
export function stepsOf(changes) {
  const count = changes.length / 2;
  const order = new Uint32Array(count).map((_, place) => place);
  order.sort((one, other) => changes[2 * one] - changes[2 * other]);
  const [times, values] = [new Float64Array(count), new Float64Array(count)];
  let [length, value] = [0, 0];
  for (const place of order) {
    value += changes[2 * place + 1];
    if (length && times[length - 1] === changes[2 * place]) length--;
    times[length] = changes[2 * place];
    values[length++] = value;
  }
  const highs = new Float64Array(Math.ceil(length / GROUP));
  for (let k = 0; k < length; k++) highs[Math.floor(k / GROUP)] = Math.max(highs[Math.floor(k / GROUP)], values[k]);
  return { times: times.subarray(0, length), values: values.subarray(0, length), highs };
}

/**
 * The largest of the values from one place to another; of very many it takes no longer than of some.
 * @param {Steps} steps
 * @param {number} first
 * @param {number} behind the last
 */
export function highest({ values, highs }, first, behind) {
  let high = values[first];
  let k = first + 1;
  while (k < behind) {
    if (k % GROUP === 0 && k + GROUP <= behind) {
      if (highs[k / GROUP] > high) high = highs[k / GROUP];
      k += GROUP;
    } else {
      if (values[k] > high) high = values[k];
      k++;
    }
  }
  return high;
}

/**
 * The value at an instant.
 * @param {Steps} steps
 * @param {number} at
 */
export function valueAt({ times, values }, at) {
  const place = firstAfter(times, at) - 1;
  return place < 0 ? 0 : values[place];
}

/**
 * The mean between two instants.
 * @param {Steps} steps
 * @param {number} from
 * @param {number} to
 */
export function meanOf({ times, values }, from, to) {
  let sum = 0;
  for (let place = Math.max(0, firstAfter(times, from) - 1); place < times.length && times[place] < to; place++) {
    const [begin, end] = [Math.max(from, times[place]), Math.min(to, times[place + 1] ?? to)];
    if (end > begin) sum += values[place] * (end - begin);
  }
  return to > from ? sum / (to - from) : 0;
}

/**
 * The first place behind an instant, in ascending times.
 * @param {Float64Array} times
 * @param {number} at
 * @param {number} [from] it is not before this place
 */
export function firstAfter(times, at, from = 0) {
  let [low, high] = [from, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Processors that jobs hold on each node, by the node's number.
 * @param {Model} model
 */
export function usedOnNodes(model) {
  const used = new Float64Array(model.nodes.length);
  for (const job of model.jobs.values()) {
    if (job.state !== "RUNNING") continue;
    for (let k = 0; k < job.on.length; k++) used[job.on[k]] += job.each[k];
  }
  return used;
}

/** @typedef {{jobs: number, waiting: number, running: number, processors: number, used: number, ended: number, asked: number,
 *   waits: number[], cpu: number, cpuOf: number}} Share */

/**
 * What each value of a field has: jobs, processor-seconds used and asked for, waits.
 * @param {Model} model
 * @param {"user" | "account" | "queue"} field
 * @returns {Map<string, Share>}
 */
export function sharesBy(model, field) {
  const now = model.now();
  /** @type {Map<string, Share>} */ const found = new Map();
  for (const job of model.jobs.values()) {
    const name = job[field];
    let share = found.get(name);
    if (share === undefined) {
      share = { jobs: 0, waiting: 0, running: 0, processors: 0, used: 0, ended: 0, asked: 0, waits: [], cpu: 0, cpuOf: 0 };
      found.set(name, share);
    }
    share.jobs++;
    if (job.state === "WAITING" || job.state === "HELD") share.waiting++;
    if (job.state === "RUNNING") {
      share.running++;
      share.processors += job.processors;
    }
    const elapsed = job.elapsed(now);
    if (elapsed === null) continue;
    share.used += elapsed * job.processors;
    if (!job.open) {
      share.ended += elapsed * job.processors;
      share.asked += job.estimate * job.processors;
    }
    share.waits.push(job.wait(now));
    if (job.cpu) {
      share.cpu += job.cpu;
      share.cpuOf += elapsed * job.processors;
    }
  }
  return found;
}

/**
 * @param {number[]} values
 * @param {number} part from 0 to 1
 */
export function quantile(values, part) {
  if (!values.length) return null;
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}
