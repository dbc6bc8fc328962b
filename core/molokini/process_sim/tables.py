"""The tables of the process-level engine: CPUs, processes, jobs, channels, programs, the agenda.

Structs by pointer, as those of the job level (docs/decisions/0003-structs-by-pointer.md), and nothing of
theirs. All times are whole nanoseconds. Rows are made once, before the engine starts: memory depends on the
jobs that are given, not on how long is simulated.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import TypeAlias

from molokini.compiled.structs import EightInts, FourInts, Ints, IntTable, RecordInts, Struct
from molokini.process_sim.words import Rank

LEVELS = 60
"""Levels of priority, as the time-sharing class of Solaris has them; 59 is the highest."""
RT_LIST = 60
"""The list of ready real-time processes, beside those of the levels."""
LISTS = 61

NOBODY = -1
ANYBODY = -2
"""What a process waits for that takes a message from any sender."""
NOT_QUEUED = -2
"""In place of the next job of a queue, of a job in no queue."""
FRAME = -3
"""What the first process of a pipeline waits for: room for a frame."""


class Cpus(Struct):
    """What a CPU does now, and what it has done. CPUs of a node are neighbours."""

    node: RecordInts
    proc: RecordInts
    """Its process, or -1."""
    segment: RecordInts
    started: RecordInts
    """When the segment began."""
    key: RecordInts
    """When the segment ends and why: instant * 16 + rank; the agenda's tournament compares these."""
    quantum: RecordInts
    """What is left of the quantum, as of ``started``."""
    ticked: RecordInts
    """The last instant of the grid of ticks that has been paid for."""
    tick_cost: RecordInts
    """What a tick costs in this segment, which nothing else comes of; -1: ticks are events now."""
    context: RecordInts
    """The process whose context is loaded, or -1."""
    touched: RecordInts
    expired: RecordInts
    """1: the process gives way to others of its level."""
    favoured: RecordInts
    """A process that goes before all others, or -1."""
    owed: RecordInts
    """Kernel time that begins when the facts of this instant have been applied."""
    synced: RecordInts
    """Until when the CPU synchronizes with the others."""
    mask: RecordInts
    """A bit for each list in which processes are ready."""
    first_note: RecordInts
    last_note: RecordInts
    first: RecordInts
    """The first of its processes, by number; they are chained by ``Processes.beside``."""
    present: RecordInts
    """Processes of it that run or are ready."""
    tick_at: RecordInts
    """The instant of the next tick that is in the agenda, or 0."""
    best_effort: RecordInts
    """Best-effort processes that are placed here."""
    real_time: RecordInts
    """Work of real-time processes that are placed here, ns a period (section 2.4)."""
    vt_rt: RecordInts
    """Virtual time of the real-time class, in 1 / (x + y) of y ns, ..."""
    vt_be: RecordInts
    """... and of the other class, in 1 / (x + y) of x ns."""
    charged: RecordInts
    """The class that is charged for the time since ``charged_at``, or -1."""
    charged_at: RecordInts
    chosen: RecordInts
    """The class of lower virtual time at the last scheduling event."""
    asked: RecordInts
    """1: a scheduling event since the last choice."""
    switches: RecordInts
    class_switches: RecordInts
    ticks: RecordInts
    checks: RecordInts
    ran: RecordInts
    """The class of the process that ran last."""
    speed: RecordInts
    """In thousandths: computing takes 1000 / speed of what programs say."""
    heads: IntTable
    tails: IntTable
    moved: IntTable
    """ns in the first four segments of processes that were moved: done here, less what they came with."""
    spent: IntTable
    """ns in each segment; those of processes are added up from ``Processes.spent`` when a run is closed."""


class Processes(Struct):
    """A process: where it is, where its program is, what it waits for."""

    state: RecordInts
    cpu: RecordInts
    segment: RecordInts
    """The segment in which it was, or is."""
    left: RecordInts
    """Work left in the segment; of a spinning process what is left until it has spun for its limit."""
    pc: RecordInts
    waits: RecordInts
    """The channel it waits for, or -1, ``ANYBODY``, ``FRAME``."""
    peer: RecordInts
    """The rank that the message goes to that it sends."""
    bytes: RecordInts
    step: RecordInts
    """Where it is in an exchange."""
    rounds: RecordInts
    """Exchanges it has finished."""
    job: RecordInts
    rank: RecordInts
    peers: RecordInts
    """Processes of its job, itself included."""
    out: RecordInts
    """The first of the channels from it to these, by rank ..."""
    into: RecordInts
    """... and of those from these to it, which are ``peers`` apart."""
    spin: RecordInts
    """How long it spins before it does anything else."""
    draws: RecordInts
    """Random numbers it has drawn so far."""
    key: RecordInts
    """With the seed, which numbers those are."""
    level: RecordInts
    home: RecordInts
    """The level to which a process returns that has yielded, or -1."""
    quantum: RecordInts
    """What is left of its quantum while it does not run."""
    queue: RecordInts
    """The list in which it is, or -1."""
    before: RecordInts
    behind: RecordInts
    notes: RecordInts
    """Bits of ``Why``: what its CPU has noted of it."""
    next_note: RecordInts
    beside: RecordInts
    since: RecordInts
    """When it came into its state."""
    waited: RecordInts
    """Whole seconds since it became ready with a new quantum."""
    boosts: RecordInts
    """1: periodic checks look at it."""
    kind: RecordInts
    work: RecordInts
    """Of real-time processes: work a period, ns."""
    inbox: RecordInts
    """Messages in all of its channels."""
    inbox_before: RecordInts
    """The same when it began to wait."""
    sender: RecordInts
    counter_0: RecordInts
    counter_1: RecordInts
    counter_2: RecordInts
    counter_3: RecordInts
    waiting_since: RecordInts
    parked: Ints
    """1: it is to stop at its next safe point; 2: it has. Seldom used, and so not in the record: with
    another column that would take one more line of the cache."""
    spent: EightInts


class Jobs(Struct):
    """A job: its processes are neighbours."""

    first: RecordInts
    count: RecordInts
    kind: RecordInts
    arrival: RecordInts
    placed: RecordInts
    """When it was placed, or -1."""
    end: RecordInts
    """When it ended, left or was rejected; or -1."""
    rejected: RecordInts
    live: RecordInts
    """Processes that are not done."""
    channel: RecordInts
    """Its first channel; that from i to j is this + i * count + j."""
    fixed: RecordInts
    """1: the scenario says where its processes are."""
    duration: RecordInts
    """It leaves so long after it was placed, or -1."""
    patience: RecordInts
    """It is rejected after so long in the queue, or -1."""
    frames_a_period: RecordInts
    period_num: RecordInts
    """A period is num / den ns."""
    period_den: RecordInts
    period_start: RecordInts
    """When the first period began, or -1."""
    period: RecordInts
    """Number of the present period."""
    deadline: RecordInts
    """The end of the present period."""
    frames: RecordInts
    """Frames finished in the present period."""
    last_frames: RecordInts
    """Frames finished in the last full period, or -1."""
    judged: RecordInts
    """Full periods."""
    missed: RecordInts
    """Frames missed in full periods."""
    frames_total: RecordInts
    room: RecordInts
    """Frames that the source may begin before another is finished."""
    began: RecordInts
    """Frames that the source has begun."""
    frame_num: RecordInts
    frame_den: RecordInts
    """Frame k comes at k * num / den ns after the first; num 0: frames are always there."""
    lead: RecordInts
    """Frames that are there before their time: the source runs so far ahead of real time."""
    skipped: RecordInts
    """Periods at the beginning that are not judged."""
    bag: RecordInts
    next: RecordInts
    """In a queue of jobs; -1: it is the last one, ``NOT_QUEUED``: it is in none."""
    row: RecordInts
    column: RecordInts
    slots: RecordInts
    """Rows of the matrix in which it is."""
    tickets: RecordInts
    """What it has of the machine under policies of shares, in all or for each process."""
    copies: RecordInts
    """Rows that it keeps whatever happens: r of section 2.3 under admission control, else one."""
    full: RecordInts
    """An iteration alone at full speed, ns; 0: it reports none."""
    use: RecordInts
    """What it uses of a CPU then, in millionths."""


class Channels(Struct):
    """Messages that have arrived and wait, and when the last arrives that is on its way."""

    waiting: Ints
    last: Ints
    accesses: IntTable
    """How often each process (column) has used each named object (row)."""
    rates: IntTable
    """The same a second, as a policy averages it, in millionths."""


class Memory(Struct):
    """Main memory of the nodes, in pages: what processes need of it, and what they have (``paging``)."""

    on: int
    """0: memory is no matter; engines for that case are compiled without this."""
    pages: int
    """Of a node."""
    page_in: int
    """Pages a second of CPU time by which a resident set grows towards its working set."""
    block: int
    """Pages that a fault brings in besides."""
    fault_ns: int
    printed: int
    """1: policies see the fault probability as the paper prints it."""
    vir: Ints
    """By process: its virtual memory, ..."""
    wrk: Ints
    """... its working set in this phase, ..."""
    res: Ints
    """... and what of its memory is resident."""
    wrk_mean: Ints
    wrk_sd: Ints
    """Of the working set of a new phase."""
    phase: Ints
    """The mean length of a phase, ns of CPU time; 0: its first phase never ends."""
    phase_end: Ints
    """At so much CPU time a new phase begins."""
    counted: Ints
    """CPU time up to which its resident set has grown."""
    ran_at: Ints
    """When it ran last."""
    faulting: Ints
    """1: its CPU is given to it, and it faults at once."""
    faults: Ints
    draws: Ints
    needed: Ints
    """By node: virtual memory of the processes there."""
    load: Ints
    """By node: pages needed times ns, up to ``load_at``."""
    load_at: Ints


class Programs(Struct):
    """Operations of all programs, and the distributions they name."""

    ops: FourInts
    draws: IntTable


class Agenda(Struct):
    """What will happen: one end a CPU, in a tournament; everything else in a heap."""

    size: int
    """Leaves of the tournament, a power of 2."""
    count: int
    serial: int
    tree: Ints
    heap: FourInts
    """Columns: instant * 16 + rank; order within it; serial * 16 + kind; subject."""
    touched: Ints
    touched_count: int
    wave: int
    """How many of ``touched``, from the first on, are being seen to; 0 while facts are applied."""
    seen_to: int
    """How many of these have been."""
    full: int
    """With more entries in the heap than this, the next fact or the end of an instant may find no room."""


class Costs(Struct):
    """What things cost, ns."""

    send: int
    receive: int
    latency: int
    local_latency: int
    wire_num: int
    """A byte takes num / den ns on the wire, ..."""
    wire_den: int
    byte_num: int
    """... and num / den ns of the sender's time besides."""
    byte_den: int
    switch: int
    interrupt: int
    move: int
    check: int
    tick: int
    """ns between periodic checks; 0: there are none."""


class Parameters(Struct):
    """Parameters of the policies."""

    wait: int
    arrival: int
    spin: int
    quantum: int
    """Over 0: first in, first out, with this quantum, and no change of levels."""
    x: int
    y: int
    rows: int
    row_quantum: int
    cycle: int
    sync: int
    admission: int
    top_quantum: int
    sated_last: int
    carry: int
    ticked: int
    """1: every tick is an event."""
    stamped: int
    """1: messages carry a byte (``Stamps``)."""
    unlike: int
    """1: CPUs differ in speed."""


class Queues(Struct):
    """What a policy remembers of the cluster as a whole."""

    division: int
    row: int
    row_serial: int
    rt_first: int
    rt_last: int
    be_first: int
    be_last: int
    slots: IntTable
    """The matrix: the job in each row and column, or -1."""


class Own(Struct):
    """What a policy declares for itself (``needs.Needs``): parameters, and columns that begin at 0."""

    given: Ints
    procs: IntTable
    cpus: IntTable
    jobs: IntTable
    cluster: Ints
    plan: IntTable
    """Target rates that the scenario sets: columns of ``PlanColumn``."""
    log: IntTable
    """Reports of iterations, for a policy that writes them down: columns of ``LogColumn``."""


class PlanColumn(IntEnum):
    """Columns of ``Own.plan``."""

    JOB = 0
    ITERATION = 1
    """The target counts behind so many iterations; 0: from the beginning."""
    TARGET = 2
    """Millionths of the full rate."""


class LogColumn(IntEnum):
    """Columns of ``Own.log``: a report, and what was in force during its iteration."""

    AT = 0
    JOB = 1
    ITERATION = 2
    RATE = 3
    """Millionths of the full rate, as the target is."""
    TARGET = 4
    PERIOD = 5
    SLICE = 6
    ORDERS = 7
    """Of the job, so far."""
    APART = 8
    """By how much the latest slices of its processes began apart, as part of a period, ns."""


RUN_COUNT, RUN_BYTE, RUN_NEXT = range(3)
"""Columns of ``Stamps.runs``."""


class Stamps(Struct):
    """The byte that each message carries, where a policy needs it (``stamps``)."""

    word: Ints
    """The status word of each process."""
    byte: Ints
    """Of the message that each process has received last."""
    head: Ints
    """Of each channel the first of its runs, and the last; -1: there are none."""
    tail: Ints
    runs: FourInts
    """Messages on their way, byte, the next run of the channel or of those that are free."""
    free: int
    left: int
    """How many are free."""


class Trace(Struct):
    """What the CPUs did, piece by piece, between two instants."""

    on: int
    since: int
    until: int
    count: int
    rows: IntTable
    """Columns: CPU, process or -1, segment, start, end."""


class World(Struct):
    """All of it: what a local policy sees, and the engine changes."""

    now: int
    until: int
    budget: int
    events: int
    stuck_at: int
    """At so many facts nothing goes on but this instant."""
    most_at_once: int
    """Facts of one instant."""
    seed: int
    arrived: int
    """Jobs that have arrived."""
    live: int
    """Jobs that have arrived, or will, and are not over."""
    culprit: int
    illegal_decision: int
    """The first thing that the policy asked of a verb and that cannot be (``words.IllegalDecision``); 0:
    nothing."""
    misused: int
    """The process or job that it asked this for, or the instant; as it gave it."""
    misused_cpu: int
    """The CPU that it gave."""
    cpus_a_node: int
    cpus: Cpus
    procs: Processes
    jobs: Jobs
    channels: Channels
    programs: Programs
    agenda: Agenda
    costs: Costs
    asked: Parameters
    queues: Queues
    trace: Trace
    own: Own
    memory: Memory
    stamps: Stamps


NO_END = NEVER_KEY = 1 << 62
"""The key of a CPU whose segment has no end."""
RANK_BITS = 4
assert max(Rank) < 1 << RANK_BITS

LocalPolicy: TypeAlias = Callable[[World, int, int, int], int]
"""``policy(world, hook, subject, value)``: see ``words.Hook``."""
