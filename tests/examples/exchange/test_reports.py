"""The datagrams of the example: they count up, and nobody has to read them."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from exchange.reports import FORMAT, Reports
from tests.kit.exchanging import SMALL, result


@contextmanager
def reader(path: Path) -> Iterator[socket.socket]:
    """An agent's end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind(str(path))
        made.setblocking(False)
        yield made


def received(end: socket.socket) -> list[tuple[int, int, int, float]]:
    """All datagrams that wait."""
    found = []
    while True:
        try:
            found.append(FORMAT.unpack(end.recv(100)))
        except BlockingIOError:
            return found


def test_datagrams_arrive_and_count_up(tmp_path: Path) -> None:
    """Nine fit into a queue of the kernel, whose default holds ten and more."""
    began = time.monotonic_ns()
    with reader(tmp_path / "rate") as end:
        said = ("--tasks", 2, "--iterations", 9, *SMALL)
        found = result(*said, MOLOKINI_RATE_SOCKET=str(tmp_path / "rate"), MOLOKINI_JOB_ID="41")
        reports = received(end)
    assert (found["reports_sent"], found["reports_lost"]) == (9, 0)
    assert [report[:2] for report in reports] == [(41, count) for count in range(1, 10)]
    instants = [report[2] for report in reports]
    assert began < instants[0]
    assert instants == sorted(instants)
    assert instants[-1] < time.monotonic_ns()
    lengths_ns = [after - before for before, after in pairwise(instants)]
    assert [report[3] for report in reports[1:]] == [1e9 / length_ns for length_ns in lengths_ns]
    assert reports[0][3] > 0.0


@pytest.mark.deep
def test_a_reader_that_does_not_read_stops_nothing(tmp_path: Path) -> None:
    """Its queue is full long before the last report."""
    with reader(tmp_path / "rate") as end:
        said = ("--tasks", 2, "--iterations", 2000, "--units", 0, "--bytes", 8)
        found = result(*said, "--verify", MOLOKINI_RATE_SOCKET=str(tmp_path / "rate"))
        assert found["reports_sent"] == len(received(end)) > 0
    assert found["reports_lost"] == 2000 - found["reports_sent"] > 0


def test_nobody_at_the_path_stops_nothing(tmp_path: Path) -> None:
    found = result("--tasks", 2, "--iterations", 5, *SMALL, MOLOKINI_RATE_SOCKET=str(tmp_path / "none"))
    assert (found["reports_sent"], found["reports_lost"]) == (0, 5)


def test_an_agent_that_starts_again_hears_the_next_report(tmp_path: Path) -> None:
    path = tmp_path / "rate"
    reports = Reports(str(path), 3)
    reports.begin(0)
    with reader(path) as end:
        reports.send(1, 10)
        assert received(end) == [(3, 1, 10, 1e8)]
    reports.send(2, 20)
    path.unlink()
    with reader(path) as end:
        reports.send(3, 30)
        assert received(end) == [(3, 3, 30, 1e8)]
    assert (reports.sent, reports.lost) == (2, 1)
    reports.close()
