"""What has happened in a live cluster: the facts that are journalled, one class a kind.

A journal of these, applied in order through the same transitions, is the state of a server. So they hold
everything that a decision has fixed (attempt, allocation, instant) and nothing that would have to be decided
again. All times are seconds of the scheduling clock. ``index`` is an array index, ``NO_INDEX`` for a job that
is no array (or for an array as a whole). ``by`` is who or what wanted it; in the versions before those that
say ``Actor``, an origin was a text like the name of a user.

Long because it is one list: each kind, from which decision it comes, and whether clients and agents get it.
The classes are a file format: a change is a new ``VERSION`` of the class with an upgrade in ``codec.py``.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from molokini.model.actors import Actor
from molokini.model.decisions import Decision
from molokini.model.job_specs import JobSpec
from molokini.model.run_results import NO_RESULT, RunResult
from molokini.model.written_specs import WrittenSpec

NO_INDEX = -1
STARTED_PAST_POLICY = "start"
"""What ``CommandTaken`` calls the start of a job that a command, and no policy, has wanted."""

Placed: TypeAlias = tuple[tuple[int, int, int], ...]
"""An allocation: (node number, tasks, component of the request), or nothing where processors are counted."""


class Ending(StrEnum):
    """How an attempt came to its end."""

    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    CANCELLED = "cancelled"
    NODE_LOST = "node-lost"
    NOT_STARTED = "not-started"
    REFUSED = "refused"


class Cause(StrEnum):
    """Why an attempt came to its end, where its ending leaves that open."""

    OUT_OF_MEMORY = "out-of-memory"
    DEPENDENCY_NEVER_MET = "dependency-never-met"
    AS_DONE = "as-done"
    """Cancelled, and who cancelled it said that it counts as done."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Base of all journalled facts."""

    VERSION: ClassVar[int] = 1
    DECISIONS: ClassVar[tuple[Decision, ...]] = ()
    """The decisions of a policy that become such a fact; it may come about without a policy, too."""
    EVENT: ClassVar[str] = ""
    """The name of the event that clients that watch jobs get; empty: they get none."""
    FOR_AGENTS: ClassVar[bool] = False
    """Whether agents are sent it, although no decision becomes such a fact."""
    SEEN: ClassVar[bool] = True
    """Whether it changes anything that a policy reads."""


@dataclass(frozen=True, slots=True)
class ServerStarted(Fact):
    """A server has taken over this state; *epoch* counts such starts. *clock* as ``--clock`` says it.

    *says_passes*: from here on the journal has each ``PassMade`` that it needs. Version 1 did not give the
    clock, and version 2 had no ``PassMade``.
    """

    VERSION = 3

    epoch: int
    release: str
    clock: str = ""
    says_passes: bool = False


@dataclass(frozen=True, slots=True)
class NodesAdded(Fact):
    """*names* are new nodes, all alike, with the next numbers in this order; *agent* runs their jobs.

    *cluster* is the name of their cluster; version 1 had none. *real*: jobs that run there cannot be moved to
    other nodes; version 2 had none of that.
    """

    VERSION = 3

    agent: str
    names: tuple[str, ...]
    processors: int
    memory_kb: int = 0
    generic: dict[str, int] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    cluster: str = ""
    real: bool = False


@dataclass(frozen=True, slots=True)
class NodeDrained(Fact):
    """The node takes no new work."""

    VERSION = 2

    node: str
    by: Actor
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NodeLost(Fact):
    """The node is down; facts before this one, of the same turn, have ended or requeued its jobs."""

    VERSION = 2

    node: str
    by: Actor
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NodeReturned(Fact):
    """The node, which was down or draining, takes work."""

    VERSION = 2

    node: str
    by: Actor


@dataclass(frozen=True, slots=True)
class QueueSet(Fact):
    """A queue was made or changed; *queue* is all of it, by field name."""

    VERSION = 2

    queue: dict[str, Any]
    by: Actor


@dataclass(frozen=True, slots=True)
class QueueRemoved(Fact):
    """An empty queue is gone."""

    VERSION = 2

    name: str
    by: Actor


@dataclass(frozen=True, slots=True)
class ReservationMade(Fact):
    """An administrator has reserved processors; as ``model.reservations`` says it in JSON."""

    VERSION = 2

    reservation: dict[str, Any]
    by: Actor


@dataclass(frozen=True, slots=True)
class ReservationReleased(Fact):
    """A reservation was given up, with all instances of a standing one."""

    VERSION = 2

    name: str
    by: Actor


@dataclass(frozen=True, slots=True)
class ReservationsRolled(Fact):
    """Reservations that have ended are gone; *instances* are those of standing reservations now."""

    instances: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class PolicySet(Fact):
    """Another policy, or another value of a parameter, decides from now on."""

    VERSION = 2

    name: str
    parameters: dict[str, str]
    by: Actor


@dataclass(frozen=True, slots=True)
class CandidateChosen(Fact):
    """A policy that lets others decide has looked ahead: *chosen* decides, *wanted* follows once no job runs.

    *period*: that of its last look. Another process goes on from this (``model.choices.StandingChoice``).
    """

    SEEN = False

    chosen: str
    wanted: str = ""
    period: float = 0.0


@dataclass(frozen=True, slots=True)
class PassMade(Fact):
    """A pass has taken account of all jobs that ended early before it: later passes must not do so again.

    Journalled only where a job had ended so, before the decisions of that pass, or before the next fact.
    """

    SEEN = False


@dataclass(frozen=True, slots=True)
class JobsSubmitted(Fact):
    """Jobs *first_id*, *first_id* + 1, ... of one user were accepted; defaults are already filled in."""

    EVENT = "submitted"

    first_id: int
    user: str
    specs: tuple[WrittenSpec, ...]


@dataclass(frozen=True, slots=True)
class ElementsReady(Fact):
    """Elements of an array became rows of the tables, in this order."""

    EVENT = "ready"

    job: int
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ElementsNumbered(Fact):
    """Elements of an array got numbers of their own, *first_number* and on in this order.

    They are those of the counter of jobs. Element *last* (``NO_INDEX``: none) keeps the number of the array.
    """

    SEEN = False

    job: int
    first_number: int
    indices: tuple[int, ...] = ()
    last: int = NO_INDEX


@dataclass(frozen=True, slots=True)
class JobEligible(Fact):
    """The job's begin time has come, its dependencies are met: it joins the queue."""

    EVENT = "eligible"

    job: int


@dataclass(frozen=True, slots=True)
class JobHeld(Fact):
    """*hold* (user, operator, system) keeps a job, or all waiting elements of an array, from starting.

    With *index*, that element of an array alone; version 1 had no index.
    """

    VERSION = 3
    DECISIONS = (Decision.HOLD,)
    EVENT = "held"

    job: int
    hold: str
    by: Actor
    reason: str = ""
    index: int = NO_INDEX


@dataclass(frozen=True, slots=True)
class JobReleased(Fact):
    """These *holds* are gone: of a job and of all its elements, or (with *index*) of one element.

    Deferrals end, too, and their count restarts at 0; "defer" among the holds says that there was one.
    Version 1 had no index.
    """

    VERSION = 3
    EVENT = "released"

    job: int
    holds: tuple[str, ...]
    by: Actor
    index: int = NO_INDEX


@dataclass(frozen=True, slots=True)
class JobAltered(Fact):
    """*changes* of the specification of a job that has not ended."""

    VERSION = 2
    EVENT = "altered"

    job: int
    changes: JobSpec
    by: Actor


@dataclass(frozen=True, slots=True)
class JobReserved(Fact):
    """The policy promised the job a start."""

    DECISIONS = (Decision.RESERVE,)
    EVENT = "reserved"

    job: int
    index: int
    start_s: float


@dataclass(frozen=True, slots=True)
class JobBypassed(Fact):
    """Jobs of lower priority were backfilled past a waiting job, so many *times*."""

    DECISIONS = (Decision.BYPASS,)

    job: int
    index: int
    times: int


@dataclass(frozen=True, slots=True)
class JobAccrues(Fact):
    """The queue time of a job counts from *after_s* s after its submission on; 10^300: not while blocked."""

    DECISIONS = (Decision.ACCRUE,)

    job: int
    index: int
    after_s: float


@dataclass(frozen=True, slots=True)
class JobDeferred(Fact):
    """The job is put off until *until_s*: *rule*, a ``Rule`` by its name, keeps it from starting."""

    DECISIONS = (Decision.DEFER,)

    job: int
    index: int
    until_s: float
    rule: str


@dataclass(frozen=True, slots=True)
class JobMolded(Fact):
    """The policy gave a waiting divisible job so many processors, on which it takes *execution_s* seconds.

    *rule* is how its load is cut, by its name ("opr", "epr").
    """

    DECISIONS = (Decision.MOLD,)
    EVENT = "molded"

    job: int
    index: int
    processors: int
    execution_s: float
    rule: str


@dataclass(frozen=True, slots=True)
class LienPlaced(Fact):
    """*account* sets *amount* processor-seconds aside for a job that starts next, at *price* a second."""

    DECISIONS = (Decision.LIEN,)

    job: int
    index: int
    account: str
    amount: int
    price: float


@dataclass(frozen=True, slots=True)
class AccountBooked(Fact):
    """*amount* processor-seconds were put into *account* or taken out, by a ``model.banks.Booking``.

    *job*: for which job a refund is; 0: for none in particular.
    """

    VERSION = 2

    account: str
    booking: str
    amount: int
    by: Actor
    reason: str = ""
    job: int = 0


@dataclass(frozen=True, slots=True)
class JobStarted(Fact):
    """Attempt *attempt* began; journalled before it is sent to an agent.

    Version 1 had no *rows*, version 2 no *turns*, version 3 no *limit_s*, version 4 no *queue*.
    """

    VERSION = 5
    DECISIONS = (Decision.START,)
    EVENT = "started"

    job: int
    index: int
    attempt: int
    placed: Placed = ()
    rate: float = 1.0
    exclusive: bool = True
    rows: tuple[int, int, str] | tuple[()] = ()
    """Where it stands in the matrix of gang scheduling: home row, rows as bits, columns as bits in
    hexadecimal digits. Empty: it does not."""
    turns: int = 0
    """How many rows take turns there, where these are only those in use; 0: all that there are."""
    limit_s: float = 0.0
    """The work after which this attempt is ended, in place of the estimate; 0: the estimate holds."""
    queue: str = ""
    """The queue in which it starts, of a job that names several."""


@dataclass(frozen=True, slots=True)
class JobSuspended(Fact):
    """The job stopped and keeps its work; *by* is empty where the policy wanted it. Version 1 had no *by*,
    version 3 no *in_place*.
    """

    VERSION = 4
    DECISIONS = (Decision.SUSPEND,)
    EVENT = "suspended"

    job: int
    index: int
    by: Actor = ""
    reason: str = ""
    in_place: bool = False
    """It keeps its nodes, and there everything but its processors."""


@dataclass(frozen=True, slots=True)
class JobResumed(Fact):
    """The job goes on, perhaps on other processors; *by* and *in_place* (on the nodes that it has kept) as in
    JobSuspended, the one since version 2, the other since version 4.
    """

    VERSION = 4
    DECISIONS = (Decision.RESUME,)
    EVENT = "resumed"

    job: int
    index: int
    placed: Placed = ()
    rate: float = 1.0
    exclusive: bool = True
    by: Actor = ""
    in_place: bool = False


@dataclass(frozen=True, slots=True)
class JobMoved(Fact):
    """A running job goes on elsewhere."""

    DECISIONS = (Decision.MIGRATE,)
    EVENT = "moved"

    job: int
    index: int
    placed: Placed


@dataclass(frozen=True, slots=True)
class JobShared(Fact):
    """The job goes on at another rate."""

    DECISIONS = (Decision.SET_SHARE,)
    EVENT = "shared"

    job: int
    index: int
    rate: float


@dataclass(frozen=True, slots=True)
class RowsSet(Fact):
    """Running jobs stand elsewhere in the matrix of gang scheduling: all those of one pass. Version 1 had
    neither *turns* nor *budget*.
    """

    VERSION = 2
    DECISIONS = (Decision.SET_ROWS,)

    places: tuple[tuple[int, int, int, int, str, float, float], ...]
    """Job, index, then as ``rows`` of ``JobStarted``; slice time that it loses to its migration; its rate."""
    turns: int = 0
    """As in ``JobStarted``."""
    budget: tuple[int, ...] = ()
    """Where tasks have migrated in this pass: the slice, and how many tasks may still migrate in it."""


@dataclass(frozen=True, slots=True)
class JobSliced(Fact):
    """From now on the attempt computes in slices of time; *slicing* is empty: all the time again."""

    EVENT = "sliced"
    FOR_AGENTS = True

    job: int
    index: int
    slicing: dict[str, Any]
    """A ``Slicing`` as JSON."""
    by: Actor


@dataclass(frozen=True, slots=True)
class JobAimed(Fact):
    """From now on the attempt is to go at a target rate, by the (period, slice) that *aim* has; empty: as
    fast as it can.
    """

    EVENT = "aimed"
    FOR_AGENTS = True

    job: int
    index: int
    aim: dict[str, Any]
    """An ``Aim`` (``feedback.aims``) as JSON."""
    origin_s: float
    """Where the first period begins, on the server's monotonic clock."""
    by: Actor


@dataclass(frozen=True, slots=True)
class JobStopping(Fact):
    """A running job is to stop: for good (``cancel``), or to run again (``requeue``).

    *cause* is that of the end to come, or empty; before version 3 *reason* alone told it.
    """

    VERSION = 3
    EVENT = "stopping"
    FOR_AGENTS = True

    job: int
    index: int
    how: str
    by: Actor
    reason: str = ""
    cause: str = ""


def refusal_in_print(refusal: str, detail: str) -> str:
    """A refusal by its name and its limit, if it has one, in the words of listings and events."""
    name = refusal.replace("_", " ")
    return f"{name}: {detail}" if detail else name


@dataclass(frozen=True, slots=True)
class JobEnded(Fact):
    """The job is over. *at_s* is when it ended, which after an outage may be before it was known.

    *attempt* 0: it never ran. *index* ``NO_INDEX`` of an array: all its elements that have not started.
    Of a refused job *refusal* is a ``Refusal`` by its name ("over_ceiling") and *detail* its limit, if it has
    one, in place of a reason; *earliest_deadline_s* is the earliest deadline that could have been met (0:
    none is known). Version 1 did not have that; before version 3 the refusal was a sentence in *reason*.
    The figures of *result*, which the journal has beside the other fields, are as its agents reported them
    (*memory_all_kb* 0: that of one node). Before version 4 memory was all that was known of what it used;
    before version 5 one agent ran all of a job. *cause* is a ``Cause``, or empty; before version 6 *reason*
    alone told it.
    """

    VERSION = 6
    DECISIONS = (Decision.REFUSE, Decision.CANCEL)
    EVENT = "ended"

    job: int
    index: int
    attempt: int
    ending: Ending
    at_s: float
    result: RunResult = NO_RESULT
    by: Actor = ""
    reason: str = ""
    earliest_deadline_s: float = 0.0
    refusal: str = ""
    detail: str = ""
    cause: str = ""

    @property
    def why(self) -> str:
        """The reason in print, that of a refusal as well."""
        return refusal_in_print(self.refusal, self.detail) if self.refusal else self.reason


@dataclass(frozen=True, slots=True)
class JobRequeued(Fact):
    """A job that runs, or is over, goes back to the queue: submit time kept, the next attempt to come.

    It goes on with *kept_s* seconds of work done; the rest is lost. Version 1 kept nothing. The agents *left*
    may still run their parts of the attempt; before version 4 one agent ran all of a job.
    """

    VERSION = 4
    DECISIONS = (Decision.REQUEUE,)
    EVENT = "requeued"

    job: int
    index: int
    attempt: int
    by: Actor
    reason: str = ""
    kept_s: float = 0.0
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PartEnded(Fact):
    """What *agent* ran of an attempt on its nodes is over, and other agents still run theirs.

    Ends of the last parts are no such facts: with the last one the whole attempt ends. *cause* as of
    ``JobEnded``; before version 2 *reason* alone told.
    """

    VERSION = 2
    FOR_AGENTS = True
    SEEN = False

    job: int
    index: int
    attempt: int
    agent: str
    ending: Ending
    at_s: float
    result: RunResult = NO_RESULT
    reason: str = ""
    cause: str = ""

    @property
    def failed(self) -> bool:
        """Whether it ended badly, and not because it was told to end."""
        return self.ending not in (Ending.COMPLETED, Ending.CANCELLED)


@dataclass(frozen=True, slots=True)
class AttemptGone(Fact):
    """*agent*, from which the job was taken, runs nothing of it any longer."""

    FOR_AGENTS = True
    SEEN = False

    job: int
    index: int
    agent: str


@dataclass(frozen=True, slots=True)
class JobsRetired(Fact):
    """*jobs*, which are over, are in the history beside the journal and have left the memory."""

    SEEN = False

    jobs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReportsTaken(Fact):
    """All reports of *agent* up to *serial* (of this *boot_id*) have had their effect."""

    SEEN = False

    agent: str
    boot_id: str
    serial: int


@dataclass(frozen=True, slots=True)
class SchedulingSet(Fact):
    """The policy makes no passes from now on, or makes them again."""

    SEEN = False

    paused: bool
    by: Actor
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StatisticsReset(Fact):
    """Statistics count what ends from now on."""

    SEEN = False

    by: Actor


@dataclass(frozen=True, slots=True)
class CommandTaken(Fact):
    """A change that no other fact records, for the audit log (a signal, a turn of the clock)."""

    VERSION = 2

    SEEN = False

    by: Actor
    what: str
    detail: dict[str, Any] = field(default_factory=dict)
