from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from molokini.workloads.tools.whole import read_whole
from tests.clients.command_runs import EXAMPLE, Ran
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]


def test_clean_removes_tells_and_writes(molokini: Command, tmp_path: Path) -> None:
    before = read_whole(EXAMPLE)
    (tmp_path / "f.txt").write_text("user=18  # the busiest\n")
    ran = molokini(
        *("workload", "clean", EXAMPLE, "--filters", tmp_path / "f.txt", "--filter", "proc > 64"),
        *("-o", tmp_path / "clean.swf.gz"),
    )
    assert (ran.code, ran.err) == (0, "")
    for text in (
        "2,500 records",
        "user=18",
        "proc > 64",
        "run time above the requested time",
        "flurry candidates",
    ):
        assert text in ran.out
    after = read_whole(tmp_path / "clean.swf.gz")
    gone = (before.column("user") == 18) | (before.column("allocated_processors") > 64)
    assert np.array_equal(after.records, before.records[~gone])
    assert "user=18 (" in after.header.lines[-2]
    # The header of what was written is a list of filters, too.
    again = molokini(
        "workload", "clean", EXAMPLE, "--filters-of", tmp_path / "clean.swf.gz", "--json", "-"
    ).json
    assert [one["filter"] for one in again["removed"]] == ["job<=14", "user=18", "proc > 64"]
    assert again["kept"] == len(after)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--filter", "usr=3"], "--filter, line 1, column 1: no field named 'usr'; did you mean 'user'?"),
        (["--filter", "user=3 and (job<5"], "--filter, line 1, column 12: this bracket is not closed"),
        (["--filter", "job>0"], "no record is left"),
        (["--filters", "no/such.txt"], "no/such.txt"),
        (["--output", "x.csv"], "a file name that ends in .swf or .swf.gz"),
        (["--output", str(EXAMPLE)], "that is the input, too"),
    ],
)
def test_clean_refuses(molokini: Command, options: list[str], words: str) -> None:
    ran = molokini("workload", "clean", EXAMPLE, *options)
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_the_line_of_a_bad_filter_in_a_file(molokini: Command, tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("# mine\nuser=1\n  user=2 and\n")
    ran = molokini("workload", "clean", EXAMPLE, "--filters", tmp_path / "f.txt")
    assert ran.code == 2
    assert "f.txt, line 3, column 13: a field's name is missing" in ran.err


def test_split_and_merge_give_the_log(molokini: Command, tmp_path: Path) -> None:
    listed = molokini("workload", "split", EXAMPLE)
    assert "nothing written" in listed.out
    ran = molokini("workload", "split", EXAMPLE, "--into", tmp_path / "parts", "--plain")
    assert (ran.code, "5 parts, written to" in ran.out) == (0, True)
    parts = sorted((tmp_path / "parts").iterdir(), reverse=True)
    assert [part.name for part in parts][-1] == "kth-sp2-month-week-1.swf"
    merged = molokini("workload", "merge", *parts, "-o", tmp_path / "back.swf.gz")
    assert "2,500 records of 5 logs (parts of one log)" in merged.out
    back, before = read_whole(tmp_path / "back.swf.gz"), read_whole(EXAMPLE)
    assert back.records.tobytes() == before.records.tobytes()
    assert back.header == before.header
    some = molokini("workload", "merge", *parts[:2], "-o", tmp_path / "some.swf")
    assert "warning: the log had 5 parts, and these are 2 of them: 4, 5" in some.out


def test_split_and_merge_refuse(molokini: Command, tmp_path: Path) -> None:
    assert (
        "a length of time" in molokini("workload", "split", EXAMPLE, "--by", "ends", "--warm-up", "soon").err
    )
    assert "above 0 and below 1" in molokini("workload", "split", EXAMPLE, "--by", "share", "--share", 1).err
    assert "two logs or more" in molokini("workload", "merge", EXAMPLE, "-o", tmp_path / "x.swf").err
    (tmp_path / "file").write_text("")
    assert molokini("workload", "split", EXAMPLE, "--into", tmp_path / "file").code == 2


def test_merge_warns_of_other_clocks(molokini: Command, tmp_path: Path) -> None:
    silent = log(tmp_path, "; MaxProcs: 4", record(1, 5, 10, 1), name="silent.swf")
    told = molokini("workload", "merge", EXAMPLE, silent, "-o", tmp_path / "m.swf", "--json", "-").json
    assert "does not say when second 0 was" in told["warnings"][0]
    assert told["records"] == 2501


def test_select_cuts_the_nearest_period_out(molokini: Command, tmp_path: Path) -> None:
    target = tmp_path / "week.swf"
    ran = molokini("workload", "select", EXAMPLE, "--utilization", 0.7, "--length", "5d", "-o", target)
    assert (ran.code, ran.err) == (0, "")
    part = read_whole(target)
    assert np.ptp(part.column("submit_s")) <= 5 * 86400
    told = molokini("workload", "select", EXAMPLE, "--utilization", 0.7, "--length", "5d", "--json", "-").json
    assert told["periods"][0]["jobs"] == len(part)
    assert abs(told["periods"][0]["utilization"] - 0.7) < 0.05
    assert molokini("workload", "select", EXAMPLE, "--utilization", 0.001).code == 2


def test_scale_keeps_the_load(molokini: Command, tmp_path: Path) -> None:
    told = molokini(
        *("workload", "scale", EXAMPLE, "--processors", 256, "-o", tmp_path / "s.swf", "--json", "-")
    ).json
    assert told["offered_load"][1] == pytest.approx(told["offered_load"][0], rel=1e-3)
    assert read_whole(tmp_path / "s.swf").machine == 256
    ran = molokini("workload", "scale", EXAMPLE, "--processors", 32, "-o", tmp_path / "t.swf")
    assert ran.code == 2
    assert "the width of the widest job" in ran.err
    assert not (tmp_path / "t.swf").exists()


@pytest.mark.deep
def test_compare_and_fit(molokini: Command, tmp_path: Path) -> None:
    few = tmp_path / "few.swf"
    molokini("workload", "convert", EXAMPLE, few, "--jobs", 300)
    ran = molokini("workload", "compare", EXAMPLE, few, "--plot", tmp_path / "c.png")
    assert (ran.code, ran.err) == (0, "")
    assert "Anderson-Darling" in ran.out
    site = tmp_path / "site.toml"
    fitted = molokini("workload", "fit", few, "-o", site, "--plot", tmp_path / "f.png")
    assert (fitted.code, fitted.err) == (0, "")
    assert "fitted:" in fitted.out
    made = molokini("workload", "info", f"fitted:{site}?jobs=300&load=0.7", "--json", "-").json
    assert made["jobs"] == 300
    missing = molokini("workload", "info", f"fitted:{tmp_path / 'none.toml'}?jobs=300")
    assert missing.code == 2
    assert "none.toml" in missing.err
    assert site.read_text().startswith("# Made by")
    told = molokini("workload", "fit", few, "--json", "-").json
    assert told["attributes"]["run_s"]["best"] == told["attributes"]["run_s"]["candidates"][0]["name"]
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("c.png", "f.png"))


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        ([record(n, 60 * n * n, n, 1) for n in range(1, 11)], "10 jobs are too few for a fit"),
        ([record(n, 60 * n * n, 7, 1) for n in range(1, 40)], "run_s: all 39 values are 7"),
    ],
)
def test_fit_refuses(molokini: Command, tmp_path: Path, jobs: list[str], words: str) -> None:
    ran = molokini("workload", "fit", log(tmp_path, *jobs), "-o", tmp_path / "s.toml")
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "s.toml").exists()
    assert "ends in .toml" in molokini("workload", "fit", EXAMPLE, "-o", tmp_path / "s.json").err


@pytest.mark.deep
def test_values_of_a_model_reach_every_tool(molokini: Command, tmp_path: Path) -> None:
    """``--set`` as for ``simulate``: the same as in the name of the model."""
    given = ("--set", "jobs=300", "--set", "load=0.7")
    by_name, by_set = tmp_path / "name.swf", tmp_path / "set.swf"
    for source, more, target in (("lublin?jobs=300&load=0.7", (), by_name), ("lublin", given, by_set)):
        scaled = molokini("workload", "scale", source, *more, "--processors", 256, "-o", target)
        assert (scaled.code, scaled.err) == (0, "")
    assert by_name.read_bytes() == by_set.read_bytes()
    assert molokini("workload", "clean", "lublin", *given, "--json", "-").json["records"] == 300
    parts = molokini("workload", "split", "lublin", *given, "--by", "share", "--json", "-").json["parts"]
    assert sum(part["records"] for part in parts) == 300
    told = molokini("workload", "compare", "lublin", EXAMPLE, *given, "--json", "-").json
    assert told["jobs"] == [300, 2500]
    merged = molokini(
        "workload", "merge", "lublin", "downey", *given, "-o", tmp_path / "m.swf", "--json", "-"
    )
    assert merged.json["records"] == 600
    assert molokini("workload", "fit", "lublin", *given, "--json", "-").json["jobs"] == 300
    wished = ("--utilization", 0.6, "--length", "30m", "--tolerance", 0.5)
    assert molokini("workload", "select", "lublin", *given, *wished).code == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("clean", EXAMPLE), "the log is a file"),
        (("compare", EXAMPLE, EXAMPLE), "these logs are files"),
        (("merge", EXAMPLE, "lublin", "-o", "x.swf"), "no parameter of workload lublin named 'jbos'"),
        (("fit", "lublin"), "did you mean 'jobs'?"),
    ],
)
def test_values_that_nothing_takes(molokini: Command, command: tuple[object, ...], words: str) -> None:
    ran = molokini("workload", *command, "--set", "jbos=5")
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.count("\n") == 1
