"""``molokini reservations``: what is asked of the server, and what is shown."""

from collections.abc import Callable

import pytest

from tests.clients.command_runs import Ran

Command = Callable[..., Ran]


def test_one_is_made_shown_and_given_up(molokini: Command) -> None:
    made = molokini(
        *("reservations", "create", "demo", "--processors", "32", "--start", "+50", "--length", "1:00:00"),
        *("--access", "user:ann", "--access", "queue:night", "--json"),
    ).json["reservations"][0]
    # The fake clock stands at 100.
    assert (made["start_s"], made["end_s"], made["processors"]) == (150.0, 3750.0, 32)
    assert made["access"] == [{"kind": "user", "name": "ann"}, {"kind": "queue", "name": "night"}]
    lines = molokini("reservations", "list").out.splitlines()
    assert lines[0].split() == ["reservation", "procs", "from", "until", "comes", "back", "access"]
    assert lines[1].split() == ["demo", "32", "150", "s", "3750", "s", "user:ann", "queue:night"]
    assert molokini("reservations", "delete", "demo").code == 0
    assert molokini("reservations", "delete", "demo").err == "molokini: no reservation named 'demo'\n"
    assert molokini("reservations", "list", "--json").json["reservations"] == []


def test_a_list_tells_nodes_where_any_reservation_is_on_some(molokini: Command) -> None:
    assert molokini("maui", "setres", "-n", "half", "-r", "PROCS=4", "node[1-2]").code == 0
    assert molokini("reservations", "create", "any", "--processors", "2").code == 0
    head, half, anywhere = (line.split() for line in molokini("reservations", "list").out.splitlines())
    assert (head[-1], half[-2:]) == ("nodes", ["node1:4", "node2:4"])
    assert anywhere[-1] == "none"
    assert molokini("reservations", "list", "--json").json["reservations"][0]["nodes"] == [
        {"node": "node1", "processors": 4},
        {"node": "node2", "processors": 4},
    ]


def test_one_that_comes_back_has_a_calendar(molokini: Command) -> None:
    made = molokini(
        *("reservations", "create", "nights", "--processors", "8", "--period", "day", "--days", "Mon,Tue"),
        *("--until", "6:00:00", "--depth", "3", "--json"),
    ).json["reservations"][0]
    assert (made["calendar"]["period"], made["calendar"]["days"]) == ("DAY", ["Mon", "Tue"])
    assert (made["calendar"]["end_s"], made["depth"]) == (21600.0, 3)
    assert "none" in molokini("reservations", "list").out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--access", "ann"], "--access: 'ann' is not allowed; it must be KIND:NAME, as user:ann"),
        (["--depth", "3"], "--depth is of one that comes back; give --period, too"),
        (["--days", "Mon"], "--days, --from and --until are of one that comes back"),
        (["--period", "DAY", "--start", "5"], "--start and --length are of one that does not come back"),
        (["--length", "soon"], "--length"),
    ],
)
def test_what_cannot_be_is_told_before_anybody_is_asked(
    molokini: Command, words: list[str], text: str
) -> None:
    ran = molokini("reservations", "create", "x", "--processors", "1", *words)
    assert ran.code == 2
    assert text in ran.err
