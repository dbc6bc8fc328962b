"""Random workloads against the slow reference simulators, start by start."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings

from tests.kit.reference import (
    ByEstimate,
    Easy,
    EasyBestFit,
    EasyShortest,
    Fcfs,
    FirstFit,
    LongestFirst,
    Simulator,
)
from tests.kit.reference_plans import Conservative, EasyDepth
from tests.kit.reference_sharing import SizeIntervals, Srpt
from tests.kit.replays import assert_as, finished, listed
from tests.kit.workloads import Job, job_lists

PROCESSORS = 8
Make = Callable[[Sequence[Job], int], Simulator]
SPACE_SHARING: dict[str, tuple[Make, str, dict[str, str | int]]] = {
    "fcfs": (Fcfs, "fcfs", {}),
    "easy": (Easy, "easy", {}),
    "easy-shortest": (EasyShortest, "easy", {"order": "shortest"}),
    "easy-best-fit": (EasyBestFit, "easy", {"order": "best-fit"}),
    "firstfit": (FirstFit, "firstfit", {}),
    "sjf": (ByEstimate, "sjf", {}),
    "ljf": (LongestFirst, "ljf", {}),
    "easy-depth-1": (lambda jobs, p: EasyDepth(jobs, p, 1), "easy-depth", {"depth": 1}),
    "easy-depth-3": (lambda jobs, p: EasyDepth(jobs, p, 3), "easy-depth", {"depth": 3}),
}


@pytest.mark.parametrize("name", SPACE_SHARING)
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=250, deadline=None)
def test_every_start_and_end_as_the_reference(name: str, jobs: list[Job]) -> None:
    simulator, policy, values = SPACE_SHARING[name]
    assert_as(finished(jobs, policy, PROCESSORS, values), simulator(jobs, PROCESSORS).simulate())


@given(jobs=job_lists(PROCESSORS, most=40, shortest=1))
@settings(max_examples=500, deadline=None)
def test_every_reservation_as_the_reference(jobs: list[Job]) -> None:
    replay = finished(jobs, "conservative", PROCESSORS)
    members = Conservative(jobs, PROCESSORS).simulate()
    assert_as(replay, members)
    # Who starts at the instant of arrival needs no promise.
    promised = [m.first_reserved if m.first_reserved != m.submit else None for m in members]
    first = np.where(np.isinf(replay.agenda.first_reserved_s), np.nan, replay.agenda.first_reserved_s)
    assert listed(first) == promised


@pytest.mark.parametrize("policy", ["fcfs", "easy"])
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=250, deadline=None)
def test_one_pass_an_event(policy: str, jobs: list[Job]) -> None:
    simulator = (Fcfs if policy == "fcfs" else Easy)(jobs, PROCESSORS, each=True)
    assert_as(finished(jobs, policy, PROCESSORS, ties="each"), simulator.simulate())


@pytest.mark.parametrize("policy", ["fcfs", "easy"])
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=250, deadline=None)
def test_jobs_that_run_past_their_estimates(policy: str, jobs: list[Job]) -> None:
    simulator = (Fcfs if policy == "fcfs" else Easy)(jobs, PROCESSORS, extend=True)
    assert_as(finished(jobs, policy, PROCESSORS, overrun="extend"), simulator.simulate())


@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=150, deadline=None)
def test_preemption(jobs: list[Job]) -> None:
    assert_as(finished(jobs, "srpt", PROCESSORS), Srpt(jobs, PROCESSORS).simulate())


@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=150, deadline=None)
def test_partitions(jobs: list[Job]) -> None:
    cutoffs = (3.0, 8.0)
    replay = finished(jobs, "sita-e", PROCESSORS, {"cutoffs": cutoffs})
    assert_as(replay, SizeIntervals(jobs, PROCESSORS, cutoffs).simulate())


def test_the_reference_is_fed_ties_overruns_and_refusals() -> None:
    """What the strategy is meant to draw can be drawn, or the comparisons above show little."""
    from hypothesis import Phase, find

    # The first that is found will do: making it the smallest took minutes.
    first = settings(phases=[Phase.generate], max_examples=2000, deadline=None)
    for wanted in (
        lambda jobs: len({job.submit for job in jobs}) < len(jobs) - 3,
        lambda jobs: any(job.run == 0 for job in jobs),
        lambda jobs: any(job.run > job.estimated > 0 for job in jobs),
        lambda jobs: any(job.width > PROCESSORS for job in jobs),
        lambda jobs: [job.number for job in jobs] != sorted(job.number for job in jobs),
    ):
        assert find(job_lists(PROCESSORS), wanted, settings=first)
