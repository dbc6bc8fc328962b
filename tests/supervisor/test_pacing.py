"""How a supervisor reckons the work of its job: at a rate, in windows, and when a slicer comes and goes."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import pytest

from molokini.supervisor import pacing, priorities
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.pacing import Pace
from molokini.supervisor.records import ENDING, RUNNING, STATE, SUSPENDED
from molokini.supervisor.trees import Descendants

_S = 1_000_000_000
WINDOWS = ((0, _S), (3 * _S, 4 * _S))
"""Of a period of 8 s: 2 s, which are a quarter."""


class Tree(Descendants):
    """A job of two processes that are nobody's."""

    def pids(self) -> list[int]:
        return [11, 12]


@dataclass
class Room:
    """The folder of an attempt, its pace, the beat of its slicer, and what was sent to the job."""

    folder: Path
    pace: Pace
    beat: LeaseFile
    sent: list[tuple[list[int], int]] = field(default_factory=list)
    tree: Tree = field(default_factory=lambda: Tree(-1))

    def sliced(self, rate: float = 0.25, ends_s: float = 1000.0) -> None:
        self.beat.ends_s = ends_s
        self.pace.order(rate, str(self.folder / "beat"), RUNNING)
        self.pace.slice(8 * _S, WINDOWS, 0)

    @property
    def state(self) -> bytes:
        return (self.folder / STATE).read_bytes()


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    place = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    made = Room(tmp_path, Pace(place, 0.5), LeaseFile(str(tmp_path / "beat"), writes=True))
    monkeypatch.setattr(pacing, "send", lambda pids, number: made.sent.append((pids, number)))
    monkeypatch.setattr(priorities, "lower_all", lambda pids: made.sent.append((pids, 0)))
    yield made
    os.close(place)


CONTINUED = [([11, 12], 0), ([11, 12], int(signal.SIGCONT))]


def test_without_a_slicer_work_is_time_at_the_rate(room: Room) -> None:
    assert room.pace.work_s(10.0, 14.0) == 2.0
    assert room.pace.done_at(10.0, 2.0) == 14.0
    assert room.pace.done_at(10.0, inf) == inf
    assert room.pace.done_at(10.0, 0.0) == room.pace.done_at(10.0, -5.0) == 10.0, (
        "done already is done at once"
    )
    room.pace.order(0.25, "", RUNNING)
    assert (room.pace.work_s(10.0, 14.0), room.pace.looks_at, room.pace.sliced) == (1.0, inf, False)
    assert not (room.folder / STATE).exists()


def test_it_goes_at_full_speed_until_its_slicer_beats_and_when_that_beats_no_more(room: Room) -> None:
    room.sliced(ends_s=50.0)
    assert room.pace.looks_at <= time.monotonic(), "it looks at once"
    assert room.pace.work_s(8.0, 16.0) == 8.0
    room.pace.look(20.0, room.tree, suspended=False)
    assert (room.pace.work_s(8.0, 16.0), room.pace.looks_at) == (2.0, 50.0)
    room.pace.look(50.0, room.tree, suspended=False)
    assert room.pace.work_s(8.0, 16.0) == 8.0, "a beat is over at its end"
    assert room.pace.looks_at == pytest.approx(50.1)
    assert room.pace.sliced


def test_in_windows_work_is_the_time_of_windows_and_ends_in_one(room: Room) -> None:
    room.sliced()
    room.pace.look(0.0, room.tree, suspended=False)
    assert room.pace.work_s(0.5, 3.25) == 0.75
    assert room.pace.done_at(0.5, 0.75) == 3.25
    assert room.pace.done_at(1.5, 1.0) == 4.0
    assert room.pace.done_at(1.5, 1.5) == 8.5
    assert room.pace.done_at(5.0, inf) == inf
    assert room.pace.done_at(5.0, 0.0) == 5.0


def test_what_a_change_of_rows_takes_is_no_work_and_a_window_is_never_more_than_its_time(room: Room) -> None:
    room.sliced(rate=0.125)
    room.pace.look(0.0, room.tree, suspended=False)
    assert room.pace.work_s(0.0, 8.0) == 1.0
    assert room.pace.done_at(0.0, 0.75) == 3.5
    room.pace.order(1.0, str(room.folder / "beat"), RUNNING)
    room.pace.look(0.0, room.tree, suspended=False)
    assert room.pace.work_s(0.0, 8.0) == 2.0


def test_a_job_is_continued_once_for_a_slicer_that_has_gone(room: Room) -> None:
    room.sliced(ends_s=50.0)
    room.pace.look(20.0, room.tree, suspended=False)
    assert (room.sent, room.state) == ([], RUNNING + b"\x00")
    for now in (50.0, 50.1, 50.2):
        room.pace.look(now, room.tree, suspended=False)
    assert (room.sent, room.state) == (CONTINUED, RUNNING + b"\x01")
    # The slicer was only late, and is late again.
    room.beat.ends_s = 60.0
    room.pace.look(50.3, room.tree, suspended=False)
    room.pace.look(60.0, room.tree, suspended=False)
    assert (room.sent, room.state) == (2 * CONTINUED, RUNNING + b"\x02")


def test_a_suspended_job_is_continued_when_it_is_resumed_and_not_before(room: Room) -> None:
    room.sliced(ends_s=50.0)
    room.pace.look(20.0, room.tree, suspended=False)
    room.pace.suspends()
    assert room.state[:1] == SUSPENDED
    room.pace.look(50.0, room.tree, suspended=True)
    assert room.sent == []
    room.pace.resumed(room.tree)
    assert (room.sent, room.state) == (CONTINUED, RUNNING + b"\x01")


def test_a_resumed_job_with_a_living_slicer_is_left_to_it(room: Room) -> None:
    room.sliced(ends_s=50.0)
    room.pace.look(20.0, room.tree, suspended=False)
    room.pace.suspends()
    room.pace.resumed(room.tree)
    assert (room.sent, room.state) == ([], RUNNING + b"\x01"), "the count alone tells that it went on"


def test_what_was_never_sliced_is_sent_no_signal(room: Room) -> None:
    room.pace.suspends()
    room.pace.resumed(room.tree)
    room.pace.look(20.0, room.tree, suspended=False)
    room.pace.ends(room.tree)
    assert room.sent == []
    assert not (room.folder / STATE).exists()


def test_what_is_to_end_runs_without_slices_from_then_on(room: Room) -> None:
    room.sliced()
    room.pace.look(0.0, room.tree, suspended=False)
    room.pace.ends(room.tree)
    assert (room.sent, room.state[:1], room.pace.looks_at) == (CONTINUED, ENDING, inf)
    room.pace.look(5.0, room.tree, suspended=False)
    room.pace.ends(room.tree)
    assert (room.sent, room.state[:1], room.pace.looks_at) == (CONTINUED, ENDING, inf)
    assert room.pace.sliced, "its supervisor keeps no other"


def test_the_count_of_continues_is_one_byte_that_goes_round(room: Room) -> None:
    room.sliced(ends_s=5000.0)
    room.pace.look(0.0, room.tree, suspended=False)
    seen = set()
    for _ in range(256):
        room.pace.resumed(room.tree)
        seen.add(room.state)
    assert len(seen) == 256
    assert room.state == RUNNING + b"\x00"


def test_without_slices_again_it_goes_at_the_ordered_rate(room: Room) -> None:
    room.sliced()
    room.pace.look(0.0, room.tree, suspended=False)
    room.pace.order(0.5, "", RUNNING)
    assert (room.pace.work_s(0.0, 8.0), room.pace.done_at(0.0, 4.0), room.pace.looks_at) == (4.0, 8.0, inf)
    room.pace.look(5.0, room.tree, suspended=False)
    assert (room.sent, room.pace.looks_at) == ([], inf)
    assert room.pace.sliced, "a slicer may still go by the number of its supervisor"


def test_another_order_before_the_next_beat_begins_at_full_speed(room: Room) -> None:
    room.sliced()
    room.pace.look(0.0, room.tree, suspended=False)
    room.sliced(rate=0.5)
    assert room.pace.work_s(0.0, 8.0) == 8.0, "until the slicer is seen to beat"
