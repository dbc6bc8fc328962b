"""``molokini workload estimates``: a log gets estimates that a model makes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from molokini.workloads.readers import read_workload
from tests.clients.command_runs import Ran

Command = Callable[..., Ran]
LOG = "lublin?jobs=3000"


@pytest.mark.parametrize("model", ["exact", "f", "phi", "multiple", "rounded", "tsafrir"])
def test_every_model_writes_a_log(molokini: Command, tmp_path: Path, model: str) -> None:
    target = tmp_path / "out.swf.gz"
    ran = molokini("workload", "estimates", LOG, "--model", model, "-o", target)
    assert (ran.code, ran.err) == (0, "")
    assert f"3,000 with estimates by {model}" in ran.out
    before, after = read_workload(target), molokini
    assert (before.estimate_s >= before.run_s).all()
    first = target.read_bytes()
    assert after("workload", "estimates", LOG, "--model", model, "-o", target).code == 0
    assert target.read_bytes() == first
    notes = [value for label, value in before.header.labels if label == "Note"]
    assert any(model in note and "seed 0" in note for note in notes)


def test_parameters_stand_in_note_and_json(molokini: Command, tmp_path: Path) -> None:
    target = tmp_path / "out.swf"
    given = ("--model", "f", "--set", "f=2", "--set", "most=100000", "--seed", 3, "-o", target)
    found = molokini("workload", "estimates", LOG, *given, "--json", "-").json
    assert (found["parameters"], found["seed"]) == ({"f": 2.0, "most": 100000.0}, 3)
    assert (
        "Note: estimates of 3,000 jobs made by molokini: f, f=2.0, most=100000.0, seed 3"
        in target.read_text()
    )


def test_estimates_that_are_there_may_stay(molokini: Command, tmp_path: Path) -> None:
    source, target = tmp_path / "in.swf", tmp_path / "out.swf"
    assert molokini("workload", "convert", "lublin?jobs=50&estimates=f", source).code == 0
    lines = source.read_text().splitlines()
    jobs = [line for line in lines if not line.startswith(";")]
    without = jobs[:10]
    for line in without:
        fields = line.split()
        fields[8] = "-1"
        jobs[jobs.index(line)] = " ".join(fields)
    source.write_text("\n".join([line for line in lines if line.startswith(";")] + jobs) + "\n")
    before = read_workload(source)
    given = ("--model", "multiple", "--set", "multiple=5", "--only-missing", "-o", target)
    assert "10 with estimates" in molokini("workload", "estimates", source, *given).out
    after = read_workload(target)
    assert (after.estimate_s[10:] == before.estimate_s[10:]).all()
    assert (after.estimate_s[:10] == np.ceil(5 * before.run_s[:10])).all()


def test_without_a_log_the_models_are_listed(molokini: Command) -> None:
    shown = molokini("workload", "estimates").out
    assert "tsafrir" in shown
    assert "unverified" in shown


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((LOG, "--model", "tsafir", "-o", "x.swf"), "did you mean 'tsafrir'?"),
        ((LOG, "--model", "f"), "--model NAME --output FILE"),
        ((LOG, "--model", "f", "-o", "x.txt"), "--output: 'x.txt'"),
        ((LOG, "--model", "f", "-o", "x.swf", "--set", "f=-1"), "f: '-1'"),
        (
            (LOG, "--model", "tsafrir", "-o", "x.swf", "--set", "most=3600"),
            "run longer than the largest estimate",
        ),
        (("--model", "f"), "a LOG is needed"),
        ((LOG, "--model", "f", "-o", "x.swf", "--set", "fff=1"), "fff"),
    ],
)
def test_what_it_refuses(molokini: Command, given: tuple[str, ...], words: str) -> None:
    ran = molokini("workload", "estimates", *given)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
