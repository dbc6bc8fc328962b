"""A replay in steps, as Maui's own simulation has it: each event takes effect at the next step.

SERVERMODE SIMULATION advances the clock by RMPOLLINTERVAL: in each step jobs that are due complete, jobs
enter, and the scheduler runs once. So submits and ends lie on steps (``in_steps``), and jobs may enter as
others leave, and not at their own times (SIMJOBSUBMISSIONPOLICY; Maui Administrator's Guide, 16).
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from molokini.cycle.ports import Progress
from molokini.model.errors import BadValue
from molokini.sim.agenda import next_instant
from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from molokini.tables.tables import NEVER
from molokini.workloads.workload import Floats, Workload


class Entering(StrEnum):
    """When jobs enter the queue."""

    NORMAL = "normal"
    """At their recorded times; the first *depth* jobs when the last of these came."""
    JOBS = "constant-job-depth"
    """As many as are missing to *depth* waiting jobs."""
    PROCESSOR_SECONDS = "constant-ps-depth"
    """Until *depth* processor-seconds wait, by the jobs' limits."""


@dataclass(frozen=True)
class Stepping:
    """How a replay is stepped."""

    step_s: float
    entering: Entering = Entering.NORMAL
    depth: int = 0
    steps: int = 0
    """Stop after so many steps; 0: when no job is left that could run."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.step_s) and self.step_s > 0):
            raise BadValue("step", self.step_s, "a number of seconds above 0")
        if self.depth < 0 or self.steps < 0:
            raise BadValue("depth and steps", (self.depth, self.steps), "0 or more")
        if self.depth == 0 and self.entering is not Entering.NORMAL:
            raise BadValue("depth", 0, f"1 or more where jobs enter by {self.entering}")


def in_steps(workload: Workload, stepping: Stepping) -> Workload:
    """The same jobs with submits, run times and limits on whole steps, counted from the first step at 0.

    Under constant depths all jobs enter at 0 here: ``run_stepped`` says when they really do.
    """
    submit_s = workload.submit_s.copy()
    if stepping.entering is not Entering.NORMAL:
        submit_s[:] = 0.0
    elif 0 < stepping.depth <= len(workload):
        # The first *depth* jobs wait at the start, and the clock starts with the last of them.
        submit_s = np.maximum(submit_s - submit_s[stepping.depth - 1], 0.0)
    stepped = replace(
        workload,
        submit_s=_up(submit_s, stepping.step_s),
        run_s=_up(workload.run_s, stepping.step_s),
        estimate_s=_up(workload.estimate_s, stepping.step_s),
    )
    return stepped.take(np.lexsort((stepped.number, stepped.submit_s)))


def run_stepped(replay: Replay, stepping: Stepping, progress: Progress | None = None) -> Schedule:
    """Run *replay*, whose workload came from ``in_steps``, to its end or its last step."""
    last_s = (stepping.steps - 1) * stepping.step_s if stepping.steps else NEVER
    if stepping.entering is Entering.NORMAL:
        replay.run(last_s, progress)
        return replay.schedule()
    agenda = replay.agenda
    agenda.workload.submit_s[:] = NEVER
    now = 0.0
    _enter(replay, stepping, now)
    while now <= last_s:
        replay.run(now, progress)
        if agenda.workload.next < agenda.workload.count:
            _enter(replay, stepping, now + stepping.step_s)
        following = next_instant(agenda, replay.tables)
        if following == NEVER:
            break
        now = math.ceil(following / stepping.step_s - 1e-9) * stepping.step_s
    entered = np.where(agenda.workload.submit_s == NEVER, now, agenda.workload.submit_s)
    return replace(replay.schedule(), workload=replace(replay.workload, submit_s=entered))


def _enter(replay: Replay, stepping: Stepping, at_s: float) -> None:
    """Let as many jobs enter at *at_s* as are missing."""
    agenda, t = replay.agenda, replay.tables
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    by_jobs = stepping.entering is Entering.JOBS
    there = rows.size if by_jobs else float(t.jobs.width[rows] @ t.jobs.estimate_s[rows])
    job = agenda.workload.next
    while job < agenda.workload.count and there < stepping.depth:
        agenda.workload.submit_s[job] = at_s
        work = replay.workload.processors[job] * replay.workload.estimate_s[job]
        there += 1 if by_jobs else float(work)
        job += 1


def _up(times_s: Floats, step_s: float) -> Floats:
    """The first steps at or after these times."""
    return np.ceil(times_s / step_s - 1e-9) * step_s
