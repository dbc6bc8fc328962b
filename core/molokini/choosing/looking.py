"""The present state, run on under a policy until the waiting jobs have started.

Every running job ends at its estimate, every waiting one takes its estimate, and none arrives: nothing is
used that a policy may not know. Where jobs may take turns in rows, they are run on until all have ended, as a
start says little there; and a policy of the other family begins once no job runs.
"""

from dataclasses import dataclass

import numpy as np

from molokini.choosing.candidates import Candidate, Family
from molokini.choosing.objectives import OBJECTIVES
from molokini.choosing.plans import cost_of_plan
from molokini.choosing.worlds import World, world_for
from molokini.compiled.compilation import interpreted
from molokini.compiled.structs import Floats, Ints
from molokini.cycle.calling import compiled_function, nothing
from molokini.cycle.ports import PolicyFunction
from molokini.matrix.draining import drain_rows
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


def prospects(
    view: View, now: float, among: tuple[Candidate, ...], objective: str, present: Candidate | None = None
) -> Prospects:
    """What each of *among* would make of the present state. To be called before the pass has decided.

    *present*: the one that decides now, if any.
    """
    waiting = view.queue.waiting[view.queue.head : view.queue.tail][:MOST_WAITING].copy()
    judge = OBJECTIVES[objective]
    if among[0].family is Family.LOADS:
        costs = [cost_of_plan(view, waiting, now, one, judge, called) for one in among]
        return Prospects(tuple(costs), int(waiting.size))
    to_the_end = any(one.family is Family.ROWS for one in among)
    rows = waiting
    if to_the_end:
        # Those that run have to share with others, or not.
        running = view.queue.running[: view.queue.running_count]
        rows = np.concatenate([waiting, running])
    submit_s, width = view.jobs.submit_s[rows], view.jobs.width[rows].astype(np.float64)
    length_s = view.jobs.estimate_s[rows]
    if not to_the_end:
        length_s = np.maximum(length_s - view.jobs.work_s[rows], 0.0)
    costs = []
    with world_for(view, waiting) as world:
        prepared = _Prepared(world, now, present)
        for candidate in among:
            if to_the_end:
                starts_s = prepared.ends_under(candidate, rows.size) - length_s
            else:
                starts_s = prepared.starts_under(candidate)
            known = starts_s < NEVER
            costs.append(judge(starts_s - submit_s, length_s, width) if known.all() else NEVER)
    return Prospects(tuple(costs), int(waiting.size))


def called(function: PolicyFunction, view: View, now: float) -> None:
    """Call a policy's function, compiled where the caller is."""
    if interpreted() or view.noted.get("interpreted"):
        function(view, now)
    else:
        compiled_function(function)(view, now)


def _ends_in_order(t: Tables, now: float) -> tuple[Floats, Ints]:
    """When running jobs end by their estimates, and their rows: sorted, which makes a heap."""
    rows = t.queue.running[: t.queue.running_count].copy()
    at_s = np.maximum(t.jobs.expected_end_s[rows], now)
    order = np.lexsort((t.jobs.index[rows], t.jobs.number[rows], at_s))
    known = order[at_s[order] < NEVER]
    return at_s[known], rows[known]


class _Prepared:
    """A world with the present state in it, in which policies are tried one after the other."""

    def __init__(self, world: World, now: float, present: Candidate | None) -> None:
        self._world, self._now, self._present = world, now, present
        t = world.master
        self._waiting = t.queue.tail - t.queue.head
        # A run past its estimate cannot be foreseen.
        t.machine.overrun = 0
        rows = self._waiting + t.queue.running_count + t.queue.suspended_count
        t.jobs.serial[:rows] = np.arange(rows)
        self._estimates_s = t.jobs.estimate_s[:rows].copy()
        self._ends_s, self._ends_rows = _ends_in_order(t, now)

    def starts_under(self, candidate: Candidate) -> Floats:
        """When each waiting job would start; NEVER: it would not."""
        if not self._run_on(candidate):
            return np.full(self._waiting, NEVER)
        return self._world.agenda.results.started_s[: self._waiting].copy()

    def ends_under(self, candidate: Candidate, rows: int) -> Floats:
        """When each of the first *rows* would end, those that wait before those that run."""
        if not self._run_on(candidate):
            return np.full(rows, NEVER)
        return self._world.agenda.results.ended_s[:rows].copy()

    def _run_on(self, candidate: Candidate) -> bool:
        """Whether the present state could be run on under *candidate*, which has been done then."""
        world, present = self._world, self._present
        world.renew()
        agenda, t = world.agenda, world.tables
        count = self._ends_s.size
        agenda.workload.run_s[: self._estimates_s.size] = self._estimates_s
        agenda.ends.count = count
        agenda.ends.at_s[:count], agenda.ends.row[:count] = self._ends_s, self._ends_rows
        agenda.now, agenda.until_s, agenda.ties, agenda.phase = self._now, NEVER, BATCH, ARRIVING
        agenda.abort = agenda.acted = 0
        if present is not None and present.family is not candidate.family and t.queue.running_count:
            t.cycle.planning, t.cycle.replan = 0, 1
            of_rows = present.family is Family.ROWS
            if not self._run(present.policy.begin if of_rows else None, drain_rows if of_rows else nothing):
                return False
            agenda.phase = ARRIVING
            t.global_f[...] = t.global_i[...] = 0
        t.cycle.planning = int(candidate.policy.begin is not None)
        t.cycle.replan = 1
        with t.lent("parameters", candidate.vector):
            return self._run(candidate.policy.begin, candidate.policy.schedule)

    def _run(self, begin: PolicyFunction | None, schedule: PolicyFunction) -> bool:
        agenda, t = self._world.agenda, self._world.tables
        plain = not interpreted() and is_plain(agenda, t)
        engine = run if interpreted() else compiled_engine(plain)
        functions = compiled_function(begin or nothing, plain), compiled_function(schedule, plain)
        while True:
            agenda.budget = _STEP
            status = engine(agenda, t, *functions)
            if status == MORE_TRACE:
                more_trace(agenda, t)
            elif status == ABORTED:
                return False
            elif status in (FINISHED, STOPPED, PAUSED):
                return True
