"""The present state, run on under a policy until the waiting jobs have started.

Every running job ends at its estimate, every waiting one takes its estimate, and none arrives: nothing is
used that a policy may not know.
"""

from dataclasses import dataclass

import numpy as np

from molokini.choosing.candidates import Candidate
from molokini.choosing.objectives import OBJECTIVES
from molokini.choosing.worlds import World, world_for
from molokini.compiled.compilation import interpreted
from molokini.compiled.structs import Floats, Ints
from molokini.cycle.calling import compiled_function, nothing
from molokini.sim.agenda import BATCH
from molokini.sim.compiled import compiled_engine, is_plain
from molokini.sim.engine import ABORTED, ARRIVING, FINISHED, MORE_TRACE, PAUSED, STOPPED, run
from molokini.sim.prepare import more_trace
from molokini.tables.tables import NEVER, Tables, View

MOST_WAITING = 1000
"""So many jobs from the head of the queue on are looked at."""
_STEP = 1 << 40


@dataclass(frozen=True)
class Prospects:
    """What is to come under each of several policies."""

    costs: tuple[float, ...]
    """By the objective, one number a policy; infinite where some job would never start."""
    jobs: int
    """Waiting jobs that were looked at."""


def prospects(view: View, now: float, among: tuple[Candidate, ...], objective: str) -> Prospects:
    """What each of *among* would make of the present state. To be called before the pass has decided."""
    waiting = view.queue.waiting[view.queue.head : view.queue.tail][:MOST_WAITING].copy()
    judge = OBJECTIVES[objective]
    submit_s = view.jobs.submit_s[waiting]
    length_s = np.maximum(view.jobs.estimate_s[waiting] - view.jobs.work_s[waiting], 0.0)
    width = view.jobs.width[waiting].astype(np.float64)
    costs = []
    with world_for(view, waiting) as world:
        prepared = _Prepared(world, now)
        for candidate in among:
            starts_s = prepared.starts_under(candidate)
            known = starts_s < NEVER
            costs.append(judge(starts_s - submit_s, length_s, width) if known.all() else NEVER)
    return Prospects(tuple(costs), int(waiting.size))


def _ends_in_order(t: Tables, now: float) -> tuple[Floats, Ints]:
    """When running jobs end by their estimates, and their rows: sorted, which makes a heap."""
    rows = t.queue.running[: t.queue.running_count].copy()
    at_s = np.maximum(t.jobs.expected_end_s[rows], now)
    order = np.lexsort((t.jobs.index[rows], t.jobs.number[rows], at_s))
    known = order[at_s[order] < NEVER]
    return at_s[known], rows[known]


class _Prepared:
    """A world with the present state in it, in which policies are tried one after the other."""

    def __init__(self, world: World, now: float) -> None:
        self._world, self._now = world, now
        t = world.master
        self._waiting = t.queue.tail - t.queue.head
        # Running past its estimate is what nobody can foresee.
        t.machine.overrun = 0
        rows = self._waiting + t.queue.running_count + t.queue.suspended_count
        t.jobs.serial[:rows] = np.arange(rows)
        self._estimates_s = t.jobs.estimate_s[:rows].copy()
        self._ends_s, self._ends_rows = _ends_in_order(t, now)

    def starts_under(self, candidate: Candidate) -> Floats:
        """When each waiting job would start; NEVER: it would not."""
        world = self._world
        world.renew()
        agenda, t = world.agenda, world.tables
        count = self._ends_s.size
        agenda.workload.run_s[: self._estimates_s.size] = self._estimates_s
        agenda.ends.count = count
        agenda.ends.at_s[:count], agenda.ends.row[:count] = self._ends_s, self._ends_rows
        agenda.now, agenda.until_s, agenda.ties, agenda.phase = self._now, NEVER, BATCH, ARRIVING
        agenda.abort = agenda.acted = 0
        t.cycle.planning = int(candidate.policy.begin is not None)
        t.cycle.replan = 1
        with t.lent("parameters", candidate.vector):
            return self._run(candidate)

    def _run(self, candidate: Candidate) -> Floats:
        agenda, t = self._world.agenda, self._world.tables
        begin, schedule = candidate.policy.begin or nothing, candidate.policy.schedule
        plain = not interpreted() and is_plain(agenda, t)
        engine = run if interpreted() else compiled_engine(plain)
        functions = compiled_function(begin, plain), compiled_function(schedule, plain)
        while True:
            agenda.budget = _STEP
            status = engine(agenda, t, *functions)
            if status == MORE_TRACE:
                more_trace(agenda, t)
            elif status == ABORTED:
                return np.full(self._waiting, NEVER)
            elif status in (FINISHED, STOPPED, PAUSED):
                return agenda.results.started_s[: self._waiting].copy()
