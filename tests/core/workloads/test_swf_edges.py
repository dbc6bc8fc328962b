"""Where a log ends, a block ends, or a number is the last that is allowed."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from molokini.model.errors import BadFile
from molokini.workloads import blocks, records, swf
from molokini.workloads.header import parse_header
from molokini.workloads.readers import read_workload
from molokini.workloads.swf import header_lines, read_swf, text_rows, write_records, write_swf
from tests.core.workloads.builders import log, packed, record, workload


@pytest.mark.parametrize("rows", range(1, 8))
def test_rows_are_written_once_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rows: int) -> None:
    monkeypatch.setattr(swf, "_ROWS", 3)
    written = np.arange(rows * 18, dtype=np.float64).reshape(rows, 18) + 1.5
    write_records(tmp_path / "out.swf", written, [])
    lines = (tmp_path / "out.swf").read_text().splitlines()
    assert [[float(value) for value in line.split()] for line in lines] == written.tolist()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
@example([2.0**63])
@example([-(2.0**63), 1.0])
@example([2.0**63 - 1024, 0.5])
@example([2.0**62, 1e300, -1e300])
@example([2.0**53 + 2, 1.0])
def test_a_number_is_read_back_as_it_was(column: list[float]) -> None:
    """Also where it is whole and too large for a whole number of the machine."""
    [text] = text_rows(np.array([column]).T, " ")
    assert [float(line) for line in text.splitlines()] == column


def test_whole_numbers_have_no_point() -> None:
    assert list(text_rows(np.array([[-1.0, 2.5], [2.0**53, 7.0]]), ",")) == ["-1,2.5\n9007199254740992,7\n"]


def test_a_workload_without_a_header_gets_one_of_its_counts_and_its_machine(tmp_path: Path) -> None:
    jobs = workload((0, 1, 2), (5, 1, 4))
    counts = ("; Version: 2.2", "; MaxJobs: 2", "; MaxRecords: 2")
    assert header_lines(jobs) == counts
    assert header_lines(replace(jobs, machine_processors=16)) == (*counts, "; MaxProcs: 16")
    own = replace(jobs, header=parse_header(["; Note: mine"]), machine_processors=16)
    assert header_lines(own) == ("; Note: mine",)
    write_swf(replace(jobs, machine_processors=16), tmp_path / "out.swf")
    again = read_swf(tmp_path / "out.swf", strict=True)
    assert (again.machine_processors, len(again), dict(again.notes)) == (16, 2, {"estimate_from_run_time": 2})


def test_the_number_of_a_record_that_is_broken_is_still_free(tmp_path: Path) -> None:
    """A record that is merely no job has used its number up."""
    path = log(tmp_path, record(5, submit=-1), record(5), record(6, status=3), record(6), record(7))
    found = read_swf(path)
    assert found.number.tolist() == [5, 6, 7]
    assert found.skipped == {"partial_record": 1, "negative_submit": 1}
    assert read_swf(log(tmp_path, record(1), record(5, run=-1), record(5))).skipped == {
        "repeated_number": 1,
        "run_time_negative": 1,
    }


def test_whatever_stands_below_zero_for_a_user_is_unknown(tmp_path: Path) -> None:
    found = read_swf(
        log(tmp_path, record(1, user=-7, group=-2, queue=-3), record(2, user=0, group=0, queue=0))
    )
    for names in (found.user, found.group, found.queue):
        assert names.tolist() == [-1, 0]


def test_the_last_values_that_are_allowed_are(tmp_path: Path) -> None:
    most = 2**31 - 1
    path = log(
        tmp_path,
        record(2**53, run=2**53, processors=most),
        record(1, processors=-1, allocated_processors=most, executable=-(2**53)),
    )
    found = read_swf(path, strict=True)
    assert found.number.tolist() == [1, 2**53]
    assert found.processors.tolist() == [most, most]
    # As many as the machine has are not too many.
    full = read_swf(log(tmp_path, "; MaxProcs: 8", record(1, processors=8), record(2, processors=9)))
    assert full.notes["processors_above_machine"] == 1


@pytest.mark.parametrize(
    ("lines", "line", "cause"),
    [
        ((record(1), record(2, run="x"), "two words", record(3)), 2, "'x' is not a number"),
        ((record(1), record(2, run="nan"), record(3, run="x")), 2, "not finite"),
        ((record(1), "two words", record(2, run="x")), 2, "2 fields"),
        ((record(1), record(2, run="x"), record(1)), 2, "'x' is not a number"),
        ((record(1), record(1), record(2, run="x")), 2, "earlier record"),
        ((record(1), record(2, run=-1), record(1), "text"), 3, "earlier record"),
        ((record(1), "text", record(1)), 2, "1 field"),
    ],
)
def test_strict_reading_stops_at_the_first_line_whatever_is_wrong_there(
    tmp_path: Path, lines: tuple[str, ...], line: int, cause: str
) -> None:
    with pytest.raises(BadFile, match=cause) as caught:
        read_swf(log(tmp_path, *lines), strict=True)
    assert caught.value.line == line


@pytest.mark.parametrize("block_bytes", [1, 50, 1 << 20])
def test_comments_are_header_up_to_the_first_record_and_counted_from_there_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, block_bytes: int
) -> None:
    """Also where the comment below a record comes with the next block."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
    path = log(tmp_path, "; one", "", "; two", "broken", "; three", record(1), "; four", "; five", record(2))
    found = read_swf(path)
    assert found.header.lines == ("; one", "; two")
    assert found.notes["comments_not_kept"] == 3
    assert found.number.tolist() == [1, 2]
    assert found.skipped == {"wrong_field_count": 1}


def test_of_an_endless_header_so_much_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(records, "HEADER_BYTES", 14)
    found = read_swf(log(tmp_path, "; 45678", "; 45678", "; 4", record(1)))
    assert found.header.lines == ("; 45678", "; 45678")
    assert found.notes["comments_not_kept"] == 1


def test_a_comment_that_is_too_long_is_no_comment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = read_swf(log(tmp_path, "; " + "x" * 65_535, record(1)))
    assert found.header.lines == ()
    assert found.skipped == {"line_too_long": 1}
    assert "comments_not_kept" not in found.notes


@pytest.mark.parametrize(("bytes_", "fails"), [(0, False), (-1, True)])
def test_too_many_bytes_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bytes_: int, fails: bool
) -> None:
    path = log(tmp_path, record(1), record(2))
    monkeypatch.setattr(blocks, "TOTAL_BYTES", path.stat().st_size + bytes_)
    if fails:
        with pytest.raises(BadFile, match="split it"):
            read_swf(path)
    else:
        assert len(read_swf(path)) == 2


def test_a_small_text_may_expand_as_it_likes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = ("\n" * 1_000_000 + record(1) + "\n").encode()
    path = packed(tmp_path, text)
    assert len(text) > 100 * len(gzip.compress(text))
    assert len(read_swf(path)) == 1
    monkeypatch.setattr(blocks, "EXPANSION_FROM_BYTES", len(text) - 1)
    with pytest.raises(BadFile, match="expands more than 100 times"):
        read_swf(path)


@pytest.mark.parametrize("name", ["log.swf", "log", "log.txt", "log.SWF.GZ"])
def test_strictness_and_limit_reach_the_reader(tmp_path: Path, name: str) -> None:
    data = "\n".join([record(1), record(2), record(2), record(3)]).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("GZ") else data)
    assert read_workload(path, limit=2).number.tolist() == [1, 2]
    with pytest.raises(BadFile, match="earlier record"):
        read_workload(path, strict=True)


@pytest.mark.parametrize("below", [record(2, 5, run=-1), record(2, 5, processors=-1)])
def test_what_is_no_job_stands_in_order_unless_a_part_of_one(tmp_path: Path, below: str) -> None:
    path = log(tmp_path, record(1, 10), below, record(3, 10))
    assert read_swf(path).notes["unsorted_submits"] == 1
    with pytest.raises(BadFile, match="not sorted") as caught:
        read_swf(path, strict=True)
    assert caught.value.line == 2
    parts = log(tmp_path, record(1, 10), record(1, 5, status=3), record(3, 10))
    assert "unsorted_submits" not in read_swf(parts, strict=True).notes
    # One that is late above makes no job below late that comes after it.
    late = log(tmp_path, record(2, 10, run=-1), record(1, 5), record(3, 7), record(4, 10))
    assert read_swf(late).notes["unsorted_submits"] == 2
