"""A policy beside the live one with its hands tied: it decides on the live state and does nothing.

Maui's TEST mode. Before each pass of the running policy the shadow has one of its own over a copy of the
tables; what it would have started is held against what is started. What a policy remembers (reservations,
bypass counts, usage for fairshare) it keeps for itself, from when it began to look.
"""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from molokini.cycle.cycle import apply_other_decision
from molokini.cycle.entries import entries
from molokini.model.decisions import Decision
from molokini.model.errors import BadValue
from molokini.model.happened import Happened, JobStarted
from molokini.server.policies import banking, charging
from molokini.server.state.jobs import Standing
from molokini.server.state.state import State
from molokini.server.told import told
from molokini.server.turn.passing import Thinker
from molokini.tables.requests import processor_equivalents
from molokini.tables.tables import NEVER, Tables
from molokini.tables.usage import DEDICATED_EQUIVALENTS, UTILIZED_PROCESSORS, charge_as, settle

log = logging.getLogger("molokini.server.policy")

MOST_LINES = 1000
"""Jobs that a report names: those with the largest differences."""
MOST_REPORTS = 1000
"""Reports that are kept for somebody who is slow to take them."""
_REMEMBERED = (
    "memory_f",
    "memory_i",
    "job_bypassed",
    "job_unqueued_s",
    "job_deferred_s",
    "job_deferrals",
    "job_deferral",
)
"""What a policy keeps of a job from pass to pass, by row."""
_KEPT = (int(Decision.BYPASS), int(Decision.ACCRUE), int(Decision.DEFER))
"""Decisions that are notes of the policy to itself."""
_START = int(Decision.START)

Key = tuple[int, int]
"""A job and its place in an array."""


@dataclass(frozen=True)
class Line:
    """One job of which the two policies think differently."""

    job: int
    index: int
    user: str
    processors: int
    wished_s: float | None
    """When the shadow would have started it first; None: not before the running policy did."""
    started_s: float | None
    """When it started; None: it waits."""

    @property
    def apart_s(self) -> float:
        """Seconds between the two, where both are known."""
        return 0.0 if self.wished_s is None or self.started_s is None else self.started_s - self.wished_s


@dataclass
class Period:
    """What was seen from one report to the next."""

    from_s: float
    to_s: float = 0.0
    looks: int = 0
    failures: int = 0
    last_failure: str = ""
    started: int = 0
    same: int = 0
    """Started at the instant at which the shadow first wanted to."""
    sooner: int = 0
    """The shadow wanted to start them before."""
    sooner_s: float = 0.0
    """By how much, seconds in all."""
    not_yet: int = 0
    """Started while the shadow would have let them wait."""
    waiting: int = 0
    """Still waiting, though the shadow would have started them."""
    lines: list[Line] = field(default_factory=list)


class Shadow:
    """A policy that looks at every pass."""

    def __init__(
        self, name: str, parameters: Mapping[str, str], state: State, now: float, period_s: float
    ) -> None:
        if not 1.0 <= period_s < float("inf"):
            raise BadValue("period_s", period_s, "a number of seconds from 1 on")
        self.thinker = Thinker(name, parameters)
        self.period_s = period_s
        self._charges = Charges(*charging(name, parameters))
        self._banks = banking(name, parameters)[0] is not None
        self._before: Tables | None = None
        self._known = (0, 0)
        self._wished_s: dict[Key, float] = {}
        self._wishes: set[Key] = set()
        self._period = Period(now)
        self._state = state
        self._entries = entries()
        self.reports: deque[Period] = deque(maxlen=MOST_REPORTS)
        """Periods that are over and nobody has taken yet."""

    def look(self, now: float) -> None:
        """What the shadow would do now; called before the running policy's own pass."""
        self.close_until(now)
        self._period.looks += 1
        t = self._dressed(now)
        try:
            self.thinker.decide_on(t, now)
            self._entries.judge(t)
        except Exception as error:
            # It is somebody's trial: the live cluster goes on whatever becomes of it.
            self._failed(f"{type(error).__name__}: {told(error)}")
            return
        if t.complaint:
            self._failed("it did what no policy may")
            return
        by_row = self._state.by_row
        rows = [int(t.decisions[k, 1]) for k in range(t.decided) if t.decisions[k, 0] == _START]
        self._wishes = {(by_row[row].job.id, by_row[row].index) for row in rows}
        for key in self._wishes:
            self._wished_s.setdefault(key, now)
        for k in range(t.decided):
            if t.decisions[k, 0] in _KEPT:
                apply_other_decision(t, k, now)
        self._before = t

    def judge(self, facts: Sequence[Happened], now: float) -> None:
        """Hold what the running policy decided at its pass against what the shadow wanted."""
        for fact in facts:
            if not isinstance(fact, JobStarted):
                continue
            key = (fact.job, fact.index)
            self._period.started += 1
            wished_s = self._wished_s.pop(key, None)
            if wished_s == now:
                self._period.same += 1
                continue
            if wished_s is None:
                self._period.not_yet += 1
            else:
                self._period.sooner += 1
                self._period.sooner_s += now - wished_s
            self._period.lines.append(self._line(key, wished_s, now))
        self._charges.follow(self._state.tables, now)

    def close_until(self, now: float) -> None:
        """Put the period into ``reports`` if it is over; times in which nothing was looked at have none."""
        whole = int((now - self._period.from_s) // self.period_s)
        if whole < 1:
            return
        done = self._period
        done.to_s = done.from_s + self.period_s
        self._period = Period(done.from_s + whole * self.period_s)
        if not done.looks:
            return
        self._wished_s = {key: at_s for key, at_s in self._wished_s.items() if self._waits(key)}
        done.waiting = len(self._wished_s)
        done.lines += [self._line(key, at_s, None) for key, at_s in self._wished_s.items()]
        # Longest differences first; those that wait are compared by how long they have done so.
        done.lines.sort(key=lambda one: (-_difference_s(one, done.to_s), one.job, one.index))
        del done.lines[MOST_LINES:]
        self.reports.append(done)

    def _failed(self, cause: str) -> None:
        if not self._period.failures:
            log.warning("the shadow policy failed: %s", cause)
        self._period.failures += 1
        self._period.last_failure = cause
        self._before, self._wishes = None, set()

    def _dressed(self, now: float) -> Tables:
        """A copy of the tables as the shadow has them: with its own parameters, memory and charges."""
        state = self._state
        t = state.tables.copy()
        names = state.rows.names
        known = (len(names), len(state.machine.nodes))
        before = self._before if known == self._known else None
        self._known = known
        # Names that are new to the shadow's configuration get no numbers in the live tables.
        numbers = dict(names)
        vector = self.thinker.vector(lambda _, name: numbers.setdefault(name, len(numbers)), state.machine)
        t.bind("parameters", np.array(vector, dtype=np.float64))
        t.planning = int(self.thinker.policy.begin is not None)
        t.replan = 1
        _remember(t, before)
        self._charges.charge(t, now)
        # It asks the accounts that there are, where it asks any.
        t.banking = int(t.banking > 0 and self._banks)
        return t

    def _waits(self, key: Key) -> bool:
        job = self._state.jobs.get(key[0])
        element = job.element_of(key[1]) if job is not None else None
        return element is not None and element.standing is Standing.WAITING

    def _line(self, key: Key, wished_s: float | None, started_s: float | None) -> Line:
        job = self._state.jobs.get(key[0])
        user, processors = (job.user, job.request.processors) if job is not None else ("", 0)
        return Line(*key, user, processors, wished_s, started_s)


def _difference_s(line: Line, now: float) -> float:
    if line.started_s is None and line.wished_s is not None:
        return now - line.wished_s
    return line.apart_s


def _remember(t: Tables, before: Tables | None) -> None:
    """What the shadow knew at its last look, of jobs that still have their rows."""
    t.uneven = t.deferring = 1
    for name in _REMEMBERED:
        getattr(t, name)[...] = 0
    if before is None:
        t.global_f[...], t.global_i[...] = 0.0, 0
        return
    count = min(t.job_serial.size, before.job_serial.size)
    same = np.flatnonzero(
        (t.job_serial[:count] == before.job_serial[:count])
        & (t.job_index[:count] == before.job_index[:count])
        & (t.job_attempt[:count] == before.job_attempt[:count])
    )
    for name in _REMEMBERED:
        getattr(t, name)[same] = getattr(before, name)[same]
    t.global_f[...], t.global_i[...] = before.global_f, before.global_i


class Charges:
    """What credentials are charged by another configuration than the running one, from the first look on.

    Whatever changes who runs is followed by a pass, so between two looks the same jobs ran all the time.
    """

    def __init__(self, charging: int, interval_s: float) -> None:
        self.as_what = (charging, interval_s)
        self._before: Tables | None = None

    def charge(self, t: Tables, now: float) -> None:
        """Have the copy *t* say what was charged up to *now*, instead of what the running policy charges."""
        if self.as_what == (t.charging, t.charge_interval_s):
            return
        charge_as(t, *self.as_what, now)
        before = self._before
        self._before = t
        if before is None:
            return
        for credential in range(min(before.usage.shape[0], t.usage.shape[0])):
            settle(before, credential, now)
            t.usage[credential] = before.usage[credential]
            t.usage_settled_s[credential] = before.usage_settled_s[credential]

    def follow(self, live: Tables, now: float) -> None:
        """The pass is over: these jobs run from *now* on."""
        if self._before is None:
            return
        rows = live.running[: live.running_count]
        charging = self.as_what[0]
        if charging == DEDICATED_EQUIVALENTS:
            amounts = np.array([processor_equivalents(live, int(row)) for row in rows])
        else:
            amounts = live.job_width[rows] * (live.job_rate[rows] if charging == UTILIZED_PROCESSORS else 1.0)
        credentials = live.usage_rate.size
        if credentials > self._before.usage_rate.size:
            # Somebody who has never had a job before: there is nothing to be kept of him.
            fresh = live.copy()
            charge_as(fresh, 0, 1.0, now)
            self.charge(fresh, now)
        self._before.usage_rate[:] = np.bincount(
            live.job_credential[rows], amounts, minlength=self._before.usage_rate.size
        )
        # Who was never charged before is from now on.
        settled_s = self._before.usage_settled_s
        settled_s[settled_s == -NEVER] = now
