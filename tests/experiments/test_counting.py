"""``--from``, ``--to``, ``--warm-up`` and ``--cool-down`` leave the ends of a log out, and say so."""

import csv
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from molokini.experiments import simulate
from tests.clients.command_runs import EXAMPLE, Ran

Command = Callable[..., Ran]


def waits(path: Path) -> list[tuple[float, float]]:
    with path.open() as stream:
        rows = list(csv.DictReader(stream))
    return [(float(row["submit_s"]), float(row["start_s"]) - float(row["submit_s"])) for row in rows]


def test_a_warm_up_is_recomputed_from_the_schedule(molokini: Command, tmp_path: Path) -> None:
    file = tmp_path / "all.csv"
    given = ("simulate", EXAMPLE, "--policy", "easy", "--schedule", file, "--json", "-")
    found = molokini(*given, "--warm-up", "10%", "--cool-down", 500).json
    every = waits(file)
    assert len(every) == 2500, "the schedule holds all jobs"
    first, last = every[250][0], every[2000][0]
    mine = [wait for submit, wait in every if first <= submit < last]
    assert found["metrics"]["jobs"] == len(mine)
    assert found["metrics"]["mean_wait_s"] == pytest.approx(sum(mine) / len(mine))
    assert found["options"]["counted"] == {"warm_up": "10%", "cool_down": "500"}
    assert found["intervals"]["mean_wait_s"]["values"] == len(mine)
    same = molokini(*given, "--from", first, "--to", last).json
    assert same["metrics"] == found["metrics"]


def test_compare_counts_the_same_part(molokini: Command) -> None:
    part = ("--warm-up", "5%", "--cool-down", "5%")
    one = molokini("simulate", EXAMPLE, "--policy", "fcfs", *part, "--json", "-").json
    two = molokini("compare", EXAMPLE, "--policy", "fcfs", "--policy", "easy", *part, "--json", "-").json
    assert two["results"][0]["metrics"] == one["metrics"]
    assert two["comparisons"][0]["paired_jobs"] == one["metrics"]["jobs"]
    assert two["options"]["counted"] == {"warm_up": "5%", "cool_down": "5%"}


@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_tables_say_what_counts(molokini: Command, command: str) -> None:
    ran = molokini(command, EXAMPLE, "--policy", "fcfs", "--from", 600000, "--warm-up", 7)
    assert "counted: from 600000 s, warm-up 7" in " ".join(ran.out.split())


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--warm-up", "5 %x"], ["--warm-up", "5 %x", "number of jobs"]),
        (["--warm-up", "100%"], ["--warm-up", "below 100%"]),
        (["--cool-down", "-1"], ["--cool-down", "-1"]),
        (["--cool-down", "1.5"], ["--cool-down", "1.5"]),
        (["--from", "nan"], ["--from", "'nan' is not allowed", "seconds of the clock or a date"]),
        (["--to", "1996-13-01"], ["--to", "'1996-13-01' is not allowed", "a date (2026-12-04, "]),
        (["--from", "Fri 18:00"], ["--from", "a log has no present instant"]),
        (["--from", "1996-10-02", "--to", "1996-10-01"], ["--to", "later than --from 1996-10-02"]),
        (["--from", "9", "--to", "9"], ["--to", "later than --from 9"]),
        (["--from", "1e12"], ["no job of 2,500 is left", "599850"]),
        (["--warm-up", "60%", "--cool-down", "60%"], ["no job of 2,500 is left"]),
        (["--warm-up", "2500"], ["no job of 2,500 is left"]),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_other_parts_are_refused(molokini: Command, command: str, given: list[str], told: list[str]) -> None:
    ran = molokini(command, EXAMPLE, "--policy", "fcfs", *given)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert all(text in ran.err for text in told)


def test_a_stopped_replay_has_no_part(molokini: Command) -> None:
    ran = molokini("simulate", EXAMPLE, "--policy", "fcfs", "--stop-at", 9e5, "--warm-up", "5%")
    assert (ran.code, "--warm-up" in ran.err) == (2, True)


def test_a_date_is_an_instant_of_the_logs_own_calendar(molokini: Command, small: Path) -> None:
    header = "; UnixStartTime: 843480252\n; TimeZoneString: Europe/Stockholm\n"
    small.write_text(header + small.read_text())
    # Second 0 was 1996-09-23 14:04:12 in Stockholm, two hours before UTC in summer.
    assert datetime(1996, 9, 23, 12, 4, 12, tzinfo=UTC).timestamp() == 843480252
    given = ("simulate", small, "--policy", "fcfs", "--json", "-")
    dated = molokini(*given, "--from", "1996-09-23T14:04:22", "--to", "1996-09-23 12:04:42Z").json
    assert dated["options"]["counted"] == {"from_s": "1996-09-23T14:04:22", "to_s": "1996-09-23 12:04:42Z"}
    assert dated["metrics"] == molokini(*given, "--from", 10, "--to", 30).json["metrics"]
    assert dated["metrics"]["jobs"] == 2
    stopped = molokini(*given, "--stop-at", "1996-09-23T14:04:27").json
    assert stopped["stopped_at_s"] == 15.0
    matrix = ("matrix", small, "--policy", "gs", "--at", "1996-09-23T14:04:27", "--json", "-")
    assert molokini(*matrix).json["instants"][0]["now_s"] == 15.0
    assert simulate(small, policy="fcfs", from_s="1996-09-23T14:04:22").metrics["jobs"] == 3
    part = small.with_name("part.swf")
    assert molokini("workload", "convert", small, part, "--from-s", "1996-09-23T14:04:22").code == 0
    assert "submitted at 1996-09-23T14:04:22 or later" in part.read_text()


@pytest.mark.parametrize(
    "given",
    [
        ("simulate", "LOG", "--policy", "fcfs", "--from", "1996-10-01"),
        ("simulate", "LOG", "--policy", "fcfs", "--stop-at", "1996-10-01"),
        ("compare", "LOG", "--policy", "fcfs", "--to", "1996-10-01"),
        ("matrix", "LOG", "--policy", "gs", "--at", "1996-10-01"),
        ("workload", "convert", "LOG", "part.swf", "--until-s", "1996-10-01"),
    ],
)
def test_a_log_without_a_beginning_has_no_dates(
    molokini: Command, small: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    monkeypatch.chdir(small.parent)
    ran = molokini(*(small if word == "LOG" else word for word in given))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "the log's header has no UnixStartTime" in ran.err
    assert not Path("part.swf").exists()
