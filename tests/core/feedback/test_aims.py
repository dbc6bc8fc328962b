"""The aim of a job, as a server keeps it."""

import json

import pytest

from molokini.feedback.aims import LEAST_USE, Aim, UseFrom
from molokini.feedback.controlling import Rules
from molokini.feedback.deadlines import Goal
from molokini.model.errors import BadValue


def test_an_aim_is_what_it_was_after_the_journal() -> None:
    goal = Goal(200_000, 800_000, 4000, 7200.0)
    for aim in (
        Aim("0.5/s", 2.0, Rules(threshold=1)),
        Aim("50%").begun(3.0).at("40%"),
        Aim("50%", cores={"n1": (0, 1)}),
        Aim("50%", use=140_000).begun(3.0),
        Aim("20%-80%", goal=goal).begun(0.9, 3, 4.0),
        Aim("50%").measuring(),
        Aim("50%").measuring().measured(140_000).begun(3.0),
        Aim("50%").measuring().measured(None).begun(3.0),
    ):
        assert Aim.from_json(json.loads(json.dumps(aim.as_json()))) == aim


def test_iterations_a_second_are_a_target_once_the_full_rate_is_known() -> None:
    aim = Aim("0.5/s")
    assert (aim.target, aim.rate_of(0.5)) == (0, 0)
    begun = aim.begun(2.0)
    assert (begun.target, begun.rate_of(0.5)) == (250_000, 250_000)
    assert begun.control is not None
    assert begun.control.slice == 50_000_000


def test_slices_are_the_target_times_what_is_used_alone() -> None:
    """The paper's uneven program, section 5.8: 28% of its busiest node alone, held at half by 14%."""
    aim = Aim("50%", use=280_000).begun(2.0)
    assert (aim.target, aim.share) == (500_000, 140_000)
    assert aim.control is not None
    assert aim.control.slice == 28_000_000
    assert aim.control.reported(500_000).within
    searched = aim.control.reported(300_000)
    assert (searched.target, searched.period, searched.slice) == (500_000, 198_000_000, 27_720_000)
    changed = aim.at("100%")
    assert (changed.target, changed.share) == (1_000_000, 280_000)
    assert changed.using(140_000).share == 140_000
    Rules().check_target(1_000_000, 900_000, 280_000)
    with pytest.raises(BadValue, match=r"at most 94\.7368%"):
        Rules().check_target(1_000_000, 900_000, 950_000)
    with pytest.raises(BadValue, match=r"above 3.57143%"):
        Rules().check_target(30_000, 900_000, 140_000)


def test_nothing_is_ordered_before_the_use_is_measured() -> None:
    aim = Aim("50%", 2.0).measuring()
    assert (aim.share, aim.at("30%").control) == (500_000, None)
    known = aim.at("30%").measured(140_000).begun(2.0)
    assert (known.target, known.share, known.use_from) == (300_000, 42_000, UseFrom.MEASURED)
    # A later target goes by the same figure; one that is given takes its place.
    assert known.at("50%").share == 70_000
    assert (known.using(280_000).share, known.using(280_000).use_from) == (84_000, UseFrom.GIVEN)
    assert known.measured(500_000) == known


@pytest.mark.parametrize(("found", "use"), [(1_050_000, 1_000_000), (0, LEAST_USE), (-3, LEAST_USE)])
def test_a_measured_use_is_one_that_can_be(found: int, use: int) -> None:
    assert Aim("50%").measuring().measured(found).use == use


def test_all_of_the_processor_counts_where_no_processor_time_is_told() -> None:
    found = Aim("50%").measuring().measured(None).begun(2.0)
    assert (found.share, found.use_from) == (500_000, UseFrom.UNTOLD)


def test_another_rate_is_ordered_at_once_where_the_full_rate_is_known() -> None:
    assert Aim("50%").at("30%").control is None
    changed = Aim("50%").begun(1.0).at("30%")
    assert changed.control is not None
    assert (changed.control.target, changed.control.orders) == (300_000, 2)
    again = Aim("50%", 1.0).at("30%").control
    assert again is not None
    assert again.orders == pytest.approx(1)
