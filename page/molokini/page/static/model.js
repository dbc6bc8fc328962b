/** What is known of a cluster: one model for a live server and for a recorded run. */

/** Numbers of a job, which may be a part of a column of all jobs. @typedef {Int32Array | number[]} Whole */

/** @type {number[]} */
const NOWHERE = [];

/** One job, or one element of an array. Instants are seconds of the scheduling clock, null before they are. */
export class Job {
  /**
   * @param {number} id
   * @param {number | null} index
   */
  constructor(id, index) {
    this.id = id;
    this.index = index;
    this.state = "WAITING";
    this.user = "";
    this.queue = "";
    this.name = "";
    this.account = "";
    this.processors = 1;
    this.estimate = 0;
    this.submit = 0;
    /** @type {number | null} */ this.eligible = null;
    /** @type {number | null} */ this.start = null;
    /** @type {number | null} */ this.end = null;
    /** @type {number | null} */ this.reserved = null;
    /** @type {number | null} */ this.expectedEnd = null;
    this.reason = "";
    this.exit = 0;
    this.signal = 0;
    this.cpu = 0;
    this.memory = 0;
    this.memoryAsked = 0;
    this.attempt = 0;
    /** The nodes that it holds, by their numbers, ... @type {Whole} */ this.on = NOWHERE;
    /** ... and how many processors on each. @type {Whole} */ this.each = NOWHERE;
  }

  get key() {
    return keyOf(this.id, this.index);
  }

  get open() {
    return OPEN.includes(this.state);
  }

  /** @param {number} now */
  wait(now) {
    return (this.start ?? (this.open ? now : this.end ?? now)) - this.submit;
  }

  /**
   * Seconds from the start on; null before it.
   * @param {number} now
   */
  elapsed(now) {
    return this.start === null ? null : (this.end ?? now) - this.start;
  }
}

/**
 * @param {number} id
 * @param {number | null | undefined} index
 */
export function keyOf(id, index) {
  return index === null || index === undefined ? String(id) : `${id}[${index}]`;
}

export const OPEN = ["HELD", "WAITING", "RUNNING", "SUSPENDED"];
export const BAD = ["FAILED", "TIMED_OUT", "NODE_LOST", "REFUSED"];
export const STATES = [...OPEN, "COMPLETED", "CANCELLED", ...BAD];

/**
 * @typedef {object} MachineNode
 * @property {string} name
 * @property {number} processors
 * @property {string} state UP, DRAINING or DOWN
 * @property {string} reason
 * @property {number} memory kilobytes, 0: not counted
 * @property {string[]} features
 * @property {string} cluster
 */

/**
 * @typedef {object} Queue
 * @property {string} name
 * @property {boolean} enabled
 * @property {boolean} started
 * @property {number} priority
 * @property {Record<string, number>} limits what it allows, by the gateway's names; 0: no limit
 * @property {string[]} nodes
 * @property {string[]} users
 */

/**
 * @typedef {object} Reservation
 * @property {string} name
 * @property {number} processors
 * @property {number} start
 * @property {number | null} end
 * @property {string[]} access
 * @property {string[]} nodes
 * @property {string} standing in words; empty: it comes once
 */

/**
 * @typedef {object} Outage
 * @property {number} start
 * @property {number} end
 * @property {number} node
 */

/**
 * A recorded run.
 * @typedef {object} Run
 * @property {string} policy
 * @property {Record<string, string>} parameters
 * @property {Record<string, number | null>} metrics by their names in the JSON of simulate
 * @property {Job[]} jobs in the order of the log
 * @property {Model} model what is shown of it
 */

/**
 * What CPUs did, seconds. Rows are numbers of *rows*; -1: a piece of no process.
 * @typedef {object} Inside
 * @property {number} from
 * @property {number} to
 * @property {{name: string, cpu: boolean}[]} rows
 * @property {string[]} segments
 * @property {{start: ArrayLike<number>, length: ArrayLike<number>, segment: ArrayLike<number>, cpu: ArrayLike<number>,
 *   process: ArrayLike<number>}} pieces
 */

export class Model {
  constructor() {
    this.title = "";
    this.live = false;
    /** Whether a recorded run is shown as it was at an instant before its end. */ this.playing = false;
    this.user = "";
    this.role = "";
    /** Whether the viewer has shown nothing, and may look all the same. */ this.anonymous = false;
    this.policy = "";
    /** Whether the policy weighs jobs by priorities, and so has shares and limits to show. */ this.weighs = false;
    /** Whether the policy has a matrix of rows. */ this.rows = false;
    /** @type {Record<string, string>} */ this.parameters = {};
    /** @type {Map<string, Job>} */ this.jobs = new Map();
    /** @type {MachineNode[]} */ this.nodes = [];
    /** @type {Map<string, number>} */ this.nodeNumbers = new Map();
    /** Processors of all nodes. */ this.counted = 0;
    /** @type {Queue[]} */ this.queues = [];
    /** @type {Reservation[]} */ this.reservations = [];
    /** Processors of a recorded run. */ this.machine = 0;
    /** Of a file: every run that is in it; the first one is shown. @type {Run[]} */ this.runs = [];
    /** Of a file about CPUs. @type {Inside | null} */ this.inside = null;
    /** Grows with every change of a job. */ this.version = 0;
    /** Grows with every change of a node, a queue or a reservation. */ this.machineVersion = 0;
    /** Whether all that will be loaded at first is there. */ this.complete = false;
    /** What is not as it should be, for the line above each view. */ this.trouble = "";
    /** Jobs that ended before are not loaded; null: all are. @type {number | null} */ this.since = null;
    /** @type {{at: number, real: number, rate: number}} */ this.clock = { at: 0, real: 0, rate: 0 };
    /** @type {Set<() => void>} */ this.listeners = new Set();
    this.pending = false;
  }

  /** The present instant of the scheduling clock. */
  now() {
    return this.clock.at + (performance.now() / 1000 - this.clock.real) * this.clock.rate;
  }

  /**
   * @param {number} at
   * @param {number} rate seconds a second
   */
  setClock(at, rate) {
    this.clock = { at, real: performance.now() / 1000, rate };
  }

  /** @param {MachineNode[]} nodes */
  setNodes(nodes) {
    this.nodes = nodes;
    this.counted = nodes.reduce((sum, node) => sum + node.processors, 0);
    this.nodeNumbers = new Map(nodes.map((node, place) => [node.name, place]));
    this.machineVersion++;
    this.notify();
  }

  /** @param {Job[]} jobs new ones, or new values of those that are there */
  putJobs(jobs) {
    for (const job of jobs) this.jobs.set(job.key, job);
    this.version++;
    this.notify();
  }

  get processors() {
    return this.counted || this.machine;
  }

  /** A model of another run on the same machine. */
  twin() {
    const made = new Model();
    made.machine = this.machine;
    made.setNodes(this.nodes);
    made.setClock(this.clock.at, 0);
    return made;
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Tell the listeners, once for all changes of this moment. */
  notify() {
    if (this.pending) return;
    this.pending = true;
    setTimeout(() => {
      this.pending = false;
      for (const listener of [...this.listeners]) listener();
    }, 0);
  }
}
