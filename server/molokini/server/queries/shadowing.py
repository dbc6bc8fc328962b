"""A policy beside the live one with its hands tied: it decides on the live state and does nothing.

Maui's TEST mode. Before each pass of the running policy the shadow has one of its own over a copy of the
tables; what it would have started is held against what is started. What a policy remembers (reservations,
bypass counts, usage for fairshare) it keeps for itself, from when it began to look.
"""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.cycle.cycle import apply_decided
from molokini.cycle.entries import entries
from molokini.model.decisions import DECISION_RULES, NOTES, Decision
from molokini.model.errors import BadValue
from molokini.model.facts import Fact, JobStarted
from molokini.server.caller_errors import text_for_caller
from molokini.server.state.jobs import JobStatus
from molokini.server.state.state import State
from molokini.server.turn.running_policy import RunningPolicy
from molokini.tables.making import set_parameters
from molokini.tables.requests import processor_equivalents
from molokini.tables.tables import NEVER, Tables
from molokini.tables.usage import DEDICATED_EQUIVALENTS, UTILIZED_PROCESSORS, charge_as, settle

log = logging.getLogger("molokini.server.policy")

MOST_LINES = 1000
"""Jobs that a report names: those with the largest differences."""
MOST_REPORTS = 1000
"""Reports that are kept for a caller that is slow to take them."""
_REMEMBERED = [name for rule in DECISION_RULES.values() for name in rule.remembered]
"""What a policy keeps of a job from pass to pass beside its memory, by row."""

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
        self.running_policy = RunningPolicy(name, parameters)
        self.period_s = period_s
        self._charges = Charges(*self.running_policy.site.charged())
        self._banks = self.running_policy.site.bank() is not None
        self._before: Tables | None = None
        self._known = (0, 0)
        self._wished_s: dict[Key, float] = {}
        self._wishes: set[Key] = set()
        self._period = Period(now)
        self._state = state
        self._entries = entries()
        self.reports: deque[Period] = deque(maxlen=MOST_REPORTS)
        """Periods that are over and that the caller has not taken yet."""

    def look(self, now: float) -> None:
        """What the shadow would do now; called before the running policy's own pass."""
        self.close_until(now)
        self._period.looks += 1
        t = self._dressed(now)
        try:
            self.running_policy.decide_on(t, now)
            self._entries.check_decisions(t)
        except Exception as error:
            # It is only a trial: the live cluster goes on whatever becomes of it.
            self._failed(f"{type(error).__name__}: {text_for_caller(error)}")
            return
        if t.cycle.complaint:
            self._failed("it made a decision that no policy may make")
            return
        by_row = self._state.by_row
        rows = [
            int(t.cycle.decisions[k, 1])
            for k in range(t.cycle.decided)
            if t.cycle.decisions[k, 0] == Decision.START
        ]
        self._wishes = {(by_row[row].job.id, by_row[row].index) for row in rows}
        for key in self._wishes:
            self._wished_s.setdefault(key, now)
        for k in range(t.cycle.decided):
            if NOTES >> int(t.cycle.decisions[k, 0]) & 1:
                apply_decided(t, k, now)
        self._before = t

    def compare(self, facts: Sequence[Fact], now: float) -> None:
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
        vector = self.running_policy.vector(
            lambda _, name: numbers.setdefault(name, len(numbers)), state.machine, state.open_queues()
        )
        set_parameters(t, vector)
        t.site.tallies[:] = 0.0
        t.cycle.planning = int(self.running_policy.policy.begin is not None)
        t.cycle.replan = 1
        _remember(t, before)
        self._charges.charge(t, now)
        # It asks the accounts that there are, where it asks any.
        t.bank.on = int(t.bank.on > 0 and self._banks)
        return t

    def _waits(self, key: Key) -> bool:
        job = self._state.jobs.get(key[0])
        element = job.element_of(key[1]) if job is not None else None
        return element is not None and element.status is JobStatus.WAITING

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
    t.jobs.uneven = t.jobs.deferring = 1
    for array in _remembered(t):
        array[...] = 0
    if before is None:
        t.global_f[...], t.global_i[...] = 0.0, 0
        return
    count = min(t.jobs.serial.size, before.jobs.serial.size)
    same = np.flatnonzero(
        (t.jobs.serial[:count] == before.jobs.serial[:count])
        & (t.jobs.index[:count] == before.jobs.index[:count])
        & (t.jobs.attempt[:count] == before.jobs.attempt[:count])
    )
    for array, old in zip(_remembered(t), _remembered(before), strict=True):
        array[same] = old[same]
    t.global_f[...], t.global_i[...] = before.global_f, before.global_i


def _remembered(t: Tables) -> list[NDArray[Any]]:
    return [t.memory_f, t.memory_i, *(getattr(t.jobs, name) for name in _REMEMBERED)]


class Charges:
    """What credentials are charged by another configuration than the running one, from the first look on.

    A pass follows whatever changes which jobs run, so between two looks the same jobs ran all the time.
    """

    def __init__(self, charging: int, interval_s: float) -> None:
        self.as_what = (charging, interval_s)
        self._before: Tables | None = None

    def charge(self, t: Tables, now: float) -> None:
        """Have the copy *t* say what was charged up to *now*, instead of what the running policy charges."""
        if self.as_what == (t.usage.charging, t.usage.interval_s):
            return
        charge_as(t, *self.as_what, now)
        before = self._before
        self._before = t
        if before is None:
            return
        for credential in range(min(before.usage.windows.shape[0], t.usage.windows.shape[0])):
            settle(before, credential, now)
            t.usage.windows[credential] = before.usage.windows[credential]
            t.usage.settled_s[credential] = before.usage.settled_s[credential]

    def follow(self, live: Tables, now: float) -> None:
        """The pass is over: these jobs run from *now* on."""
        if self._before is None:
            return
        rows = live.queue.running[: live.queue.running_count]
        charging = self.as_what[0]
        if charging == DEDICATED_EQUIVALENTS:
            amounts = np.array([processor_equivalents(live, int(row)) for row in rows])
        else:
            amounts = live.jobs.width[rows] * (
                live.jobs.rate[rows] if charging == UTILIZED_PROCESSORS else 1.0
            )
        credentials = live.usage.rate.size
        if credentials > self._before.usage.rate.size:
            # A credential that has had no job before: there are no charges of it to keep.
            fresh = live.copy()
            charge_as(fresh, 0, 1.0, now)
            self.charge(fresh, now)
        self._before.usage.rate[:] = np.bincount(
            live.jobs.credential[rows], amounts, minlength=self._before.usage.rate.size
        )
        # A credential that was never charged before is from now on.
        settled_s = self._before.usage.settled_s
        settled_s[settled_s == -NEVER] = now
