"""Decisions: what a policy wants done. Imperative, in the order in which the policy made them.

``DECISION_RULES`` says in a row for each kind all that differs between kinds; no other module lists kinds
beside it. Compiled code tests bits, which are plain numbers: ``BEGINS >> kind & 1``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from molokini.model.states import JobState


class Decision(IntEnum):
    """The kinds that a verb can write to the buffer."""

    START = 1
    RESERVE = 2
    SUSPEND = 3
    RESUME = 4
    MIGRATE = 5
    SET_SHARE = 6
    REFUSE = 7
    MOLD = 8
    REQUEUE = 9
    CANCEL = 10
    GIVE_BACK = 11
    BYPASS = 12
    """Other jobs were backfilled past a waiting job, so many times."""
    ACCRUE = 13
    """The queue time of a waiting job counts from another instant on, or not at all for now."""
    LIEN = 14
    """An account sets aside what a waiting job, which is about to start, may cost."""
    DEFER = 15
    """A waiting job is put off until an instant, for a ``Rule`` that it cannot keep."""
    HOLD = 16
    """A waiting job waits for an administrator: it was deferred too often, the last time for a ``Rule``."""
    SET_ROWS = 17
    """A running job stands elsewhere in the matrix of gang scheduling, where the tables say."""


IN_ROWS = 2
"""The argument of a START that puts the job into the matrix; 0 and 1 are shared and own processors."""
IN_PLACE = 3
"""The argument of a SUSPEND after which the job keeps its nodes, and of the RESUME that ends it."""
LIMITED = 4
"""The argument of a START on own processors, at rate 1, with another limit than the estimate: its value."""
OF_ALL = 1
"""The argument of a SET_SHARE that is about all running jobs; 0: about its own."""

_HELD, _WAITING, _RUNNING, _SUSPENDED = JobState.HELD, JobState.WAITING, JobState.RUNNING, JobState.SUSPENDED


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """The properties of one kind of decision."""

    verb: str
    """The function of ``cycle.verbs`` that writes it; other verbs may, too."""
    needs: JobState
    """The state that its job must be in."""
    leaves: JobState | None = None
    """The state in which it leaves its job; the pass then decides no more about the job. None: the same."""
    moves: bool = False
    """Whether a running job gets another place."""
    moves_end: bool = False
    """Whether its job, which runs afterwards, ends at another instant than expected before."""
    remembered: tuple[str, ...] = ()
    """Columns in which the policy finds it again: a note of the policy for later passes, with no effect."""
    auxiliary: bool = False
    """Whether it only goes with other decisions, and is left out of answers about what becomes of jobs."""

    @property
    def after(self) -> JobState:
        """The state of its job afterwards."""
        return self.needs if self.leaves is None else self.leaves

    @property
    def begins(self) -> bool:
        """Whether its job, which did not run, runs from now on: it takes a place."""
        return self.leaves is _RUNNING

    @property
    def vacates(self) -> bool:
        """Whether its job, which ran, runs no more: its place is free."""
        return self.needs is _RUNNING and self.leaves is not None

    @property
    def placed(self) -> bool:
        """Whether it comes with a place, which its verb has found."""
        return self.begins or self.moves

    @property
    def of_agents(self) -> bool:
        """Whether the agent that runs its job has to do something."""
        return _RUNNING in (self.needs, self.leaves)

    @property
    def keeps_agent(self) -> bool:
        """Whether an agent has the job afterwards: it runs there, or is suspended."""
        return self.of_agents and self.after in (_RUNNING, _SUSPENDED)

    @property
    def traced(self) -> bool:
        """Whether the work of its job changes: it goes on at another rate, on fewer processors, or stops."""
        return self.of_agents and self.leaves is not JobState.FREE and not self.moves


DECISION_RULES = {
    Decision.START: DecisionRule("start", _WAITING, _RUNNING),
    Decision.RESERVE: DecisionRule("reserve", _WAITING),
    Decision.SUSPEND: DecisionRule("suspend", _RUNNING, _SUSPENDED),
    Decision.RESUME: DecisionRule("resume", _SUSPENDED, _RUNNING, moves_end=True),
    Decision.MIGRATE: DecisionRule("migrate", _RUNNING, moves=True),
    Decision.SET_SHARE: DecisionRule("set_share", _RUNNING, moves_end=True),
    Decision.REFUSE: DecisionRule("refuse", _WAITING, JobState.FREE),
    Decision.MOLD: DecisionRule("mold", _WAITING),
    Decision.REQUEUE: DecisionRule("requeue", _RUNNING, _WAITING),
    Decision.CANCEL: DecisionRule("cancel", _RUNNING, JobState.FREE),
    Decision.GIVE_BACK: DecisionRule("give_back", _RUNNING),
    Decision.BYPASS: DecisionRule("bypass", _WAITING, remembered=("bypassed",), auxiliary=True),
    Decision.ACCRUE: DecisionRule("accrue", _WAITING, remembered=("unqueued_s",), auxiliary=True),
    Decision.LIEN: DecisionRule("pledge", _WAITING, auxiliary=True),
    Decision.DEFER: DecisionRule("defer", _WAITING, remembered=("deferred_s", "deferrals", "deferral")),
    Decision.HOLD: DecisionRule("hold", _WAITING, _HELD),
    Decision.SET_ROWS: DecisionRule("set_rows", _RUNNING, moves_end=True),
}


def bits(are: Callable[[DecisionRule], bool]) -> int:
    """The kinds of decisions for which *are* is true, a bit each."""
    return sum(1 << kind for kind, rule in DECISION_RULES.items() if are(rule))


OF_WAITING = bits(lambda rule: rule.needs is _WAITING)
OF_RUNNING = bits(lambda rule: rule.needs is _RUNNING)
OF_SUSPENDED = bits(lambda rule: rule.needs is _SUSPENDED)
ENDS_TURN = bits(lambda rule: rule.leaves is not None)
BEGINS = bits(lambda rule: rule.begins)
VACATES = bits(lambda rule: rule.vacates)
PLACED = bits(lambda rule: rule.placed)
MOVES_END = bits(lambda rule: rule.moves_end)
TRACED = bits(lambda rule: rule.traced)
NOTES = bits(lambda rule: bool(rule.remembered))
"""Sets of kinds for compiled code."""


class StartedBy(IntEnum):
    """Which pass of a scheduler started a job."""

    UNKNOWN = -1
    MAIN = 0
    BACKFILL = 1
    SUBMISSION = 2


class Refusal(IntEnum):
    """Why a job can never run. Every refusal is counted under its name."""

    NONE = 0
    WIDER_THAN_MACHINE = 1
    WIDER_THAN_PARTITION = 2
    NEVER_PLACEABLE = 3
    NEEDS_NODES = 4
    DEADLINE_TOO_TIGHT = 5
    """No number of nodes, all of them free, is enough."""
    DEADLINE_NOT_GUARANTEED = 6
    """Its deadline, or that of a job admitted before, might be missed: it fails the schedulability test."""
    OVER_CEILING = 7
    """It asks for more than any job may (a system-wide ceiling, or its queue's or user's)."""
    NOT_AT_ONCE = 8
    """It was to start when it was submitted, or not at all, and there was no room."""
    TOO_NARROW = 9
    """It asks for fewer processors than a job of its queue must."""


class Rule(IntEnum):
    """The first rule that keeps a job waiting; written only when the view asks for reasons."""

    NONE = 0
    NOT_ENOUGH_FREE = 1
    BEHIND_THE_HEAD = 2
    WOULD_DELAY_THE_HEAD = 3
    RESERVED_LATER = 4
    PARTITION_FULL = 5
    OUTRANKED = 6
    NEGATIVE_PRIORITY = 7
    OVER_SOFT_LIMIT = 8
    OVER_HARD_LIMIT = 9
    OVER_IDLE_LIMIT = 10
    OVER_FAIRSHARE_CAP = 11
    ENOUGH_STARTED = 12
    """The iteration has started as many jobs as it may."""
    RESERVED_FOR_OTHERS = 13
    """It would take processors that an administrator has reserved for other jobs."""
    WIDER_THAN_PARTITIONS = 14
    """No partition that it may use has enough processors in service."""
    NO_PARTITION_FREE = 15
    """No partition that it may use has enough free processors."""
    CANNOT_DEBIT_ACCOUNT = 16
    """No account can set aside what the job would cost."""
    DEFERRED = 17
    """It is put off until an instant; the value is the rule for which it was deferred."""
    SHARED_BY_ENOUGH = 18
    """On all processors that it could have, as many jobs of its class take turns as may."""
    KEPT_OUT = 20
    """A rule of its partition, its account or its QOS keeps it out, whatever is free; the limit is the
    policy's number of the rule."""
    NODES_UNAVAILABLE = 19
    """The nodes that take work could not hold it if they were empty: others are down or draining."""
