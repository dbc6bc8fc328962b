"""Processors that belong to jobs."""

from molokini.processes.slots import Slots, processors_of


def test_the_lowest_free_ones_and_back() -> None:
    slots = Slots({3, 1, 2, 7})
    assert slots.take("a", 2) == "1,2"
    assert slots.take("b", 1) == "3"
    assert slots.take("c", 2) == ""
    slots.give("a")
    assert slots.take("c", 3) == "1,2,7"
    slots.give("not there")


def test_those_of_a_start_before_are_held() -> None:
    slots = Slots({1, 2, 3})
    slots.hold("a", processors_of("2"))
    slots.hold("b", processors_of(""))
    assert slots.take("c", 2) == "1,3"


def test_without_any_no_job_is_bound() -> None:
    assert Slots(()).take("a", 1) == ""
