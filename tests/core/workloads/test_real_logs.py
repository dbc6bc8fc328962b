"""The logs of real machines, where they are at hand (a folder beside the repository)."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from molokini.model.errors import BadFile
from molokini.workloads.filters import first_jobs
from molokini.workloads.info import workload_info
from molokini.workloads.readers import read_workload, write_workload

ROOT = Path(__file__).parents[3]
LOGS = ROOT.parent / "shared" / "data"
CURIE = "CEA-Curie-2011-2.1-cln.swf.gz"
KTH = "KTH-SP2-1996-2.1-cln.swf.gz"

# Kept jobs, what is skipped, processors of the machine.
COUNTS: dict[str, tuple[int, dict[str, int], int]] = {
    KTH: (28_475, {"no_processors": 1}, 100),
    "HPC2N-2002-2.1-cln.swf.gz": (202_876, {}, 240),
    "SDSC-BLUE-2000-4.2-cln.swf.gz": (232_562, {"run_time_negative": 10_744}, 1152),
    CURIE: (312_807, {"no_processors": 19}, 93_312),
    "LANL-CM5-1994-4.1-cln.swf.gz": (122_057, {"no_processors": 3}, 1024),
    "NASA-iPSC-1993-3.1-cln.swf.gz": (18_239, {}, 128),
    "lublin_256.swf.gz": (10_000, {}, 256),
}


def at_hand(name: str) -> Path:
    """The log of this name, or the end of the test."""
    if not (LOGS / name).exists():
        pytest.skip(f"{name} is not in ../shared/data")
    return LOGS / name


@pytest.mark.quick(KTH)
@pytest.mark.parametrize("name", COUNTS)
def test_a_real_log_is_read_to_the_job(name: str) -> None:
    workload = read_workload(at_hand(name), strict=True)
    jobs, skipped, processors = COUNTS[name]
    assert (len(workload), workload.skipped, workload.machine_processors) == (jobs, skipped, processors)
    # Independently: the plain numbers of every line that is no comment.
    plain = np.loadtxt(at_hand(name), comments=";", encoding="latin-1")
    kept = plain[(plain[:, 3] >= 0) & (np.maximum(plain[:, 4], plain[:, 7]) > 0)]
    assert np.array_equal(workload.records, kept[np.lexsort((kept[:, 0], kept[:, 1]))])
    assert np.array_equal(read_workload(at_hand(name)).records, workload.records)
    json.dumps(workload_info(workload), allow_nan=False)


@pytest.mark.quick(KTH)
@pytest.mark.parametrize("name", COUNTS)
def test_a_real_header_is_kept_to_the_letter(name: str) -> None:
    with gzip.open(at_hand(name), "rt", encoding="utf-8", newline="\n") as stream:
        lines = tuple(line.removesuffix("\n") for line in stream if line.startswith(";"))
    assert read_workload(at_hand(name)).header.lines == lines


@pytest.mark.deep
def test_the_header_of_curie_passes_unharmed(tmp_path: Path) -> None:
    workload = read_workload(at_hand(CURIE))
    partitions = [value for label, value in workload.header.labels if label == "Partition"]
    assert len(partitions) == 33
    for value in (
        "18  z+i5U=:",
        "19  `;",
        "27  p^",
        "28  15185-15201",
        "29  pa0907@standard",
        "33  crypto/munge",
    ):
        assert value in partitions
    assert "hybrid,\nsee: http://www-hpc.cea.fr/en/complexe/tgcc-curie.htm" in (
        workload.header.first("Note") or ""
    )
    told = json.loads(json.dumps(workload_info(workload)))["header"]
    assert [(line["label"], line["value"]) for line in told] == list(workload.header.labels)
    for name in ("part.swf.gz", "part.csv", "part.parquet"):
        write_workload(first_jobs(workload, 10), tmp_path / name)
        assert read_workload(tmp_path / name).header == workload.header


def test_a_truncated_log_is_refused(tmp_path: Path) -> None:
    data = at_hand(CURIE).read_bytes()
    (tmp_path / "cut.swf.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(BadFile, match="the gzip is truncated"):
        read_workload(tmp_path / "cut.swf.gz")


@pytest.mark.deep
def test_a_few_bad_lines_in_a_large_log_are_found(tmp_path: Path) -> None:
    lines = gzip.decompress(at_hand(CURIE).read_bytes()).split(b"\n")
    lines[100_000] = b" ".join([*lines[100_000].split()[:3], b"x", *lines[100_000].split()[4:]])
    lines[200_000] += b" 7"
    lines[250_000] = lines[250_000].rpartition(b" ")[0]
    lines[300_000] = lines[299_999]
    (tmp_path / "hurt.swf").write_bytes(b"\n".join(lines))
    workload = read_workload(tmp_path / "hurt.swf")
    assert {**workload.skipped, "no_processors": 0} == {
        "wrong_field_count": 1, "not_a_number": 1, "repeated_number": 1, "no_processors": 0,
    }  # fmt: skip
    assert workload.notes["extra_fields.1"] == 1
    with pytest.raises(BadFile) as caught:
        read_workload(tmp_path / "hurt.swf", strict=True)
    assert caught.value.line == 100_001


def test_the_example_is_the_beginning_of_the_log() -> None:
    example = read_workload(ROOT / "examples" / "kth-sp2-month.swf.gz", strict=True)
    assert (len(example), example.skipped, example.machine_processors) == (2500, {}, 100)
    assert example.header.first("Acknowledge") == "Lars Malinowsky"
    assert example.header.lines[-1] == "; Note: THIS IS A SUBSET: the first 2500 jobs of KTH-SP2-1996-2.1-cln"
    whole = read_workload(at_hand(KTH), limit=2500)
    assert np.array_equal(example.records, whole.records)
    assert example.header.lines[:-1] == whole.header.lines
