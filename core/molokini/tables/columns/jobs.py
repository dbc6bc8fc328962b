"""Columns of jobs, of what they ask for, and of what is known about that."""

from molokini.compiled.structs import Floats, FloatTable, Ints, IntTable, RecordFloats, RecordInts
from molokini.model.requests import MOST_CHOICES, MOST_LICENSES
from molokini.model.resources import WIDTH
from molokini.tables.declared import UNREAD, Axis, Declared, Nature, per
from molokini.tables.sizes import NEVER


class Jobs(Declared):
    """Jobs, one row each.

    The columns stand in the order in which a plain job needs them: what its submission gives, what its start
    sets, what few jobs have.
    """

    free_rows: int
    deferring: int
    """1 once a job was deferred."""
    uneven: int
    """1 once a job was suspended, shared, requeued or promised a start: freed rows need more cleaning."""
    state: RecordInts = per(Axis.JOB)
    serial: RecordInts = per(Axis.JOB)
    """The number that the owner of the tables has for the job (the engine: row of the workload)."""
    number: RecordInts = per(Axis.JOB)
    submit_s: RecordFloats = per(Axis.JOB)
    estimate_s: RecordFloats = per(Axis.JOB)
    width: RecordInts = per(Axis.JOB)
    credential: RecordInts = per(Axis.JOB)
    """To which credential it belongs: a row of ``credentials.user`` and its neighbours."""
    work_s: RecordFloats = per(Axis.JOB)
    """Work done at ``jobs.updated_s``."""
    start_s: RecordFloats = per(Axis.JOB, blank=NEVER)
    """Start of the present attempt; NEVER before."""
    expected_end_s: RecordFloats = per(Axis.JOB, blank=NEVER)
    """When the job ends if it runs on as now to its estimate; NEVER unless it is running."""
    updated_s: RecordFloats = per(Axis.JOB)
    rate: RecordFloats = per(Axis.JOB, blank=1.0)
    """Seconds of work a second while it runs."""
    held: RecordInts = per(Axis.JOB)
    """Processors taken out of ``machine.free``: its width, or 0 while suspended or sharing."""
    place: RecordInts = per(Axis.JOB)
    """Its place in ``queue.running`` when it was put there last; of use where it still stands there."""
    entries: RecordInts = per(Axis.JOB, nature=Nature.TENTATIVE, blank=-1.0)
    """First entry of its allocation, -1 without one; a job that is suspended in place keeps its own."""
    reserved_s: RecordFloats = per(Axis.JOB, blank=NEVER)
    """Start of its reservation; NEVER without one."""
    attempt: RecordInts = per(Axis.JOB, blank=1.0)
    """Number of the present attempt, or of the first one that is still to come: from 1."""
    index: RecordInts = per(Axis.JOB)
    needs_placement: RecordInts = per(Axis.JOB)
    """1 where counting processors is not enough to place the job."""
    shape: RecordInts = per(Axis.JOB)
    """Jobs with equal wishes have the same number, from 1; 0: a plain job."""
    components: RecordInts = per(Axis.JOB)
    """First component of the request; the others follow by ``components.next``."""
    component_count: RecordInts = per(Axis.JOB, blank=1.0)
    load: Floats = per(Axis.JOB)
    """What it has to do, of a job to which a policy gives processors; 0: its width is fixed."""
    deadline_s: Floats = per(Axis.JOB)
    """The instant at which it must have ended; 0 without one."""
    application: Ints = per(Axis.JOB)
    """What a unit of its load costs: a row of ``applications``."""
    user_priority: Ints = per(Axis.JOB)
    """The priority that its user gave it, from -1024 (later) to 1023 (sooner), where a policy reads it."""
    bypassed: Ints = per(Axis.JOB)
    """How often a job of lower priority was backfilled past it."""
    unqueued_s: Floats = per(Axis.JOB)
    """Its queue time counts from so many seconds after its submission; NEVER while it is blocked."""
    boost: Floats = per(Axis.JOB)
    """Set by an administrator: added to its priority; from 10^9 on it stands in place of it."""
    deferred_s: Floats = per(Axis.JOB)
    """The policy that deferred it does not consider it before this instant; 0: it was never deferred."""
    deferrals: Ints = per(Axis.JOB)
    """How often it was deferred since its last release."""
    deferral: Ints = per(Axis.JOB)
    """Why it was deferred last, a ``Rule``."""
    memory_kb: Floats = per(Axis.JOB)
    """Main memory that it is expected to use for each of its processors; 0: not known."""
    least_s: Floats = per(Axis.JOB)
    """The shortest limit with which a policy may start it; 0: no shorter one than its estimate."""
    asked_s: Floats = per(Axis.JOB)
    """The estimate that it asked for, of one whose start has changed it for this attempt; 0: of others."""
    charged: Floats = per(Axis.JOB)
    """Units a second that ``usage.windows`` of its credential grows by; 0 while it is not active."""
    free_row: Ints = per(Axis.JOB, used="free_rows", blank=UNREAD)
    """A stack: the row freed last is taken first, because it is still in the processor's cache."""


class Components(Declared):
    """Components of requests, a pool. All plain jobs have component 0: as many tasks of one processor as the
    job is wide.
    """

    free: int
    spare: int
    """Components that are free; a request that needs more than there are waits for ``grow``."""
    tasks: Ints = per(Axis.COMPONENT)
    where: Ints = per(Axis.COMPONENT)
    per_node: Ints = per(Axis.COMPONENT)
    features: Ints = per(Axis.COMPONENT)
    """Bits that a node must have."""
    any_of: IntTable = per(Axis.COMPONENT, MOST_CHOICES)
    """Of each of these sets of bits a node must have one; 0 ends them."""
    one_of: Ints = per(Axis.COMPONENT)
    """Bits of which all nodes of the job share one; the same for all components of a job; 0: none."""
    apart: Ints = per(Axis.COMPONENT)
    """1: on no node that an earlier component of the job has."""
    spread: Ints = per(Axis.COMPONENT)
    """One of ``Spread``; the same for all components of a job."""
    least_nodes: Ints = per(Axis.COMPONENT)
    """The fewest nodes of the job; 0: any number."""
    most_nodes: Ints = per(Axis.COMPONENT)
    alone: Ints = per(Axis.COMPONENT)
    """1: no other job may be on its nodes. Policies that choose nodes themselves read these three."""
    licenses: IntTable = per(Axis.COMPONENT, MOST_LICENSES)
    """Of the first component of a job: kinds of licences, each with its count in one number; 0 ends them."""
    need: FloatTable = per(Axis.COMPONENT, WIDTH)
    next: Ints = per(Axis.COMPONENT)


class Shapes(Declared):
    """What is known of each shape: the epoch in which it was found; in any other epoch it does not hold."""

    count: int
    """How many shapes there are."""
    spoil_head: int
    """The head that ``shapes.spoils`` is about."""
    without_room: Ints = per(Axis.SHAPE, nature=Nature.PASS)
    """``cycle.room_epoch`` in which there was no room for a job of this shape."""
    spoils: Ints = per(Axis.SHAPE, nature=Nature.PASS)
    """``cycle.start_epoch`` in which a job of this shape would have kept the head from being placed."""


class Applications(Declared):
    """What a unit of load costs: every combination of costs that a job had, once."""

    send_s: Floats = per(Axis.APPLICATION)
    compute_s: Floats = per(Axis.APPLICATION)
    setup_send_s: Floats = per(Axis.APPLICATION)
    setup_compute_s: Floats = per(Axis.APPLICATION)
