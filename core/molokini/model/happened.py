"""What has happened in a live cluster: the facts that are journalled, one class a kind.

A journal of these, applied in order through the same transitions, is the state of a server. So they hold
everything that a decision has fixed (attempt, allocation, instant) and nothing that would have to be decided
again. All times are seconds of the scheduling clock. ``index`` is an array index, ``NO_INDEX`` for a job that
is no array (or for an array as a whole).

The classes are a file format: a change is a new ``VERSION`` of the class with an upgrade in ``codec.py``.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

NO_INDEX = -1

Spec: TypeAlias = dict[str, Any]
"""What a user asked for: the set fields of a job specification by their names on the wire, as JSON."""


class WrittenSpec(dict[str, Any]):
    """A specification beside its canonical JSON, which is written once and used for journal and memory.

    Alike jobs of a submission may share one, so nobody changes it.
    """

    __slots__ = ("bare", "columns", "forms", "request", "text")

    def __init__(self, spec: Spec, text: str, bare: "WrittenSpec | None" = None) -> None:
        super().__init__(spec)
        self.text = text
        self.bare = bare
        """What it shares with its neighbours, which is all but some fields of its own; None: nothing."""
        self.columns: Any = None
        self.request: Any = None
        """What a reader has made of it, for the next job that shares it."""
        self.forms: dict[tuple[str, ...], str] | None = None
        """Its text with places for some fields, by their names."""


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


@dataclass(frozen=True, slots=True)
class Happened:
    """Base of all journalled facts."""

    VERSION: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class ServerStarted(Happened):
    """A server has taken over this state; *epoch* counts such starts. *clock* as ``--clock`` says it.

    Version 1 did not say the clock.
    """

    VERSION = 2

    epoch: int
    release: str
    clock: str = ""


@dataclass(frozen=True, slots=True)
class NodesAdded(Happened):
    """*names* are new nodes, all alike, numbered on in this order; *agent* stands for them.

    *cluster* is the name of theirs; version 1 had none.
    """

    VERSION = 2

    agent: str
    names: tuple[str, ...]
    processors: int
    memory_kb: int = 0
    generic: dict[str, int] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class NodeDrained(Happened):
    """The node takes no new work."""

    node: str
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NodeLost(Happened):
    """The node is down; facts before this one, of the same turn, have ended or requeued what ran there."""

    node: str
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NodeReturned(Happened):
    """The node, which was down or draining, takes work."""

    node: str
    by: str


@dataclass(frozen=True, slots=True)
class QueueSet(Happened):
    """A queue was made or changed; *queue* is all of it, by field name."""

    queue: dict[str, Any]
    by: str


@dataclass(frozen=True, slots=True)
class QueueRemoved(Happened):
    """An empty queue is gone."""

    name: str
    by: str


@dataclass(frozen=True, slots=True)
class ReservationMade(Happened):
    """An administrator has reserved processors; as ``model.reservations`` says it in JSON."""

    reservation: dict[str, Any]
    by: str


@dataclass(frozen=True, slots=True)
class ReservationReleased(Happened):
    """A reservation was given up, with all instances of a standing one."""

    name: str
    by: str


@dataclass(frozen=True, slots=True)
class ReservationsRolled(Happened):
    """Reservations that are over are gone, and these are the instances of the standing ones."""

    instances: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class PolicySet(Happened):
    """Another policy, or another value of a parameter, decides from now on."""

    name: str
    parameters: dict[str, str]
    by: str


@dataclass(frozen=True, slots=True)
class JobsSubmitted(Happened):
    """Jobs *first_id*, *first_id* + 1, ... of one user were accepted; defaults are already filled in."""

    first_id: int
    user: str
    specs: tuple[Spec, ...]


@dataclass(frozen=True, slots=True)
class ElementsReady(Happened):
    """Elements of an array became rows of the tables, in this order."""

    job: int
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JobEligible(Happened):
    """Its begin time has come, its dependencies are met: it joins the queue."""

    job: int


@dataclass(frozen=True, slots=True)
class JobHeld(Happened):
    """*hold* (user, operator, system) keeps a job, or all waiting elements of an array, from starting.

    With *index*, that element of an array alone; version 1 had no index.
    """

    VERSION = 2

    job: int
    hold: str
    by: str
    reason: str = ""
    index: int = NO_INDEX


@dataclass(frozen=True, slots=True)
class JobReleased(Happened):
    """These *holds* are gone: of a job and of all its elements, or (with *index*) of one element.

    Their deferrals end, too, and are counted anew; "defer" among the holds says that there was one. Version 1
    had no index.
    """

    VERSION = 2

    job: int
    holds: tuple[str, ...]
    by: str
    index: int = NO_INDEX


@dataclass(frozen=True, slots=True)
class JobAltered(Happened):
    """*changes* of the specification of a job that has not ended."""

    job: int
    changes: Spec
    by: str


@dataclass(frozen=True, slots=True)
class JobReserved(Happened):
    """The policy promised a start."""

    job: int
    index: int
    start_s: float


@dataclass(frozen=True, slots=True)
class JobBypassed(Happened):
    """Jobs of lower priority were backfilled past a waiting job, so many *times*."""

    job: int
    index: int
    times: int


@dataclass(frozen=True, slots=True)
class JobAccrues(Happened):
    """Its queue time counts from *after_s* s after its submission on; 10^300: not while it is blocked."""

    job: int
    index: int
    after_s: float


@dataclass(frozen=True, slots=True)
class JobDeferred(Happened):
    """It is not looked at before *until_s*: *rule*, a ``Rule`` by its name, keeps it from starting."""

    job: int
    index: int
    until_s: float
    rule: str


@dataclass(frozen=True, slots=True)
class JobMolded(Happened):
    """The policy gave a waiting divisible job so many processors, on which it takes *execution_s* seconds.

    *rule* is how its load is cut, by its name ("opr", "epr").
    """

    job: int
    index: int
    processors: int
    execution_s: float
    rule: str


@dataclass(frozen=True, slots=True)
class LienPlaced(Happened):
    """*account* sets *amount* processor-seconds aside for a job that starts next, at *price* a second."""

    job: int
    index: int
    account: str
    amount: int
    price: float


@dataclass(frozen=True, slots=True)
class AccountBooked(Happened):
    """*amount* processor-seconds were put into *account* or taken out, by a ``model.banks.Booking``.

    *job*: of which job a refund is; 0: of none in particular.
    """

    account: str
    booking: str
    amount: int
    by: str
    reason: str = ""
    job: int = 0


@dataclass(frozen=True, slots=True)
class JobStarted(Happened):
    """Attempt *attempt* began; journalled before an agent is told."""

    job: int
    index: int
    attempt: int
    placed: Placed = ()
    rate: float = 1.0
    exclusive: bool = True


@dataclass(frozen=True, slots=True)
class JobSuspended(Happened):
    """The job stopped and keeps its work; *by* is empty where the policy wanted it. Version 1 had no *by*."""

    VERSION = 2

    job: int
    index: int
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JobResumed(Happened):
    """The job goes on, on processors that may be others; *by* as in JobSuspended, and since version 2."""

    VERSION = 2

    job: int
    index: int
    placed: Placed = ()
    rate: float = 1.0
    exclusive: bool = True
    by: str = ""


@dataclass(frozen=True, slots=True)
class JobMoved(Happened):
    """A running job goes on elsewhere."""

    job: int
    index: int
    placed: Placed


@dataclass(frozen=True, slots=True)
class JobShared(Happened):
    """The job goes on at another rate."""

    job: int
    index: int
    rate: float


@dataclass(frozen=True, slots=True)
class JobStopping(Happened):
    """A running job was told to stop: to be over (``cancel``) or run again (``requeue``)."""

    job: int
    index: int
    how: str
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JobEnded(Happened):
    """The job is over. *at_s* is when it ended, which after an outage may be before it was known.

    *attempt* 0: it never ran. *index* ``NO_INDEX`` of an array: all its elements that have not started.
    *earliest_deadline_s*, of a job refused for its deadline: the earliest that could have been met; 0: none
    is known. Version 1 did not have it.
    """

    VERSION = 2

    job: int
    index: int
    attempt: int
    ending: Ending
    at_s: float
    exit_code: int = 0
    signal: int = 0
    memory_kb: int = 0
    by: str = ""
    reason: str = ""
    earliest_deadline_s: float = 0.0


@dataclass(frozen=True, slots=True)
class JobRequeued(Happened):
    """A running job goes back to the queue: submit time kept, the next attempt to come.

    It goes on with *kept_s* seconds of work done; the rest is lost. Version 1 kept nothing.
    """

    VERSION = 2

    job: int
    index: int
    attempt: int
    by: str
    reason: str = ""
    kept_s: float = 0.0


@dataclass(frozen=True, slots=True)
class AttemptGone(Happened):
    """*agent*, from which a policy has taken the job, runs it no longer: another may be told to."""

    job: int
    index: int
    agent: str


@dataclass(frozen=True, slots=True)
class JobsRetired(Happened):
    """*jobs*, which are over, are in the history beside the journal and have left the memory."""

    jobs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReportsTaken(Happened):
    """All reports of *agent* up to *serial* (of this *boot_id*) have had their effect."""

    agent: str
    boot_id: str
    serial: int


@dataclass(frozen=True, slots=True)
class CommandTaken(Happened):
    """A change that has no other trace, for the audit log (a signal, a turn of the clock)."""

    by: str
    what: str
    detail: dict[str, Any] = field(default_factory=dict)
