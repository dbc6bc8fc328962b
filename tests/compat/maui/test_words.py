"""Times, states, jobs and lists of nodes, as Maui's commands write and read them."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from molokini.compat.maui import times, words
from molokini.compat.maui.asking import KINDS
from molokini.compat.maui.jobs import one, ref
from molokini.compat.maui.reading import read
from molokini.compat.maui.setres import chosen
from molokini.compat.maui.showq import OPTIONS
from molokini.compat.tool import Failed, Invocation

DAY = 86_400.0
STEPPED = {"now_s": 3600.0, "calendar_zero_s": None}


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "00:00:00"),
        (59.4, "00:00:59"),
        (59.6, "00:01:00"),
        (3599, "00:59:59"),
        (3600, "1:00:00"),
        (86_399, "23:59:59"),
        (DAY, "1:00:00:00"),
        (99 * DAY + 86_399, "99:23:59:59"),
        (100 * DAY, "INFINITY"),
        (None, "INFINITY"),
        (-0.2, "00:00:00"),
        (-12, "-00:00:12"),
        (-DAY - 1, "-1:00:00:01"),
        (-10 * DAY, "-INFINITY"),
    ],
)
def test_spans(seconds: float | None, text: str) -> None:
    assert times.span(seconds) == text


def test_dates_have_nineteen_characters() -> None:
    assert times.date(STEPPED, 0.0) == "Thu Jan  1 00:00:00"
    assert times.date({"calendar_zero_s": 0.0}, 1_700_000_000.0) == "Tue Nov 14 22:13:20"
    assert times.date({"calendar_zero_s": 1e9}, 7e8) == "Tue Nov 14 22:13:20"
    assert times.date(STEPPED, None) == "INFINITY"
    assert times.span_and_date(STEPPED, 7200.0) == "    1:00:00 on Thu Jan  1 02:00:00"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("1:30", 90), ("1:00:00", 3600), ("2:00:00:01", 2 * DAY + 1)]
)
def test_lengths_that_are_given(text: str, seconds: float) -> None:
    assert times.seconds("-d", text) == seconds


@pytest.mark.parametrize("text", ["", "x", "1:2:3:4:5", "-5", "1:", "1.5", "²", "9" * 11])
def test_lengths_that_are_none(text: str) -> None:
    with pytest.raises(Failed, match=r"ERROR:    -d '.*': expected a time"):
        times.seconds("-d", text)


@pytest.mark.parametrize(
    ("text", "at_s"),
    [
        ("+1:00", 3660.0),
        ("7200", 7200.0),
        ("02:30", 9000.0),
        ("5", 18_000.0),
        ("00:00:07_01/02", DAY + 7),
        ("00:00_01/01/71", 365 * DAY),
        ("00:00_01/01/1971", 365 * DAY),
    ],
)
def test_instants_that_are_given(text: str, at_s: float) -> None:
    found = {**STEPPED}
    if text.endswith("/71"):
        at_s = time.mktime((2071, 1, 1, 0, 0, 0, 0, 1, 0))
    assert times.instant("-s", text, found) == at_s
    calendar = {"now_s": 3600.0, "calendar_zero_s": 0.0}
    assert times.instant("-s", text, calendar) == at_s


@pytest.mark.parametrize("text", ["", "x", "25:00", "1:60", "1:00_13/01", "1:00_1", "1:00_01/01/1/1/1", "-5"])
def test_instants_that_are_none(text: str) -> None:
    with pytest.raises(Failed, match=r"ERROR:    -s '.*': expected (.* or seconds|a time)"):
        times.instant("-s", text, STEPPED)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("17", {"id": 17}),
        ("17[3]", {"id": 17, "array_index": 3}),
        ("17[]", None),
        ("17[3", None),
        ("x", None),
        ("-1", None),
        ("9" * 16, None),
    ],
)
def test_jobs_that_are_named(text: str, found: dict[str, int] | None) -> None:
    assert ref(text) == found
    if found is None:
        with pytest.raises(Failed, match="invalid job specified"):
            one(text)


@pytest.mark.parametrize(
    ("holds", "word", "listed"),
    [
        ([], "", []),
        (["HOLD_USER"], "UserHold", ["User"]),
        (["HOLD_USER", "HOLD_OPERATOR"], "BatchHold", ["User", "Batch"]),
        (["HOLD_SYSTEM", "HOLD_USER"], "SystemHold", ["User", "System"]),
    ],
)
def test_the_strictest_hold_is_the_state(holds: list[str], word: str, listed: list[str]) -> None:
    assert words.hold(holds) == word
    assert words.all_holds(holds) == listed
    held = {"job": "3", "state": "held"}
    assert words.state(held, {"3": holds}) == (word or "Idle")
    assert words.state(held, {}) == "Hold"


def test_states_of_reports() -> None:
    for state, word in (("running", "Running"), ("waiting", "Idle"), ("begin-time", "Idle")):
        assert words.state({"job": "1", "state": state}, {}) == word
    assert words.state({"job": "1", "state": "deferred"}, {}) == "Deferred"


def test_nodes_by_names_and_expressions() -> None:
    known = [f"node{number:03d}" for number in range(1, 13)] + ["io1"]
    assert chosen("io1,node002", known) == ["node002", "io1"]
    assert chosen("node00[12]", known) == ["node001", "node002"]
    assert chosen("node00[1,2]:io.*", known) == ["node001", "node002", "io1"]
    for bad, why in (("node", "no node matches 'node'"), ("[", "invalid node expression")):
        with pytest.raises(Failed, match=why):
            chosen(bad, known)


@pytest.mark.parametrize(
    ("line", "given", "left"),
    [
        (["-u"], {"u": [""]}, []),
        (["-u", "ann"], {"u": ["ann"]}, []),
        (["-uann"], {"u": ["ann"]}, []),
        (["-u", "-r"], {"u": [""], "r": [""]}, []),
        (["-r", "-u", "ann", "x"], {"r": [""], "u": ["ann"]}, ["x"]),
    ],
)
def test_a_value_that_may_be_left_out_stands_behind_a_blank(
    line: list[str], given: dict[str, Any], left: list[str]
) -> None:
    found = read(Invocation("showq", line), OPTIONS)
    assert found is not None
    assert (found.given, found.words) == (given, left)


def test_a_number_below_nothing_is_no_option() -> None:
    found = read(Invocation("setspri", ["-r", "-20", "4"]), OPTIONS, negative=True)
    assert found is not None
    assert (found.given, found.words) == ({"r": [""]}, ["-20", "4"])


def test_classes_are_queues() -> None:
    assert KINDS["c"] == "queue"
