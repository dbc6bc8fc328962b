"""Dates wherever a command on a live cluster takes an instant."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from molokini.proto.v1.cluster_service_pb2 import Clock
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]
BERLIN = ZoneInfo("Europe/Berlin")


def at(*date: int) -> float:
    return datetime(*date, tzinfo=BERLIN).timestamp()  # type: ignore[arg-type, misc]


NOW = at(2026, 11, 27, 14, 48)
"""A Friday."""
FRIDAY = at(2026, 12, 4, 18)
JOB = ("--processors", 1, "--emulate", "run=1")
RESERVE = ("reservations", "create", "r", "--processors", 4, "--json")


@pytest.fixture(autouse=True)
def _in_berlin() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def real(molokini: Command, server: FakeServer) -> Command:
    """On a cluster whose clock is real."""
    server.cluster.clock.kind, server.cluster.clock.now_s = Clock.REAL, NOW
    return molokini


def test_the_deadline_of_work_counts_from_the_submission(real: Command, server: FakeServer) -> None:
    words = ("--deadline", "2h", "--work", 4000, "--rate", "20%-80%")
    assert real("submit", *words, *JOB).code == 0
    spec = server.state.jobs[1].spec
    assert (spec.deadline_s, spec.work, spec.rate) == (NOW + 7200, 4000, "20%-80%")


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-12-04T18:00", FRIDAY),
        ("2026-12-04 17:00Z", FRIDAY),
        ("Fri 18:00", at(2026, 11, 27, 18)),
        ("18:00:00_12/04", FRIDAY),
        ("now+1hour", NOW + 3600),
        ("+1:00:00", NOW + 3600),
        (str(NOW + 60), NOW + 60),
    ],
)
def test_one_grammar_for_all(real: Command, server: FakeServer, text: str, value: float) -> None:
    assert real("submit", "--begin", text, "--deadline", text, *JOB).code == 0
    spec = server.state.jobs[1].spec
    assert (spec.begin_at_s, spec.deadline_s) == (value, value)
    assert real("alter", 1, "--begin", text).code == 0
    assert real(*RESERVE, "--start", text).json["reservations"][0]["start_s"] == value
    assert real("reservations", "delete", "r").code == 0
    made = real("maui", "setres", "-s", text, "-e", "2026-12-31", "ALL", "--json").json["reservations"][0]
    assert (made["start_s"], made["end_s"]) == (value, at(2026, 12, 31))
    assert real("accounting", "export", "--format", "swf", "--from", text).code == 0


WAYS = {
    "--begin": ("submit", *JOB),
    "--deadline": ("submit", *JOB),
    "--start": RESERVE,
    "--end": ("maui", "setres", "ALL"),
    "--from": ("accounting", "export", "--format", "swf"),
}


@pytest.mark.parametrize("option", WAYS)
def test_what_is_no_instant_says_what_is(real: Command, option: str) -> None:
    ran = real(*WAYS[option], option, "next week")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(
        f"molokini: {option}: 'next week' is not allowed; it must be seconds of the clock, +TIME from now "
        "(+1:00:00, now+1hour), a date (2026-12-04, 2026-12-04T18:00, with Z for UTC; 18:00:00_12/04) or the "
        "next such time (18:00, Fri 18:00, tomorrow)"
    )


@pytest.mark.parametrize("option", WAYS)
def test_a_clock_that_began_at_0_knows_no_dates(molokini: Command, option: str) -> None:
    ran = molokini(*WAYS[option], option, "2026-12-04")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "this clock counts from 0 and knows no dates" in ran.err
    assert molokini(*WAYS[option], option, "100:00:00").code == 0
