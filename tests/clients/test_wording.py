"""Words that a new user meets first: they agree with their numbers, and say what is the case."""

from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.clients.show.rich_tables import workload_lines
from molokini.model.text import plural
from tests.clients.command_runs import Ran
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]
TWO = ("--policy", "fcfs", "--policy", "easy")


def test_plural() -> None:
    assert [plural(count, "job") for count in (0, 1, 2, 1234)] == ["0 jobs", "1 job", "2 jobs", "1,234 jobs"]


def test_one_of_each(molokini: Command, tmp_path: Path) -> None:
    path = log(tmp_path, "; MaxProcs: 1", record(1, 0, 10, 1))
    assert "log.swf under fcfs: 1 job, 1 processor\n" in molokini("simulate", path, "--policy", "fcfs").out
    assert "log.swf: 1 job, 1 processor\n" in molokini("compare", path, *TWO).out
    assert "means over 1 seed," in molokini("compare", path, *TWO, "--seeds", 1).out
    shown = molokini("workload", "info", path).out
    assert "log.swf: 1 job\n" in shown
    assert "1 processor\n" in shown
    written = molokini("workload", "convert", path, tmp_path / "o.swf", "--jobs", 1)
    assert "o.swf: 1 job\n" in written.out
    assert "the first 1 job\n" in (tmp_path / "o.swf").read_text()


@pytest.mark.parametrize(
    ("name", "count", "text"),
    [
        (
            "not_understood.ReqMem",
            3,
            "3 jobs with a ReqMem that is not understood: taken as not given (--strict shows where)",
        ),
        ("extra_fields.3", 4, "4 records with 3 fields behind the last of SWF's, left out"),
        ("machine_of_nodes", 1053696, "the header counts nodes, so the machine has 1,053,696 processors"),
        ("rounded.NCPUS", 1, "1 job with a rounded NCPUS (sacct --noconvert has it whole)"),
        ("hour_later.End", 1, "1 job whose End is taken as an hour later, as clocks went back"),
        (
            "constraints_not_replayed",
            2,
            "2 jobs that asked for features of nodes are replayed on any",
        ),
        ("unsorted_submits", 1, "1 record stood out of order and was sorted"),
        ("unsorted_submits", 1200, "1,200 records stood out of order and were sorted"),
        ("estimate_from_run_time", 1, "1 job without an estimate takes its run time for it"),
        ("comments_not_kept", 1, "1 comment line among the records is not kept"),
        (
            "max_jobs_minus_records",
            25990,
            "the file holds 25,990 records fewer than its header's MaxJobs says",
        ),
        ("max_records_minus_records", -1, "the file holds 1 record more than its header's MaxRecords says"),
        ("a_new_one", 3, "3 a_new_one"),
    ],
)
def test_notes(name: str, count: int, text: str) -> None:
    assert workload_lines({"skipped": {}, "notes": {name: count}})[1] == f"notes: {text}"


@pytest.mark.deep
def test_a_load_factor_is_told_where_there_is_one(molokini: Command, small: Path, tmp_path: Path) -> None:
    other = log(tmp_path, "; MaxProcs: 8", record(1, 0, 10, 2))
    assert "load factor" not in molokini("compare", small, other, *TWO).out
    assert "4 processors, load factor 0.5\n" in molokini("compare", small, *TWO, "--load-factor", "0.5").out
    assert "4 processors, load factor 1\n" in molokini("compare", small, *TWO, "--load-factor", "1,2").out
    simulate = ("simulate", small, "--policy", "easy")
    assert "load factor" not in molokini(*simulate).out
    assert "4 processors, load factor 2\n" in molokini(*simulate, "--load-factor", 2).out


@pytest.mark.parametrize("by", ["queue", "user"])
def test_a_class_that_the_log_does_not_name_is_unknown(molokini: Command, tmp_path: Path, by: str) -> None:
    path = log(tmp_path, "; MaxProcs: 4", record(1, 0, 10, 1), record(2, 0, 10, 1, queue=3, user=3))
    out = molokini("simulate", path, "--policy", "fcfs", "--by", by).out
    classes = [line.split()[0] for line in out.split(f"by {by}\n")[1].splitlines()[3:5]]
    assert classes == ["unknown", "3"]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ((), "the log does not say how many processors its machine has (no MaxProcs in its header)"),
        (("; MaxProcs: ten",), "MaxProcs in its header is 'ten', which is not a number of processors"),
        (("; MaxNodes: 0",), "MaxNodes in its header is '0', which is not a number of processors"),
        (("; MaxProcs: -1", "; MaxNodes: some"), "MaxProcs in its header is '-1'"),
    ],
)
def test_a_machine_that_is_not_named(
    molokini: Command, tmp_path: Path, lines: tuple[str, ...], text: str
) -> None:
    path = log(tmp_path, *lines, record(1, 0, 10, 1))
    ran = molokini("simulate", path, "--policy", "fcfs")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"log.swf: {text}" in ran.err
    assert "; give --procs N" in ran.err


@pytest.mark.parametrize("factor", ["inf", "nan", "0", "-1"])
def test_a_load_factor_that_is_none(molokini: Command, small: Path, tmp_path: Path, factor: str) -> None:
    for command in (
        ("simulate", small, "--policy", "fcfs"),
        ("compare", small, *TWO),
        ("workload", "convert", small, tmp_path / "o.swf"),
    ):
        ran = molokini(*command, "--load-factor", factor)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert "--load-factor: " in ran.err
        assert "must be a finite number above 0" in ran.err


def test_cutoffs_are_written_out(molokini: Command, tmp_path: Path) -> None:
    path = log(tmp_path, *(record(n, n, 1234567 * n, 1, requested_s=1234567 * n) for n in (1, 2, 3)))
    setting = molokini("workload", "info", path, "--sita", 2).out.split("--set ")[1].split()[0]
    assert setting == "cutoffs=2469134"
    shown = molokini("simulate", path, "--procs", 4, "--policy", "sita-e", "--set", setting).out
    assert "under sita-e (cutoffs=2469134)" in shown
