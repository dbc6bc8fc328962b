"""Random workloads against the slow reference simulators, start by start.

Further policies are compared with plain worlds, second by second (``test_worlds``).
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.kit.reference import Easy, Fcfs, SizeIntervals
from tests.kit.reference_plans import Conservative
from tests.kit.replays import assert_as, finished, listed
from tests.kit.workloads import Job, job_lists

PROCESSORS = 8


@given(jobs=job_lists(PROCESSORS, most=40, shortest=1))
@settings(max_examples=500, deadline=None)
def test_every_reservation_as_the_reference(jobs: list[Job]) -> None:
    replay = finished(jobs, "conservative", PROCESSORS)
    members = Conservative(jobs, PROCESSORS).simulate()
    assert_as(replay, members)
    # Who starts at the instant of arrival needs no promise.
    promised = [m.first_reserved if m.first_reserved != m.submit else None for m in members]
    first = np.where(
        np.isinf(replay.agenda.results.first_reserved_s), np.nan, replay.agenda.results.first_reserved_s
    )
    assert listed(first) == promised


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("simulator", [Fcfs, Easy])
@pytest.mark.parametrize(
    ("options", "how"),
    [({}, {}), ({"ties": "each"}, {"each": True}), ({"overrun": "extend"}, {"extend": True})],
)
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=250, deadline=None)
def test_every_start_and_end_as_the_reference(
    simulator: type[Fcfs], options: dict[str, Any], how: dict[str, bool], jobs: list[Job]
) -> None:
    """Also with one pass an event, and where jobs run past their estimates."""
    replay = finished(jobs, simulator.__name__.lower(), PROCESSORS, **options)
    assert_as(replay, simulator(jobs, PROCESSORS, **how).simulate())


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
