"""``molokini maui`` against a fake server: what is asked, printed and refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.maui.parameters import PARAMETERS
from molokini.proto.v1.cluster_service_pb2 import GetReportRequest
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer
from tests.kit.maui_file import maui_file

Command = Callable[..., Ran]


def report(name: str, **more: Any) -> dict[str, Any]:
    return {"schema": f"molokini.maui.{name}/1", "now_s": 100.0, "policy": "maui", **more}


WINDOWS = report(
    "windows",
    partition="",
    windows=[{"processors": 4, "duration_s": None, "until_s": None}],
    **{"for": {"user": "ann"}},
)


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (("diagnose", "-p"), {"name": "priorities"}),
        (("diagnose", "-f"), {"name": "fairshare"}),
        (("diagnose", "--nodes"), {"name": "nodes"}),
        (("diagnose", "-q"), {"name": "blocked"}),
        (("diagnose", "-r"), {"name": "reservations"}),
        (("diagnose", "-u"), {"name": "limits", "by": "user"}),
        (("diagnose", "-g", "staff"), {"name": "limits", "by": "group", "group": "staff"}),
        (("diagnose", "-a"), {"name": "limits", "by": "account"}),
        (("diagnose", "-c", "batch"), {"name": "limits", "by": "queue", "queue": "batch"}),
        (("diagnose", "-Q"), {"name": "limits", "by": "qos"}),
        (("diagnose", "-t", "old"), {"name": "partitions", "partition": "old"}),
        (("diagnose", "-j"), {"name": "jobs"}),
        (("diagnose", "-j", "17[3]"), {"name": "jobs", "job": "17[3]"}),
        (("diagnose", "-S"), {"name": "scheduler"}),
        (("diagnose", "-R"), {"name": "agents"}),
        (("showq",), {"name": "queue"}),
        (("showq", "-r", "-u", "ann"), {"name": "queue", "by": "active", "user": "ann"}),
        (("showq", "-i", "-p", "old"), {"name": "queue", "by": "idle", "partition": "old"}),
        (("showq", "-b", "-w"), {"name": "queue", "by": "blocked"}),
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
        (
            ("showbf", "-f", "big:fast", "-m", "<=4G", "-M", "512M", "-n", 2),
            {
                "name": "windows",
                "features": ["big", "fast"],
                "memory": "<=4096.000000",
                "memory_each_mb": 512.0,
                "nodes": 2,
            },
        ),
        (("showstats", "--by", "group"), {"name": "statistics", "by": "group"}),
        (("showgrid", "PHRUN"), {"name": "grid", "by": "PHRUN"}),
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


def test_people_get_what_the_batch_command_prints(molokini: Command, server: FakeServer) -> None:
    server.cluster.reports["windows"] = WINDOWS
    ran = molokini("maui", "showbf")
    assert ran.out == (
        "backfill window (user: 'ann' partition: ALL) Thu Jan  1 00:01:40\n\n"
        "  4 procs available with no timelimit\n"
    )


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
    ("what", "nodes"),
    [
        (("node2",), {"node2": 16}),
        (("node3,node1",), {"node1": 16, "node3": 16}),
        (("node[1-2]:node4",), {"node1": 16, "node2": 16, "node4": 16}),
        (("node[1,3]",), {"node1": 16, "node3": 16}),
        (("node(1|4)",), {"node1": 16, "node4": 16}),
        (("-r", "PROCS=2", ".*[34]"), {"node3": 2, "node4": 2}),
        (("-r", "PROCS=-1", "node1"), {"node1": 16}),
        (("-r", "PROCS=4", "ALL"), {"node1": 4, "node2": 4, "node3": 4, "node4": 4}),
        (("-r", "PROCS=4", "TASKS==3"), {}),
    ],
)
def test_nodes_are_reserved_by_names_patterns_and_expressions(
    molokini: Command, server: FakeServer, what: tuple[str, ...], nodes: dict[str, int]
) -> None:
    ran = molokini("maui", "setres", "-u", "ann", *what)
    assert (ran.code, ran.err) == (0, "")
    made = server.cluster.reservations["ann.1"]
    assert {one.node: one.processors for one in made.nodes} == nodes
    assert made.processors == (0 if nodes else 12)
    assert ran.out.splitlines()[1:] == [f"{name}:{kept}" for name, kept in nodes.items()]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("diagnose",), "one of"),
        (("diagnose", "-p", "-f"), "one of"),
        (("showq", "-r", "-i"), "one of"),
        (("diagnose", "-p", "ann"), "a name is allowed only with"),
        (("diagnose", "-S", "-R"), "one of"),
        (("diagnose", "-R", "a1"), "a name is allowed only with"),
        (("diagnose", "-j", "five"), "JOB"),
        (("showstart", "x@5"), "PROCS@DURATION"),
        (("showstart", "five"), "JOB"),
        (("showbf", "-r", -1), "processors"),
        (("showbf", "-n", -1), "nodes"),
        (("showbf", "-m", "=>4G"), "memory"),
        (("showbf", "-m", ">="), "memory"),
        (("showbf", "-M", "4X"), "memory-each"),
        (("setres", "nod9"), "TASKS==N"),
        (("setres", "node1,node[7-9]"), "'node[7-9]' is not allowed"),
        (("setres", "node[1"), "TASKS==N"),
        (("setres", "TASKS==0"), "TASKS"),
        (("setres", "-r", "PROCS=17", "node1"), "at most the 16 of node1"),
        (("setres", "-r", "PROCS=0", "node1"), "PROCS=N"),
        (("setres", "-r", "MEM=512", "ALL"), "-r MEM is not supported"),
        (("setres", "-x", "BYNAME", "ALL"), "setres -x is not supported: a reservation has no flags"),
        (("setres", "-i", "ALL"), "setres -i is not supported"),
        (("setres", "-p", "old", "ALL"), "setres -p is not supported: name the nodes"),
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


def test_showconfig_has_what_was_given_and_with_v_the_defaults(molokini: Command, tmp_path: Path) -> None:
    file = maui_file(tmp_path)

    def values(*more: str) -> dict[str, tuple[str, bool]]:
        found = molokini("maui", "showconfig", file, "--json", *more).json["parameters"]
        assert len({one["name"] for one in found}) == len(found)
        return {one["name"]: (one["value"], one["given"]) for one in found}

    given, every = values(), values("-v")
    assert given["FSDECAY"] == ("0.8", True)
    assert given["USERCFG[ann]"] == ("PRIORITY=100 QLIST=high,low QDEF=low", True)
    assert "DEFERTIME" not in given
    assert every["DEFERTIME"] == ("01:00:00", False)
    assert {name: one for name, one in every.items() if one[1]} == given
    assert set(every) >= {one.name for one in PARAMETERS.values() if not one.array}
    shown = molokini("maui", "showconfig", file, "-v").out
    assert "hush" not in shown
    assert "CLIENTCFG[peer]" in shown
    assert ["DEFERTIME", "01:00:00", "default"] in [line.split() for line in shown.splitlines()]


def test_showconfig_is_of_the_configuration_in_force(molokini: Command, server: FakeServer) -> None:
    ran = molokini("maui", "showconfig")
    assert ran.code == 2
    assert "has no Maui configuration" in ran.err
    server.cluster.policy.maui_config = "FSDECAY 0.5\n"
    assert [line.split() for line in molokini("maui", "showconfig").out.splitlines()] == [
        ["parameter", "value"],
        ["FSDECAY", "0.5"],
    ]
