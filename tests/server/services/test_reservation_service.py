"""Reservations on the wire: what was asked for is told as it was asked."""

from math import inf
from typing import Any

import pytest

from molokini.model.calendars import DAY_S, DAYS, WEEK_S
from molokini.model.errors import BadValue
from molokini.model.reservations import Reservation
from molokini.proto.v1.cluster_service_pb2 import Reservation as Asked
from molokini.proto.v1.cluster_service_pb2 import ReservationCalendar, ReservationInstance
from molokini.server.services.reservation_service import reservation_from_wire, reservation_to_wire

ACCESS = [
    {"kind": "queue", "name": "night"},
    {"kind": "user", "name": "bob"},
    {"kind": "user", "name": "ann"},
]
NIGHTS = {"period": "DAY", "days": ["Mon", "Fri"], "start_s": 60.0, "end_s": 3600.0, "zone_s": -7200.0}


@pytest.mark.parametrize(
    "fields",
    [
        {"processors": 4, "start_s": 10.0, "end_s": 20.0},
        {"processors": 4, "start_s": 10.0, "access": ACCESS},
        {"processors": 1, "nodes": [{"node": "n2", "processors": 3}, {"node": "n1"}], "end_s": 5.0},
        {"processors": 4, "calendar": NIGHTS, "depth": 3, "access": ACCESS},
        {"processors": 1, "nodes": [{"node": "n2"}], "calendar": {**NIGHTS, "period": "WEEK"}, "depth": 1},
    ],
)
def test_it_comes_back_as_it_was_asked_for(fields: dict[str, Any]) -> None:
    asked = Asked(name="ours", **fields)
    assert reservation_to_wire(reservation_from_wire(asked), []) == asked


@pytest.mark.parametrize(("period", "end_s"), [("", DAY_S), ("DAY", DAY_S), ("WEEK", WEEK_S)])
def test_a_calendar_that_says_little_is_of_whole_periods_on_all_days(period: str, end_s: float) -> None:
    asked = Asked(name="ours", processors=4, calendar=ReservationCalendar(period=period))
    told = reservation_to_wire(reservation_from_wire(asked), [])
    assert told.depth == 2
    assert told.calendar == ReservationCalendar(period=period or "DAY", days=DAYS, end_s=end_s)


def test_a_standing_one_is_told_with_its_own_instances() -> None:
    one = reservation_from_wire(Asked(name="ours", processors=4, calendar=NIGHTS))
    there = [
        Reservation(name, 4, 10.0, end_s)
        for name, end_s in (("ours.1", 20.0), ("ours", 20.0), ("ours2.1", 20.0), ("ours.2", inf))
    ]
    told = reservation_to_wire(one, there)
    assert list(told.instances) == [
        ReservationInstance(name="ours.1", start_s=10.0, end_s=20.0),
        ReservationInstance(name="ours.2", start_s=10.0),
    ]
    assert not told.HasField("end_s")


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"access": [{"kind": "qos", "name": "high"}]}, "access: 'qos:high'"),
        ({"access": [{"kind": "user", "name": ""}]}, "access: 'user:'"),
        ({"access": [{"kind": "user", "name": "u" * 256}]}, "access: 'user:u"),
        ({"nodes": [{"node": ""}]}, "nodes: ''"),
        ({"nodes": [{"node": "n" * 256}]}, "nodes: 'nnn"),
        ({"nodes": [{"node": "n1"}, {"node": "n1"}]}, "nodes: 'n1'"),
        ({"nodes": [{"node": "n1", "processors": -1}]}, "nodes: processors of n1: -1"),
        ({"calendar": {"period": "MONTH"}}, "period: 'MONTH'"),
        ({"calendar": {"zone_s": DAY_S + 1.0}}, "zone_s: 86401"),
        ({"calendar": {"zone_s": -DAY_S - 1.0}}, "zone_s: -86401"),
    ],
)
def test_what_can_be_none_is_refused_by_field(fields: dict[str, Any], cause: str) -> None:
    with pytest.raises(BadValue, match=f"^{cause}"):
        reservation_from_wire(Asked(name="ours", processors=4, **fields))
