"""Files as they come: cut, packed, in other encodings. They are read right, or told in one line."""

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from molokini.model.errors import BadFile
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload
from tests.core.workloads.builders import record as swf_record
from tests.core.workloads.test_histories import written

SWF_LINES = ["; Note: é", "", *(f"\t{swf_record(number=n, submit=n)} " for n in range(1, 6))]
SWF = "".join(f"{line}\n" for line in SWF_LINES).encode()
CSV = b"number,submit_s,run_s,requested_processors\n" + b"".join(
    b"%d,%d,60,4\n" % (n, n) for n in range(1, 6)
)
FILES = {"pbs": written("pbs"), "lsf": written("lsf"), "sacct": written("sacct"), "swf": SWF, "csv": CSV}


def read(folder: Path, form: str, data: bytes) -> Workload:
    path = folder / f"log.{form}"
    path.write_bytes(data)
    return read_workload(path)


READ_ALIKE: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "no newline at the end": lambda data: data.rstrip(b"\n"),
    "a mark of UTF-8": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16 of Windows": lambda data: data.decode().replace("\n", "\r\n").encode("utf-16"),
    "UTF-16, the other way round": lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be"),
    "gzip": gzip.compress,
    "gzip of a gzip": lambda data: gzip.compress(gzip.compress(data)),
    "gzip of UTF-16": lambda data: gzip.compress(data.decode().encode("utf-16")),
    "several of these": lambda data: gzip.compress(b"\xef\xbb\xbf" + data.strip().replace(b"\n", b"\r\n")),
    "two gzips, one behind the other": lambda data: gzip.compress(data[:90]) + gzip.compress(data[90:]),
}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("how", READ_ALIKE)
def test_what_is_unambiguous_is_read(tmp_path: Path, how: str, form: str) -> None:
    plain = read(tmp_path, form, FILES[form])
    found = read(tmp_path, form, READ_ALIKE[how](FILES[form]))
    np.testing.assert_array_equal(found.records, plain.records)
    assert (found.skipped, found.names, found.header) == (plain.skipped, plain.names, plain.header)
    assert form != "swf" or found.header.lines == ("; Note: é",)


TOLD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "UTF-16 without its mark": (lambda data: data.decode().encode("utf-16-le"), "iconv -f UTF-16LE -t UTF-8"),
    "UTF-16, the other way round": (lambda data: data.decode().encode("utf-16-be"), "iconv -f UTF-16BE"),
    "gzip, four times": (
        lambda data: gzip.compress(gzip.compress(gzip.compress(gzip.compress(data)))),
        "packed more than 3 times; unpack it with gunzip",
    ),
    "a gzip that is cut": (lambda data: gzip.compress(data)[:-9], "the gzip is truncated"),
    "bzip2": (bz2.compress, "is packed by bzip2; unpack it, or pack it with gzip"),
    "nothing": (lambda data: b"", "the file is empty"),
}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("how", TOLD)
def test_what_cannot_be_read_is_told_in_one_line_with_what_to_do(tmp_path: Path, how: str, form: str) -> None:
    spoil, cause = TOLD[how]
    with pytest.raises(BadFile) as refused:
        read(tmp_path, form, spoil(FILES[form]))
    assert cause in str(refused.value)
    assert str(refused.value).startswith(f"{tmp_path}/log.{form}")
    assert "\n" not in str(refused.value)


CUT = {
    "pbs": "is missing",
    "lsf": "the line ends before",
    "sacct": "cells where the header has",
    "swf": "fields where a record has 18",
    "csv": "fields where a record has 4",
}


@pytest.mark.parametrize("form", FILES)
def test_a_record_that_is_cut_is_counted_and_told_with_file_and_line(tmp_path: Path, form: str) -> None:
    data = FILES[form]
    start = data.rstrip(b"\n").rindex(b"\n") + 1
    # Behind the first fields, of which no reader could tell that more should follow.
    cut = data[: start + (len(data) - start) // 3]
    whole = read(tmp_path, form, data)
    found = read(tmp_path, form, cut)
    assert len(found) == len(whole) - 1
    assert sum(found.skipped.values()) == sum(whole.skipped.values()) + 1
    with pytest.raises(BadFile, match=CUT[form]) as refused:
        read_workload(tmp_path / f"log.{form}", strict=True)
    assert refused.value.line == cut.count(b"\n") + 1


@pytest.mark.parametrize("form", ["pbs", "lsf", "sacct"])
def test_names_in_latin_1_are_names(tmp_path: Path, form: str) -> None:
    for encoding in ("utf-8", "latin-1"):
        found = read(tmp_path, form, FILES[form].replace(b"bob", "Grün".encode(encoding)))
        assert found.names["user"] == ("", "ann", "Grün")
