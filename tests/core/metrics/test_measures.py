import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from molokini.applications.divisible import Costs
from molokini.metrics import loss_of_capacity, measure, number
from molokini.model.errors import BadValue, UnknownName
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Loads
from tests.kit.schedules import NAN, Ran, schedule, schedules, trace

# On 4 processors: A holds 3 of them, B wants 2 and waits beside one empty processor, C and D follow.
STORY = schedule(
    Ran(submit=0, start=0, run=10, processors=3),
    Ran(submit=2, start=10, run=20, processors=2),
    Ran(submit=4, start=10, run=0, processors=1),
    Ran(submit=6, start=30, run=10, processors=4),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("jobs", 4),
        ("finished_jobs", 4),
        ("unfinished_jobs", 0),
        ("refused_jobs", 0),
        ("killed_jobs", 0),
        ("zero_run_jobs", 1),
        ("mean_wait_s", (0 + 8 + 6 + 24) / 4),
        ("median_wait_s", 7),
        ("p95_wait_s", 8 + 16 * 0.85),
        ("max_wait_s", 24),
        ("mean_response_s", (10 + 28 + 6 + 34) / 4),
        ("geometric_mean_response_s", (10 * 28 * 34) ** (1 / 3)),
        ("mean_slowdown", (1 + 1.4 + 3.4) / 3),
        ("mean_bounded_slowdown", (1 + 1.4 + 1 + 3.4) / 4),
        ("mean_per_processor_slowdown", 1),
        ("makespan_s", 40),
        ("utilization", (30 + 40 + 40) / 160),
        # From 2 to 10 one processor is empty, from 10 to 30 two are, and somebody waits all the time.
        ("loss_of_capacity", (8 * 1 + 20 * 2) / 160),
        ("mean_queue_length", (8 + 6 + 24) / 40),
        ("max_queue_length", 3),
        ("mean_waiting_processors", (8 * 2 + 6 * 1 + 24 * 4) / 40),
        ("max_waiting_processors", 7),
        ("mean_busy_processors", 110 / 40),
        ("throughput_jobs_per_hour", 360),
        # Four jobs that come every 2 s: 110 processor-seconds in 8 s, the gap behind the last one included.
        ("offered_load", 110 / (8 * 4)),
        # From 2 s to the last submission somebody lacks processors, and 3 of 4 are busy.
        ("served_load", 3 / 4),
    ],
)
def test_by_hand(name: str, value: float) -> None:
    assert number(measure(STORY), name) == pytest.approx(value)


def test_the_load_that_is_offered_is_what_jobs_really_take() -> None:
    """Each wants 4 s; the first has run on for 10, the second was killed at 4, the third runs still."""
    asked = (Ran(0, 0, 10, estimate=4), Ran(4, 10, 4, estimate=4, processors=2))
    story = schedule(*asked, Ran(8, 14, 9, estimate=4, end=NAN))
    story.workload.run_s[1] = 9
    story.run_s[2] = NAN
    # Three jobs come every 4 s.
    assert number(measure(story), "offered_load") == pytest.approx((10 + 2 * 4 + 4) / (12 * 4))


def test_tau_reaches_the_bounded_slowdowns() -> None:
    measures = measure(STORY, tau_s=1.0)
    assert number(measures, "mean_bounded_slowdown") == pytest.approx((1 + 1.4 + 6 + 3.4) / 4)
    assert number(measures, "mean_per_processor_slowdown") == pytest.approx((1 + 1 + 6 + 1) / 4)
    assert measures["tau_s"] == 1.0


def test_killed_unfinished_and_refused_are_counted() -> None:
    story = schedule(
        Ran(0, 0, 10), Ran(0, 0, 10, end=NAN), Ran(1, None, 10), Ran(2, None, 10, processors=9, refused=True)
    )
    story.workload.run_s[0] = 11  # the log says 11, the job was ended at its estimate of 10
    measures = measure(story)
    assert [measures[f"{kind}_jobs"] for kind in ("finished", "killed", "unfinished", "refused")] == [
        1,
        1,
        2,
        1,
    ]
    assert measures["refused"] == {"wider than the machine": 1}


def test_nothing_finished_gives_null_and_never_nan() -> None:
    measures = measure(schedule(Ran(0, None, 10)))
    text = json.dumps(measures, allow_nan=False)
    assert json.loads(text)["mean_wait_s"] is None
    assert measures["utilization"] is None
    assert measures["makespan_s"] is None
    assert measures["finished_jobs"] == 0


def test_no_jobs_at_all() -> None:
    assert measure(schedule())["mean_wait_s"] is None


def test_only_run_times_of_zero_have_no_span_and_no_slowdown() -> None:
    measures = measure(schedule(Ran(3, 3, 0), Ran(3, 3, 0)))
    assert measures["makespan_s"] == 0
    assert measures["utilization"] is None
    assert measures["loss_of_capacity"] is None
    assert measures["mean_slowdown"] is None
    assert measures["geometric_mean_response_s"] is None
    assert measures["mean_bounded_slowdown"] == 1


def test_a_machine_that_is_empty_from_the_first_submit_on_is_lost() -> None:
    # Nothing runs from 0 to 5 although a job waits: 4 processors lost for 5 of 15 seconds.
    assert loss_of_capacity(schedule(Ran(0, 5, 10, processors=4))) == pytest.approx(5 / 15)


def test_loss_counts_what_suspended_jobs_gave_back() -> None:
    story = schedule(
        Ran(0, 0, 10, processors=4, end=20),
        Ran(0, 16, 4, processors=4, end=24),
        changes=trace((6, 0, 0, 0), (16, 0, 1, 0)),
    )
    # From 6 to 16 the first job is suspended, all 4 processors are empty and the second job waits.
    assert loss_of_capacity(story) == pytest.approx(4 * 10 / (4 * 24))


def test_number_refuses_what_is_not_one() -> None:
    with pytest.raises(UnknownName, match="mean_wait_s"):
        number(measure(STORY), "mean_wait")
    with pytest.raises(UnknownName):
        number(measure(STORY), "refused")


def test_tau_must_be_positive() -> None:
    with pytest.raises(BadValue, match="tau"):
        measure(STORY, tau_s=0.0)


def slow_loss(story: Schedule) -> float | None:
    """Equation 2 as it is printed: between each two events, by a plain loop over all jobs."""
    jobs = list(
        zip(
            story.workload.submit_s.tolist(),
            story.start_s.tolist(),
            story.end_s.tolist(),
            story.workload.processors.tolist(),
            strict=True,
        )
    )
    instants = sorted({instant for job in jobs for instant in job[:3]})
    makespan = max(end for _, _, end, _ in jobs) - min(submit for submit, _, _, _ in jobs)
    lost = 0.0
    for now, then in pairwise(instants):
        held = sum(width for _, start, end, width in jobs if start <= now < end)
        waits = any(submit <= now < start for submit, start, _, _ in jobs)
        lost += (story.processors - held) * (then - now) * waits
    return lost / (story.processors * makespan) if makespan else None


@given(schedules())
def test_loss_of_capacity_is_that_of_a_plain_loop(story: Schedule) -> None:
    slow = slow_loss(story)
    fast = loss_of_capacity(story)
    if slow is None:
        assert fast is None
    else:
        assert fast == pytest.approx(slow, abs=1e-12)


@given(schedules())
def test_shares_are_shares_and_every_value_is_json(story: Schedule) -> None:
    measures = measure(story)
    json.dumps(measures, allow_nan=False)
    utilization, loss = number(measures, "utilization"), number(measures, "loss_of_capacity")
    if utilization is not None and loss is not None:
        assert 0 <= utilization <= 1
        assert 0 <= loss <= 1 - utilization + 1e-9
    for name in ("mean_slowdown", "mean_bounded_slowdown", "mean_per_processor_slowdown"):
        value = number(measures, name)
        assert value is None or (value >= 1 and math.isfinite(value))


@pytest.mark.parametrize(
    ("run_s", "wait_s", "tau_s", "slowdown", "bounded"),
    [
        (7 * 86400.0, 365 * 86400.0, 10.0, 372 / 7, 372 / 7),
        (0.1, 600.0, 10.0, 6001.0, 60.01),
        (10.0, 600.0, 10.0, 61.0, 61.0),
        (0.1, 600.0, 600.0, 6001.0, 1.000167),
        (10.0, 600.0, 600.0, 61.0, 1.016667),
    ],
)
def test_slowdowns_by_hand(
    run_s: float, wait_s: float, tau_s: float, slowdown: float, bounded: float
) -> None:
    measures = measure(schedule(Ran(0, wait_s, run_s)), tau_s=tau_s)
    assert number(measures, "mean_slowdown") == pytest.approx(slowdown, rel=1e-5)
    assert number(measures, "mean_bounded_slowdown") == pytest.approx(bounded, rel=1e-6)


def test_more_processors_that_make_a_job_short_are_no_better_service() -> None:
    """10 s on ten processors after 90 s, and 100 s on one at once, end together."""
    wide, narrow = (measure(schedule(one, processors=10)) for one in (Ran(0, 90, 10, 10), Ran(0, 0, 100, 1)))
    assert [number(one, "mean_slowdown") for one in (wide, narrow)] == [10, 1]
    assert [number(one, "mean_per_processor_slowdown") for one in (wide, narrow)] == [1, 1]


def test_a_geometric_mean_may_order_schedules_otherwise_than_a_sum() -> None:
    odd, even = (
        measure(schedule(*(Ran(0, 0, run_s) for run_s in runs))) for runs in ((1.0, 100.0), (20.0, 20.0))
    )
    assert number(odd, "mean_response_s") == 50.5
    assert number(odd, "geometric_mean_response_s") == pytest.approx(10)
    assert number(even, "mean_response_s") == 20
    assert number(even, "geometric_mean_response_s") == pytest.approx(20)


def test_a_load_that_ends_at_its_deadline_has_met_it() -> None:
    """Of the story two end just then, one a second late, and one before."""
    loads = Loads(np.ones(4), np.array([10.0, 27.0, 7.0, 34.0]), Costs(1.0, 100.0))
    found = measure(replace(STORY, workload=replace(STORY.workload, loads=loads)))
    assert found["missed_deadlines"] == 1
