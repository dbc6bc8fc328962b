"""What every policy keeps, whatever it decides: sound schedules, no look into the future, and any cut."""

from dataclasses import replace
from math import floor
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from tests.kit.invariants import assert_sound
from tests.kit.policies import ALONE, IN_ROWS, different_policies
from tests.kit.replays import ends, finished, outcome, prepared, starts
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


@pytest.mark.quick(one_in=17)
@every_policy
@given(drawn=pairs(), random=st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_nobody_sees_the_future(
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


@pytest.mark.quick(one_in=11)
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


@pytest.mark.quick(one_in=4)
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


RESERVING = ("conservative", "bgs", "mbgs", "adaptive")
"""What reservations have been looked at since room became free, and what was chosen, is in memory alone."""


@pytest.mark.quick(one_in=5)
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


@pytest.mark.quick(one_in=7)
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


@pytest.mark.quick(one_in=29)
@every_policy
@pytest.mark.parametrize("options", [{}, {"overrun": "extend"}, {"ties": "each"}], ids=str)
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=100, deadline=None)
def test_no_overuse_no_early_start_no_loss(policy: str, options: dict[str, Any], jobs: list[Job]) -> None:
    """Also where jobs run past their estimates, and with one pass an event."""
    assert_sound(finished(jobs, policy, PROCESSORS, **options), jobs, kill="overrun" not in options)


@pytest.mark.quick(one_in=5)
@every_policy
@given(jobs=job_lists(PROCESSORS, most=12))
@settings(max_examples=20, deadline=None)
def test_interpreted_and_compiled_runs_are_equal(policy: str, jobs: list[Job]) -> None:
    compiled = finished(jobs, policy, PROCESSORS)
    interpreted = finished(jobs, policy, PROCESSORS, interpreted=True)
    assert outcome(compiled.schedule()) == outcome(interpreted.schedule())


@pytest.mark.quick(one_in=7)
@every_policy
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=60, deadline=None)
def test_asking_for_reasons_changes_no_decision(policy: str, jobs: list[Job]) -> None:
    asked = prepared(jobs, policy, PROCESSORS)
    asked.tables.cycle.explain = 1
    assert asked.run()
    assert outcome(asked.schedule()) == outcome(finished(jobs, policy, PROCESSORS).schedule())


@pytest.mark.parametrize(
    "policy", [name for name in different_policies() if name not in ("ps", "migrate-by-age")]
)
@pytest.mark.parametrize("interpreted", [False, True])
def test_whoever_waits_has_a_reason(policy: str, interpreted: bool) -> None:
    # Wide and long jobs of both partitions of sita-e; under ps and migrate-by-age nobody waits.
    jobs = [Job(0, 50 + 5000 * (k % 2), 4) for k in range(10)]
    values = ALONE[policy] if policy in IN_ROWS else None
    replay = prepared(jobs, policy, PROCESSORS, values, interpreted=interpreted)
    replay.tables.cycle.explain = 1
    replay.run(until_s=0.0)
    t = replay.tables
    waiting = t.queue.waiting[t.queue.head : t.queue.tail]
    assert len(waiting) == 8
    assert (t.reasons.rule[waiting] > 0).all()
    assert (t.reasons.value[waiting] > 0).all()


@pytest.mark.parametrize("policy", ["easy", "fcfs"])
def test_without_being_asked_nobody_writes_reasons(policy: str) -> None:
    replay = finished([Job(0, 5, 8)] * 5, policy, PROCESSORS)
    assert not replay.tables.reasons.rule.any()


@every_policy
def test_a_job_wider_than_the_machine_is_refused_with_a_reason(policy: str) -> None:
    schedule = finished([Job(0, 5, 3), Job(1, 5, 9), Job(2, 5, 3)], policy, PROCESSORS).schedule()
    assert schedule.refused == {"wider_than_machine": 1}
    assert schedule.refused_rows.tolist() == [False, True, False]


@every_policy
def test_an_empty_workload_is_finished_at_once(policy: str) -> None:
    assert starts(finished([], policy, PROCESSORS)) == []


@every_policy
def test_a_job_alone_runs_at_once_and_ends_at_its_estimate(policy: str) -> None:
    replay = finished([Job(3, 20, 4, estimate=15)], policy, PROCESSORS)
    assert (starts(replay), ends(replay)) == ([3.0], [18.0])
    replay = finished([Job(3, 20, 4, estimate=15)], policy, PROCESSORS, overrun="extend")
    assert (starts(replay), ends(replay)) == ([3.0], [23.0])


@every_policy
def test_the_same_replay_twice_gives_the_same_bytes(policy: str) -> None:
    jobs = [Job(k % 7, 1 + k * 5 % 11, 1 + k % 8, 12) for k in range(60)]
    assert outcome(finished(jobs, policy).schedule()) == outcome(finished(jobs, policy).schedule())
