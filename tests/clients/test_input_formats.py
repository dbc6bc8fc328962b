"""Runs on a site's own history: told by its content, or by ``--input-format``."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import Ran, here
from tests.core.workloads.test_histories import written

Command = Callable[..., Ran]


@pytest.fixture
def molokini(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "acct").mkdir()
    (tmp_path / "acct" / "20130409").write_bytes(written("pbs"))
    (tmp_path / "lsb.acct").write_bytes(written("lsf"))
    (tmp_path / "site.txt").write_bytes(written("sacct"))
    return lambda *arguments: here(capsys, *arguments)


@pytest.mark.parametrize("log", ["acct", "lsb.acct", "site.txt"])
def test_a_history_is_simulated_as_it_looks(molokini: Command, log: str) -> None:
    found = molokini("simulate", log, "--procs", 8, "--policy", "fcfs", "--json", "-").json
    assert found["workload"]["jobs"] == 4
    assert found["workload"]["skipped"]["never_started"] == 1
    assert found["metrics"]["finished_jobs"] == 4


def test_histories_of_several_formats_are_compared(molokini: Command) -> None:
    given = ("lsb.acct", "site.txt", "--policy", "fcfs", "--policy", "easy", "--procs", 8)
    found = molokini("compare", *given, "--json", "-").json
    assert found["schema"].startswith("molokini.compare/")
    assert "lsb.acct" in str(found)


def test_parts_of_a_history_go_by_its_names(molokini: Command) -> None:
    given = ("site.txt", "--policy", "fcfs", "--policy", "easy", "--procs", 8, "--by", "user,queue,size")
    told = molokini("compare", *given, "--plot", "parts.png").out
    users = told.partition("mean wait by user")[2].partition("mean wait by queue")[0]
    assert {"ann", "bob"} <= {line.split()[0] for line in users.splitlines() if line.strip()}
    found = molokini("simulate", *given[:3], *given[5:], "--json", "-").json["breakdowns"]
    assert [(row["class"], row["name"]) for row in found["user"]] == [("1", "ann"), ("2", "bob")]
    assert [row["name"] for row in found["queue"]] == ["batch", "long"]
    assert [row["name"] for row in found["size"]] == ["3-4"]


def test_what_was_left_out_is_told(molokini: Command) -> None:
    told = molokini("workload", "info", "site.txt").out
    assert "records skipped: 1 (1 never_started)" in told
    assert "1 never_started" in molokini("workload", "profile", "acct").out


def test_a_history_becomes_a_log(molokini: Command, tmp_path: Path) -> None:
    assert molokini("workload", "convert", "acct", "site.swf").code == 0
    assert len((tmp_path / "site.swf").read_text().splitlines()) == 1 + 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("site.txt", "--input-format", "lsf"), "no usable record among 6 (6 wrong_field_count)"),
        (("site.txt", "--input-format", "slurm"), "no input format named 'slurm'"),
        (("acct", "--input-format", "sacct"), "the folder holds no file of the format sacct"),
        (("acct/20130409", "--input-format", "lsf", "--strict"), "acct/20130409:1: "),
        ((".",), "the folder holds no"),
    ],
)
def test_a_mistake_is_one_line(
    molokini: Command, arguments: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    if arguments == (".",):
        for name in ("lsb.acct", "site.txt"):
            (tmp_path / name).unlink()
    ran = molokini("simulate", *arguments, "--procs", 8, "--policy", "fcfs")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert told in ran.err
