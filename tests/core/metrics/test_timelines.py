from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.metrics.timelines import (
    Steps,
    busy_processors,
    integral,
    product,
    queue_length,
    resample,
    span,
    value_at,
    waiting_processors,
)
from molokini.sim.schedule import Places, Schedule
from tests.kit.schedules import NAN, Ran, schedule, schedules, trace


def listed(steps: Steps) -> list[tuple[float, float]]:
    return list(zip(steps.times.tolist(), steps.values.tolist(), strict=True))


def test_an_end_and_a_start_at_one_instant_do_not_overlap() -> None:
    story = schedule(Ran(0, 0, 10, processors=4), Ran(0, 10, 5, processors=3))
    assert listed(busy_processors(story)) == [(0, 4), (10, 3), (15, 0)]


def test_who_starts_on_arrival_never_waits() -> None:
    story = schedule(Ran(0, 0, 10, processors=4), Ran(3, 10, 5), Ran(4, 10, 5, processors=2))
    assert listed(queue_length(story)) == [(0, 0), (3, 1), (4, 2), (10, 0)]
    assert listed(waiting_processors(story)) == [(0, 0), (3, 1), (4, 3), (10, 0)]


def test_refused_jobs_never_wait_and_unstarted_ones_wait_on() -> None:
    story = schedule(Ran(0, 0, 10), Ran(1, None, 5, refused=True), Ran(2, None, 5))
    assert listed(queue_length(story)) == [(0, 0), (2, 1)]


def test_a_job_that_runs_on_holds_its_processors() -> None:
    assert listed(busy_processors(schedule(Ran(0, 5, 10, processors=3, end=NAN)))) == [(5, 3)]


def test_a_job_whose_nodes_give_it_more_holds_more() -> None:
    """Two tasks, each with both threads of a core of its own; the last job has not started."""
    story = schedule(Ran(0, 0, 10, processors=2), Ran(2, 10, 5), Ran(3, None, 5))
    first, count, node, processors = map(np.array, ([0, 2, 0], [2, 1, 0], [0, 1, 0], [2, 2, 1]))
    story = replace(story, places=Places(first, count, node, processors, nodes=2))
    assert listed(busy_processors(story)) == [(0, 4), (10, 1), (15, 0)]


def test_a_suspended_job_holds_nothing() -> None:
    story = schedule(
        Ran(0, 0, 10, processors=4, end=15),
        Ran(2, 2, 5, processors=3),
        changes=trace((2, 0, 0, 0), (7, 0, 1, 4)),
    )
    assert listed(busy_processors(story)) == [(0, 4), (2, 3), (7, 4), (15, 0)]


def test_shared_processors_count_by_their_share_and_end_at_zero() -> None:
    thirds = [(0.0, row, 1 / 3, 4 / 3) for row in range(3)]
    story = schedule(*[Ran(0, 0, 10, processors=4, end=30) for _ in range(3)], changes=trace(*thirds))
    assert listed(busy_processors(story)) == [(0, 4), (30, 0)]


def test_a_trace_that_repeats_start_and_end_changes_nothing() -> None:
    jobs = [Ran(0, 1, 10, processors=2), Ran(0, 1, 4, processors=2)]
    again = trace((1, 0, 1, 2), (1, 1, 1, 2), (5, 1, 0, 0), (11, 0, 0, 0))
    assert listed(busy_processors(schedule(*jobs, changes=again))) == listed(busy_processors(schedule(*jobs)))


def test_span_and_no_span() -> None:
    refused_first = schedule(Ran(0, None, 9, refused=True), Ran(5, 6, 10))
    assert span(refused_first) == (5, 16)
    assert span(schedule(Ran(0, None, 5))) is None


def test_value_before_the_first_step_is_zero() -> None:
    steps = Steps(np.array([2.0, 4.0]), np.array([7.0, 0.0]))
    assert value_at(steps, np.array([1.0, 2.0, 3.9, 4.0])).tolist() == [0, 7, 7, 0]
    assert integral(steps, 0.0, 3.0) == 7
    assert integral(steps, 3.0, 3.0) == 0


def test_product_holds_on_the_instants_of_both() -> None:
    one = Steps(np.array([0.0, 4.0]), np.array([2.0, 3.0]))
    other = Steps(np.array([1.0, 5.0]), np.array([5.0, 0.0]))
    assert listed(product(one, other)) == [(0, 0), (1, 10), (4, 15), (5, 0)]


def test_resample_keeps_a_peak_of_any_length() -> None:
    steps = Steps(np.array([0.0, 5.0, 5.001]), np.array([1.0, 100.0, 1.0]))
    mean, low, high = resample(steps, np.array([0.0, 10.0, 20.0]))
    assert high.tolist() == [100, 1]
    assert low.tolist() == [1, 1]
    assert mean == pytest.approx([1 + 99 * 0.0001, 1])


@given(schedules(), st.integers(1, 7))
def test_resampling_keeps_the_area(story: Schedule, columns: int) -> None:
    ends = span(story)
    assert ends is not None
    edges = np.linspace(ends[0], ends[1] + 1, columns + 1)
    mean, low, high = resample(queue_length(story), edges)
    assert mean @ np.diff(edges) == pytest.approx(integral(queue_length(story), edges[0], edges[-1]))
    assert (low <= mean).all()
    assert (mean <= high).all()


@given(schedules())
def test_the_area_under_busy_is_the_work_and_never_above_the_machine(story: Schedule) -> None:
    ends = span(story)
    assert ends is not None
    busy = busy_processors(story)
    assert integral(busy, *ends) == pytest.approx(float(story.workload.processors @ story.run_s))
    assert busy.values.min() >= 0
    assert busy.values.max() <= story.processors


@given(schedules())
def test_the_area_under_the_queue_is_the_waiting(story: Schedule) -> None:
    ends = span(story)
    assert ends is not None
    waited = float((story.start_s - story.workload.submit_s).sum())
    assert integral(queue_length(story), *ends) == pytest.approx(waited)


def test_what_a_trace_says_of_a_job_that_does_not_run_counts_for_nothing() -> None:
    jobs = [Ran(0, 2, 5, processors=2), Ran(0, None, 5, processors=2)]
    outside = trace((1, 0, 1, 2), (3, 1, 1, 2), (4, 0, 0.5, 1), (8, 0, 1, 2))
    assert listed(busy_processors(schedule(*jobs, changes=outside))) == [(2, 2), (4, 1), (7, 0)]
