"""Tables of reports for people, from the very documents that programs get."""

import json
from dataclasses import replace

import pytest

from molokini.clients.show.report_tables import show_report
from molokini.model.banks import Bank, Debit
from molokini.policies.maui.configuration.settings import Limit, Weight
from molokini.policies.maui.configuration.words import Component, Factor, LimitKind
from molokini.reports import REPORTS, report
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from tests.kit.maui import nodes
from tests.kit.pictured import SETTINGS, picture

_PARTS = {
    "queue": ("6 of 8 processors in use, 2 of 2 nodes", "class", "1 active, 1 idle, 0 blocked"),
    "priorities": ("Serv(QTime)", "Cred(User)", "weights", "percent"),
    "fairshare": ("ann*", "decay", "16.7", "high"),
    "nodes": ("busy", "0:4", "2:4"),
    "blocked": ("why",),
    "reservations": ("2 reservations located", "-1 min", "40 s"),
    "start": ("in 40 s (at 100 s)",),
    "windows": ("2 processors available for 40 s",),
    "statistics": ("since   ", "backlog hours", "ann"),
    "job": (
        "it has a reservation at 100 s",
        "fairshare-user",
        "no account: 400 wanted (processor-seconds); else p1",
    ),
    "balances": ("accounts, in processor-seconds", "p1", "1,500"),
    "node": ("2 of 4 free", "running"),
    "grid": ("1 (1)", "15 min", "AVGXFACTOR"),
    "limits": ("ann", "limits", "procs"),
    "partitions": ("DEFAULT", "procs free"),
    "jobs": ("wclimit", "bob", "1 job, 0 active"),
    "scheduler": ("replay", "CURRENTHIGHEST", "1 active, 1 waiting, 0 blocked"),
    "agents": ("no agent has any nodes here",),
}


BANK = Bank(Debit.WALL, otherwise=1500, fallback="p1")


@pytest.fixture(scope="module")
def of_nodes() -> ClusterSnapshot:
    return picture(machine=nodes(2, 4), bank=BANK)


# Of a cluster under maui; the matrix is one of gang scheduling, and has tests of its own.
@pytest.mark.parametrize("name", [name for name in REPORTS if name != "matrix"])
def test_every_report_has_a_table(
    name: str, of_nodes: ClusterSnapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ReportRequest(job="2", node="node2", by={"queue": "active", "grid": ""}.get(name, "user"))
    show_report(json.loads(json.dumps(report(name, of_nodes, asked))))
    shown = capsys.readouterr().out
    for part in _PARTS[name]:
        assert part in shown, shown


def test_a_limit_is_told_by_its_name_and_not_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    users = {"bob": replace(SETTINGS.users["bob"], active={LimitKind.PROCESSORS: Limit(4, 4)})}
    show_report(report("job", picture(settings=replace(SETTINGS, users=users)), ReportRequest(job="2")))
    shown = capsys.readouterr().out
    assert "the hard limit MaxProcPerUser is 4" in shown
    assert not [line for line in shown.splitlines() if line.startswith(("limit", "value"))]


def test_limits_are_shown_as_use_of_what_there_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    active = {LimitKind.PROCESSORS: Limit(8, 12), LimitKind.WALL_TIME: Limit(3600, 3600)}
    users = {"ann": replace(SETTINGS.users["ann"], active=active)}
    show_report(report("limits", picture(settings=replace(SETTINGS, users=users)), ReportRequest(by="user")))
    shown = " ".join(capsys.readouterr().out.split())
    assert "6 of 8 processors, hard 12 (MAXPROC); 40 s of 1 h (MAXWC)" in shown


def test_a_queue_has_calendar_times_where_the_clock_goes_by_the_calendar(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Second 0 of the log is Tuesday, 22 November 2022, 10:04 on the clock on the wall.
    show_report(report("queue", replace(picture(), second_zero_s=1669111440.0), ReportRequest(by="active")))
    assert "Tue Nov 22 10:04" in capsys.readouterr().out
    show_report(report("queue", picture(), ReportRequest(by="active")))
    assert "0 s" in capsys.readouterr().out


def test_a_wide_queue_has_group_account_class_and_qos(capsys: pytest.CaptureFixture[str]) -> None:
    show_report(report("queue", picture()))
    assert "class" not in capsys.readouterr().out
    show_report(report("queue", picture()), wide=True)
    active, idle, blocked = capsys.readouterr().out.split(" jobs\n")[1:]
    for part in (active, idle, blocked):
        heads = part.splitlines()[0].split()
        assert heads[:6] == ["job", "user", "group", "account", "class", "QOS"]
    assert active.splitlines()[1].split()[:4] == ["1", "ann", "staff", "long"]
    assert idle.splitlines()[0].split()[-1] == "reserved"
    assert idle.splitlines()[1].endswith("100 s")


def test_a_verbose_job_has_a_line_for_each_class_of_nodes(
    of_nodes: ClusterSnapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report("job", of_nodes, ReportRequest(job="2"))
    show_report(found)
    assert "2 nodes of" not in capsys.readouterr().out
    show_report(found, wide=True)
    assert "2 nodes of 4 processors: 1 too few processors free now; 1 with room for 2 tasks now" in (
        " ".join(capsys.readouterr().out.split())
    )


def test_nothing_to_show_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_report({"schema": "molokini.maui.windows/1", "windows": []})
    assert capsys.readouterr().out == "no processors available\n"


def test_small_weights_are_not_shown_as_none(capsys: pytest.CaptureFixture[str]) -> None:
    factors = {**SETTINGS.factors, Factor.PROCESSOR_SECONDS: Weight(0.00001)}
    weighed = replace(
        SETTINGS, factors=factors, components={**SETTINGS.components, Component.RESOURCE: Weight(1)}
    )
    show_report(report("priorities", picture(settings=weighed)))
    assert "1(1e-05)" in capsys.readouterr().out


def test_one_processor_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    found = report("windows", picture())
    show_report({**found, "windows": [{**found["windows"][0], "processors": 1}]})
    assert "     1 processor available for" in capsys.readouterr().out


def test_the_tables_of_statistics_stand_apart(capsys: pytest.CaptureFixture[str]) -> None:
    show_report(report("statistics", picture(), ReportRequest(by="user")))
    shown = capsys.readouterr().out
    assert "\n\nname " in shown
    assert all(f"  {word} " in shown for word in ("remaining h", "completed", "requested h", "used h"))
