"""The present state, simulated ahead under the running policy until one job starts.

It works on a copy, in which every running job ends at its estimate. Of a long queue the copy holds some jobs,
drawn at even distances, and each of them stands for as many like it as are behind it up to the next one. The
policy says which of the drawn jobs start before the job in question. The jobs that these stand for take the
time that their work takes at the rate at which the machine has worked until then. So neither memory nor time
grows with the queue, whatever the order of the policy is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from molokini.compiled.structs import Floats, Ints
from molokini.model.choices import STANDING, StandingChoice
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy
from molokini.sim.agenda import add_end
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.tables.excerpts import excerpt
from molokini.tables.tables import NEVER, Tables
from molokini.workloads.workload import Workload

_STEP_INSTANTS = 100
"""Between two looks at whether to go on."""
_THINNER = 4


@dataclass(frozen=True)
class Ahead:
    """From where it is looked ahead, for which job, and by which policy."""

    tables: Tables
    place: int
    """The job's place among the planned ones; it is its row, too."""
    stands_for: Ints
    """How many of the waiting jobs each planned one stands for, itself included."""
    promised_s: float
    """The start that the running policy has promised the job; NEVER: none."""
    now: float
    policy: LoadedPolicy
    values: Mapping[str, Value]
    choice: StandingChoice | None = None
    """What the policy, where it chooses among others, has chosen."""

    @property
    def planned(self) -> int:
        """How many waiting jobs are planned one by one."""
        return self.stands_for.size

    @property
    def waiting(self) -> int:
        """How many jobs wait in all."""
        return int(self.stands_for.sum())

    def thinner(self) -> "Ahead":
        """The same with about a quarter of the planned jobs."""
        drawn = np.union1d(np.arange(0, self.planned, _THINNER), [self.place])
        return replace(
            self,
            tables=excerpt(self.tables, drawn, spare=drawn.size),
            place=int(np.searchsorted(drawn, self.place)),
            stands_for=np.add.reduceat(self.stands_for, drawn),
        )


def look_ahead(
    t: Tables, row: int, now: float, policy: LoadedPolicy, values: Mapping[str, Value], most: int
) -> Ahead:
    """A copy of the present state with *most* waiting jobs or one more; the job of *row* is one of them."""
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    own = int(np.flatnonzero(rows == row)[0])
    drawn = np.arange(rows.size)
    if rows.size > most:
        drawn = np.union1d(np.linspace(0, rows.size - 1, most).astype(np.int64), [own])
    tables = excerpt(t, rows[drawn], spare=drawn.size)
    place, stands_for = int(np.searchsorted(drawn, own)), np.diff(drawn, append=rows.size)
    promised_s, choice = float(t.jobs.reserved_s[row]), t.noted.get(STANDING)
    return Ahead(tables, place, stands_for, promised_s, now, policy, dict(values), choice)


def start_of(ahead: Ahead, share: float, crowd: bool, ask: Callable[[], None]) -> float:
    """When the job starts if jobs use *share* of what their estimates leave; NEVER: it cannot start.

    With *crowd* the jobs that wait arrive once more, just behind. *ask* is called now and then; whatever it
    raises ends the simulation.
    """
    t, now = ahead.tables.copy(), ahead.now
    if ahead.choice is not None:
        t.noted[STANDING] = ahead.choice
    in_all = ahead.planned + t.queue.running_count + t.queue.suspended_count
    rows = np.arange(in_all)
    present = _workload(t, in_all, ahead.planned if crowd else 0, now)
    machine = Machine.counted(max(1, t.machine.processors_in_all))
    options = Options(step_instants=_STEP_INSTANTS)
    replay = Replay(present, machine, ahead.policy, ahead.values, options, tables=t)
    agenda = replay.agenda
    agenda.now, agenda.workload.next = now, in_all
    agenda.workload.run_s[:in_all] = np.maximum(t.jobs.estimate_s[rows] * share, 0.0)
    t.jobs.serial[rows] = rows
    for row in rows[ahead.planned :].tolist():
        if t.jobs.expected_end_s[row] < NEVER:
            left_s = max(0.0, float(t.jobs.expected_end_s[row]) - now) * share
            add_end(agenda, t, row, now + left_s)
    t.cycle.replan = 1
    t.cycle.wake_s = np.nextafter(now, np.inf)

    # In strides, so that a start near at hand does not wait for the end of a long queue.
    horizon_s = now + 3600.0
    while True:
        done = replay.run(until_s=horizon_s, progress=lambda *_: ask())
        found = replay.schedule()
        start_s = float(found.start_s[ahead.place])
        if not np.isnan(start_s):
            start_s += share * _work_between(ahead, found.start_s, crowd) / _rate(found, now, start_s)
            # Promises were made with a view of the whole queue.
            return min(start_s, max(ahead.promised_s, now))
        if done:
            return NEVER
        horizon_s = now + 4 * (horizon_s - now)


def _work_between(ahead: Ahead, starts_s: Floats, crowd: bool) -> float:
    """The work of the jobs that those stand for that start before the job in question."""
    planned, start_s, t = ahead.planned, starts_s[ahead.place], ahead.tables
    # Jobs like the drawn one, not those that were behind it: a policy that goes by size puts them elsewhere.
    alike = (ahead.stands_for - 1) * t.jobs.width[:planned] * (t.jobs.estimate_s - t.jobs.work_s)[:planned]
    drawn = starts_s[:planned]
    # What starts at the same instant is before it where it is before it in the queue.
    before = (drawn < start_s) | ((drawn == start_s) & (np.arange(planned) < ahead.place))
    work = float(alike[before].sum())
    return work + float(alike[starts_s[-planned:] < start_s].sum()) if crowd else work


def _rate(found: Schedule, now: float, start_s: float) -> float:
    """Processor-seconds of work that are done a second until *start_s*; by all processors if that is now."""
    if start_s <= now + 1.0:
        return float(found.processors)
    begun_s = np.clip(found.start_s, now, start_s)
    ended_s = np.minimum(np.nan_to_num(found.end_s, nan=np.inf), start_s)
    busy = np.where(np.isnan(begun_s), 0.0, ended_s - begun_s) @ found.workload.processors
    return max(1.0, float(busy) / (start_s - now))


def _workload(t: Tables, in_all: int, repeated: int, now: float) -> Workload:
    """The jobs of the first *in_all* rows, all of which have arrived; and the first *repeated* once more."""
    both = np.concatenate([np.arange(in_all), np.arange(repeated)])
    unset = np.zeros(len(both), dtype=np.int64)
    return Workload(
        name="forecast",
        number=np.arange(1, len(both) + 1) + int(t.jobs.number.max(initial=0)),
        submit_s=np.full(len(both), now),
        run_s=t.jobs.estimate_s[both].copy(),
        estimate_s=t.jobs.estimate_s[both].copy(),
        processors=t.jobs.width[both].copy(),
        user=unset,
        group=unset,
        queue=unset,
        records=np.zeros((len(both), 18)),
    )
