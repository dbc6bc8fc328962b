"""``--from``, ``--to``, ``--warm-up`` and ``--cool-down`` leave the ends of a log out, and say so."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.running import EXAMPLE, Ran

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


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--warm-up", "5 %x"], ["--warm-up", "5 %x", "number of jobs"]),
        (["--warm-up", "100%"], ["--warm-up", "below 100%"]),
        (["--cool-down", "-1"], ["--cool-down", "-1"]),
        (["--cool-down", "1.5"], ["--cool-down", "1.5"]),
        (["--from", "nan"], ["--from", "finite"]),
        (["--from", "9", "--to", "9"], ["--to", "later than --from 9"]),
        (["--from", "1e12"], ["no job of 2,500 is left", "599850"]),
        (["--warm-up", "60%", "--cool-down", "60%"], ["no job of 2,500 is left"]),
        (["--warm-up", "2500"], ["no job of 2,500 is left"]),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_what_is_no_part_is_refused(
    molokini: Command, command: str, given: list[str], told: list[str]
) -> None:
    ran = molokini(command, EXAMPLE, "--policy", "fcfs", *given)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert all(text in ran.err for text in told)


def test_a_stopped_replay_has_no_part(molokini: Command) -> None:
    ran = molokini("simulate", EXAMPLE, "--policy", "fcfs", "--stop-at", 9e5, "--warm-up", "5%")
    assert (ran.code, "--warm-up" in ran.err) == (2, True)
