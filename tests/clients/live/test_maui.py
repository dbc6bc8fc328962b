"""``molokini maui`` against a fake server: what is asked, printed and refused."""

from collections.abc import Callable
from typing import Any

import pytest

from molokini.proto.v1.cluster_service_pb2 import GetReportRequest
from tests.clients.running import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]


def report(name: str, **more: Any) -> dict[str, Any]:
    return {"schema": f"molokini.maui.{name}/1", "now_s": 100.0, "policy": "maui", **more}


WINDOWS = report("windows", windows=[{"processors": 4, "duration_s": None, "until_s": None}])


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (("diagnose", "-p"), {"name": "priorities"}),
        (("diagnose", "-f"), {"name": "fairshare"}),
        (("diagnose", "--nodes"), {"name": "nodes"}),
        (("diagnose", "-q"), {"name": "blocked"}),
        (("diagnose", "-r"), {"name": "reservations"}),
        (("showq",), {"name": "queue"}),
        (("showres",), {"name": "reservations"}),
        (("showstart", "17"), {"name": "start", "job": "17"}),
        (
            ("showstart", "8@1:00:00", "-u", "ann"),
            {"name": "start", "processors": 8, "duration_s": 3600.0, "user": "ann"},
        ),
        (
            ("showbf", "-u", "ann", "-g", "g", "-a", "a", "-c", "c", "-q", "q", "-r", 4, "-d", 60),
            {
                "name": "windows",
                "user": "ann",
                "group": "g",
                "account": "a",
                "queue": "c",
                "qos": "q",
                "processors": 4,
                "duration_s": 60.0,
            },
        ),
        (("showstats", "--by", "group"), {"name": "statistics", "by": "group"}),
        (("checkjob", "17[3]"), {"name": "job", "job": "17[3]"}),
        (("checknode", "node1"), {"name": "node", "node": "node1"}),
    ],
)
def test_each_command_asks_for_its_report(
    molokini: Command, server: FakeServer, command: tuple[Any, ...], asked: dict[str, Any]
) -> None:
    name = str(asked["name"])
    server.cluster.reports[name] = report(name, anything=[1])
    ran = molokini("maui", *command, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == report(name, anything=[1])
    assert server.cluster.asked == [GetReportRequest(**asked)]


def test_people_get_a_table(molokini: Command, server: FakeServer) -> None:
    server.cluster.reports["windows"] = WINDOWS
    assert "4 processors available with no time limit" in molokini("maui", "showbf").out


def test_reservations_are_made_with_a_name_of_their_own_and_released(
    molokini: Command, server: FakeServer
) -> None:
    ran = molokini("maui", "setres", "-u", "ann:bob", "-c", "batch", "-s", "+60", "-d", "0:10:00", "TASKS==4")
    assert (ran.code, ran.out) == (0, "reservation 'ann.1' created (4 processors)\n")
    made = server.cluster.reservations["ann.1"]
    assert (made.processors, made.start_s, made.end_s) == (4, 160.0, 760.0)
    assert [(one.kind, one.name) for one in made.access] == [
        ("user", "ann"),
        ("user", "bob"),
        ("queue", "batch"),
    ]
    assert molokini("maui", "setres", "-u", "ann", "-e", "500", "ALL").code == 0
    made = server.cluster.reservations["ann.2"]
    assert (made.processors, made.start_s, made.end_s) == (64, 100.0, 500.0)
    assert molokini("maui", "setres", "ALL", "--json").json["reservations"][0]["name"] == "SYSTEM.1"
    ran = molokini("maui", "releaseres", "ann.1", "ann.2")
    assert ran.out == "released User reservation 'ann.1'\nreleased User reservation 'ann.2'\n"
    assert list(server.cluster.reservations) == ["SYSTEM.1"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("diagnose",), "one of"),
        (("diagnose", "-p", "-f"), "one of"),
        (("showstart", "x@5"), "PROCS@DURATION"),
        (("showstart", "five"), "JOB"),
        (("showbf", "-r", -1), "processors"),
        (("setres", "node1"), "TASKS==N"),
        (("setres", "-d", 5, "-e", 9, "ALL"), "not both"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(
    molokini: Command, server: FakeServer, command: tuple[Any, ...], words: str
) -> None:
    ran = molokini("maui", *command)
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert not server.cluster.asked
