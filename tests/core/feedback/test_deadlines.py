"""Rates of jobs that have an amount of work and a deadline."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.feedback.aims import Aim
from molokini.feedback.deadlines import Goal, bounds_of, goal_of
from molokini.model.errors import BadInput

POINT = 10_000
GOAL = Goal(20 * POINT, 80 * POINT, 4000, 7200.0)
"""Alone, at one iteration a second, it would take 4,000 of 7,200 seconds."""


def test_bounds() -> None:
    assert bounds_of("rate", "20%-80%") == (20 * POINT, 80 * POINT)
    assert bounds_of("rate", "50%") is None
    assert goal_of("20%-80%", 4000, 7200.0) == GOAL
    assert goal_of("50%", 0, 7200.0) is None


@pytest.mark.parametrize(
    ("rate", "work", "deadline_s"),
    [
        ("80%-20%", 10, 5.0),
        ("20%-20%", 10, 5.0),
        ("0.1/s-0.5/s", 10, 5.0),
        ("20%-", 10, 5.0),
        ("20%-101%", 10, 5.0),
        ("20%-80%", 0, 5.0),
        ("20%-80%", -1, 5.0),
        ("20%-80%", 10, 0.0),
        ("50%", 10, 5.0),
        ("", 10, 5.0),
    ],
)
def test_what_is_no_goal(rate: str, work: int, deadline_s: float) -> None:
    with pytest.raises(BadInput, match=r"rate|work"):
        goal_of(rate, work, deadline_s)


@pytest.mark.parametrize(
    ("done", "now_s", "needed"),
    [
        (0, 0.0, 555_556),
        (2000, 3600.0, 555_556),
        (3000, 3600.0, 277_778),
        (4000, 7000.0, 0),
        (5000, 9000.0, 0),
        (3999, 7200.0, 1_000_000_000),
    ],
)
def test_what_the_rest_needs(done: int, now_s: float, needed: int) -> None:
    assert GOAL.needed(done, now_s, 1.0) == needed


def test_a_rate_is_chosen_within_bounds_and_room() -> None:
    assert GOAL.chosen(0) == 20 * POINT
    assert GOAL.chosen(38 * POINT) == 40 * POINT
    assert GOAL.chosen(79 * POINT) == 80 * POINT
    assert GOAL.chosen(79 * POINT, room=30 * POINT) == 30 * POINT
    assert GOAL.chosen(79 * POINT, room=10 * POINT) == 20 * POINT


def test_a_rate_that_will_do_is_left_alone() -> None:
    threshold = 3 * POINT
    assert GOAL.changed(40 * POINT, 38 * POINT, threshold) == 40 * POINT
    assert GOAL.changed(40 * POINT, 36 * POINT, threshold) == 40 * POINT
    assert GOAL.changed(40 * POINT, 34 * POINT, threshold) == 40 * POINT
    assert GOAL.changed(40 * POINT, 33 * POINT, threshold) < 37 * POINT
    assert GOAL.changed(40 * POINT, 41 * POINT, threshold) > 43 * POINT
    assert GOAL.changed(80 * POINT, 95 * POINT, threshold) == 80 * POINT


def run(kept: Callable[[float], float], full: float = 1.0) -> tuple[float, set[int], int]:
    """Iterate at what *kept* makes of each target: the end, the targets, and the orders."""
    aim = Aim("20%-80%", goal=GOAL)
    now_s, done, targets, mean = 3 / full, 3, set[int](), 1.0
    aim = aim.begun(full, done, now_s)
    while done < GOAL.work:
        targets.add(aim.target)
        rate = kept(aim.target / 1e6)
        now_s += 1.0 / (full * rate)
        done += 1
        mean += 0.1 * (rate / (aim.target / 1e6) - mean)
        aim = aim.towards(done, now_s, mean)
    assert aim.control is not None
    return now_s, targets, aim.control.orders


@settings(max_examples=40, deadline=None)
@given(st.floats(0.8, 1.1), st.floats(1.0, 1.5))
def test_a_job_ends_by_its_deadline(kept: float, full: float) -> None:
    """However rates are missed, while bounds allow it; it does not go faster than it needs to."""
    end_s, targets, orders = run(lambda target: kept * target, full)
    assert GOAL.deadline_s * 0.85 <= end_s <= GOAL.deadline_s
    assert min(targets) >= GOAL.least
    assert max(targets) <= GOAL.most
    assert orders <= 60


def test_within_room() -> None:
    aim = Aim("20%-80%", goal=GOAL).begun(1.0)
    assert aim.target == 584_796
    assert aim.within(600_000) is aim
    assert aim.within(300_000).target == 300_000
    assert aim.within(100_000).target == 200_000
    assert aim.at("30%").goal is None
    assert aim.at("30%").target == 300_000
