/** A live server: what it knows is read once by pages, then kept up to date by its events. */

import { ask, call, Refusal } from "./gateway.js";
import { Job } from "./model.js";

/** @typedef {import("./model.js").Model} Model */

const FIELDS = [
  ...["state", "user", "submitted_s", "eligible_s", "start_s", "end_s", "reason", "exit_code", "signal"],
  ...["allocation", "reserved_s", "expected_end_s", "limit_s", "cpu_s", "memory_used_kb", "attempt"],
  ...["spec.name", "spec.queue", "spec.account", "spec.estimate_s", "spec.resources"],
];
/** As many as fill a screen many times; the rest comes behind. */
const FIRST_PAGE = 250;
const BATCH = 2000;
const HISTORY_S = 86400;
const RENEW_MS = 4 * 60_000;

/** Keeps a model as a server has it. */
export class Live {
  /**
   * @param {Model} model
   * @param {(trouble: Refusal) => void} unproven called when the server asks for a token
   */
  constructor(model, unproven) {
    this.model = model;
    this.unproven = unproven;
    this.pageSize = 10_000;
    /** @type {EventSource | null} */ this.stream = null;
    /** Jobs to be read again. @type {Set<number>} */ this.changed = new Set();
    /** @type {Set<string>} */ this.about = new Set();
    this.reading = false;
    this.generation = 0;
    this.renewal = 0;
  }

  /** Read everything, the open jobs first, and follow what happens from there on. */
  async start() {
    const generation = ++this.generation;
    // Its serial is from before the jobs are read: what happens meanwhile is heard of again.
    const session = await ask("/session");
    this.pageSize = session.page_size;
    Object.assign(this.model, { user: session.user, role: session.role, title: session.cluster, anonymous: session.anonymous, live: true });
    // Why jobs wait takes the server a pass over all of them: that comes with the rest.
    const fields = FIELDS.filter((one) => one !== "reason");
    const [first] = await Promise.all([this.page({ page_size: FIRST_PAGE, fields }), this.readClock(), this.readMachine()]);
    if (generation !== this.generation) return;
    this.take(first);
    this.follow(session.sequence);
    this.model.notify();
    clearInterval(this.renewal);
    this.renewal = setInterval(() => this.guarded(() => ask("/session")), RENEW_MS);
    void this.guarded(() => this.readRest(generation));
  }

  stop() {
    this.generation++;
    clearInterval(this.renewal);
    this.stream?.close();
  }

  /** @param {number} generation */
  async readRest(generation) {
    // Queues come with counts of their jobs, which take the server a while.
    await this.readQueues();
    await this.readJobs({ page_size: this.pageSize }, generation);
    const since = this.model.now() - HISTORY_S;
    const ended = { include_ended: true, page_size: this.pageSize, ended_since_s: Math.max(0, since) };
    await this.readJobs(ended, generation);
    this.model.since = since > 0 ? since : null;
    this.model.complete = true;
    this.model.notify();
  }

  /** Read ended jobs of all times, too. */
  async readAll() {
    await this.readJobs({ include_ended: true, page_size: this.pageSize }, this.generation);
    this.model.since = null;
    this.model.notify();
  }

  async readClock() {
    const clock = await call("ClusterService/GetClock");
    this.model.setClock(clock.now_s ?? 0, clock.paused ? 0 : (clock.rate ?? 0));
    this.clockKind = clock.kind;
  }

  /** Nodes, reservations and the policy. */
  async readMachine() {
    const [nodes, { reservations = [] }, policy] = await Promise.all([
      this.readNodes(),
      call("ClusterService/ListReservations"),
      call("ClusterService/GetPolicy"),
    ]);
    const model = this.model;
    model.policy = policy.name ?? "";
    model.rows = (policy.rows ?? 0) > 0 && !model.anonymous;
    model.weighs = policy.weighs ?? false;
    model.parameters = policy.parameters ?? {};
    model.reservations = reservations.flatMap(reservationsOf);
    model.setNodes(nodes);
  }

  async readQueues() {
    const { queues = [] } = await call("ClusterService/ListQueues");
    this.model.queues = queues.map(queueOf);
    this.model.machineVersion++;
    this.model.notify();
  }

  async readNodes() {
    const found = [];
    let token = "";
    do {
      const page = await call("ClusterService/ListNodes", { page_size: this.pageSize, page_token: token });
      found.push(...(page.nodes ?? []).map(nodeOf));
      token = page.next_page_token ?? "";
    } while (token);
    return found;
  }

  /**
   * @param {Record<string, unknown>} request
   * @param {number} generation
   */
  async readJobs(request, generation) {
    let token = "";
    do {
      const page = await this.page({ ...request, page_token: token });
      if (generation !== this.generation) return;
      this.take(page);
      token = page.next_page_token ?? "";
    } while (token);
  }

  /** @param {Record<string, unknown>} request */
  page(request) {
    return call("JobService/ListJobs", { fields: FIELDS, expand_arrays: true, ...request });
  }

  /** @param {any} page */
  take(page) {
    this.model.putJobs((page.jobs ?? []).map((/** @type {any} */ one) => this.jobOf(one)));
  }

  /**
   * @param {any} told
   * @returns {Job}
   */
  jobOf(told) {
    const made = new Job(told.id, told.array_index ?? null);
    const spec = told.spec ?? {};
    const resources = spec.resources ?? {};
    made.state = told.state;
    made.user = told.user ?? "";
    made.queue = spec.queue ?? "";
    made.name = spec.name ?? "";
    made.account = spec.account ?? "";
    made.processors = resources.processors ?? 1;
    made.estimate = told.limit_s ?? spec.estimate_s ?? 0;
    made.submit = told.submitted_s ?? 0;
    made.eligible = told.eligible_s ?? null;
    made.start = told.start_s ?? null;
    made.end = told.end_s ?? null;
    made.reserved = told.reserved_s ?? null;
    made.expectedEnd = told.expected_end_s ?? null;
    made.reason = told.reason ?? "";
    made.exit = told.exit_code ?? 0;
    made.signal = told.signal ?? 0;
    made.cpu = told.cpu_s ?? 0;
    made.memory = told.memory_used_kb ?? 0;
    made.memoryAsked = (resources.memory_kb ?? 0) * made.processors;
    made.attempt = told.attempt ?? 0;
    /** @type {[number, number][]} */ const pieces = [];
    for (const { node, processors } of told.allocation ?? []) {
      const place = this.model.nodeNumbers.get(node);
      if (place !== undefined) pieces.push([place, processors]);
    }
    made.on = pieces.map(([place]) => place);
    made.each = pieces.map(([, processors]) => processors);
    return made;
  }

  // Following.

  /** @param {number} serial */
  follow(serial) {
    this.stream?.close();
    const stream = new EventSource(`/events?brief=1&after=${serial}`);
    this.stream = stream;
    stream.addEventListener("hello", () => this.trouble(""));
    stream.addEventListener("changes", (event) => this.hear(JSON.parse(event.data)));
    stream.addEventListener("lagged", () => this.restart());
    stream.addEventListener("ended", () => {
      stream.close();
      void this.guarded(() => ask("/session"));
    });
    stream.addEventListener("error", () => {
      this.trouble("The server does not answer; the page goes on when it does.");
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => this.restart(), 3000);
    });
  }

  /** Read everything again: events were missed, or the server was away. */
  restart() {
    this.stream?.close();
    void this.guarded(() => this.start());
  }

  /** @param {{now_s: number, jobs: [number, number][], about: string[]}} told jobs by ranges of their numbers */
  hear({ now_s, jobs, about }) {
    this.model.setClock(now_s, this.model.clock.rate);
    for (const [first, last] of jobs) for (let id = first; id <= last; id++) this.changed.add(id);
    for (const one of about) {
      // The matrix is read where it is shown.
      if (one === "matrix") this.model.machineVersion++;
      else this.about.add(one);
    }
    this.model.notify();
    if (!this.reading) void this.guarded(() => this.readChanges());
  }

  async readChanges() {
    this.reading = true;
    try {
      while (this.changed.size || this.about.size) {
        if (this.about.size) {
          if (this.about.has("queues")) await this.readQueues();
          this.about.clear();
          await this.readMachine();
        }
        const ids = [...this.changed].slice(0, BATCH);
        for (const id of ids) this.changed.delete(id);
        if (ids.length) await this.readJobs({ job_ids: ids, page_size: this.pageSize }, this.generation);
      }
    } finally {
      this.reading = false;
    }
  }

  /** @param {() => Promise<unknown>} work */
  async guarded(work) {
    try {
      await work();
    } catch (error) {
      if (error instanceof Refusal && error.unproven) {
        this.stop();
        this.unproven(error);
      } else {
        this.trouble(error instanceof Refusal ? error.message : "The server does not answer.");
        setTimeout(() => this.restart(), 3000);
      }
    }
  }

  /** @param {string} text */
  trouble(text) {
    if (this.model.trouble === text) return;
    this.model.trouble = text;
    this.model.notify();
  }
}

/** @param {any} told */
function nodeOf(told) {
  return {
    name: told.name,
    processors: told.processors ?? 0,
    state: told.state,
    reason: told.reason ?? "",
    memory: told.memory_kb ?? 0,
    features: told.features ?? [],
    cluster: told.cluster ?? "",
  };
}

/** @param {any} told */
function queueOf(told) {
  const { name, enabled = false, started = false, priority = 0, nodes = [], users = [], ...limits } = told;
  return { name, enabled, started, priority, nodes, users, limits };
}

/**
 * The times of a reservation.
 * @param {any} told
 * @returns {import("./model.js").Reservation[]}
 */
function reservationsOf(told) {
  const access = (told.access ?? []).map((/** @type {any} */ one) => `${one.kind} ${one.name}`);
  const nodes = (told.nodes ?? []).map((/** @type {any} */ one) => one.node);
  const common = { processors: told.processors ?? 0, access, nodes };
  if (!told.calendar) {
    return [{ ...common, name: told.name, start: told.start_s ?? 0, end: told.end_s ?? null, standing: "" }];
  }
  const standing = [told.calendar.period || "DAY", ...(told.calendar.days ?? [])].join(" ").toLowerCase();
  return (told.instances ?? []).map((/** @type {any} */ one) => ({
    ...common,
    name: one.name,
    start: one.start_s ?? 0,
    end: one.end_s ?? null,
    standing,
  }));
}

