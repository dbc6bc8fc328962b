"""Reports of a stopped simulation for people, as the batch commands of Maui print them."""

import json
import time
from dataclasses import replace

import pytest

from molokini.clients.show.report_tables import show_report
from molokini.model.banks import Bank, Debit
from molokini.policies.maui.configuration.settings import Limit, Weight
from molokini.policies.maui.configuration.words import Component, Factor, LimitKind
from molokini.reports import REPORTS, report
from molokini.reports.snapshot import Blocked, ClusterSnapshot, ReportRequest
from tests.kit.maui import nodes
from tests.kit.pictured import SETTINGS, picture

_PARTS = {
    "queue": ("6 of    8 Processors Active (75.00%)", "2 of    2 Nodes Active", "00:00:40"),
    "priorities": ("Serv( QTime)", "Cred(  User)", "Weights", "Percent Contribution"),
    "fairshare": ("ann*", "Decay Rate: 0.50", "16.67", "high"),
    "nodes": ("Busy", "0:4", "2:4", "Total Nodes: 2  (Active: 2  Idle: 0  Down: 0)"),
    "blocked": ("no blocked jobs",),
    "reservations": ("2 reservations located", "-00:01:00", "00:00:40", "ACL: JOB==2+"),
    "start": ("Earliest start in          00:00:40 on Thu Jan  1 00:01:40", "firm  yes"),
    "windows": ("2 procs available for    00:00:40 until Thu Jan  1 00:01:40",),
    "statistics": ("user ", "PHDed", "ann", "TOTAL"),
    "job": (
        "job cannot run now (it has a reservation at 100 s)",
        "Reservation '2' (00:00:40 -> 00:01:30  Duration: 00:00:50)",
        "no account: 400 wanted (processor-seconds); else p1",
    ),
    "balances": ("accounts, in processor-seconds", "p1", "1,500"),
    "node": ("checking node node2", "PROCS: 2", "Job '1'(x2)"),
    "grid": ("1.00    1", "00:15:00", "Average XFactor Grid"),
    "limits": ("Displaying User Information", "ann", "Limits"),
    "partitions": ("DEFAULT", "UpProcs"),
    "jobs": ("WCLimit", "bob", "Total Jobs: 1  Active Jobs: 0"),
    "scheduler": ("Clock: replay", "CURRENTHIGHEST", "Active: 1  Waiting: 1  Blocked: 0"),
    "agents": ("no agent has any nodes here",),
}


BANK = Bank(Debit.WALL, otherwise=1500, fallback="p1")


@pytest.fixture(scope="module")
def of_nodes() -> ClusterSnapshot:
    return picture(machine=nodes(2, 4), bank=BANK)


# Of a cluster under maui; the matrix is one of gang scheduling, and has tests of its own.
@pytest.mark.parametrize("name", [name for name in REPORTS if name != "matrix"])
def test_every_report_is_printed(
    name: str, of_nodes: ClusterSnapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ReportRequest(job="2", node="node2", by={"queue": "active", "grid": ""}.get(name, "user"))
    show_report(json.loads(json.dumps(report(name, of_nodes, asked))), about="user")
    shown = capsys.readouterr().out
    for part in _PARTS[name]:
        assert part in shown, shown


def test_a_limit_is_told_by_its_name_and_not_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    users = {"bob": replace(SETTINGS.users["bob"], active={LimitKind.PROCESSORS: Limit(4, 4)})}
    show_report(report("job", picture(settings=replace(SETTINGS, users=users)), ReportRequest(job="2")))
    shown = capsys.readouterr().out
    assert "the hard limit MaxProcPerUser is 4" in shown
    assert not [line for line in shown.splitlines() if line.startswith(("limit", "value"))]


def test_limits_are_shown_beside_their_use_for_each_kind_of_credential(
    capsys: pytest.CaptureFixture[str],
) -> None:
    active = {LimitKind.PROCESSORS: Limit(8, 12), LimitKind.WALL_TIME: Limit(3600, 3600)}
    users = {"ann": replace(SETTINGS.users["ann"], active=active)}
    show_report(report("limits", picture(settings=replace(SETTINGS, users=users)), ReportRequest()))
    shown = capsys.readouterr().out
    assert "MAXPROC=8,12(6)  MAXWC=3600(40)" in shown
    titles = [line for line in shown.splitlines() if line.startswith("Displaying")]
    assert titles == [f"Displaying {kind} Information..." for kind in ("User", "Group", "Class", "QOS")]


def test_the_clock_of_a_log_keeps_the_time_of_its_machine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        # Second 0 of the log is Tuesday, 22 November 2022, 10:04 on the clock on the wall.
        show_report(
            report("queue", replace(picture(), second_zero_s=1669111440.0), ReportRequest(by="active"))
        )
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "Tue Nov 22 10:04:00" in capsys.readouterr().out


def test_a_wide_queue_has_all_columns_of_all_lists(capsys: pytest.CaptureFixture[str]) -> None:
    show_report(report("queue", picture()))
    assert "Group" not in capsys.readouterr().out
    show_report(report("queue", picture()), wide=True)
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines() if "User" in line] == ["JobName"] * 3
    assert "ann    staff" in shown


def test_a_verbose_job_has_a_line_for_each_class_of_nodes(
    of_nodes: ClusterSnapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report("job", of_nodes, ReportRequest(job="2"))
    show_report(found)
    assert "2 nodes of" not in capsys.readouterr().out
    show_report(found, wide=True)
    line = "2 nodes of 4 procs (DEFAULT): 1 with room for 2 tasks; rejected: too few processors free now: 1"
    assert line in capsys.readouterr().out


def test_a_job_that_the_policy_does_not_see_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    held = Blocked("7", "held", "it is held by its user", user="ann")
    made = replace(picture(), blocked=(held,))
    show_report(report("job", made, ReportRequest(job="7")))
    assert "job cannot run now (it is held by its user)" in capsys.readouterr().out
    show_report(report("queue", made))
    assert ["7", "ann", "Hold"] in [line.split()[:3] for line in capsys.readouterr().out.splitlines()]


def test_what_is_in_a_name_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    held = Blocked("7", "held", "no\x1b[2J", user="ann")
    show_report(report("blocked", replace(picture(), blocked=(held,))))
    assert r"(no\x1b[2J)" in capsys.readouterr().out


def test_small_weights_are_not_shown_as_none(capsys: pytest.CaptureFixture[str]) -> None:
    factors = {**SETTINGS.factors, Factor.PROCESSOR_SECONDS: Weight(0.00001)}
    weighed = replace(
        SETTINGS, factors=factors, components={**SETTINGS.components, Component.RESOURCE: Weight(1)}
    )
    show_report(report("priorities", picture(settings=weighed)))
    assert "1( 1e-05)" in capsys.readouterr().out
