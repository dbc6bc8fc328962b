"""Reservations in a file: TOML and JSON, and what is wrong with one."""

import json
from math import inf
from pathlib import Path

import pytest

from molokini.clients.reservation_files import read_reservations
from molokini.model.calendars import Calendar
from molokini.model.errors import BadFile
from molokini.model.reservations import Reservation, StandingReservation, of_json

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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("reservations = 3", "no list of tables"),
        ("[[reservations", "neither TOML nor JSON"),
        ('[[reservations]]\nname = "a"', "processors: None"),
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
