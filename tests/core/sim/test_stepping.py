"""Replays in steps: what is seen when, and who enters when."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.sim.stepping import Entering, Stepping, in_steps, run_stepped
from tests.kit.workloads import Job, workload_of

JOBS = [Job(0, 10, 2), Job(5, 95, 2), Job(61, 30, 2), Job(70, 1, 2), Job(200, 60, 2)]


def stepped(jobs: list[Job], stepping: Stepping, policy: str = "fcfs") -> Schedule:
    workload = in_steps(workload_of(jobs), stepping)
    replay = Replay(
        workload, Machine.counted(2), load_policy(policy), None, Options(interpreted=True, rows=64)
    )
    return run_stepped(replay, stepping)


def test_what_happens_is_seen_at_the_next_step() -> None:
    found = stepped(JOBS, Stepping(60.0))
    assert found.workload.submit_s.tolist() == [0, 60, 120, 120, 240]
    # 10 s are seen to be over after 60, 95 s after 120, and so on.
    assert found.start_s.tolist() == [0, 60, 180, 240, 300]
    assert found.end_s.tolist() == [60, 180, 240, 300, 360]


def test_the_first_jobs_are_there_when_the_clock_starts() -> None:
    found = stepped(JOBS, Stepping(60.0, depth=3))
    # The clock starts with the third job, at 61 s.
    assert found.workload.submit_s.tolist() == [0, 0, 0, 60, 180]
    assert stepped(JOBS, Stepping(60.0, depth=5)).workload.submit_s.tolist() == [0] * 5
    # There are no six, so the clock starts with the first.
    assert stepped(JOBS, Stepping(60.0, depth=6)).workload.submit_s.tolist() == [0, 60, 120, 120, 240]


def test_jobs_enter_as_others_leave() -> None:
    found = stepped(JOBS, Stepping(60.0, Entering.JOBS, 1))
    # One waits at every step: each enters a step after the one before has started.
    assert found.start_s.tolist() == [0, 60, 180, 240, 300]
    assert found.workload.submit_s.tolist() == [0, 60, 120, 240, 300]


def test_jobs_enter_by_the_work_that_waits() -> None:
    # Limits are 60, 120, 60, 60, 60 s on two processors.
    found = stepped(JOBS, Stepping(60.0, Entering.PROCESSOR_SECONDS, 300))
    # 120 + 240 at first; 240 at 60, so one more; 120 behind the second job, so two more.
    assert found.workload.submit_s.tolist() == [0, 0, 60, 120, 120]
    assert found.start_s.tolist() == [0, 60, 180, 240, 300]
    assert np.all(np.isfinite(found.end_s))


def test_the_last_step_is_told() -> None:
    found = stepped(JOBS, Stepping(60.0, steps=3))
    assert found.start_s[:2].tolist() == [0, 60]
    assert np.isnan(found.start_s[2:]).all()
    one = stepped(JOBS, Stepping(60.0, Entering.JOBS, 1, steps=1))
    assert np.isfinite(one.start_s).tolist() == [True, False, False, False, False]


@given(
    st.lists(
        st.builds(Job, st.integers(0, 500), st.integers(1, 200), st.integers(1, 4)), min_size=1, max_size=15
    ),
    st.integers(1, 5),
    st.sampled_from([1.0, 7.0, 60.0]),
)
def test_there_are_as_many_as_were_asked_for(jobs: list[Job], depth: int, step_s: float) -> None:
    ordered = sorted(jobs, key=lambda job: job.submit)
    workload = in_steps(workload_of(ordered), Stepping(step_s, Entering.JOBS, depth))
    options = Options(interpreted=True, rows=64)
    replay = Replay(workload, Machine.counted(4), load_policy("fcfs"), None, options)
    found = run_stepped(replay, Stepping(step_s, Entering.JOBS, depth))
    entered, started = found.workload.submit_s, found.start_s
    assert np.all(np.isfinite(found.end_s))
    for times in (entered, started, found.end_s):
        assert times / step_s == pytest.approx(np.rint(times / step_s))
    tick = np.rint(np.array([entered, started]) / step_s)
    for now in np.unique(tick):
        waiting = np.sum((tick[0] <= now) & (tick[1] > now))
        entering, left = np.sum(tick[0] == now + 1), np.sum(tick[0] > now)
        assert waiting <= depth
        # Whoever is missing after a step enters with the next, as long as there are any left.
        assert waiting + entering == depth or entering == left


@pytest.mark.parametrize(
    "bad",
    [
        {"step_s": 0.0},
        {"step_s": float("nan")},
        {"step_s": 1.0, "depth": -1},
        {"step_s": 1.0, "entering": Entering.JOBS},
    ],
)
def test_steps_that_are_none(bad: dict[str, float]) -> None:
    with pytest.raises(BadValue):
        Stepping(**bad)  # type: ignore[arg-type]


def test_a_workload_on_steps_stays_as_it_is() -> None:
    jobs = workload_of([Job(0, 60, 1), Job(60, 120, 1)])
    same = in_steps(jobs, Stepping(60.0))
    assert same.submit_s.tolist() == jobs.submit_s.tolist()
    assert replace(same, estimate_s=jobs.estimate_s).run_s.tolist() == jobs.run_s.tolist()


def test_what_lies_on_a_step_of_a_fraction_of_a_second_stays_there() -> None:
    """Three steps of 0.1 s are a little more than 0.3 s, and over 0.1 s a little more than 3."""
    late_s = 3 * 0.1
    assert late_s / 0.1 > 3
    same = in_steps(workload_of([Job(0, late_s, 1), Job(late_s, 0.1, 1)]), Stepping(0.1))
    assert same.submit_s.tolist() == pytest.approx([0, 0.3])
    assert same.run_s.tolist() == pytest.approx([0.3, 0.1])
    found = stepped([Job(0, 0.1, 2)] * 6, Stepping(0.1, Entering.JOBS, 1))
    assert found.start_s.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert found.end_s.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
