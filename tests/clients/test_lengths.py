"""``--run-time-factor`` and ``--overestimate``: longer jobs at the same gaps, estimates that are drawn."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from molokini.experiments import compare, simulate
from molokini.workloads.lengths import factors, uniform
from molokini.workloads.readers import read_workload
from tests.clients.command_runs import EXAMPLE, Ran

Command = Callable[..., Ran]
GANG = ("--policy", "easy", "--policy", "gs")


def test_run_times_and_estimates_are_longer_and_gaps_stay(
    molokini: Command, small: Path, tmp_path: Path
) -> None:
    table = tmp_path / "s.csv"
    ran = molokini(
        "simulate", small, "--policy", "fcfs", "--run-time-factor", 1.5, "--schedule", table, "--json", "-"
    )
    assert (ran.json["workload"]["run_time_factor"], "overestimate" in ran.json["workload"]) == (1.5, False)
    header, *rows = (line.split(",") for line in table.read_text().splitlines())
    found = [dict(zip(header, row, strict=True)) for row in rows]
    assert [float(one["submit_s"]) for one in found] == [0, 10, 20, 30]
    assert [float(one["estimate_s"]) for one in found] == [150, 90, 60, 300]
    # The last one is killed at its estimate, as before.
    assert [float(one["run_s"]) for one in found] == [150, 75, 45, 300]


def test_a_quantum_is_not_longer(molokini: Command, small: Path) -> None:
    plain, longer = (
        molokini("matrix", small, "--policy", "gs", "--at", 5, "--json", "-", "--run-time-factor", factor)
        for factor in (1, 2)
    )
    assert [ran.json["instants"][0]["quantum_s"] for ran in (plain, longer)] == [200, 200]
    ends = [ran.json["instants"][0]["jobs"][0]["expected_end_s"] for ran in (plain, longer)]
    assert ends == [100, 200]


def test_estimates_are_drawn_by_number_and_seed(small: Path) -> None:
    made = simulate(str(small), policy="fcfs", overestimate=0.2, run_time_factor=2, seed=5)
    log = read_workload(small)
    drawn = factors(uniform(log.number, 5), 0.2)
    assert made.schedule["estimate_s"].tolist() == (2 * log.run_s * drawn).tolist()
    assert made.document["workload"]["overestimate"] == 0.2


def test_every_factor_is_the_replay_of_its_own(molokini: Command, small: Path) -> None:
    words = ("--run-time-factor", "1:1.4:0.2", "--overestimate", "0.6")
    found = molokini("compare", small, *GANG, *words, "--json", "-", "--workers", 1).json
    assert (found["run_time_factors"], found["load_factors"]) == ([1.0, 1.2, 1.4], [1.0])
    assert found["overestimate"] == 0.6
    assert [one["run_time_factor"] for one in found["comparisons"]] == [1.0, 1.2, 1.4]
    cells = {(one["policy"], one["metric"], one["run_time_factor"]): one["mean"] for one in found["table"]}
    for row in found["results"]:
        factor = row["run_time_factor"]
        alone = simulate(str(small), policy=row["policy"], run_time_factor=factor, overestimate=0.6)
        assert row["metrics"] == alone.document["metrics"]
        assert cells[row["policy"], "mean_wait_s", factor] == row["metrics"]["mean_wait_s"]


def test_seeds_draw_estimates_of_their_own(small: Path) -> None:
    found = compare(
        str(small), policies=["easy", "gs"], run_time_factor=[1, 1.5], overestimate=0.2, seeds=2, workers=1
    )
    places = [(one["run_time_factor"], one["policy"]) for one in found.comparisons]
    assert places == [(1.0, "gs"), (1.5, "gs")]
    assert [cell.replications for cell in found.cells if cell.metric == "mean_wait_s"] == [2] * 4


def test_tables_name_the_factor(molokini: Command, small: Path) -> None:
    shown = molokini("compare", small, *GANG, "--run-time-factor", "1,1.5", "--overestimate", 1).out
    assert "4 processors, run-time factor 1, estimates by phi 1\n" in shown
    assert "4 processors, run-time factor 1.5, estimates by phi 1\n" in shown
    alone = molokini("simulate", small, "--policy", "gs", "--run-time-factor", 1.5).out
    assert "4 processors, run-time factor 1.5\n" in alone
    assert "run-time" not in molokini("simulate", small, "--policy", "gs").out


def test_the_picture_has_lines_over_the_factor() -> None:
    found = compare(EXAMPLE, policies=["fcfs", "easy"], run_time_factor=[1, 1.2, 1.4], jobs=200, workers=1)
    axes = found.plot().axes[0]
    assert axes.get_xlabel() == "run-time factor (ratio to the log's)"
    assert [np.asarray(line.get_xdata()).tolist() for line in axes.get_lines()] == [[1.0, 1.2, 1.4]] * 2


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("compare", ("--run-time-factor", "0"), "--run-time-factor"),
        ("compare", ("--run-time-factor", "1:2"), "FIRST:LAST:STEP"),
        ("compare", ("--run-time-factor", "1,inf"), "--run-time-factor"),
        ("compare", ("--overestimate", "1.1"), "from 0 to 1"),
        ("compare", ("--overestimate", "nan"), "from 0 to 1"),
        ("compare", ("--run-time-factor", "1,2", "--load-factor", "1,2"), "only one of the two"),
        ("compare", ("--run-time-factor", "1,2", "--ecdf", "e.png"), "one replay a policy"),
        ("simulate", ("--run-time-factor", "-1"), "a finite number above 0"),
        ("simulate", ("--overestimate", "-0.1"), "from 0 to 1"),
    ],
)
def test_what_is_out_of_range_is_refused(
    molokini: Command, small: Path, command: str, options: tuple[str, ...], words: str
) -> None:
    ran = molokini(command, small, "--policy", "gs", *options)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert words in ran.err


def test_divisible_loads_have_no_run_times(molokini: Command) -> None:
    ran = molokini(
        "simulate", "divisible?nodes=4&time=90000", "--policy", "edf-opr-mn", "--overestimate", 0.5
    )
    assert ran.code == 2
    assert "divisible loads have sizes" in ran.err
