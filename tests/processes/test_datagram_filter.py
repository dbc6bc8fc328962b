"""Which datagrams a filter of the kernel lets pass."""

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.processes.datagram_filter import let_all_pass, let_pass

NUMBERS = (1, 2, 300, 70_000, 2**31 + 5, 2**33 + 1, -1)


@pytest.fixture
def end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.setblocking(False)
        made.bind("end")
        yield made


def passed(end: socket.socket) -> list[int]:
    """Of a datagram of each number, and two of other lengths, those that are queued."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        for number in NUMBERS:
            sender.sendto(struct.pack("<4q", number, 1, 2, 3), "end")
        for length in (31, 40):
            sender.sendto(bytes(length), "end")
    found = []
    while True:
        try:
            found.append(struct.unpack_from("<q", end.recv(100))[0])
        except BlockingIOError:
            return found


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        ([2, 70_000, 2**31 + 5], [2, 70_000, 2**31 + 5]),
        ([], []),
        # No number that a filter can have passes: this one looks like 1.
        ([2**33 + 1, 2**32 + 1], []),
        (range(1, 2001), [1, 2, 300]),
    ],
)
def test_only_whole_reports_of_these_jobs_pass(
    end: socket.socket, jobs: list[int], expected: list[int]
) -> None:
    assert let_pass(end, jobs, 32)
    assert passed(end) == expected
    # Another filter comes in the place of the first.
    assert let_pass(end, [300], 32)
    assert passed(end) == [300]
    let_all_pass(end)
    assert passed(end) == [*NUMBERS, 0, 0]


def test_without_a_filter_everything_passes(end: socket.socket) -> None:
    assert not let_pass(end, range(1, 2002), 32)
    let_all_pass(end)
    assert passed(end) == [*NUMBERS, 0, 0]
