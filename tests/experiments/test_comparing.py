"""``molokini.experiments.compare``: the command as a value."""

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.experiments import Comparison, compare, simulate
from molokini.experiments.comparing import load_factors
from molokini.model.errors import BadInput, BadValue
from molokini.workloads.readers import read_workload
from tests.clients.command_runs import EXAMPLE, ROOT, Ran, without_run

Command = Callable[..., Ran]
TWO = ("--policy", "fcfs", "--policy", "easy")
RUNS: dict[str, tuple[Mapping[str, Any], tuple[object, ...]]] = {
    "plain": ({"policies": ["fcfs", "easy"]}, TWO),
    "a single policy": ({"policies": "easy"}, ("--policy", "easy")),
    "loads": ({"policies": ["fcfs", "easy"], "load_factor": [0.9, 1.1]}, (*TWO, "--load-factor", "0.9,1.1")),
    "seeds": ({"policies": ["fcfs", "easy"], "seeds": 2, "seed": 5}, (*TWO, "--seeds", 2, "--seed", 5)),
    "parts": ({"policies": ["fcfs", "easy"], "by": "size"}, (*TWO, "--by", "size")),
    "sites": (
        {"policies": ["easy"], "maui_config": str(ROOT / "examples" / "maui.cfg")},
        ("--policy", "easy", "--maui-config", ROOT / "examples" / "maui.cfg"),
    ),
}


def told(found: Comparison) -> Any:
    return json.loads(json.dumps(without_run(dict(found.document))))


@pytest.fixture
def pair() -> Comparison:
    return compare(EXAMPLE, policies=["fcfs", "easy"], jobs=300, workers=1)


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("run", RUNS)
def test_the_command_writes_the_same(molokini: Command, run: str) -> None:
    options, words = RUNS[run]
    ran = molokini("compare", EXAMPLE, "--jobs", 200, "--workers", 1, *words, "--json", "-")
    assert told(compare(EXAMPLE, jobs=200, workers=1, **options)) == without_run(ran.json)


def test_metrics_and_schedules_by_policy(pair: Comparison) -> None:
    assert list(pair.metrics) == list(pair.schedules) == ["fcfs", "easy"]
    for policy, metrics in pair.metrics.items():
        alone = simulate(EXAMPLE, policy=policy, jobs=300)
        assert metrics == alone.metrics
        assert (pair.schedules[policy]["start_s"] == alone.schedule["start_s"]).all()
    assert {one["policy"] for one in pair.comparisons} == {"easy"}


def test_of_several_replays_a_policy_there_are_only_rows() -> None:
    found = compare(EXAMPLE, policies=["fcfs", "easy"], jobs=100, seeds=2, workers=1)
    assert [(row["seed"], row["policy"]) for row in found.results] == [
        (1, "fcfs"),
        (1, "easy"),
        (2, "fcfs"),
        (2, "easy"),
    ]
    with pytest.raises(BadInput, match="several replays of each policy"):
        _ = found.metrics
    with pytest.raises(BadInput, match="one replay per policy"):
        _ = found.schedules


def test_a_row_a_replay_in_pandas() -> None:
    pytest.importorskip("pandas")
    found = compare(
        EXAMPLE, policies=["easy", "easy?order=shortest"], load_factor="0.9,1", jobs=100, workers=1
    )
    table = found.to_pandas()
    assert table["order"].tolist() == ["queue", "shortest"] * 2
    assert table["load_factor"].tolist() == [0.9, 0.9, 1, 1]
    assert table["mean_wait_s"].tolist() == [row["metrics"]["mean_wait_s"] for row in found.results]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("what", "option"), [("comparison", "--plot"), ("ecdf", "--ecdf"), ("difference", "--difference")]
)
def test_pictures_are_those_of_the_command(
    molokini: Command, pair: Comparison, tmp_path: Path, what: str, option: str
) -> None:
    theirs, ours = tmp_path / "theirs.svg", tmp_path / "ours.svg"
    assert molokini("compare", EXAMPLE, "--jobs", 300, *TWO, option, theirs).code == 0
    pair.plot(what, ours)
    assert ours.read_bytes() == theirs.read_bytes()


def test_the_difference_is_of_two() -> None:
    three = compare(EXAMPLE, policies=["fcfs", "easy", "sjf"], jobs=50, workers=1)
    with pytest.raises(BadInput, match="needs two policies; 3 are given"):
        three.plot("difference")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "nothing to compare"),
        ({"policies": "easy", "seeds": -1}, "--seeds"),
        ({"policies": "easy", "load_factor": 0}, "--load-factor"),
        ({"policies": "easy", "load_factor": []}, "--load-factor"),
        ({"policies": "easy", "workers": 0}, "--workers"),
        ({"policies": "easy", "workload": "divisible"}, "of one kind"),
    ],
)
def test_what_cannot_be_used_is_an_exception(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        compare(EXAMPLE, **options)


def test_logs_that_are_the_same_twice_are_refused() -> None:
    jobs = read_workload(EXAMPLE)
    for twice in ([EXAMPLE, EXAMPLE], [jobs, jobs]):
        with pytest.raises(BadInput, match="given 2 times"):
            compare(twice, policies="fcfs")


def test_schedules_are_those_of_the_command(molokini: Command, tmp_path: Path, pair: Comparison) -> None:
    molokini("compare", EXAMPLE, "--jobs", 300, *TWO, "--schedules", tmp_path / "all")
    for policy, columns in pair.schedules.items():
        with (tmp_path / "all" / f"{policy}.csv").open() as stream:
            rows = list(csv.DictReader(stream))
        assert [float(row["start_s"]) for row in rows] == columns["start_s"].tolist()


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=5))
def test_load_factors_as_numbers_and_as_text_are_the_same(factors: list[float]) -> None:
    text = ",".join(map(repr, factors))
    assert load_factors(factors) == load_factors(text)
    assert load_factors(factors[0]) == [factors[0]]
    with pytest.raises(BadValue):
        load_factors([*factors, float("nan")])


@pytest.mark.deep
def test_a_comparison_at_a_prompt_is_a_table_and_not_all_of_it() -> None:
    shown = repr(compare(str(EXAMPLE), policies=["fcfs", "easy"])).splitlines()
    assert shown[0] == "Comparison of 2 replays"
    assert shown[1].split() == ["mean_wait_s", "mean_bounded_slowdown", "utilization"]
    assert [line.split()[:2] for line in shown[2:]] == [
        [f"{EXAMPLE.name},", "fcfs"],
        [f"{EXAMPLE.name},", "easy"],
    ]
    assert len({len(line) for line in shown[1:]}) == 1
    many = repr(
        compare(str(EXAMPLE), policies="fcfs", load_factor=[0.9, 1.1], seeds=16, workers=1)
    ).splitlines()
    assert ("load 0.9, seed 1 " in many[2], many[-1]) == (True, "... and 2 more: results, to_pandas()")
    assert len(many) == 1 + 1 + 30 + 1
