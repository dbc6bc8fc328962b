"""Whatever is wrong with what was given: exit code 2, one line that names the place, nothing left behind."""

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.clients.command_runs import Ran, shell
from tests.core.workloads.builders import log, packed, raw, record

Command = Callable[..., Ran]
GOOD = [record(1, 0, 10, 1), record(2, 5, 10, 1), record(3, 9, 10, 1)]
FIELDS_17 = record(4, 12, 10, 1).rsplit(" ", 1)[0]


def refused(ran: Ran, *texts: str) -> None:
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("molokini: ")
    assert "Traceback" not in ran.err
    for text in texts:
        assert text in ran.err


def cut_short(folder: Path) -> Path:
    whole = gzip.compress("\n".join(["; MaxProcs: 4", *GOOD * 300]).encode())
    return raw(folder, whole[: len(whole) // 2], "cut.swf.gz")


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        ([*GOOD, record(4, "x1", 10, 1)], ":5: field 2"),
        ([*GOOD, FIELDS_17], ":5: 17 fields"),
        ([*GOOD, "4"], ":5: 1 field where"),
        ([*GOOD, record(4, 12, 10, 1) + " 1"], ":5: 19 fields"),
        ([*GOOD, record(4, 3, 10, 1)], ":5: submit time 3"),
        ([record(1, 123456789, 10, 1), record(2, 123456788, 10, 1)], ":3: submit time 123456788 is"),
        ([*GOOD, record(2, 12, 10, 1)], ":5: field 1 (number): 2"),
        ([*GOOD, record(4, 12, "nan", 1)], ":5: field 4"),
        ([*GOOD, record(4, 12, "日本é", 1)], ":5: field 4 (run_s): '日本é' is not a number"),
        ([*GOOD, record(4, 12, 1e300, 1)], ":5: field 4"),
        ([*GOOD, record(4, -12, 10, 1)], ":5: "),
        ([*GOOD, record(4, 12, 10, 10**12)], ":5: "),
    ],
)
def test_strict_stops_at_a_bad_record_and_lenient_does_not(
    molokini: Command, tmp_path: Path, lines: Sequence[str], cause: str
) -> None:
    path = log(tmp_path, "; MaxProcs: 4", *lines)
    outputs = ("--json", tmp_path / "r.json", "--schedule", tmp_path / "s.csv", "--plot", tmp_path / "p.png")
    refused(molokini("simulate", path, "--policy", "fcfs", "--strict", *outputs), f"log.swf{cause}")
    refused(molokini("workload", "info", path, "--strict"), f"log.swf{cause}")
    refused(molokini("workload", "convert", path, tmp_path / "o.csv", "--strict"), f"log.swf{cause}")
    assert [file.name for file in tmp_path.iterdir()] == ["log.swf"]
    ran = molokini("simulate", path, "--policy", "fcfs", "--json", "-")
    assert ran.code == 0
    assert ran.json["workload"]["skipped"] or ran.json["workload"]["notes"]


def test_files_that_cannot_be_read(molokini: Command, tmp_path: Path) -> None:
    refused(molokini("simulate", cut_short(tmp_path), "--policy", "fcfs"), "cut.swf.gz", "gzip")
    refused(molokini("simulate", raw(tmp_path, b""), "--policy", "fcfs"), "log.swf", "empty")
    refused(molokini("simulate", packed(tmp_path, b""), "--policy", "fcfs"), "log.swf.gz")
    refused(molokini("simulate", tmp_path / "missing.swf", "--policy", "fcfs"), "missing.swf", "No such file")
    refused(molokini("simulate", tmp_path, "--policy", "fcfs"), str(tmp_path))
    refused(
        molokini("simulate", raw(tmp_path, b"; MaxProcs: 4\n1 2 3\n"), "--policy", "fcfs"),
        "wrong_field_count",
    )


def test_no_machine(molokini: Command, tmp_path: Path) -> None:
    path = log(tmp_path, *GOOD)
    refused(molokini("simulate", path, "--policy", "fcfs"), "log.swf", "MaxProcs", "--procs")
    refused(molokini("compare", path, "--policy", "fcfs"), "log.swf", "MaxProcs", "--procs")
    assert molokini("simulate", path, "--policy", "fcfs", "--procs", 4).code == 0


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("options", "texts"),
    [
        (["--policy", "easi"], ["'easi'", "did you mean 'easy'"]),
        (["--policy", "EASY"], ["'EASY'", "did you mean 'easy'"]),
        (["--policy", "easy-depth", "--set", "depth=0"], ["a whole number from 1 to 1,000,000"]),
        (["--policy", "easy", "--set", "ordr=queue"], ["'ordr'", "did you mean 'order'"]),
        (["--policy", "easy", "--set", "order=qeue"], ["order", "queue, shortest, best-fit"]),
        (["--policy", "easy", "--set", "order"], ["NAME=VALUE"]),
        (["--policy", "easy?order"], ["KEY=VALUE"]),
        (["--policy", "easy-depth", "--set", "depth=0.5"], ["depth", "whole number"]),
        (["--policy", "easy-depth", "--set", "depth=nan"], ["depth"]),
        (["--policy", "sita-e", "--set", "cutoffs=9,3"], ["cutoffs", "rising"]),
        (["--policy", "fcfs", "--procs", "0"], ["--procs: 0 is not allowed"]),
        (["--policy", "fcfs", "--nodes", "2", "--procs-per-node", "-1"], ["--procs-per-node: -1 is"]),
        (["--policy", "fcfs", "--nodes", "2"], ["--procs-per-node"]),
        (
            ["--policy", "fcfs", "--nodes", "2", "--procs-per-node", "2", "--procs", "4"],
            ["--procs and --nodes"],
        ),
        (["--policy", "fcfs", "--placement", "best-fit"], ["--nodes"]),
        (["--policy", "fcfs", "--placement", "bestfit"], ["best-fit"]),
        (["--policy", "fcfs", "--overrun", "keel"], ["--overrun", "kill, extend"]),
        (["--policy", "fcfs", "--ties", "all"], ["--ties", "batch, each"]),
        (["--policy", "fcfs", "--jobs", "0"], ["--jobs"]),
        (["--policy", "fcfs", "--jobs", "many"], ["--jobs: 'many' is not allowed", "a whole number (see"]),
        (["--policy", "fcfs", "--load-factor", "0.8:1.2"], ["--load-factor: '0.8:1.2'", "a number (see"]),
        (["--policy", "fcfs", "--load-factor", "0"], ["--load-factor"]),
        (["--policy", "fcfs", "--load-factor", "inf"], ["--load-factor"]),
        (["--policy", "fcfs", "--clone", "0"], ["--clone", "from 1 to 1,000"]),
        (["--policy", "fcfs", "--clone", "1001"], ["--clone", "from 1 to 1,000"]),
        (["--policy", "fcfs", "--clone", "1.5"], ["--clone"]),
        (["--policy", "fcfs", "--convergence", "c.eps"], ["--convergence", ".png, .svg or .pdf"]),
        (["--policy", "fcfs", "--convergence", "no/such/c.png"], ["no/such/c.png", "folder"]),
        (["--policy", "fcfs", "--convergence", "c.png", "--plot", "c.png"], ["c.png", "--plot"]),
        (["--policy", "fcfs", "--tau", "nan"], ["--tau"]),
        (["--policy", "fcfs", "--batch-size", "0"], ["--batch-size"]),
        (["--policy", "fcfs", "--by", "sizes"], ["'sizes'", "did you mean 'size'"]),
        (["--policy", "fcfs", "--plot", "p.eps"], ["--plot", ".png, .svg or .pdf"]),
        (["--policy", "fcfs", "--schedule", "s.xls"], ["--schedule", ".csv"]),
        (["--policy", "fcfs", "--schedule", "no/such/s.csv"], ["no/such/s.csv", "folder"]),
        (["--policy", "fcfs", "--json", "/proc/r.json"], ["/proc/r.json"]),
        (["--policy", "fcfs", "--json", "/"], ["directory"]),
        (["--policy", "fcfs", "--json", "same.csv", "--schedule", "same.csv"], ["same.csv", "--json"]),
        (["--policy", "fcfs", "--policy-dir", "nowhere"], ["nowhere"]),
        (["--policy", "missing.py"], ["missing.py"]),
        (["--policy", "fcfs", "--frobnicate"], ["--frobnicate", "--help"]),
        ([], ["--policy", "--help"]),
    ],
)
def test_options(
    molokini: Command,
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    options: Sequence[str],
    texts: Sequence[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(molokini("simulate", small, *options), *texts)
    assert [file.name for file in tmp_path.iterdir()] == ["small.swf"]


def test_copies_that_job_numbers_do_not_suffice_for(molokini: Command, tmp_path: Path) -> None:
    path = log(tmp_path, "; MaxProcs: 4", record(2**52, 0, 10, 1))
    refused(molokini("simulate", path, "--policy", "fcfs", "--clone", "3"), "--clone: 3", "job numbers")


@pytest.mark.parametrize("policy", ["x = 1", "POLICY = 3", "def schedule(", "raise ValueError('no')", "\x00"])
def test_policy_files_that_are_none(molokini: Command, small: Path, tmp_path: Path, policy: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(policy)
    refused(molokini("simulate", small, "--policy", path), "mine.py")


def test_an_output_may_not_be_the_input(molokini: Command, small: Path) -> None:
    before = small.read_bytes()
    refused(molokini("simulate", small, "--policy", "fcfs", "--schedule", small), "the input")
    refused(molokini("workload", "convert", small, small), "the input")
    assert small.read_bytes() == before


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("synthetic:benchmrk", "did you mean 'benchmark'"),
        ("synthetic:benchmark?job=3", "did you mean 'jobs'"),
        ("synthetic:benchmark?jobs=x", "whole number"),
        ("synthetic:benchmark?load=x", "a number"),
        ("synthetic:benchmark?load=0", "load"),
    ],
)
def test_generated_workloads(molokini: Command, spec: str, text: str) -> None:
    refused(molokini("simulate", spec, "--policy", "fcfs"), text)


@pytest.mark.parametrize(
    "factors", ["", "a", "0", "-1", "1:0.5:0.1", "1:2", "1:2:0", "1,2:3", "nan", "inf", "0.1:100:0.0001"]
)
def test_load_factors(molokini: Command, small: Path, factors: str) -> None:
    refused(molokini("compare", small, "--policy", "fcfs", "--load-factor", factors), "--load-factor")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--workers", "0"], "--workers"),
        (["--seeds", "-1"], "--seeds"),
        (["--set", "depth=3"], "'depth'"),
        (["--plot", "c.gif"], "--plot"),
    ],
)
def test_compare(molokini: Command, small: Path, options: Sequence[str], text: str) -> None:
    refused(molokini("compare", small, "--policy", "fcfs", "--policy", "easy", *options), text)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--users", "me"], "--users"),
        (["--users", "77"], "no job is left"),
        (
            ["--least", "3", "--most", "2"],
            "--most: 2 is not allowed; it must be the least number of processors, 3, or more",
        ),
        (
            ["--from-s", "9", "--until-s", "3"],
            "--until-s: '3' is not allowed; it must be later than --from-s, 9",
        ),
        (["--jobs", "0"], "jobs"),
    ],
)
def test_convert(molokini: Command, small: Path, tmp_path: Path, options: Sequence[str], text: str) -> None:
    refused(molokini("workload", "convert", small, tmp_path / "o.csv", *options), text)
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.deep
def test_in_a_shell_of_its_own(tmp_path: Path) -> None:
    refused(shell("simulate", tmp_path / "a\x1b[31m.swf", "--policy", "fcfs"), "a\\x1b[31m.swf")
    refused(
        shell("simulate", cut_short(tmp_path), "--policy", "fcfs", "--json", tmp_path / "r.json"),
        "cut.swf.gz",
    )
    assert [file.name for file in tmp_path.iterdir()] == ["cut.swf.gz"]
    refused(shell("simulat"), "simulat", "--help")
