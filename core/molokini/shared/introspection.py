"""What a policy tells of itself beside its decisions: the port that reports and explanations ask.

A policy that weighs jobs declares ``INSIGHT``, an object of a class of its own; every other policy has
``PLAIN``. Tables are a copy over which the policy has just had a pass, unless a method says otherwise.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from molokini.model.credentials import CredentialType
from molokini.model.decisions import Rule
from molokini.tables.tables import Tables

BOUNDS = "bounds"
"""The component of what the bounds of priorities add or take away."""


@dataclass(frozen=True)
class Part:
    """One part of a priority; *product* is of component weight, weight and factor."""

    component: str
    component_weight: float
    subcomponent: str
    """Empty where the component has none."""
    weight: float
    factor: float
    """As it counts: cut off by its cap."""

    @property
    def product(self) -> float:
        """What it gives, before the component's cap."""
        return self.component_weight * self.weight * self.factor


@dataclass(frozen=True)
class Explained:
    """A priority and its parts, those of weight 0 left out."""

    priority: float
    parts: tuple[Part, ...]
    totals: dict[str, float]
    """What each component gives, cut off by its cap."""


@dataclass(frozen=True)
class Weights:
    """A component of priorities in force: its weight, and those of its factors."""

    component: str
    weight: float
    factors: Mapping[str, float]


@dataclass(frozen=True)
class IterationSettings:
    """What the settings say of iterations; None: nothing."""

    poll_s: float | None = None
    backfill: str | None = None
    reservations: str | None = None
    most_starts: int | None = None


@dataclass(frozen=True)
class Decay:
    """How usage counts for fairshare."""

    charge: str
    """What is charged."""
    depth: int
    """Windows that count."""
    decay: float
    """Each window counts so many times the one after it."""
    by_ratio: bool
    """Usage is compared with a target by their ratio, not by their difference."""


@dataclass(frozen=True)
class StepTold:
    """One step of an iteration, and what it did."""

    name: str
    counts: Mapping[str, int]
    starts: int = 0
    """Jobs that it started; those of earlier steps stand before them among the decisions."""
    why: str = ""
    """Why it starts jobs."""


@dataclass(frozen=True)
class OpenJobs:
    """Where jobs stand, for reports about limits: rows that run, could start, and cannot."""

    t: Tables
    now: float
    name: Callable[[CredentialType, int], str]
    """The name of the credential of a number; empty: there is none."""
    running: Sequence[int]
    idle: Sequence[int]
    blocked: Sequence[int]


class PolicyReport:
    """A policy that weighs nothing: jobs wait in the order of the queue."""

    weighs: ClassVar[bool] = False
    """Whether it has priorities, fairshare, limits and steps of iterations."""
    most_priority: float = inf
    """A priority above it was set by hand."""

    def ranked(self, t: Tables) -> list[int]:
        """Waiting rows in the order in which they are to start."""
        return [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail]]

    def reserved_s(self, t: Tables, row: int) -> float:
        """The start of the waiting job's reservation; NEVER: it has none."""
        return float(t.jobs.reserved_s[row])

    def held_nodes(self, t: Tables, row: int) -> dict[int, int]:
        """Processors of each node, by number, that the reservation of *row* holds; empty: not known."""
        return {}

    def keeps_promises(self, t: Tables) -> bool:
        """Whether a reservation moves to earlier instants alone as long as no job overtakes it."""
        return True

    def queue_time_s(self, t: Tables, row: int, now: float) -> float:
        """Seconds that count as waited by the waiting job of *row*."""
        return float(now - t.jobs.submit_s[row])

    def is_deferred(self, t: Tables, row: int, now: float) -> bool:
        """Whether the policy has put off the job of *row*, which waits."""
        return False

    def qos(self, t: Tables, credential: int) -> int:
        """The number of the QoS of jobs of *credential*; below 0: none."""
        return int(t.credentials.qos[credential])

    def learn(self, t: Tables) -> None:
        """Find out, as a pass would, about credentials that are new in the copy *t*."""

    def divide(self, t: Tables) -> None:
        """Find out, as a pass would, which partitions each credential of the copy *t* may use."""

    def explained(self, t: Tables, rows: Sequence[int], now: float) -> list[Explained]:
        """The priorities of *rows*, which wait, as they are at *now*; the counters of *t* are recomputed."""
        return []

    def weights(self, t: Tables) -> list[Weights]:
        """The components of priorities that have a weight."""
        return []

    def word(self, t: Tables, row: int) -> str:
        """The policy's own word for why *row* waits, as users of its configuration know it; empty: none."""
        return ""

    def told(self, t: Tables, row: int, rule: Rule) -> tuple[str, list[str]] | None:
        """Why *row* waits, in the policy's own words, and what would help; None: the rule says it."""
        return None

    def priorities(self, t: Tables) -> Mapping[int, float]:
        """The number by which each waiting row ranks, as of its last calculation; empty: there are none."""
        return {}

    def priority_at_start(self, t: Tables, row: int) -> float | None:
        """The number by which the running *row* ranked when it started, or ranks now, where the policy finds
        it again; None: not known.
        """
        return None

    def planned_s(self, t: Tables, row: int) -> float:
        """The start of *row* in the last plan, which is no promise; NEVER: it has none."""
        return self.reserved_s(t, row)

    def limit_name(self, number: int) -> str:
        """The name of a limit by its number, as reasons have it."""
        return str(number)

    def limit(self, t: Tables, row: int, rule: Rule, number: int) -> tuple[float, float, float] | None:
        """A limit that keeps *row* waiting: the most, what is in use, what it asks for; None: not known."""
        return None

    def limits(self, jobs: OpenJobs) -> Iterable[dict[str, Any]]:
        """The limits of each credential and their use, as data."""
        return ()

    def decay(self, t: Tables) -> Decay:
        """How usage counts for fairshare."""
        return Decay("none", 0, 1.0, by_ratio=False)

    def target(self, t: Tables, credential: int, kind: CredentialType) -> tuple[float, str]:
        """The fairshare target of one member of *credential*, and of which kind it is; 0: it has none."""
        return 0.0, ""

    def settings(self, t: Tables) -> IterationSettings:
        """What the settings say of iterations."""
        return IterationSettings()

    def steps(self, t: Tables) -> list[StepTold]:
        """The steps of the last iteration, and what each of them did."""
        return []


PLAIN = PolicyReport()
