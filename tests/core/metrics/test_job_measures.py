import numpy as np
import pytest

from molokini.metrics import job_times, job_values
from molokini.model.errors import BadValue, UnknownName
from tests.kit.schedules import NAN, Ran, schedule

STORY = schedule(
    Ran(submit=0, start=0, run=100, processors=2),
    Ran(submit=10, start=100, run=5, processors=4),
    Ran(submit=20, start=105, run=0, processors=1),
    Ran(submit=30, start=110, run=50, end=NAN),
    Ran(submit=40, start=None, run=50),
    Ran(submit=50, start=None, run=50, processors=9, refused=True),
)


def test_only_finished_jobs_enter() -> None:
    assert job_times(STORY).row.tolist() == [0, 1, 2]


def test_wait_and_response_by_hand() -> None:
    times = job_times(STORY)
    assert times.wait_s.tolist() == [0, 90, 85]
    assert times.response_s.tolist() == [100, 95, 85]


def test_slowdown_leaves_out_run_times_of_zero() -> None:
    jobs, values = job_values(job_times(STORY), "slowdown")
    assert jobs.row.tolist() == [0, 1]
    assert values.tolist() == [1, 19]


def test_bounded_slowdown_includes_them_and_divides_by_tau() -> None:
    _, values = job_values(job_times(STORY), "bounded_slowdown")
    assert values.tolist() == [1, 9.5, 8.5]
    _, values = job_values(job_times(STORY), "bounded_slowdown", tau_s=200.0)
    assert values.tolist() == [1, 1, 1]


def test_per_processor_slowdown_divides_by_width() -> None:
    _, values = job_values(job_times(STORY), "per_processor_slowdown")
    assert values.tolist() == [1, 95 / 40, 8.5]


def test_slowdown_of_a_run_time_of_zero_is_infinite_and_silent() -> None:
    assert np.isinf(job_times(STORY).slowdown()[2])


def test_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="wait_s"):
        job_values(job_times(STORY), "wait")


@pytest.mark.parametrize("tau_s", [0.0, -1.0, NAN, float("inf")])
def test_tau_must_be_positive(tau_s: float) -> None:
    with pytest.raises(BadValue, match="tau"):
        job_values(job_times(STORY), "bounded_slowdown", tau_s)
