from molokini.metrics import labels
from tests.kit.schedules import Ran, schedule


def test_a_policy_that_stands_alone_needs_no_parameters() -> None:
    assert labels([schedule(Ran(0, 0, 1), parameters={"depth": 5})]) == ["fcfs"]


def test_twins_are_told_apart_by_what_differs() -> None:
    stories = [
        schedule(Ran(0, 0, 1), policy="easy", parameters={"order": order, "seed": 1})
        for order in ("queue", "sjf")
    ]
    assert labels([*stories, schedule(Ran(0, 0, 1))]) == ["easy (order=queue)", "easy (order=sjf)", "fcfs"]


def test_equal_twins_are_numbered() -> None:
    assert labels([schedule(), schedule()]) == ["fcfs #1", "fcfs #2"]
