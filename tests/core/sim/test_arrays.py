"""No more elements of an array are in the queue or run than its limit says, under any policy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.reports.unfinished import unfinished_by_rule
from molokini.sim.replay import Options, Replay, Ties
from tests.kit.policies import PROMPT
from tests.kit.replays import listed
from tests.kit.workloads import Job, with_arrays, workload_of

ARRAY = 7
"""Its number."""


def replay_of(
    jobs: Sequence[Job],
    arrays: Sequence[int],
    limits: Mapping[int, int],
    policy: str = "fcfs",
    **options: Any,
) -> Replay:
    loaded = load_policy(policy)
    values = {**loaded.declaration.values({}), **PROMPT.get(policy, {})}
    workload = with_arrays(workload_of(jobs), arrays, limits)
    return Replay(workload, Machine.counted(8), loaded, values, Options(interpreted=True, **options))


def starts(replay: Replay, *, ends: bool = True) -> list[float | None]:
    assert replay.run() == ends
    return listed(replay.schedule().start_s)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "slurm"])
@pytest.mark.parametrize("ties", [Ties.BATCH, Ties.EACH])
def test_two_of_five_elements_run_at_a_time(policy: str, ties: Ties) -> None:
    jobs = [Job(0, 10)] * 5 + [Job(1, 3)]
    found = starts(replay_of(jobs, [ARRAY] * 5 + [0], {ARRAY: 2}, policy, ties=ties))
    assert found == [0.0, 0.0, 10.0, 10.0, 20.0, 1.0]


def test_without_a_limit_all_run() -> None:
    assert starts(replay_of([Job(0, 10)] * 5, [ARRAY] * 5, {})) == [0.0] * 5


def test_a_limit_above_the_elements_holds_nothing() -> None:
    replay = replay_of([Job(0, 10)] * 5, [ARRAY] * 5, {ARRAY: 5})
    assert replay.plain
    assert starts(replay) == [0.0] * 5


def test_the_next_element_has_the_place_of_its_submission() -> None:
    # A job that came later does not overtake an element that was held back, but takes what it leaves free.
    jobs = [Job(0, 10, 4), Job(0, 10, 4), Job(2, 10, 8)]
    assert starts(replay_of(jobs, [ARRAY, ARRAY, 0], {ARRAY: 1})) == [0.0, 10.0, 20.0]


def test_elements_that_are_refused_leave_their_places() -> None:
    jobs = [Job(0, 10, 9), Job(0, 10, 9), Job(0, 10, 1), Job(0, 10, 1)]
    assert starts(replay_of(jobs, [ARRAY] * 4, {ARRAY: 1})) == [None, None, 0.0, 10.0]


def test_rows_grow_as_elements_come() -> None:
    jobs = [Job(0, 10)] * 40
    found = starts(replay_of(jobs, [ARRAY] * 40, {ARRAY: 4}, rows=1))
    assert found == [10.0 * (k // 4) for k in range(40)]


def test_a_replay_that_stops_tells_of_those_held_back() -> None:
    replay = replay_of([Job(0, 10)] * 5, [ARRAY] * 5, {ARRAY: 2})
    assert not replay.run(5.0)
    assert unfinished_by_rule(replay) == {"held": 3, "running": 2}


@st.composite
def stories(draw: st.DrawFn) -> tuple[list[Job], list[int], dict[int, int]]:
    """Jobs of which some are elements of two arrays with limits."""
    jobs = draw(
        st.lists(
            st.builds(Job, st.integers(0, 20), st.integers(0, 15), st.integers(1, 9)), min_size=1, max_size=14
        )
    )
    arrays = draw(st.lists(st.sampled_from([0, 5, 6]), min_size=len(jobs), max_size=len(jobs)))
    return jobs, arrays, {5: draw(st.integers(1, 3)), 6: draw(st.integers(1, 3))}


@settings(max_examples=200)
@given(stories(), st.sampled_from(["fcfs", "easy", "conservative", "slurm"]), st.sampled_from(list(Ties)))
def test_never_more_run_than_may_and_all_come(
    story: tuple[list[Job], list[int], dict[int, int]], policy: str, ties: Ties
) -> None:
    jobs, arrays, limits = story
    replay = replay_of(jobs, arrays, limits, policy, ties=ties)
    assert replay.run()
    done = replay.schedule()
    assert (np.isfinite(done.end_s) | done.refused_rows).all()
    for array, most in limits.items():
        mine = np.array([one == array for one in arrays]) & np.isfinite(done.start_s)
        for at_s in done.start_s[mine]:
            running = mine & (done.start_s <= at_s) & (done.end_s > at_s)
            assert running.sum() <= most
