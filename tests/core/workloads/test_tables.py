import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadFile, BadValue, MissingExtra
from molokini.workloads.readers import read_workload, write_workload
from molokini.workloads.tables import read_csv, read_parquet, write_columns
from molokini.workloads.workload import SWF_FIELDS
from tests.core.workloads.builders import log, packed, raw, record, workload

HEADER = (
    "; Version: 2.2",
    ";",
    "; MaxProcs: 64",
    "; Partition:  19  `;",
    "; Note: a, \"b\" 'c'",
    ";\tand so on",
)
NAMES = "number,submit_s,run_s,requested_processors"


def same(first: Path, second: Path) -> None:
    a, b = read_workload(first), read_workload(second, strict=True)
    assert np.array_equal(a.records, b.records)
    assert a.header == b.header
    assert np.array_equal(a.estimate_s, b.estimate_s)
    assert a.machine_processors == b.machine_processors


def test_from_format_to_format_nothing_is_lost(tmp_path: Path) -> None:
    path = log(tmp_path, *HEADER, record(1, 0.1, 1 / 3, 2), record(2, 2**50 + 0.25, 0, 64, user=7, status=0))
    for name in ("a.csv", "a.parquet", "a.csv.gz", "a.swf.gz", "a.swf"):
        write_workload(read_workload(path), tmp_path / name)
        same(path, tmp_path / name)
        path = tmp_path / name
    assert read_workload(path).header.lines == HEADER


JOB = st.tuples(st.floats(0, 1e9), st.floats(0, 1e7), st.integers(1, 1 << 20))


@settings(deadline=None, max_examples=25)
@given(
    jobs=st.lists(JOB, min_size=1, max_size=6),
    note=st.text(st.characters(codec="utf-8", exclude_characters="\n\r")),
)
def test_any_jobs_and_notes_survive(
    tmp_path_factory: pytest.TempPathFactory, jobs: list[tuple[float, float, int]], note: str
) -> None:
    folder = tmp_path_factory.mktemp("round")
    first = workload(*sorted(jobs), header=("; Note:" + note,))
    path = folder / "0.swf"
    write_workload(first, path)
    for name in ("1.csv", "2.parquet", "3.swf.gz"):
        write_workload(read_workload(path), folder / name)
        same(path, folder / name)
        path = folder / name
    assert np.array_equal(read_workload(path).records, first.records)
    assert read_workload(path).header.lines == first.header.lines


def test_columns_stand_in_any_order_and_may_be_few(tmp_path: Path) -> None:
    path = raw(
        tmp_path,
        b"# ; MaxProcs: 8\r\nrun_s, number,allocated_processors,submit_s\r\n10,1,4,0\r\n20,2,4,5\r\n",
        "a.csv",
    )
    read = read_csv(path, strict=True)
    assert read.run_s.tolist() == [10.0, 20.0]
    assert read.processors.tolist() == [4, 4]
    assert read.user.tolist() == [-1, -1]
    assert read.machine_processors == 8


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2,0,10", "wrong_field_count"),
        ("2,0,10,", "wrong_field_count"),
        ("2,0,ten,1", "not_a_number"),
        ("2,0,nan,1", "not_finite"),
        ("1,0,10,1", "repeated_number"),
        ("2,-3,10,1", "negative_submit"),
    ],
)
def test_bad_rows_are_counted_or_named_by_their_line(tmp_path: Path, row: str, reason: str) -> None:
    path = raw(tmp_path, f"# ; Note: x\n\n{NAMES}\n1,0,10,1\n{row}\n3,0,10,1\n".encode(), "a.csv")
    assert read_csv(path).skipped == {reason: 1}
    assert read_csv(path).number.tolist() == [1, 3]
    with pytest.raises(BadFile) as caught:
        read_csv(path, strict=True)
    assert caught.value.line == 5


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("number,submit,run_s,requested_processors\n", "did you mean 'submit_s'"),
        (NAMES + ",run_s\n", "column 'run_s' is there twice"),
        ("number,submit_s,run_s\n1,0,1\n", r"column 'requested_processors' \(or 'processors'\) is missing"),
        ("submit_s,run_s,requested_processors\n", r"column 'number' \(or 'job'\) is missing"),
        (NAMES + "\n", "the file holds no record"),
        ("# only\n# comments\n", "no column names"),
        ("# " + "x" * 1000 + "\n", "no column names"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, cause: str) -> None:
    for path in (raw(tmp_path, text.encode(), "a.csv"), packed(tmp_path, text.encode(), "a.csv.gz")):
        with pytest.raises(BadFile, match=cause):
            read_csv(path)


def test_parquet_from_elsewhere(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "number": [1, 2, 3],
        "submit_s": [0.0, 1.0, None],
        "run_s": [5, 6, 7],
        "allocated_processors": [1, 1, 1],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    read = read_parquet(tmp_path / "a.parquet")
    assert read.number.tolist() == [1, 2]
    assert read.skipped == {"negative_submit": 1}
    with pytest.raises(BadFile) as caught:
        read_parquet(tmp_path / "a.parquet", strict=True)
    assert caught.value.line == 3
    for bad, cause in (({"number": ["x"]}, "holds string"), ({"job": [1]}, "'number', 'job'")):
        parquet.write_table(
            pyarrow.table({**columns, **{name: cells * 3 for name, cells in bad.items()}}),
            tmp_path / "b.parquet",
        )
        with pytest.raises(BadFile, match=cause):
            read_parquet(tmp_path / "b.parquet")


def test_a_broken_parquet_is_a_bad_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    write_workload(workload((0, 1, 1)), tmp_path / "good.parquet")
    data = (tmp_path / "good.parquet").read_bytes()
    for path in (
        raw(tmp_path, b"", "a.parquet"),
        raw(tmp_path, b"PAR1junk", "b.parquet"),
        raw(tmp_path, data[:-30], "c.parquet"),
        tmp_path / "missing.parquet",
        tmp_path,
    ):
        with pytest.raises(BadFile) as caught:
            read_parquet(path)
        assert "\n" not in str(caught.value)


def test_parquet_without_its_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"molokini\[parquet\]"):
        read_workload(tmp_path / "a.parquet")
    with pytest.raises(MissingExtra, match=r"molokini\[parquet\]"):
        write_workload(workload((0, 1, 1)), tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


def test_any_columns_can_be_written(tmp_path: Path) -> None:
    columns = {"job": np.array([1, 2]), "start_s": np.array([0.5, 3.0])}
    write_columns(tmp_path / "s.csv", columns, ["made here"])
    assert (tmp_path / "s.csv").read_text() == "# made here\njob,start_s\n1,0.5\n2,3\n"
    with pytest.raises(BadValue):
        write_columns(tmp_path / "s.txt", columns)


def test_every_field_has_a_column(tmp_path: Path) -> None:
    write_workload(workload((0, 1, 1)), tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert next(line for line in lines if not line.startswith("#")) == ",".join(SWF_FIELDS)
