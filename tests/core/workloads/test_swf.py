import gzip
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.workloads.rules import LEGITIMATE, REASONS
from molokini.workloads.swf import make_header, read_swf, write_records, write_swf
from molokini.workloads.workload import SWF_FIELDS
from tests.core.workloads.builders import log, raw, record

GOOD = record(1, 0, 10, 4, requested_s=20, user=3, group=2, queue=1)


def test_a_record_becomes_a_job(tmp_path: Path) -> None:
    workload = read_swf(log(tmp_path, "; MaxProcs: 16", "1 5 7 120 4 118.5 2048 8 600 -1 1 3 2 7 1 -1 -1 -1"))
    assert len(workload) == 1
    assert workload.number.tolist() == [1]
    assert workload.submit_s.tolist() == [5.0]
    assert workload.run_s.tolist() == [120.0]
    assert workload.estimate_s.tolist() == [600.0]
    assert workload.processors.tolist() == [8]
    assert (workload.user[0], workload.group[0], workload.queue[0]) == (3, 2, 1)
    assert workload.records.tolist() == [
        [1, 5, 7, 120, 4, 118.5, 2048, 8, 600, -1, 1, 3, 2, 7, 1, -1, -1, -1]
    ]
    assert workload.machine_processors == 16
    assert workload.name == "log.swf"
    assert workload.skipped == {}
    assert workload.notes == {}


def test_what_was_not_requested_comes_from_what_happened(tmp_path: Path) -> None:
    workload = read_swf(log(tmp_path, record(1, 0, 33, 0, allocated_processors=5, requested_s=0)))
    assert workload.processors.tolist() == [5]
    assert workload.estimate_s.tolist() == [33.0]
    assert workload.notes == {"processors_from_allocation": 1, "estimate_from_run_time": 1}


def test_the_run_time_is_not_capped_by_the_estimate(tmp_path: Path) -> None:
    workload = read_swf(log(tmp_path, record(run=100, requested_s=50)))
    assert (workload.run_s[0], workload.estimate_s[0]) == (100.0, 50.0)


def test_a_run_time_of_zero_is_a_job(tmp_path: Path) -> None:
    assert len(read_swf(log(tmp_path, record(run=0)), strict=True)) == 1


# Each: what is wrong, the reason it is counted under, a piece of the strict message.
MALFORMED = [
    (" ".join(["1"] * 17), "wrong_field_count", "17 fields where a record has 18"),
    (" ".join(["1"] * 36), "wrong_field_count", "36 fields where a record has 18"),
    ("hello", "wrong_field_count", "1 field"),
    (record(run="abc"), "not_a_number", "field 4 (run_s): 'abc' is not a number"),
    (record(run="1_000"), "not_a_number", "'1_000'"),
    (record(run="0x10"), "not_a_number", "'0x10'"),
    (record(run="1.5.2"), "not_a_number", "'1.5.2'"),
    (record(run="--1"), "not_a_number", "'--1'"),
    (record(run="-"), "not_a_number", "'-'"),
    (record(run="+"), "not_a_number", "'+'"),
    (record(run="."), "not_a_number", "'.'"),
    (record(run="١٢"), "not_a_number", "field 4"),
    (record(run="x" * 500), "not_a_number", "xxx...'"),
    (record(run="12345678x"), "not_a_number", "'12345678x'"),
    (record(run="x12345678"), "not_a_number", "'x12345678'"),
    (record(run="nan"), "not_finite", "'nan' is not finite"),
    (record(run="-NaN"), "not_finite", "'-NaN' is not finite"),
    (record(submit="inf"), "not_finite", "field 2 (submit_s): 'inf'"),
    (record(number="1e400"), "not_finite", "field 1 (number): '1e400'"),
    (record(number="9" * 400), "not_finite", "field 1"),
    (record(number=0), "out_of_range", "field 1 (number): 0 is out of range"),
    (record(number=-7), "out_of_range", "field 1 (number): -7"),
    (record(number="1.5"), "out_of_range", "field 1 (number): 1.5"),
    (record(number=2**53 + 2), "out_of_range", "field 1 (number)"),
    (record(run="1e300"), "out_of_range", "field 4 (run_s)"),
    (record(processors=2**31), "out_of_range", "field 8 (requested_processors)"),
    (record(processors=2**64), "out_of_range", "field 8"),
    (record(processors="2.5"), "out_of_range", "field 8"),
    (record(processors=-1, allocated_processors=2**31), "out_of_range", "field 5 (allocated_processors)"),
    (record(user="0.5"), "out_of_range", "field 12 (user)"),
    (record(submit=-5), "negative_submit", "field 2 (submit_s): -5 is negative"),
    (record(number=100), "repeated_number", "field 1 (number): 100 was the number"),
]


@pytest.mark.parametrize(("line", "reason", "cause"), MALFORMED)
def test_malformed_records_count_or_stop(tmp_path: Path, line: str, reason: str, cause: str) -> None:
    path = log(tmp_path, "; Version: 2", "", record(100), line, record(101))
    workload = read_swf(path)
    assert workload.skipped == {reason: 1}
    assert workload.number.tolist() == [100, 101]
    with pytest.raises(BadFile) as caught:
        read_swf(path, strict=True)
    assert caught.value.line == 4
    assert cause in caught.value.cause
    assert str(caught.value).startswith(f"{path}:4: ")
    assert "\n" not in str(caught.value)


NO_JOBS = [
    (record(2, run=-1), "run_time_negative"),
    (record(2, processors=-1), "no_processors"),
    (record(2, processors=0, allocated_processors=0), "no_processors"),
    (record(2, status=2), "partial_record"),
    (record(100, submit=-1, status=3), "partial_record"),
    (record(100, status=4), "partial_record"),
]


@pytest.mark.parametrize(("line", "reason"), NO_JOBS)
@pytest.mark.parametrize("strict", [False, True])
def test_what_is_no_job_is_counted_in_both_modes(
    tmp_path: Path, line: str, reason: str, strict: bool
) -> None:
    workload = read_swf(log(tmp_path, record(100), line), strict=strict)
    assert workload.skipped == {reason: 1}
    assert reason in LEGITIMATE
    assert workload.number.tolist() == [100]


def test_one_reason_a_record_the_first_in_order(tmp_path: Path) -> None:
    everything = record("0.5", -1, "nan", 0, status=2)
    workload = read_swf(
        log(tmp_path, record(1), everything, record("0.5", -1, -1, 0, status=2), record(1, -1, -1, 0))
    )
    assert workload.skipped == {"not_finite": 1, "out_of_range": 1, "negative_submit": 1}
    assert list(workload.skipped) == [reason for reason in REASONS if reason in workload.skipped]


def test_unsorted_submits_are_sorted_and_noted(tmp_path: Path) -> None:
    path = log(tmp_path, record(3, 10), record(1, 5), record(2, 10))
    workload = read_swf(path)
    assert workload.number.tolist() == [1, 2, 3]
    assert workload.records[:, 0].tolist() == [1, 2, 3]
    assert workload.notes["unsorted_submits"] == 1
    with pytest.raises(BadFile, match="not sorted") as caught:
        read_swf(path, strict=True)
    assert caught.value.line == 2


def test_a_header_that_disagrees_is_noted(tmp_path: Path) -> None:
    path = log(
        tmp_path, "; MaxJobs: 5", "; MaxRecords: 2", "; MaxProcs: 4", record(1), record(2, processors=9)
    )
    notes = read_swf(path, strict=True).notes
    assert notes["max_jobs_minus_records"] == 3
    assert "max_records_minus_records" not in notes
    assert notes["processors_above_machine"] == 1


def test_limit_keeps_the_first_jobs_but_counts_the_whole_file(tmp_path: Path) -> None:
    path = log(tmp_path, record(3, 9), record(1, 0, -1), record(2, 3), "junk")
    workload = read_swf(path, limit=1)
    assert workload.number.tolist() == [2]
    assert workload.skipped == {"wrong_field_count": 1, "run_time_negative": 1}
    assert len(read_swf(path, limit=50)) == 2
    with pytest.raises(BadValue):
        read_swf(path, limit=0)


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (gzip.compress(record().encode() * 99, mtime=0)[:-12], "the gzip is truncated"),
        (gzip.compress(record().encode(), mtime=0)[:5], "the gzip is truncated"),
        (b"\x1f\x8b" + bytes(40), "the gzip is damaged"),
        (gzip.compress(record().encode(), mtime=0)[:-6] + b"abcdef", "the gzip is damaged"),
        (b"; only: comments\n", "the file holds no record"),
        (b"\n\n \n", "the file holds no record"),
        (b"\xef\xbb\xbf", "the file holds no record"),
        (b"junk\nmore junk\n", "no usable record among 2 (2 wrong_field_count)"),
        ((record(run=-1) + "\n").encode(), "no usable record among 1 (1 run_time_negative)"),
        (bytes(3000), "the file holds no record"),
        (("; x\n" + record()).encode("utf-16-le"), "UTF-16 without a byte order mark; convert it: iconv"),
    ],
)
def test_a_useless_file_is_refused(tmp_path: Path, data: bytes, cause: str) -> None:
    path = raw(tmp_path, data)
    with pytest.raises(BadFile) as caught:
        read_swf(path)
    assert cause in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(BadFile):
        read_swf(path, strict=True)


@pytest.mark.parametrize("strict", [False, True])
def test_what_the_file_system_refuses_is_a_bad_file(tmp_path: Path, strict: bool) -> None:
    for path, cause in (
        (tmp_path / "missing.swf", "No such file"),
        (tmp_path, "Is a directory"),
        (raw(tmp_path, GOOD.encode(), "plain.swf.gz"), "is named .gz but is not a gzip"),
        (Path("a\0b"), "null"),
    ):
        with pytest.raises(BadFile, match=cause):
            read_swf(path, strict=strict)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission_denied_is_a_bad_file(tmp_path: Path) -> None:
    path = log(tmp_path, GOOD)
    path.chmod(0)
    with pytest.raises(BadFile, match="Permission denied"):
        read_swf(path)


@pytest.mark.deep
def test_fields_and_numbers_beyond_a_block_are_read_the_same(tmp_path: Path) -> None:
    lines = [record(n, n * 1.25, n % 977, n % 64 + 1) for n in range(1, 40_001)]
    lines[20_000] = "text"
    lines[39_000] = record(39_001, "x")
    path = log(tmp_path, "; MaxProcs: 64", *lines)
    assert path.stat().st_size > 2 << 20
    workload = read_swf(path)
    expected = np.array([line.split() for n, line in enumerate(lines) if n not in (20_000, 39_000)], float)
    assert np.array_equal(workload.records, expected)
    assert workload.skipped == {"wrong_field_count": 1, "not_a_number": 1}
    with pytest.raises(BadFile) as caught:
        read_swf(path, strict=True)
    assert caught.value.line == 20_002
    path.write_text("".join(line + "\n" for n, line in enumerate(lines) if n != 20_000))
    with pytest.raises(BadFile, match="field 2") as caught:
        read_swf(path, strict=True)
    assert caught.value.line == 39_000


def test_a_monstrous_line_is_one_bad_record_and_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.swf"
    with path.open("wb") as stream:
        stream.write(record(1).encode() + b"\n")
        stream.truncate(100 << 20)  # a hole: a hundred megabytes of zeros
        stream.seek(0, os.SEEK_END)
        stream.write(b"\n" + record(2).encode() + b"\n")
    tracemalloc.start()
    workload = read_swf(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert workload.number.tolist() == [1, 2]
    assert workload.skipped == {"line_too_long": 1}
    assert peak < 20 << 20
    with pytest.raises(BadFile, match="longer than 65536 bytes") as caught:
        read_swf(path, strict=True)
    assert caught.value.line == 2


@pytest.mark.parametrize("extra", [0, 1])
def test_the_longest_line_is_exact(tmp_path: Path, extra: int) -> None:
    line = record(1)
    line += " " * (65536 - len(line) + extra)
    workload = read_swf(log(tmp_path, line, record(2)))
    assert workload.skipped == ({"line_too_long": 1} if extra else {})


def test_a_gzip_bomb_is_refused_early(tmp_path: Path) -> None:
    path = tmp_path / "bomb.swf.gz"
    with gzip.open(path, "wb") as stream:
        for _ in range(64):
            stream.write(bytes(1 << 20))
    with pytest.raises(BadFile, match="expands more than 100 times"):
        read_swf(path)


def test_written_and_read_again_nothing_has_changed(tmp_path: Path) -> None:
    source = log(
        tmp_path, "; Note: `$(x)`; 'y' \"z\"", ";\tmore", record(1, 0.1, 1 / 3, 2), record(2, 2**52 + 0.5)
    )
    first = read_swf(source)
    for name in ("copy.swf", "copy.swf.gz"):
        write_swf(first, tmp_path / name)
        again = read_swf(tmp_path / name, strict=True)
        assert np.array_equal(again.records, first.records)
        assert again.header == first.header


def test_the_same_workload_gives_the_same_bytes(tmp_path: Path) -> None:
    workload = read_swf(log(tmp_path, record(1), record(2)))
    write_swf(workload, tmp_path / "a.swf.gz")
    write_swf(workload, tmp_path / "other.swf.gz")
    data = (tmp_path / "a.swf.gz").read_bytes()
    assert data == (tmp_path / "other.swf.gz").read_bytes()
    assert data[3:8] == bytes(5), "neither a name nor a time of writing"


def test_whole_numbers_are_written_as_such_under_any_comments(tmp_path: Path) -> None:
    records = np.full((1, 18), -1.0)
    records[0, :4] = 7, 1.5, 0, 1e15
    write_records(tmp_path / "out.swf", records, ["; Version: 2.2", "no mark\nsecond"])
    lines = (tmp_path / "out.swf").read_text().split("\n")
    assert lines[:3] == ["; Version: 2.2", "; no mark", "; second"]
    assert lines[3] == "7 1.5 0 1000000000000000" + " -1" * 14


def test_nothing_is_written_of_what_the_format_cannot_say(tmp_path: Path) -> None:
    for records in (np.full((1, 18), np.nan), np.full((1, 18), np.inf), np.zeros((1, 17)), np.zeros(18)):
        with pytest.raises(BadValue):
            write_records(tmp_path / "out.swf", records, [])
    assert list(tmp_path.iterdir()) == []


def test_a_made_header_is_read_back(tmp_path: Path) -> None:
    header = make_header(Version="2.2", MaxProcs=128)
    assert header.labels == (("Version", "2.2"), ("MaxProcs", "128"))


GARBAGE_TOKEN = st.one_of(
    st.integers(-3, 40).map(str),
    st.sampled_from(
        ["nan", "inf", "-inf", "1e400", "-1", "1.5", "x", "1_0", "9" * 20, "9" * 40, "1e5", "-", "+3"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=6),
)
GARBAGE_LINE = st.one_of(
    st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"")),
    st.lists(GARBAGE_TOKEN, min_size=16, max_size=20).map(lambda tokens: " ".join(tokens).encode()),
    st.lists(st.integers(-1, 9), min_size=18, max_size=18).map(lambda row: " ".join(map(str, row)).encode()),
)


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(GARBAGE_LINE, max_size=12))
def test_each_record_is_kept_or_counted(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("garbage") / "log.swf"
    path.write_bytes(b"\n".join([record(1000).encode(), *lines]))
    blanks = bytes(range(33))
    records = [line for line in path.read_bytes().split(b"\n") if line.strip(blanks)[:1] not in (b"", b";")]
    workload = read_swf(path)
    assert len(workload) + sum(workload.skipped.values()) == len(records)
    assert set(workload.skipped) <= set(REASONS)
    assert np.isfinite(workload.records).all()
    assert (workload.processors > 0).all()
    assert (workload.run_s >= 0).all()
    assert (np.diff(workload.submit_s) >= 0).all()
    broken = set(workload.skipped) - LEGITIMATE or "unsorted_submits" in workload.notes
    if broken:
        with pytest.raises(BadInput):
            read_swf(path, strict=True)
    else:
        assert np.array_equal(read_swf(path, strict=True).records, workload.records)


NUMBERS = st.one_of(
    st.integers(0, 2**52).map(float), st.floats(0, 2.0**52, allow_subnormal=True), st.just(-1.0)
)


@given(rows=st.lists(st.lists(NUMBERS, min_size=11, max_size=11), min_size=1, max_size=8))
def test_jobs_survive_round_trips(tmp_path_factory: pytest.TempPathFactory, rows: list[list[float]]) -> None:
    records = np.full((len(rows), len(SWF_FIELDS)), -1.0)
    free = [SWF_FIELDS.index(name) for name in SWF_FIELDS if name.endswith("_s") or "memory" in name]
    records[:, free] = np.array(rows)[:, : len(free)]
    records[:, 0] = np.arange(1, len(rows) + 1)
    records[:, 1] = np.sort(np.abs(records[:, 1]))
    records[:, 3] = np.abs(records[:, 3])
    records[:, 7] = 1
    path = tmp_path_factory.mktemp("round") / "log.swf.gz"
    write_records(path, records, ["; Version: 2.2"])
    assert np.array_equal(read_swf(path, strict=True).records, records)


FRONTIER = b"""; Computer: Frontier
; MaxNodes: 9408
; MaxProcs: 9408
1 0 10 3600 589824 -1 -1 280000 7200 -1 1 5 2 -1 1 1 -1 -1 20000 -1 frontier:excl:2500x112
2 60 5 600 112 -1 -1 112 1200 -1 1 6 2 -1 1 1 -1 -1 8 600 frontier:excl:1x112
3 120 -1 -1 -1 -1 -1 224 1200 -1 5 6 2 -1 1 1 -1 -1 -1 -1 frontier:excl:2x112
4 130 1 60 7 -1 -1 8 120 -1 1 6 2 -1 1 1 -1 -1 16 60 unknown
"""


def test_a_node_descriptor_behind_the_last_field_counts_for_processors(tmp_path: Path) -> None:
    path = raw(tmp_path, FRONTIER)
    found = read_swf(path)
    assert found.processors.tolist() == [280_000, 112, 8]
    assert found.records[:, SWF_FIELDS.index("allocated_processors")].tolist() == [280_000, 112, 7]
    assert (found.machine_processors, found.skipped) == (9408 * 112, {"run_time_negative": 1})
    assert found.notes == {
        "extra_fields.3": 4,
        "processors_from_descriptor": 3,
        "machine_of_nodes": 9408 * 112,
    }
    with pytest.raises(BadFile, match="4: 21 fields where a record has 18"):
        read_swf(path, strict=True)
    # Nodes of two kinds: how many there are of each is not known.
    mixed = read_swf(raw(tmp_path, FRONTIER.replace(b"1x112", b"1x64")))
    assert (mixed.machine_processors, mixed.notes["processors_above_machine"]) == (9408, 1)


def test_fields_behind_the_last_are_left_out_and_counted(tmp_path: Path) -> None:
    lines = f"{GOOD} ; a remark", record(number=2, submit=1) + " 0", record(number=3, submit=2)
    found = read_swf(log(tmp_path, *lines))
    assert found.number.tolist() == [1, 2, 3]
    assert found.notes["extra_fields.3"] == found.notes["extra_fields.1"] == 1


@pytest.mark.parametrize("text", ["Polaris", "nan", "1e400", "1_0"])
def test_a_record_stays_whose_unneeded_field_is_no_number(tmp_path: Path, text: str) -> None:
    words = record(submit=5, number=2).split()
    words[9] = text
    path = log(tmp_path, GOOD, " ".join(words), record(number=3, submit=9))
    found = read_swf(path)
    assert found.notes["not_understood.requested_memory_kb"] == 1
    assert found.records[:, 9].tolist() == [-1, -1, -1]
    assert (found.number.tolist(), found.skipped) == ([1, 2, 3], {})
    with pytest.raises(BadFile, match=f"2: field 10 \\(requested_memory_kb\\): '{text}' is not"):
        read_swf(path, strict=True)
