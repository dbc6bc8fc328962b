"""Reservations in a file: TOML and JSON, and what is wrong with one."""

import json
from collections.abc import Callable
from math import inf
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from molokini.experiments.reservation_files import read_reservations
from molokini.model.calendars import Calendar
from molokini.model.dates import Clock
from molokini.model.errors import BadFile, BadInput
from molokini.model.reservations import Reservation, StandingReservation, of_json, placed
from molokini.workloads.calendar import UNDATED
from tests.clients.command_runs import Ran

TEXT = """
[[reservations]]
name = "demo"
processors = 4
start_s = 10
access = { user = [12] }

[[reservations]]
name = "nights"
processors = 8
calendar = { days = ["Mon"], end_s = 21600 }
depth = 3
"""


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(TEXT)
    found = read_reservations(str(tmp_path / "r.toml"))
    assert found == [
        Reservation("demo", 4, 10.0, inf, {"user": ("12",)}),
        StandingReservation("nights", 8, Calendar(days=frozenset({"Mon"}), end_s=21600.0), 3),
    ]
    (tmp_path / "r.json").write_text(json.dumps({"reservations": [one.as_json() for one in found]}))
    assert read_reservations(str(tmp_path / "r.json")) == found
    assert [of_json(one.as_json()) for one in found] == found


def test_nodes_stand_in_the_place_of_processors(tmp_path: Path) -> None:
    text = """
    [[reservations]]
    name = "whole"
    nodes = ["node[001-002]", "io1"]
    [[reservations]]
    name = "parts"
    nodes = { node001 = 2, node003 = 4 }
    """
    (tmp_path / "r.toml").write_text(text)
    whole, parts = read_reservations(str(tmp_path / "r.toml"))
    assert dict(whole.terms.hosts) == {"node001": 0, "node002": 0, "io1": 0}
    sizes = {"node001": 4, "node002": 4, "node003": 8, "io1": 1}
    made = placed(whole, sizes)
    assert (made.processors, dict(made.terms.hosts)) == (9, {"node001": 4, "node002": 4, "io1": 1})
    assert placed(made, sizes) == made
    assert placed(parts, sizes).processors == 6
    with pytest.raises(BadInput, match="this machine has none with names"):
        placed(parts, {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[reservations]]\nname = "a"\nprocessors = 1\nnodes = ["n1"]', "processors or nodes, not both"),
        ('[[reservations]]\nname = "a"\nnodes = []', "names or patterns"),
        ('[[reservations]]\nname = "a"\nnodes = {n1 = 0}', "processors of n1"),
        ('[[reservations]]\nname = "a"\nnodes = ["n[2-1]"]', "run upwards"),
        ("reservations = 3", "no list of tables"),
        ("[[reservations", "neither TOML nor JSON"),
        ('[[reservations]]\nname = "a"', "processors: it is missing; it must be"),
        ('[[reservations]]\nname = "a"\nprocessors = 1\nproc = 2', "did you mean 'processors'"),
        ('[[reservations]]\nname = "a"\nprocessors = 1\ndepth = 2', "needs a calendar"),
        ('[[reservations]]\nname = "a"\nprocessors = 1\nend_s = -5', "later than start_s"),
        ('[[reservations]]\nname = "a"\nprocessors = 1\naccess = {boss = [1]}', "one of user, group"),
        ('[[reservations]]\nname = "a"\nprocessors = 1\ncalendar = {period = "YEAR"}', "one of DAY"),
        ('[[reservations]]\nname = "a"\nprocessors = 1\ncalendar = {days = ["Sol"]}', "one of ALL, Mon"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(text)
    with pytest.raises(BadFile) as refused:
        read_reservations(str(path))
    assert words in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        read_reservations(str(tmp_path / "no.toml"))


@pytest.mark.parametrize(
    ("nodes", "machine", "words"),
    [
        ('["node001"]', (), "reservation a is on particular nodes, and this machine has none with names"),
        ('["node009"]', ("--nodes", 2, "--procs-per-node", 4), "no node named 'node009'"),
        ("{ node001 = 9 }", ("--nodes", 2, "--procs-per-node", 4), "must be from 1 to its 4"),
    ],
)
def test_nodes_that_the_machine_has_not_are_refused_in_one_line(
    molokini: Callable[..., Ran],
    small: Path,
    tmp_path: Path,
    nodes: str,
    machine: tuple[object, ...],
    words: str,
) -> None:
    path = tmp_path / "r.toml"
    path.write_text(f'[[reservations]]\nname = "a"\nnodes = {nodes}\n')
    ran = molokini("simulate", small, "--policy", "easy", "--reservations", path, *machine)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert words in ran.err


DATED = Clock(zero_s=1767603600.0, zone=ZoneInfo("Europe/Berlin"))
"""Second 0 is Monday, 2026-01-05, 10:00 in Berlin."""
FRIDAY = 4 * 86400 + 8 * 3600


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ('"2026-01-09T18:00"', '"2026-01-09 22:00"'),
        ("2026-01-09T18:00:00", "2026-01-09T21:00:00Z"),
        (str(FRIDAY), str(FRIDAY + 14400)),
    ],
)
def test_dates_are_those_of_the_log(tmp_path: Path, start: str, end: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(f'[[reservations]]\nname = "friday"\nprocessors = 4\nstart_s = {start}\nend_s = {end}\n')
    assert read_reservations(str(path), DATED) == [Reservation("friday", 4, FRIDAY, FRIDAY + 14400)]


@pytest.mark.parametrize("times", ["start_s = 64800, end_s = 79200", 'start_s = "18:00", end_s = 22:00:00'])
def test_a_friday_is_one_of_the_log(tmp_path: Path, times: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(
        f'[[reservations]]\nname = "friday"\nprocessors = 4\ncalendar = {{ days = ["Fri"], {times} }}\n'
    )
    (found,) = read_reservations(str(path), DATED)
    assert isinstance(found, StandingReservation)
    assert [one.start_s for one in found.instances(0.0)] == [FRIDAY, FRIDAY + 7 * 86400]
    # What results repeat is read again as the same.
    again = tmp_path / "r.json"
    again.write_text(json.dumps({"reservations": [found.as_json()]}))
    assert read_reservations(str(again), DATED) == [found]


def test_a_zone_of_its_own_moves_midnight(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    calendar = {"days": ["Fri"], "start_s": 64800, "end_s": 79200, "zone_s": 7200}
    path.write_text(json.dumps({"reservations": [{"name": "f", "processors": 4, "calendar": calendar}]}))
    (found,) = read_reservations(str(path), DATED)
    assert isinstance(found, StandingReservation)
    assert found.instances(0.0)[0].start_s == FRIDAY - 3600


@pytest.mark.parametrize(
    ("clock", "table", "why"),
    [
        (Clock(undated=UNDATED), 'start_s = "2026-01-09T18:00"', "start_s: .* has no UnixStartTime"),
        (DATED, 'start_s = "Friday"', "reservation r: start_s: 'Friday' is not allowed; .* a date"),
        (DATED, 'calendar = { start_s = "6 pm" }', "reservation r: start_s: '6 pm' .* such as 18:00"),
    ],
)
def test_a_date_that_cannot_be(tmp_path: Path, clock: Clock, table: str, why: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(f'[[reservations]]\nname = "r"\nprocessors = 4\n{table}\n')
    with pytest.raises(BadFile, match=why):
        read_reservations(str(path), clock)


def test_a_calendar_that_begins_too_late_is_told(molokini: Callable[..., Ran], tmp_path: Path) -> None:
    log = tmp_path / "log.swf"
    log.write_text(
        "; UnixStartTime: 1767603600\n; MaxProcs: 4\n1 0 -1 9000 4 -1 -1 4 9000" + 9 * " -1" + "\n"
    )
    file = tmp_path / "r.toml"
    file.write_text('[[reservations]]\nname = "r"\nprocessors = 4\ncalendar = { start_s = "10:30" }\n')
    found = molokini("simulate", log, "--policy", "easy", "--reservations", file)
    told = "r: no instance while jobs are submitted, the first from 2026-01-05 10:30 UTC"
    assert found.err.splitlines()[0] == f"molokini: {file}: {told}"


WEEK = "\n".join(f"{n} {(n - 1) * 43200} -1 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1" for n in range(1, 29))


@pytest.mark.parametrize(
    ("header", "lines"),
    [
        (
            "; UnixStartTime: 1767603600\n; TimeZoneString: Europe/Berlin\n",
            ["friday: 2 instances while jobs are submitted, the first from 2026-01-09 18:00 CET"],
        ),
        (
            "",
            [
                "friday: 2 instances while jobs are submitted, the first from 151200 s",
                "the log's header has no UnixStartTime that says when its second 0 was: it counts as "
                "Thursday, 1970-01-01, 00:00",
            ],
        ),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_when_a_calendar_comes_stands_on_standard_error(
    molokini: Callable[..., Ran], tmp_path: Path, header: str, lines: list[str], command: str
) -> None:
    (tmp_path / "log.swf").write_text(f"{header}; MaxProcs: 4\n{WEEK}\n")
    file = tmp_path / "r.toml"
    file.write_text(
        '[[reservations]]\nname = "friday"\nprocessors = 4\n'
        'calendar = { days = ["Fri"], start_s = 64800, end_s = 79200 }\n'
    )
    found = molokini(command, tmp_path / "log.swf", "--policy", "easy", "--reservations", file)
    assert (found.code, found.err.splitlines()) == (0, [f"molokini: {file}: {line}" for line in lines])
