"""A look ahead finds what a replay from the same state finds, and leaves that state as it was."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.choosing.candidates import candidates_of
from molokini.choosing.looking import prospects
from molokini.sim.happenings import arrive
from tests.kit.replays import finished, prepared
from tests.kit.workloads import Job, job_lists

AMONG = "fcfs,easy,easy:order=shortest,conservative,sjf"


def mean_wait_of(jobs: list[Job], policy: str, waiting: list[int], values: dict[str, object]) -> float:
    schedule = finished(jobs, policy, 8, values).schedule()  # type: ignore[arg-type]
    rows = np.flatnonzero(np.isin(schedule.workload.number, waiting))
    return float((schedule.start_s - schedule.workload.submit_s)[rows].mean())


@given(jobs=job_lists(8, exact=True, shortest=1))
@settings(max_examples=40, deadline=None)
def test_it_foresees_what_happens_where_estimates_are_exact(jobs: list[Job]) -> None:
    """All jobs come at once, so that the look ahead at that instant knows all that there is to know."""
    fitting = [job for job in jobs if job.width <= 8]
    together = [Job(0.0, max(1, job.run), job.width, number=k + 1) for k, job in enumerate(fitting)]
    replay = prepared(together, "fcfs", 8)
    t = replay.tables
    # Of the engine's first instant only the arrivals, and no pass.
    for job in range(len(together)):
        arrive(replay.agenda, t, job)
    waiting = t.queue.waiting[t.queue.head : t.queue.tail].copy()
    if waiting.size == 0:
        return
    numbers = t.jobs.number[waiting].tolist()
    among = candidates_of(AMONG)
    found = prospects(t, 0.0, among, "mean-wait")
    for candidate, cost in zip(among, found.costs, strict=True):
        name = candidate.policy.name
        expected = mean_wait_of(together, name, numbers, dict(candidate.values))
        assert cost == pytest.approx(expected)


@given(jobs=job_lists(8), cut=st.integers(0, 40))
@settings(max_examples=40, deadline=None)
def test_the_present_state_stays_as_it_is(jobs: list[Job], cut: int) -> None:
    replay = prepared(jobs, "easy", 8)
    replay.run(until_s=float(cut))
    t = replay.tables
    if t.queue.tail == t.queue.head:
        return
    before = t.copy()
    first = prospects(t, float(cut), candidates_of(AMONG), "mean-bounded-slowdown")
    again = prospects(t, float(cut), candidates_of(AMONG), "mean-bounded-slowdown")
    assert first == again
    assert np.array_equal(t.jobs.record, before.jobs.record)
    assert np.array_equal(t.queue.waiting, before.queue.waiting)
    assert np.array_equal(t.parameters, before.parameters)
