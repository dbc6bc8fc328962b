"""Reservations by themselves: what they may say, how partial ones are cut, when standing ones are rolled."""

import math
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from molokini.model.calendars import DAY_S, Calendar
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.reservations import (
    MOST,
    Reservation,
    StandingReservation,
    Terms,
    check_together,
    fitted,
    next_midnight_s,
    of_json,
    placed,
)

PARTIAL = Terms(partial=True)


@pytest.mark.parametrize(
    "said",
    [
        {"name": ""},
        {"name": "x" * 65},
        {"name": "a b"},
        {"name": "a\n"},
        {"processors": 0},
        {"processors": 2**40 + 1},
        {"start_s": -math.inf},
        {"start_s": math.nan},
        {"end_s": 10.0},
        {"end_s": math.nan},
        {"access": {"project": ("x",)}},
    ],
)
def test_what_no_reservation_may_say(said: dict[str, Any]) -> None:
    good: dict[str, Any] = {"name": "x" * 64, "processors": 2**40, "start_s": 10.0, "end_s": math.inf}
    Reservation(**good)
    with pytest.raises(BadValue):
        Reservation(**{**good, **said})


@pytest.mark.parametrize(("depth", "allowed"), [(0, False), (1, True), (1000, True), (1001, False)])
def test_a_standing_reservation_has_from_one_to_a_thousand_instances(depth: int, allowed: bool) -> None:
    if allowed:
        assert len(StandingReservation("s", 1, depth=depth).instances(0.0)) == depth
    else:
        with pytest.raises(BadValue, match="depth"):
            StandingReservation("s", 1, depth=depth)


def test_there_may_be_so_many_and_each_as_large_as_the_machine() -> None:
    many = [Reservation(f"r{k}", 8, 0.0, 1.0) for k in range(MOST)]
    check_together(many, 8)
    with pytest.raises(BadValue, match="at most the machine's 7"):
        check_together(many, 7)
    with pytest.raises(BadValue, match="at most 1,000"):
        check_together([*many, Reservation("another", 8, 0.0, 1.0)], 8)


@pytest.mark.parametrize(
    ("now_s", "zone_s", "midnight_s"),
    [
        (0.0, 0.0, DAY_S),
        (DAY_S - 0.5, 0.0, DAY_S),
        (DAY_S, 0.0, 2 * DAY_S),
        (0.0, 3600.0, DAY_S - 3600.0),
        (DAY_S - 3600.0, 3600.0, 2 * DAY_S - 3600.0),
        (0.0, -3600.0, 3600.0),
    ],
)
def test_the_next_midnight_is_after_now_in_the_zone(now_s: float, zone_s: float, midnight_s: float) -> None:
    assert next_midnight_s(now_s, zone_s) == midnight_s
    standing = StandingReservation("s", 1, Calendar(zone_s=zone_s))
    assert standing.next_roll_s(now_s) == midnight_s


def test_instances_are_called_by_their_starts_and_have_what_the_standing_one_has() -> None:
    standing = StandingReservation(
        "n", 3, Calendar(start_s=60.0, end_s=90.0), 2, {"user": ("7",)}, Terms(shared=True)
    )
    assert standing.instances(75.0) == [
        Reservation(f"n.{at:.0f}", 3, at, at + 30.0, {"user": ("7",)}, Terms(shared=True))
        for at in (60.0, DAY_S + 60.0)
    ]
    # One that has just ended is over.
    assert [one.start_s for one in standing.instances(90.0)] == [DAY_S + 60.0, 2 * DAY_S + 60.0]


@pytest.mark.parametrize(
    ("window", "left"),
    [
        ((0.0, 10.0), 8),
        ((10.0, 20.0), 5),
        ((19.0, 21.0), 5),
        ((20.0, 30.0), 8),
        ((0.0, 11.0), 5),
        ((5.0, 45.0), 2),
        # Two that are there one after the other are never there together.
        ((35.0, 60.0), 2),
        ((40.0, 60.0), 4),
    ],
)
def test_a_partial_one_has_what_its_fullest_instant_leaves(window: tuple[float, float], left: int) -> None:
    others = [
        Reservation("a", 3, 10.0, 20.0),
        Reservation("b", 6, 30.0, 40.0),
        Reservation("c", 4, 40.0, 50.0),
        # One that shares takes nothing.
        Reservation("s", 8, 0.0, 100.0, terms=Terms(shared=True)),
    ]
    one = Reservation("p", 8, *window, terms=PARTIAL)
    [*_, cut] = fitted([*others, one], 8)
    assert cut == replace(one, processors=left)


@pytest.mark.parametrize("sizes", list(permutations((1, 2, 5))))
def test_the_fullest_instant_may_be_any(sizes: tuple[int, ...]) -> None:
    others = [Reservation(f"r{k}", size, 10.0 * k, 10.0 * k + 10.0) for k, size in enumerate(sizes)]
    one = Reservation("p", 8, -5.0, 40.0, terms=PARTIAL)
    assert fitted([*others, one], 8)[-1].processors == 3


def test_a_partial_one_for_which_nothing_is_left_is_dropped_and_takes_nothing_then() -> None:
    full = Reservation("full", 8, 0.0, 10.0)
    none, later = (
        Reservation(name, 5, 0.0, end, terms=PARTIAL) for name, end in (("none", 20.0), ("x", 9.0))
    )
    behind = Reservation("behind", 5, 10.0, 20.0, terms=PARTIAL)
    assert fitted([full, none, later, behind], 8) == [full, behind]
    # One that may share is not cut, whatever it says.
    sharing = replace(none, terms=Terms(partial=True, shared=True))
    assert fitted([full, sharing], 8) == [full, sharing]


SIZES = {"n1": 4, "n2": 2}


def test_all_of_a_node_is_asked_for_by_0() -> None:
    one = Reservation("r", 1, 0.0, 1.0, terms=Terms(hosts={"n1": 3, "n2": 0}))
    there = placed(one, SIZES)
    assert (there.processors, there.terms.hosts) == (5, {"n1": 3, "n2": 2})
    anywhere = Reservation("r", 1, 0.0, 1.0)
    assert placed(anywhere, {}) is anywhere


@pytest.mark.parametrize(
    ("hosts", "sizes", "error"),
    [
        ({"n1": 5}, SIZES, BadValue),
        ({"n1": -1}, SIZES, BadValue),
        ({"n3": 1}, SIZES, UnknownName),
        ({"n1": 1}, {}, BadInput),
    ],
)
def test_no_such_places(hosts: dict[str, int], sizes: dict[str, int], error: type[Exception]) -> None:
    with pytest.raises(error):
        placed(Reservation("r", 1, 0.0, 1.0, terms=Terms(hosts=hosts)), sizes)


@pytest.mark.parametrize(
    "one",
    [
        Reservation("r", 2, 1.0, math.inf, {"user": ("a", "b")}),
        Reservation("r", 2, 1.0, 5.0, terms=Terms(denied={"group": ("g",)}, required={"qos": ("q",)})),
        StandingReservation("s", 2, Calendar(days=frozenset({"Mon"}), start_s=1.0, zone_s=60.0), 5),
        StandingReservation("s", 2, depth=3, access={"queue": ("q",)}, terms=Terms(hosts={"n1": 2})),
    ],
)
def test_a_reservation_comes_back_from_its_plain_values(one: Reservation | StandingReservation) -> None:
    assert of_json(one.as_json()) == one
