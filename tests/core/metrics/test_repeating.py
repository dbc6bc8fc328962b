"""A workload that comes again and again, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.metrics.repeating import (
    PERIODS,
    Steady,
    options_of,
    period_of,
    repeated,
    steady_part,
    surely_grows,
)
from molokini.model.requests import plain
from molokini.sim.replay import Options, Overrun
from tests.kit.schedules import NAN, Ran, schedule, trace
from tests.kit.workloads import Job, workload_of

PERIOD_S = 10.0
JOBS = (
    Ran(0, 5, 10, 2, end=15),
    Ran(3, 10, 2, 1),
    Ran(12, 15, 10, 4),
    Ran(13, None, 100, 9, refused=True),
    Ran(20, 30, 5, 1),
    Ran(25, None, 6, 1, estimate=3),
)
"""From 10 to 30 the first three hold 10, 2 and 40 processor-seconds; 40, 5 and 3 to 6 arrive."""


def test_what_happened_after_the_first_period() -> None:
    found = steady_part(schedule(*JOBS), PERIOD_S, Options())
    assert found == Steady(52 / 80, 52 / 80, 2 / 20, (48 - 52) / 48)


@pytest.mark.parametrize(
    ("options", "arrived"),
    [
        (Options(), 48),
        (Options(overrun=Overrun.EXTEND), 51),
        (Options(overruns_s=np.array([0.0, 0, 0, 0, 0, 2])), 50),
        (Options(overruns_s=np.array([0.0, 0, 0, 0, 0, 9])), 51),
        (Options(overruns_s=np.full(6, 9.0), overrun=Overrun.EXTEND), 51),
    ],
)
def test_a_job_brings_the_work_that_it_may_do(options: Options, arrived: int) -> None:
    assert steady_part(schedule(*JOBS), PERIOD_S, options).growth == pytest.approx((arrived - 52) / arrived)


def test_where_deadlines_bound_what_waits_nothing_grows() -> None:
    for reason in ("deadline_too_tight", "deadline_not_guaranteed"):
        assert steady_part(replace(schedule(*JOBS), refused={reason: 1}), PERIOD_S, Options()).growth == 0.0


def test_a_job_that_was_suspended_held_less_than_from_start_to_end() -> None:
    story = schedule(Ran(0, 0, 10, 4, end=20), changes=trace((12, 0, 0, 0), (18, 0, 1, 4)))
    found = steady_part(story, PERIOD_S, Options())
    assert found.held == found.computing == (2 + 2) * 4 / 80
    assert found.growth == 0.0, "nothing arrived"


def test_the_part_that_a_job_computes_is_its_own_and_of_one_that_still_runs_the_mean() -> None:
    """The first computes 5 of its 10 s, and is before that what the second is, which has not ended."""
    story = schedule(Ran(10, 10, 10, 2), Ran(10, 20, 20, 4, end=NAN))
    story.workload.run_s[:] = 5.0, 7.0
    story.run_s[1] = NAN
    found = steady_part(story, PERIOD_S, Options(overrun=Overrun.EXTEND))
    assert (found.held, found.computing) == ((20 + 40) / 80, (10 + 20) / 80)


@pytest.mark.parametrize(("growth", "sure"), [(0.49, True), (0.51, False)])
def test_growth_is_sure_where_no_machine_could_catch_up(growth: float, sure: bool) -> None:
    """160 arrive, of which the machine, even if it is always busy from 10 to 30, does 80."""
    story = schedule(Ran(10, 10, 40, 4, end=NAN))
    assert surely_grows(story, 10.0, PERIOD_S, Options(), growth) is sure
    assert surely_grows(story, 20.0, PERIOD_S, Options(), growth) is sure
    for other in (replace(story, refused={"needs_nodes": 1}), replace(story, trace=trace((11, 0, 0, 0)))):
        assert not surely_grows(other, 10.0, PERIOD_S, Options(), growth)


def test_the_workload_comes_in_its_gaps_and_is_numbered_anew() -> None:
    jobs = workload_of([Job(100, 5, 1, number=7), Job(130, 6, 2, number=3), Job(160, 7, 4, number=9)])
    assert period_of(jobs) == 90
    found = repeated(jobs, 45.0)
    assert found.submit_s.tolist() == [at + 45 * k for k in range(PERIODS) for at in (0, 15, 30)]
    assert found.run_s.tolist() == [5, 6, 7] * PERIODS
    assert found.number.tolist() == list(range(1, 3 * PERIODS + 1))


def test_requests_come_with_their_jobs_each_time() -> None:
    one, other = plain(2), plain(3)
    found = options_of(Options(requests={0: one, 2: other}), 4)
    assert found.requests == {
        row + 4 * at: each for at in range(PERIODS) for row, each in ((0, one), (2, other))
    }
    assert options_of(Options(), 4) == Options()
