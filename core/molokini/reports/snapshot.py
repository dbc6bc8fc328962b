"""A cluster at an instant, as reports see it: the tables, and the names of their numbers.

The live server makes a picture of its state, a simulation of the instant at which it was stopped.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from molokini.compiled.structs import Floats, Ints
from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue
from molokini.model.reservations import Reservation
from molokini.model.site import CONFIGURABLE
from molokini.reports.why import Surroundings
from molokini.shared.introspection import PLAIN, PolicyReport
from molokini.tables.tables import Tables


@dataclass(frozen=True)
class NodeText:
    """What the tables do not have about a node."""

    name: str
    reason: str = ""
    features: tuple[str, ...] = ()
    partition: str = ""
    """Empty where there are none."""


@dataclass(frozen=True)
class Blocked:
    """A job, or the elements of an array, that the policy does not see: held, or not eligible yet."""

    job: str
    state: str
    reason: str
    user: str = ""
    group: str = ""
    account: str = ""
    queue: str = ""
    qos: str = ""
    processors: int = 1
    estimate_s: float = 0.0
    submit_s: float = 0.0
    count: int = 1
    """The elements of the array for which this holds."""
    credential: int = 0
    """Its combination of credentials, a row of the tables; 0: the one without names."""


@dataclass(frozen=True)
class Finished:
    """Jobs that have ended: one element a job in each array."""

    submit_s: Floats = field(default_factory=lambda: np.zeros(0))
    start_s: Floats = field(default_factory=lambda: np.zeros(0))
    """Of the attempt that ended; NaN: it never started."""
    end_s: Floats = field(default_factory=lambda: np.zeros(0))
    processors: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    estimate_s: Floats = field(default_factory=lambda: np.zeros(0))
    well: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """1: it ended by itself, with success."""
    whose: tuple[tuple[str, str, str, str, str], ...] = ()
    """User, group, account, queue and QoS, in the order of ``CredentialType``."""
    since_s: float | None = None
    """Only those that have ended after this instant; None: whichever are known."""


@dataclass(frozen=True)
class Scheduler:
    """What makes the iterations: a live server, or a replay."""

    mode: str = "replay"
    """``live``, or ``replay``."""
    iterations: int = 0
    """Passes of the policy, since this server's start or the replay's beginning."""
    next_s: float = math.inf
    """When the policy wants the next iteration although nothing may happen until then."""
    clock: str = "replay"
    rate: float = 0.0
    """Seconds of the clock a second of real time; 0 where it stands, or goes as fast as it can."""
    paused: bool = False
    release: str = ""
    starts: int = 1
    """Starts of a server on this state, this one included."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The parameters that were given by name, beside a configuration."""
    failures: int = 0
    """Passes in a row in which the policy failed."""
    last_failure: str = ""
    troubled: bool = False
    """The journal could not store an entry."""
    scheduling_paused: bool = False
    """The policy makes no iterations, by command."""
    paused_because: str = ""
    passes_left: int = 0
    """So many are still made."""


@dataclass(frozen=True)
class AgentText:
    """A node agent as the server knows it; seconds are of real time."""

    agent: str
    connected: bool
    peer: str
    nodes: int
    nodes_up: int
    processors: int
    attempts: int
    """Attempts that it was given and that have not ended."""
    silent_s: float | None
    """Since its last message; None: that came before the server's start."""
    held_s: float
    """Until another agent may have its name, if no message comes from it."""


@dataclass(frozen=True)
class Link:
    """The agents, and what the server expects of them; 0: nothing."""

    agents: tuple[AgentText, ...] = ()
    heartbeat_s: float = 0.0
    lease_s: float = 0.0
    margin_s: float = 0.0


@dataclass(frozen=True)
class ClusterSnapshot:
    """One instant. *tables* are a copy over which the policy has just had a pass that gave its reasons."""

    tables: Tables
    now: float
    policy: str
    job: Callable[[int], str]
    """The name of the job of a row."""
    name: Callable[[CredentialType, int], str]
    """The name of the credential of a number; empty: there is none."""
    number: Callable[[CredentialType, str], int]
    """The number of the credential of a name; below -1 for a name that none has."""
    nodes: tuple[NodeText, ...] = ()
    """By number; empty where processors are only counted."""
    clusters: tuple[str, ...] = ()
    """By number; empty where they have no names."""
    partitions: tuple[str, ...] = ()
    """By number, as the policy's parameters have them; empty: there are none."""
    blocked: tuple[Blocked, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    """Reservations of administrators, in the order of the tables."""
    finished: Finished = field(default_factory=Finished)
    scheduler: Scheduler = Scheduler()
    link: Link = Link()
    insight: PolicyReport = PLAIN
    """What the policy tells beside its reasons."""
    whose: dict[int, dict[str, str]] = field(default_factory=dict)
    """Names by number of a combination of credentials, as they are looked up: many jobs have the same."""
    second_zero_s: float | None = None
    """Seconds from 1970 to the clock's 0, by the calendar; None: not known."""

    @cached_property
    def surroundings(self) -> Surroundings:
        """What the words of reasons need."""
        told = self.scheduler
        return Surroundings(
            self.insight,
            self.nodes,
            self.clusters,
            self.reservations,
            told.scheduling_paused,
            told.paused_because,
        )

    def require(self, what: str) -> None:
        """Raise BadValue under a policy that weighs nothing."""
        if not self.insight.weighs:
            raise BadValue("policy", self.policy, f"{CONFIGURABLE}, which alone has {what}")

    def waiting(self) -> list[int]:
        """Rows in the queue, in its order."""
        t = self.tables
        return [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail]]

    def running(self) -> list[int]:
        """Rows that run, by their expected ends."""
        t = self.tables
        rows = [int(row) for row in t.queue.running[: t.queue.running_count]]
        return sorted(rows, key=lambda row: (t.jobs.expected_end_s[row], t.jobs.serial[row]))

    def suspended(self) -> list[int]:
        """Rows that are suspended."""
        t = self.tables
        return [int(row) for row in t.queue.suspended[: t.queue.suspended_count]]


@dataclass(frozen=True)
class ReportRequest:
    """What the caller of a report names; each report reads the fields that concern it."""

    job: str = ""
    node: str = ""
    user: str = ""
    group: str = ""
    account: str = ""
    queue: str = ""
    qos: str = ""
    processors: int = 0
    duration_s: float = 0.0
    partition: str = ""
    features: tuple[str, ...] = ()
    """For windows: on nodes that have all of these."""
    memory: str = ""
    """For windows: on nodes of so much memory, in MB behind a comparison: ``>=2048``."""
    memory_each_mb: float = 0.0
    """For windows: so much memory is to be free beside each processor."""
    nodes: int = 0
    """For windows: on so many nodes at least."""
    by: str = ""
    """The kind of credential for each of which there are statistics; empty: totals alone."""


def finite(value: float) -> float | None:
    """*value* as JSON has it; null where it is infinite or undefined."""
    return float(value) if math.isfinite(value) else None


def in_order(name: str | None) -> tuple[bool, int, str]:
    """The place of *name* among others: numbers by their size, before words."""
    text = name or ""
    number = text.isdecimal()
    return (not number, int(text) if number else 0, text)


def word(name: str) -> str:
    """The name of a member as reports write it."""
    return name.lower().replace("_", "-")
