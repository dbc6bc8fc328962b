"""Nobody sees the future, and a replay may be cut anywhere; for every policy."""

from dataclasses import replace
from math import floor
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from tests.kit.policies import different_policies
from tests.kit.replays import finished, outcome, prepared
from tests.kit.workloads import Job, in_order, job_lists

PROCESSORS = 8
Change = tuple[float, int, float, float]
every_policy = pytest.mark.parametrize("policy", different_policies())


def decided_before(replay: Replay, until: float) -> tuple[list[tuple[int, float]], list[Change]]:
    """Starts and changes of rate before *until*, by job number."""
    schedule = replay.schedule()
    number = schedule.workload.number
    started = [
        (int(number[row]), float(schedule.start_s[row])) for row in np.flatnonzero(schedule.start_s < until)
    ]
    trace = schedule.trace
    changes = [
        (float(at), int(number[job]), float(rate), float(held))
        for at, job, rate, held in zip(trace.time_s, trace.job, trace.rate, trace.occupied, strict=True)
        if at < until
    ]
    return sorted(started), changes


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Job], list[Job], float]:
    """Two workloads that have nothing different before an instant: later arrivals are others."""
    jobs = draw(job_lists(PROCESSORS))
    until = float(draw(st.integers(1, 60)))
    known = [job for job in jobs if job.submit < until]
    later = draw(job_lists(PROCESSORS, most=8))
    fresh = [replace(job, submit=until + job.submit, number=100 + job.number) for job in later]
    return jobs, known + fresh, until


def done_by(schedule: Schedule, row: int, until: float) -> float:
    """Work that a job has done by *until*."""
    trace = schedule.trace
    mine = (trace.job == row) & (trace.time_s < until)
    points = [(float(schedule.start_s[row]), 1.0)]
    points += list(zip(trace.time_s[mine].tolist(), trace.rate[mine].tolist(), strict=True))
    stops = [at for at, _ in points[1:]] + [until]
    return sum(rate * (stop - at) for (at, rate), stop in zip(points, stops, strict=True))


@every_policy
@given(drawn=pairs(), random=st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_no_decision_depends_on_what_has_not_happened(
    policy: str, drawn: tuple[list[Job], list[Job], float], random: Random
) -> None:
    jobs, others, until = drawn
    one = finished(jobs, policy, PROCESSORS)
    schedule = one.schedule()
    row_of = {int(number): row for row, number in enumerate(schedule.workload.number)}
    redrawn = []
    for job in others:
        row = row_of.get(job.number)
        if row is None or schedule.refused_rows[row]:
            redrawn.append(job)
        elif schedule.start_s[row] >= until:
            redrawn.append(replace(job, run=random.randint(0, 12), estimate=job.estimated))
        elif schedule.end_s[row] >= until:
            least = floor(done_by(schedule, row, until) + 1e-9) + 1
            redrawn.append(replace(job, run=random.randint(least, least + 12), estimate=job.estimated))
        else:
            redrawn.append(job)
    other = finished(redrawn, policy, PROCESSORS)
    assert decided_before(one, until) == decided_before(other, until)


@every_policy
@given(jobs=job_lists(PROCESSORS), cuts=st.lists(st.integers(0, 80), max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_replay_cut_anywhere_gives_the_same_schedule(policy: str, jobs: list[Job], cuts: list[int]) -> None:
    whole = finished(jobs, policy, PROCESSORS)
    replay = prepared(jobs, policy, PROCESSORS)
    for cut in sorted(cuts):
        replay.run(until_s=cut / 2)
        before = replay
        replay = replay.copy()
        # The one left behind goes its own way and touches nothing of the copy.
        before.run()
    assert replay.run()
    assert outcome(replay.schedule()) == outcome(whole.schedule())


@every_policy
@given(jobs=job_lists(PROCESSORS), cut=st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_an_engine_starts_from_any_tables(policy: str, jobs: list[Job], cut: int) -> None:
    first = prepared(jobs, policy, PROCESSORS)
    first.run(until_s=float(cut))
    tables = first.tables.copy()
    second = Replay(first.workload, first.machine, first.policy, first.values, first.options, tables)
    second.agenda = first.agenda.copy()
    assert second.run()
    assert outcome(second.schedule()) == outcome(finished(jobs, policy, PROCESSORS).schedule())


RESERVING = ("conservative", "bgs", "mbgs")
"""What reservations have been looked at since room became free is in their memory alone."""


@pytest.mark.parametrize("policy", [name for name in different_policies() if name not in RESERVING])
@given(jobs=job_lists(PROCESSORS), cut=st.integers(0, 40))
@settings(max_examples=40, deadline=None)
def test_begin_rebuilds_all_that_a_policy_needs(policy: str, jobs: list[Job], cut: int) -> None:
    """A policy's memory may be lost between two passes: the next one goes on from the tables alone."""
    replay = prepared(jobs, policy, PROCESSORS)
    replay.run(until_s=float(cut))
    t = replay.tables
    for memory in (t.memory_f, t.memory_i, t.global_f, t.global_i, t.profile.time_s, t.profile.free):
        memory[...] = 0
    t.cycle.replan = 1
    assert replay.run()
    assert outcome(replay.schedule()) == outcome(finished(jobs, policy, PROCESSORS).schedule())


@given(jobs=job_lists(PROCESSORS, exact=True, shortest=1), cut=st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_conservative_goes_on_from_its_reservations(jobs: list[Job], cut: int) -> None:
    """The same where nobody ends early, so that no compression is due."""
    replay = prepared(jobs, "conservative", PROCESSORS)
    replay.run(until_s=float(cut))
    replay.tables.memory_f[:] = 0
    replay.tables.memory_i[:] = 0
    replay.tables.profile.free[:] = 0
    replay.tables.cycle.replan = 1
    assert replay.run()
    assert outcome(replay.schedule()) == outcome(finished(jobs, "conservative", PROCESSORS).schedule())


@every_policy
@pytest.mark.parametrize("rows", [1, 2, 4])
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=40, deadline=None)
def test_tables_that_grow_change_nothing(policy: str, rows: int, jobs: list[Job]) -> None:
    grown = finished(jobs, policy, PROCESSORS, rows=rows)
    assert outcome(grown.schedule()) == outcome(finished(jobs, policy, PROCESSORS, rows=1024).schedule())


def test_cutoffs_beyond_the_rows_of_small_tables() -> None:
    jobs = in_order([Job(k, 2 * k % 9, 1) for k in range(12)])
    cutoffs = {"cutoffs": (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)}
    wide = finished(jobs, "sita-e", 16, cutoffs, rows=64, interpreted=True)
    narrow = finished(jobs, "sita-e", 16, cutoffs, rows=1, interpreted=True)
    assert outcome(narrow.schedule()) == outcome(wide.schedule())
