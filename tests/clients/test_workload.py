from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.workloads.readers import read_workload
from tests.clients.command_runs import EXAMPLE, Ran
from tests.core.workloads.builders import log, record

Command = Callable[..., Ran]


@pytest.mark.deep
def test_info(molokini: Command, tmp_path: Path) -> None:
    ran = molokini("workload", "info", EXAMPLE, "--sita", 3, "--plot", tmp_path / "w.svg")
    assert (ran.code, ran.err) == (0, "")
    for text in (
        "2,500 jobs",
        "Computer: IBM SP2",
        "machine",
        "100 processors",
        "interarrival_s",
        "65-128",
        "Europe/Stockholm",
        "records skipped: none",
        "--policy sita-e --set cutoffs=",
    ):
        assert text in ran.out
    assert (tmp_path / "w.svg").exists()


def test_info_for_machines(molokini: Command, small: Path) -> None:
    found = molokini("workload", "info", small, "--sita", 2, "--json", "-").json
    assert found["schema"] == "molokini.workload/1"
    assert found["sita"]["partitions"] == 2
    assert {"tails", "mass", "hurst", "weeks", "users", "memory"} <= set(found["statistics"])
    assert len(found["sita"]["cutoffs_s"]) == 1


def test_the_cutoffs_that_info_tells_can_be_used(molokini: Command, small: Path) -> None:
    out = molokini("workload", "info", small, "--sita", 2).out
    setting = out.split("--set ")[1].split()[0]
    assert molokini("simulate", small, "--policy", "sita-e", "--set", setting).code == 0


def test_what_would_be_skipped_and_why(molokini: Command, tmp_path: Path) -> None:
    path = log(tmp_path, record(1, 0, 10, 1), "1 2 3", record(2, 0, "x", 1), record(3, -5, 1, 1))
    ran = molokini("workload", "info", path)
    assert ran.code == 0
    assert "records skipped: 3 (1 wrong_field_count, 1 not_a_number, 1 negative_submit)" in ran.out
    assert "not named: give --procs N" in ran.out
    assert molokini("workload", "info", path, "--json", "-").json["machine"]["processors"] is None


def test_convert_drops_what_reading_leaves_out(molokini: Command, tmp_path: Path) -> None:
    without = [record(2, 1, -1, 1), record(3, 2, 10, -1), record(4, 3, 10, 1, status=2)]
    path = log(tmp_path, record(1, 0, 10, 1), *without, record(5, 4, 0, 1))
    ran = molokini("workload", "convert", path, tmp_path / "o.swf")
    assert "records skipped: 3 (1 partial_record, 1 run_time_negative, 1 no_processors)" in ran.out
    assert read_workload(tmp_path / "o.swf").number.tolist() == [1, 5]


@pytest.mark.parametrize("name", ["b.csv", "b.csv.gz", "b.parquet", "b.swf.gz"])
def test_convert_there_and_back(molokini: Command, small: Path, tmp_path: Path, name: str) -> None:
    ran = molokini("workload", "convert", small, tmp_path / name)
    assert ran.code == 0
    assert f"{name}: 4 jobs" in ran.out
    assert molokini("workload", "convert", tmp_path / name, tmp_path / "back.swf").code == 0
    assert (tmp_path / "back.swf").read_bytes() == small.read_bytes()


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--from-s", "10", "--until-s", "30"], [2, 3]),
        (["--from-s", "20"], [3, 4]),
        (["--until-s", "20"], [1, 2]),
        (["--users", "2"], [2, 4]),
        (["--users", "1,2"], [1, 2, 3, 4]),
        (["--least", "3"], [1, 2]),
        (["--most", "1"], [3, 4]),
        (["--jobs", "3"], [1, 2, 3]),
        (["--users", "2", "--jobs", "1"], [2]),
    ],
)
def test_filters(
    molokini: Command, small: Path, tmp_path: Path, options: list[str], numbers: list[int]
) -> None:
    ran = molokini("workload", "convert", small, tmp_path / "part.swf", *options)
    assert ran.code == 0
    part = read_workload(tmp_path / "part.swf", strict=True)
    assert part.number.tolist() == numbers
    assert "made by molokini from small.swf" in part.header.lines[-1]


def test_load_factor(molokini: Command, small: Path, tmp_path: Path) -> None:
    assert molokini("workload", "convert", small, tmp_path / "p.csv", "--load-factor", 2).code == 0
    assert read_workload(tmp_path / "p.csv").submit_s.tolist() == [0, 5, 10, 15]


def test_a_generated_workload_becomes_a_log(molokini: Command, tmp_path: Path) -> None:
    target = tmp_path / "g.swf.gz"
    assert molokini("workload", "convert", "synthetic:hard?jobs=50", target).code == 0
    assert len(read_workload(target, strict=True)) == 50


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "swf", "trace", "parquet"])
def test_a_profile_of_a_schedule_has_what_was_simulated(
    molokini: Command, small: Path, tmp_path: Path, ending: str
) -> None:
    table = tmp_path / f"s.{ending}"
    assert molokini("simulate", small, "--policy", "easy", "--schedule", table).code == 0
    more = ["--log", small] if ending in ("csv", "csv.gz", "parquet") else []
    found = molokini("workload", "profile", table, *more, "--json", "-").json
    assert (found["schema"], found["file"]) == ("molokini.profile/1", f"s.{ending}")
    totals = found["totals"]
    assert totals["jobs_completed"] == 4
    # Waits of 0, 90, 0 and 120 s; 3 x 100 + 4 x 50 + 30 + 200 processor-seconds.
    assert totals["mean_queue_hours"] == pytest.approx(210 / 4 / 3600)
    assert totals["dedicated_processor_hours"] == pytest.approx(730 / 3600)
    assert totals["backfilled_share"] is None
    for told in found["by"].values():
        assert sum(one["jobs_completed"] for one in told) == 4
    assert "day" in found["by"]


def test_a_profile_for_people(molokini: Command) -> None:
    ran = molokini("workload", "profile", EXAMPLE, "--by", "group,user", "--rows", 3)
    assert (ran.code, ran.err) == (0, "")
    assert "2,500 ended jobs" in ran.out
    for text in ("by group", "by user", "avg wait h", "backfilled", "more; --rows"):
        assert text in ran.out
    found = molokini("workload", "profile", EXAMPLE, "--json", "-").json
    assert found["calendar"] == "Europe/Stockholm"
    logged = read_workload(EXAMPLE)
    work = float(logged.processors @ logged.run_s) / 3600
    for told in found["by"].values():
        assert sum(one["dedicated_processor_hours"] for one in told) == pytest.approx(work)
    days = [one["name"] for one in found["by"]["day"]]
    assert days == sorted(days)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--by", "users"), "no breakdown named 'users'; did you mean 'user'"),
        (("--by", "account"), "something that this file tells of: user"),
        (("--rows", 0), "--rows: 0 is not allowed"),
        (("--log", EXAMPLE), "--log is of a schedule in CSV or Parquet"),
    ],
)
def test_a_profile_of_what_there_is_not_is_refused_in_one_line(
    molokini: Command, more: tuple[object, ...], words: str
) -> None:
    ran = molokini("workload", "profile", EXAMPLE, *more)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert words in ran.err


def test_a_profile_of_no_file_or_an_empty_one_is_refused(molokini: Command, tmp_path: Path) -> None:
    (tmp_path / "none.trace").write_text("VERSION 230\n")
    for name in ("none.trace", "nowhere.csv", "nowhere.trace", "nowhere.parquet"):
        ran = molokini("workload", "profile", tmp_path / name)
        assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
