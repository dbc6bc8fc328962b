"""Metrics of a part of a schedule are those of its jobs, and of what the whole machine did meanwhile."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.metrics import breakdown, compare_schedules, mean_with_interval, measure
from molokini.metrics.timelines import busy_processors, value_at
from molokini.model.decisions import Refusal
from molokini.sim.schedule import ALL_TIME
from tests.kit.schedules import Ran, random_workload, replayed, schedule

WHOLE = replayed(random_workload(400, 16, users=5), 16)
OTHER = replayed(WHOLE.workload, 16, "sjf", order=WHOLE.workload.run_s)


def test_everything_counts_unless_told_otherwise() -> None:
    assert WHOLE.counted_s == ALL_TIME
    assert WHOLE.counted.all()


@given(ends=st.tuples(st.integers(0, 399), st.integers(1, 400)).filter(lambda ends: ends[0] < ends[1]))
def test_a_part_by_counting_every_second(ends: tuple[int, int]) -> None:
    submit = WHOLE.workload.submit_s
    first = float(submit[ends[0]])
    last = float(submit[ends[1]]) if ends[1] < len(submit) else float(WHOLE.end_s.max()) + 1
    if first == last:
        return
    part = replace(WHOLE, counted_s=(first, last))
    found = measure(part)
    mine = [row for row in range(len(submit)) if first <= submit[row] < last]
    assert found["jobs"] == found["finished_jobs"] == len(mine)
    waits = [float(WHOLE.start_s[row] - submit[row]) for row in mine]
    assert found["mean_wait_s"] == pytest.approx(sum(waits) / len(waits))
    assert found["max_wait_s"] == max(waits)
    stop = min(last, float(WHOLE.end_s.max()))
    assert (found["first_submit_s"], found["last_end_s"]) == (first, stop)
    # Times of this workload are whole seconds, so that seconds can be counted one by one.
    held = value_at(busy_processors(WHOLE), np.arange(first, stop))
    assert found["utilization"] == pytest.approx(float(held.mean()) / 16)
    assert sum(int(row["jobs"] or 0) for row in breakdown(part, "user")) == len(mine)
    assert mean_with_interval(part, "wait_s").values == len(mine)


def test_a_comparison_pairs_the_jobs_that_count() -> None:
    window = (float(WHOLE.workload.submit_s[100]), float(WHOLE.workload.submit_s[300]))
    [whole] = compare_schedules(WHOLE, [OTHER])
    [part] = compare_schedules(replace(WHOLE, counted_s=window), [replace(OTHER, counted_s=window)])
    assert whole.paired_jobs == 400
    assert part.paired_jobs == int(
        WHOLE.workload.submit_s.searchsorted(window[1]) - WHOLE.workload.submit_s.searchsorted(window[0])
    )
    assert part.only_baseline_jobs == part.only_policy_jobs == 0


def test_a_comparison_counts_the_jobs_that_count_under_both() -> None:
    """The first half under one, all but the first quarter under the other: a quarter of the jobs."""
    submits = WHOLE.workload.submit_s
    first = replace(WHOLE, counted_s=(ALL_TIME[0], float(submits[200])))
    later = replace(OTHER, counted_s=(float(submits[100]), ALL_TIME[1]))
    [found] = compare_schedules(first, [later])
    assert found.paired_jobs == int(submits.searchsorted(submits[200]) - submits.searchsorted(submits[100]))
    assert found.only_baseline_jobs == found.only_policy_jobs == 0


def test_refusals_outside_do_not_count() -> None:
    code = int(Refusal.WIDER_THAN_MACHINE)
    story = replace(
        schedule(Ran(0, None, 1, refused=True), Ran(5, 5, 10), Ran(9, None, 1, refused=True)),
        refusals=np.array([code, 0, code]),
    )
    assert measure(story)["refused_jobs"] == 2
    part = measure(replace(story, counted_s=(5.0, 100.0)))
    assert (part["jobs"], part["refused_jobs"], part["refused"]) == (
        2,
        1,
        {Refusal.WIDER_THAN_MACHINE.name.lower(): 1},
    )


def test_a_part_in_which_nothing_finished_has_no_numbers() -> None:
    found = measure(replace(WHOLE, counted_s=(1e12, 2e12)))
    assert found["jobs"] == 0
    assert found["mean_wait_s"] is None
    assert found["utilization"] is None


def test_throughput_counts_the_jobs_that_ended_in_the_part() -> None:
    """Both ends of the part belong to it; who was submitted in it and ended later does not count."""
    story = schedule(
        Ran(0, 0, 9), Ran(1, 1, 9), Ran(10, 10, 5), Ran(12, 15, 5), Ran(13, 15, 6), Ran(14, 20, 9)
    )
    part = measure(replace(story, counted_s=(10.0, 20.0)))
    assert part["throughput_jobs_per_hour"] == 3 * 3600 / 10
