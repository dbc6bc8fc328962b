"""Whether more work comes than is done, by the load that is offered and the load that is served."""

import pytest

from molokini.metrics.overload import overload_measures
from tests.kit.schedules import NAN, Ran, schedule


def test_more_offered_than_served_is_overload_and_as_much_is_none() -> None:
    """One processor. Jobs of 4 s come every 4 s, or every 2 s; from the second on jobs wait."""
    calm = [Ran(0, 0, 4), Ran(2, 4, 4), Ran(8, 8, 4)]
    found = overload_measures(schedule(*calm, processors=1))
    assert found == {"offered_load": 1.0, "served_load": 1.0, "overloaded": False}
    crowd = [Ran(0, 0, 4), Ran(2, 4, 4), Ran(4, 8, 4)]
    found = overload_measures(schedule(*crowd, processors=1))
    assert found == {"offered_load": 2.0, "served_load": 1.0, "overloaded": True}


def test_refused_jobs_offer_nothing_and_set_no_end_to_the_time() -> None:
    accepted = [Ran(2, 2, 4), Ran(4, 6, 4), Ran(8, 10, 4)]
    alone = overload_measures(schedule(*accepted, processors=1))
    refused = [Ran(0, None, 50, 9, refused=True), *accepted, Ran(99, None, 50, 9, refused=True)]
    assert overload_measures(schedule(*refused, processors=1)) == alone
    assert alone["offered_load"] == pytest.approx(12 / 9)


def test_a_job_that_has_ended_lacks_nothing() -> None:
    """Two of four processors are idle from 4 s on, and wanted by no job: until 2 s all were busy."""
    jobs = [Ran(0, 0, 2, 4), Ran(1, 2, 2, 4), Ran(10, 10, 1, 2)]
    found = overload_measures(schedule(*jobs))
    assert found["served_load"] == 1.0
    assert found["offered_load"] == pytest.approx(18 / (15 * 4))


def test_a_job_that_has_not_ended_offers_its_run_time_up_to_its_estimate() -> None:
    jobs = [Ran(0, 0, 4), Ran(2, 4, 4, end=NAN), Ran(4, None, 9, estimate=4)]
    story = schedule(*jobs, processors=1)
    story.run_s[1:] = NAN
    assert overload_measures(story)["offered_load"] == 12 / 6


def test_jobs_that_never_start_though_all_others_have_ended_offer_nothing() -> None:
    """More processors would not help them: a limit of their queue keeps them, say."""
    others = [Ran(2, 2, 4), Ran(4, 6, 4), Ran(10, 10, 4)]
    alone = overload_measures(schedule(*others, processors=1))
    kept = [Ran(1, None, 50), *others, Ran(12, None, 50)]
    assert overload_measures(schedule(*kept, processors=1)) == alone
    assert not alone["overloaded"]


@pytest.mark.parametrize("jobs", [[], [Ran(0, 0, 4)], [Ran(3, 3, 4), Ran(3, 7, 4)]])
def test_where_no_time_passes_between_submissions_there_is_no_load(jobs: list[Ran]) -> None:
    none = {"offered_load": None, "served_load": None, "overloaded": False}
    assert overload_measures(schedule(*jobs, processors=1)) == none


def test_where_no_job_ever_lacks_a_processor_no_load_is_served_meanwhile() -> None:
    found = overload_measures(schedule(Ran(0, 0, 4), Ran(2, 2, 4)))
    assert found == {"offered_load": 8 / 16, "served_load": None, "overloaded": False}
