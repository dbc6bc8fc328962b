"""The record of an attempt, as it is written and as it may be found after a crash."""

import os
from pathlib import Path

import pytest

from molokini.supervisor import records
from molokini.supervisor.leases import LeaseFile


def _written(folder: Path) -> None:
    place = os.open(folder, os.O_RDONLY)
    try:
        records.append(place, "1-1", "started", False, pid=7, at=1.5, boot="b", cgroup=False)
        records.append(place, "1-1", "ended", True, at=2.5, how="exited", exit_code=3)
    finally:
        os.close(place)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert records.read(str(tmp_path), "1-1").started is None
    _written(tmp_path)
    found = records.read(str(tmp_path), "1-1")
    assert found.started == {"pid": 7, "at": 1.5, "boot": "b", "cgroup": False}
    assert found.ended == {"at": 2.5, "how": "exited", "exit_code": 3}
    assert (tmp_path / "record").stat().st_mode & 0o777 == 0o600


def test_of_a_line_that_was_cut_short_nothing(tmp_path: Path) -> None:
    _written(tmp_path)
    whole = (tmp_path / "record").read_bytes()
    first = whole.index(b"\n", 1) + 1
    for length in range(len(whole)):
        (tmp_path / "record").write_bytes(whole[:length])
        found = records.read(str(tmp_path), "1-1")
        assert (found.started is not None) == (length >= first)
        assert found.ended is None


def test_a_line_after_one_that_was_cut_short_is_read(tmp_path: Path) -> None:
    """As on a full disk: a part of the line is written, and later the whole of it."""
    _written(tmp_path)
    whole = (tmp_path / "record").read_bytes()
    first = whole.index(b"\n", 1) + 1
    for length in range(first, len(whole)):
        (tmp_path / "record").write_bytes(whole[:length])
        place = os.open(tmp_path, os.O_RDONLY)
        try:
            records.append(place, "1-1", "ended", True, at=3.5, how="exited", exit_code=4)
        finally:
            os.close(place)
        assert records.read(str(tmp_path), "1-1").ended == {"at": 3.5, "how": "exited", "exit_code": 4}


def test_noise_is_passed_over(tmp_path: Path) -> None:
    _written(tmp_path)
    whole = (tmp_path / "record").read_bytes()
    (tmp_path / "record").write_bytes(b"\0\0{\n" + whole)
    assert records.read(str(tmp_path), "1-1").ended is not None


@pytest.mark.parametrize("ends_s", [0.0, 12.5, float("inf")])
def test_a_lease_is_seen_by_all(tmp_path: Path, ends_s: float) -> None:
    path = str(tmp_path / "lease")
    written = LeaseFile(path, writes=True)
    assert written.ends_s == float("inf")
    read = LeaseFile(path)
    written.ends_s = ends_s
    assert read.ends_s == ends_s
    # A new start of the agent leaves it as it is.
    assert LeaseFile(path, writes=True).ends_s == ends_s
