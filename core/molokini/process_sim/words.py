"""The words of the process-level engine: states, segments, operations, ranks of one instant, hooks."""

from enum import IntEnum

NEVER = 1 << 58
"""An instant (ns) that does not come; nine years."""


class State(IntEnum):
    """Where a process is; exactly one of these."""

    NEW = 0
    """Its job has not arrived."""
    QUEUED = 1
    """Its job has arrived and is not placed."""
    READY = 2
    RUNNING = 3
    """It is its CPU's process, which may be in a switch, in the kernel or synchronizing meanwhile."""
    BLOCKED_MSG = 4
    BLOCKED_IO = 5
    SLEEPING = 6
    DONE = 7


class Segment(IntEnum):
    """What a CPU does now. The first four belong to a process and can be cut at any instant."""

    COMPUTE = 0
    SPIN = 1
    SEND = 2
    RECEIVE = 3
    SWITCH = 4
    KERNEL = 5
    SYNC = 6
    IDLE = 7
    BETWEEN = 8
    """At this instant nothing: what comes next is picked when all facts of the instant have been applied."""


SEGMENTS = 8
"""Segments that take time; a CPU's account has one column for each."""


class Spent(IntEnum):
    """Columns of a process's account beside its four segments."""

    READY = 4
    BLOCKED = 5
    IO = 6
    ASLEEP = 7


class Rank(IntEnum):
    """The order of what happens at one instant."""

    SEGMENT = 1
    RESUME = 2
    """An I/O or a sleep ends."""
    MESSAGE = 3
    PERIOD = 4
    JOB = 5
    """Departures, arrivals, evictions."""
    TIMER = 6
    """Rows, divisions."""
    QUANTUM = 7
    SPIN = 8
    TICK = 9
    """Periodic checks for messages, starving updates."""


class Event(IntEnum):
    """Kinds of entries in the agenda's heap."""

    MESSAGE = 0
    RESUME = 1
    PERIOD = 2
    DEPART = 3
    LEAVE = 4
    ARRIVE = 5
    EVICT = 6
    TIMER = 7
    TICK = 8
    WATCH = 9
    """Once a second: starving updates, and a look whether anything can still happen."""


class Op(IntEnum):
    """Operations of a program: a kind and three operands."""

    EXIT = 0
    COMPUTE = 1
    """a: distribution (ns)."""
    SEND = 2
    """a: rank of the receiver; b: bytes."""
    RECV = 3
    """a: rank of the sender."""
    RECV_ANY = 4
    """From any sender; the sender's rank is remembered for REPLY."""
    REPLY = 5
    """To the process of the last RECV_ANY; b: bytes."""
    EXCHANGE = 6
    """a: pattern; b: bytes; c: bits, 1 a draw of its own."""
    IO = 7
    """a: distribution (ns); b: chance of it in parts of 2**30."""
    SLEEP = 8
    """a: distribution (ns)."""
    LOOP = 9
    """a: where to; b: how often in all, -1 without end; c: which of four counters."""
    TAKE = 10
    """Take a task out of the job's bag; a: where to go when it is empty."""
    FRAME_IN = 11
    """Wait until there is room in the pipeline, and the frame has come."""
    FRAME_OUT = 12
    """A frame is finished."""
    ACCESS = 13
    """a: an object that activities share; takes no time."""
    REPORT = 14
    """An iteration has ended: the policy is told, takes no time."""


class Pattern(IntEnum):
    """Who exchanges messages with whom."""

    RING = 0
    NEIGHBOUR = 1
    ALL_TO_ALL = 2
    RANDOM = 3
    WAVEFRONT = 4
    TREE = 5


class Draw(IntEnum):
    """Kinds of distributions; a and b are nanoseconds unless said."""

    CONSTANT = 0
    UNIFORM = 1
    """From a to b."""
    EXPONENTIAL = 2
    """Mean a."""
    ERLANG = 3
    """Mean a, order b."""


class Kind(IntEnum):
    """Classes of jobs."""

    BE = 0
    RT = 1


class Wait(IntEnum):
    """What a process does that waits for a message."""

    SPIN = 0
    BLOCK = 1
    YIELD = 2


class Arrival(IntEnum):
    """What a message does for a process that does not run."""

    NONE = 0
    DEMAND = 1
    BOOST = 2


class Why(IntEnum):
    """Why a process becomes ready."""

    NEW = 1
    MESSAGE = 2
    DEMAND = 4
    RESUMED = 8
    PREEMPTED = 16
    EXPIRED = 32


class Hook(IntEnum):
    """What a local policy is asked, or told: ``policy(world, hook, subject, value)``, a whole number."""

    START = 0
    """Before anything: set timers and what processes need."""
    PLACE = 1
    """A job has arrived: place it (``put``) and return 1; or keep it and return 0."""
    READY = 2
    """A process (subject) has become ready, for the reasons in *value* (``Why``): put it in a queue."""
    BLOCK = 3
    """A process (subject) has left its CPU by itself: it is blocked, in I/O, asleep or done."""
    SPUN = 4
    """A process has spun for its limit: return what it does now (``Wait``), or, above 2, for how many ns it
    goes on."""
    ARRIVAL = 5
    """A message for a process that is ready and does not run: return 1 to interrupt its CPU."""
    TICK = 6
    """A periodic check on a CPU (subject): return how many processes were checked."""
    QUANTUM_END = 7
    """The quantum of the process of a CPU (subject) is over: give it another."""
    TIMER = 8
    """A timer that the policy has set; *value* is what it was set with."""
    PERIOD = 9
    """A period of a job (subject) has ended, or it has finished the frames of one."""
    DEPART = 10
    """A job has ended or left."""
    EVICT = 11
    """A job has waited for as long as it may: return 1 if it is still queued, and take it out."""
    PICK = 12
    """Which process a CPU (subject) is to run: one that is ready there, its present one, or -1."""
    SECOND = 13
    """A whole second: starving updates."""
    RECEIVED = 14
    """A process (subject) has received a message; *value*: its byte. Only where messages carry one."""
    REQUEST = 15
    """A process (subject) asks for something; *value*: what (``scheduler_daemon.Request``)."""
    REPORT = 16
    """A process (subject) has finished an iteration."""


class IllegalDecision(IntEnum):
    """What a policy asked of a verb that cannot be: a number of the verb, and of what was wrong about it."""

    NONE = 0
    PUT_PROCESS = 1
    """``put``: there is no such process."""
    PUT_CPU = 2
    """``put``: there is no such CPU."""
    PUT_TWICE = 3
    """``put``: the process is on a CPU already."""
    ADMIT_JOB = 4
    """``admit``: there is no such job."""
    ADMIT_TWICE = 5
    """``admit``: the job was admitted before."""
    ADMIT_UNPLACED = 6
    """``admit``: a process of the job is on no CPU."""
    TIMER_PAST = 7
    """``timer``: the instant is over."""
    KEEP_JOB = 8
    """``keep``: there is no such job."""
    KEEP_TWICE = 9
    """``keep``: the job is in its queue already."""
    DROP_JOB = 10
    """``drop``: the job is in no queue."""
    TOUCH_JOB = 11
    """``touch_job``: there is no such job."""
    CLASSES = 12
    """More jobs on a node than its scheduler can give a share of time."""


class Stop(IntEnum):
    """Why the engine returned."""

    FINISHED = 0
    UNTIL = 1
    MORE_ROOM = 2
    TRACE_FULL = 3
    PAUSED = 4
    DEADLOCK = 5
    STUCK = 6
    """A program, or several, go on without time going on."""
    BAD_PICK = 7
    """The policy picked a process that cannot run there."""
