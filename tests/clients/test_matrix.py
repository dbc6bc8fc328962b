"""``molokini matrix``: who stands where in the matrix of gang scheduling, of a replay at an instant."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import Ran, terminal

Command = Callable[..., Ran]
GS = ("--policy", "gs", "--set", "mpl=2")


def rows(found: dict[str, object]) -> list[list[str]]:
    made: list[list[str]] = []
    for one in found["rows"]:  # type: ignore[attr-defined]
        made.append([*one["home_of"], *(f"({name})" for name in one["copies_of"])])
    return made


def test_at_an_instant_as_json(molokini: Command, small: Path) -> None:
    found = molokini("matrix", small, *GS, "--at", 25, "--json", "-").json
    assert found["schema"] == "molokini.matrix/1"
    assert (found["workload"], found["cluster"]["processors"]) == ({"file": "small.swf", "jobs": 4}, 4)
    assert found["policy"]["parameters"]["mpl"] == 2
    [one] = found["instants"]
    assert (one["now_s"], one["policy"], rows(one)) == (25.0, "gs", [["1", "3"], ["2"]])


def test_events_one_after_the_other(molokini: Command, small: Path) -> None:
    watched = molokini("matrix", small, *GS, "--watch", "--json", "-").json["instants"]
    assert [one["now_s"] for one in watched][:4] == [0.0, 10.0, 20.0, 30.0]
    assert rows(watched[0]) == [["1"], ["(1)"]]
    assert rows(watched[-1]) == [[], []], "at the end nobody stands in the matrix"
    times = [one["now_s"] for one in watched]
    assert times == sorted(set(times))
    some = molokini("matrix", small, *GS, "--at", 15, "--watch", "--steps", 2, "--json", "-").json
    assert [one["now_s"] for one in some["instants"]] == [15.0, 20.0]


def test_for_people_and_as_a_picture(molokini: Command, small: Path, tmp_path: Path) -> None:
    ran = molokini("matrix", small, *GS, "--at", 25, "--plot", tmp_path / "m.png")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].startswith("small.swf, gs at 25 s: 2 rows of 4 processors")
    assert lines[1:3] == [" 0 |1=================3=====|", " 1 |2=======================|"]
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.deep
def test_on_a_narrow_terminal_rows_stay_whole(small: Path) -> None:
    ran = terminal(30, "matrix", small, *GS, "--at", 25)
    assert ran.code == 0, ran
    [first] = [line for line in ran.out.splitlines() if line.startswith(" 0 |")]
    assert first.rstrip() == " 0 |1=================3=====|"


def test_jobs_of_a_model(molokini: Command) -> None:
    ran = molokini("matrix", "--workload", "lublin?jobs=50", *GS, "--at", 5000, "--json", "-")
    assert ran.json["instants"][0]["now_s"] == 5000.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--policy", "easy", "--at", 5), "--policy: 'easy' is not allowed; it must be one with a matrix"),
        (("--at", 5), "a policy is needed"),
        (GS, "an instant is needed"),
        ((*GS, "--at", "inf"), "--at"),
        ((*GS, "--at", 5, "--steps", 2), "--steps"),
        ((*GS, "--watch", "--steps", 0), "--steps"),
        ((*GS, "--at", 5, "--plot", "m.txt"), "--plot"),
        (("--policy", "gs", "--at", 5, "--set", "mpl=63"), "from 1 to 62"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    molokini: Command, small: Path, options: tuple[object, ...], words: str
) -> None:
    ran = molokini("matrix", small, *options)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert words in ran.err


def test_rows_that_come_and_go(molokini: Command, small: Path, tmp_path: Path) -> None:
    blocks = ("--policy", "buddy-gang", "--set", "alpha_m=1", "--set", "alpha_l=1")
    found = molokini("matrix", small, *blocks, "--watch", "--json", "-").json["instants"]
    counts = [len(one["rows"]) for one in found]
    assert len(set(counts)) > 1
    assert counts[-1] == 0, "at the end there is no row"
    assert all(row["home_of"] for one in found for row in one["rows"]), "a row is empty"
    assert found[0]["quantum_s"] is None
    shown = molokini("matrix", small, *blocks, "--at", 5)
    assert "in use of 4 processors, evenly shared" in shown.out
    drawn = molokini("simulate", small, *blocks, "--rows", tmp_path / "r.svg")
    assert drawn.code == 0, drawn.err
    assert (tmp_path / "r.svg").stat().st_size > 1000


def test_rows_over_time_are_drawn(molokini: Command, small: Path, tmp_path: Path) -> None:
    ran = molokini("simulate", small, *GS, "--rows", tmp_path / "r.svg")
    assert ran.code == 0, ran.err
    assert (tmp_path / "r.svg").stat().st_size > 1000
    refused = molokini("simulate", small, "--policy", "easy", "--rows", tmp_path / "e.svg")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "gs, bgs, mgs, mbgs or buddy-gang, with --rows" in refused.err
    assert not (tmp_path / "e.svg").exists()
    stopped = molokini("simulate", small, *GS, "--rows", tmp_path / "e.svg", "--stop-at", 5)
    assert "--rows is of a whole replay" in stopped.err


def test_what_is_of_replays_alone(molokini: Command) -> None:
    assert "--at is of a replay" in molokini("matrix", "--at", 5).err
    assert "it needs a terminal" in molokini("matrix", "--watch").err


def test_an_instant_before_the_first_submission_is_said_to_be_one(molokini: Command, small: Path) -> None:
    ran = molokini("matrix", small, *GS, "--at", -5)
    assert ran.code == 0
    assert "--at -5 is before the first submission" in ran.err
