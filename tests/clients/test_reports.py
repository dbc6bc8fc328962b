"""Tables of reports for people, from the very documents that programs get."""

import json
from dataclasses import replace

import pytest

from molokini.clients.reports import show_report
from molokini.model.banks import Bank, Debit
from molokini.policies.maui.settings import Limit
from molokini.policies.maui.words import LimitKind
from molokini.reports import REPORTS, report
from molokini.reports.picture import Asked, Picture
from tests.kit.maui import nodes
from tests.kit.pictured import SETTINGS, picture

_PARTS = {
    "queue": ("6 of 8 processors in use, 2 of 2 nodes", "1 active, 1 idle, 0 blocked"),
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
}


BANK = Bank(Debit.WALL, otherwise=1500, fallback="p1")


@pytest.fixture(scope="module")
def of_nodes() -> Picture:
    return picture(machine=nodes(2, 4), bank=BANK)


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_has_a_table(name: str, of_nodes: Picture, capsys: pytest.CaptureFixture[str]) -> None:
    asked = Asked(job="2", node="node2", by="user")
    show_report(json.loads(json.dumps(report(name, of_nodes, asked))))
    shown = capsys.readouterr().out
    for part in _PARTS[name]:
        assert part in shown, shown


def test_a_limit_is_told_by_its_name_and_not_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    users = {"bob": replace(SETTINGS.users["bob"], active={LimitKind.PROCESSORS: Limit(4, 4)})}
    show_report(report("job", picture(settings=replace(SETTINGS, users=users)), Asked(job="2")))
    shown = capsys.readouterr().out
    assert "the hard limit MaxProcPerUser would be exceeded" in shown
    assert not [line for line in shown.splitlines() if line.startswith(("limit", "value"))]


def test_nothing_to_show_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_report({"schema": "molokini.maui.windows/1", "windows": []})
    assert capsys.readouterr().out == "no processors available\n"
