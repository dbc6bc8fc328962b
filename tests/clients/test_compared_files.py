"""What ``compare`` writes beside its tables: distributions, differences, schedules."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import EXAMPLE, Ran

Command = Callable[..., Ran]
TWO = ("compare", EXAMPLE, "--policy", "fcfs", "--policy", "easy")


def starts(path: Path) -> list[float]:
    with path.open() as stream:
        return [float(row["start_s"]) for row in csv.DictReader(stream)]


@pytest.mark.deep
def test_differences_are_those_of_the_schedules(molokini: Command, tmp_path: Path) -> None:
    folder, picture = tmp_path / "schedules", tmp_path / "difference.svg"
    found = molokini(*TWO, "--schedules", folder, "--difference", picture, "--json", "-").json
    assert sorted(path.name for path in folder.iterdir()) == ["easy.csv", "fcfs.csv"]
    assert picture.read_bytes().startswith(b"<?xml")
    pairs = zip(starts(folder / "fcfs.csv"), starts(folder / "easy.csv"), strict=True)
    changes = [after - before for before, after in pairs]
    told = found["start_changes"]
    assert told["jobs"] == len(changes) == sum(told["classes"].values())
    assert told["earlier_jobs"] == sum(change < 0 for change in changes)
    assert told["later_jobs"] == sum(change > 0 for change in changes)
    assert told["mean_change_s"] == pytest.approx(sum(changes) / len(changes))
    assert told["classes"]["within 1 min"] == sum(abs(change) <= 60 for change in changes)


def test_schedules_are_those_of_simulate(molokini: Command, tmp_path: Path) -> None:
    folder, alone = tmp_path / "schedules", tmp_path / "alone.csv"
    policies = ("--policy", "easy?order=shortest", "--policy", "easy", "--policy", "srpt")
    molokini("compare", EXAMPLE, *policies, "--schedules", folder, "--workers", 2)
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 3
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz_=,.-") for name in names)
    molokini("simulate", EXAMPLE, "--policy", "srpt", "--schedule", alone)
    assert (folder / "srpt.csv").read_bytes() == alone.read_bytes()


@pytest.mark.deep
@pytest.mark.parametrize("command", [("simulate", EXAMPLE, "--policy", "easy"), TWO])
def test_a_picture_of_distributions(molokini: Command, tmp_path: Path, command: tuple[object, ...]) -> None:
    picture = tmp_path / "ecdf.pdf"
    assert molokini(*command, "--ecdf", picture).code == 0
    assert picture.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--difference", "d.png", "--policy", "srpt"], ["--difference", "two policies", "3"]),
        (["--difference", "d.eps"], ["--difference", ".png, .svg or .pdf"]),
        (["--ecdf", "e.png", "--seeds", "3"], ["--ecdf", "no --seeds"]),
        (["--schedules", "s", "--load-factor", "1,2"], ["--schedules", "one load factor"]),
        (["--schedules", "no/where"], ["no/where", "folder"]),
        (["--log-axis"], ["--log-axis", "--plot"]),
        (["--ecdf", "a.png", "--difference", "a.png"], ["a.png", "too"]),
    ],
)
def test_what_cannot_be_written_is_told_before_anything_runs(
    molokini: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], told: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = molokini(*TWO, *given)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert all(text in ran.err for text in told)
    assert list(tmp_path.iterdir()) == []
