"""Runs as functions: what is wrong is said in words of the caller; notebooks show results by themselves."""

import dataclasses
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from molokini.experiments import Comparison, Result, capacity, compare, simulate, sweep
from molokini.experiments.asked import Grid, Saturation, Several, Simulation
from tests.clients.command_runs import environment
from tests.core.workloads.builders import log, record

KINDS: Mapping[Callable[..., Any], type] = {
    simulate: Simulation,
    compare: Several,
    sweep: Grid,
    capacity: Saturation,
}


@pytest.fixture
def small(tmp_path: Path) -> str:
    jobs = [record(k, 10 * k, 50, 2, requested_s=60, user=k) for k in range(1, 6)]
    return str(log(tmp_path, "; MaxProcs: 4", *jobs, name="<b>.swf"))


@pytest.mark.parametrize(
    ("positional", "named", "told"),
    [
        (("easy",), {}, "simulate() takes only log without a name: write policy=... for the others"),
        ((), {}, "simulate() needs policy=..."),
        ((), {"policy": "easy", "loadfactor": 2}, "no argument 'loadfactor'; did you mean 'load_factor'?"),
        ((), {"policy": "easy", "xyzzy": 2}, "no argument 'xyzzy'; help(simulate) lists all"),
        ((), {"policy": "easy", "processors": "128"}, "processors must be a whole number, not '128'"),
        ((), {"policy": "easy", "processors": True}, "processors must be a whole number, not True"),
        ((), {"policy": "easy", "load_factor": "2"}, "load_factor must be a number, not '2'"),
        ((), {"policy": ["easy"]}, "policy must be a text, not ['easy']"),
    ],
)
def test_a_wrong_call_is_told_in_the_words_of_its_caller(
    positional: tuple[str, ...], named: dict[str, Any], told: str
) -> None:
    with pytest.raises(TypeError) as raised:
        simulate("log.swf", *positional, **named)
    assert told in str(raised.value)
    assert "__init__" not in str(raised.value)


def test_help_says_what_each_argument_is_for() -> None:
    for function, kind in KINDS.items():
        lines = (function.__doc__ or "").splitlines()
        for field in dataclasses.fields(kind):
            assert sum(line.startswith(f"    {field.name}: ") for line in lines) == 1, field.name


def test_results_are_tables_and_pictures_of_a_notebook(small: str) -> None:
    one = simulate(small, policy="easy")
    both = compare(small, policies=["fcfs", "easy"], workers=1)
    found: list[Result | Comparison] = [one, both]
    for result in found:
        shown = result._repr_html_()
        assert shown.startswith("<table>")
        assert "mean_wait_s" in shown
        assert "<b>" not in shown
        assert "&lt;b&gt;.swf" in shown
    picture: Any = one.plot()
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_a_misspelt_metric_names_the_nearest(small: str) -> None:
    found = [
        simulate(small, policy="easy").metrics,
        compare(small, policies="easy", workers=1).metrics["easy"],
        compare(small, policies="easy", workers=1).results[0]["metrics"],
    ]
    for metrics in found:
        with pytest.raises(KeyError, match="did you mean 'mean_wait_s'"):
            metrics["mean_wait"]


SWEEP = (
    "from molokini.experiments import sweep; sweep({log!r}, policies='fcfs', load_factor='1,2', workers=1)"
)


@pytest.mark.deep
def test_a_sweep_without_a_terminal_prints_nothing(small: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SWEEP.format(log=small)], env=environment(), capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
