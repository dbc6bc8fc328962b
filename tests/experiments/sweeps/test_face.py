"""``molokini.experiments.sweep``: every point once, the same whatever made it, and resumed after a kill."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from molokini.experiments import InProcess, Processes, Swept, simulate, sweep
from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from tests.clients.command_runs import EXAMPLE, environment
from tests.kit.disks import CannotMount, small_disk
from tests.kit.waiting import DEADLINE_S, waited

ORDERS = {"order": ["queue", "shortest"]}
FILES = ("rows.parquet", "report.html")
FILE = f"""
logs = ["{EXAMPLE}"]
jobs = 150
policies = ["fcfs", "easy"]
load_factor = [0.9, 1.0]
seeds = 3
parameters = {{ order = ["queue", "shortest"] }}
"""


def swept(folder: Path, **more: Any) -> list[bytes]:
    sweep(EXAMPLE, policies="easy", parameters=ORDERS, jobs=150, seeds=3, output=folder, **more)
    return [(folder / name).read_bytes() for name in FILES]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "axes.toml"
    path.write_text(FILE)
    return path


def test_a_sweep_is_every_combination_in_order() -> None:
    found = sweep(
        EXAMPLE, policies=["fcfs", "easy"], parameters=ORDERS, load_factor=[0.9, 1], jobs=200, workers=1
    )
    rows = [(row["load_factor"], row["policy"], row["parameters"]) for row in found.results]
    one = [
        ("fcfs", {}),
        ("easy (order=queue)", {"order": "queue"}),
        ("easy (order=shortest)", {"order": "shortest"}),
    ]
    assert rows == [(factor, *each) for factor in (0.9, 1.0) for each in one]
    for row in found.results:
        alone = simulate(
            EXAMPLE,
            policy=row["policy"].split()[0],
            set=row["parameters"],
            load_factor=row["load_factor"],
            jobs=200,
        )
        numbers = {name: value for name, value in alone.metrics.items() if not isinstance(value, dict)}
        assert row["metrics"] == numbers
    assert len({row["key"] for row in found.results}) == 6


def test_a_key_is_of_the_point_and_not_of_the_sweep() -> None:
    whole = sweep(EXAMPLE, policies="easy", parameters=ORDERS, jobs=100, seeds=2, workers=1)
    part = sweep(EXAMPLE, policies="easy?order=shortest", jobs=100, seeds=1, workers=1)
    keys = {(row["policy"], row["seed"]): row["key"] for row in whole.results}
    assert [row["key"] for row in part.results] == [keys["easy (order=shortest)", 1]]


def test_values_of_a_sweep_may_be_lists() -> None:
    cutoffs = [[600, 7200], [1200]]
    found = sweep(EXAMPLE, policies="sita-e", parameters={"cutoffs": cutoffs}, jobs=100, workers=1)
    assert [row["parameters"]["cutoffs"] for row in found.results] == cutoffs


def test_machines_are_an_axis() -> None:
    found = sweep(EXAMPLE, policies="fcfs", machines=[100, 200], jobs=100, workers=1)
    assert [row["processors"] for row in found.results] == [100, 200]
    assert found.document["scenarios"] == 2


def test_a_sample_draws_parameters_and_loads() -> None:
    sample = {"depth": {"from": 1, "to": 64, "whole": True}, "load_factor": [0.8, 1.2]}
    found = sweep(EXAMPLE, policies="easy-depth", samples=4, sample=sample, jobs=60, workers=1)
    loads = sorted(row["load_factor"] for row in found.results)
    assert all(0.8 + 0.1 * at <= load <= 0.9 + 0.1 * at for at, load in enumerate(loads))
    assert len({row["parameters"]["depth"] for row in found.results}) == 4


def test_a_policy_without_what_is_drawn_runs_once() -> None:
    sample = {"depth": {"from": 1, "to": 64, "whole": True}}
    found = sweep(EXAMPLE, policies=["fcfs", "easy-depth"], samples=3, sample=sample, jobs=60, workers=1)
    assert [row["policy"].split()[0] for row in found.results].count("fcfs") == 1


def test_the_table_and_the_report_are_the_same_whatever_the_executor(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    one = swept(tmp_path / "one", executor=InProcess())
    assert swept(tmp_path / "two", executor=Processes(2)) == one


@pytest.mark.deep
@pytest.mark.waits
def test_the_same_from_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    one = swept(tmp_path / "one", executor=InProcess())
    assert swept(tmp_path / "dask", executor="local", workers=2) == one


def test_what_is_there_is_not_replayed_again(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    first = swept(tmp_path, workers=1)
    again = sweep(EXAMPLE, policies="easy", parameters=ORDERS, jobs=150, seeds=3, output=tmp_path, workers=1)
    assert again.document["run"]["reused"] == 6
    assert [(tmp_path / name).read_bytes() for name in FILES] == first
    more = sweep(EXAMPLE, policies="easy", parameters=ORDERS, jobs=150, seeds=5, output=tmp_path, workers=1)
    assert (more.document["run"]["reused"], len(more.results)) == (6, 10)
    seeds = [(row["seed"], row["parameters"]["order"]) for row in more.results]
    assert seeds == [(seed, order) for seed in range(1, 6) for order in ORDERS["order"]]


def test_rows_of_another_sweep_are_kept_unless_thrown_away(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    swept(tmp_path, workers=1)
    with pytest.raises(BadFile, match="holds rows of another sweep"):
        swept(tmp_path, workers=1, load_factor=0.9)
    swept(tmp_path, workers=1, load_factor=0.9, fresh=True)


def test_a_file_says_what_arguments_say(file: Path) -> None:
    told = sweep(file, workers=1)
    same = sweep(
        EXAMPLE,
        policies=["fcfs", "easy"],
        parameters=ORDERS,
        load_factor=[0.9, 1],
        seeds=3,
        jobs=150,
        workers=1,
    )
    assert [row["key"] for row in told.results] == [row["key"] for row in same.results]
    assert len(sweep(file, seeds=1, workers=1).results) == 6


def test_a_killed_sweep_goes_on(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    file.write_text(FILE.replace("seeds = 3", "seeds = 60"))
    words = [sys.executable, "-m", "molokini.clients.command", "sweep", str(file), "--workers", "2"]
    folder = tmp_path / "out"
    rows = folder / "rows.journal"
    running = subprocess.Popen(
        [*words, "--output", str(folder)], env=environment(), stdout=subprocess.DEVNULL
    )
    try:
        waited(lambda: rows.exists() and rows.stat().st_size > 20_000)
    finally:
        os.kill(running.pid, signal.SIGKILL)
        running.wait(DEADLINE_S)
    assert not (folder / FILES[0]).exists()
    found = sweep(file, output=folder, workers=1)
    assert 0 < found.document["run"]["reused"] < 360
    assert len({row["key"] for row in found.results}) == len(found.results) == 360
    other = tmp_path / "other"
    sweep(file, output=other, workers=2)
    assert [(other / name).read_bytes() for name in FILES] == [(folder / name).read_bytes() for name in FILES]


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    options: dict[str, Any] = {"policies": "easy", "parameters": ORDERS, "jobs": 20, "seeds": 40}
    try:
        with small_disk("16k") as full:
            with pytest.raises(BadFile, match="No space left on device") as caught:
                sweep(EXAMPLE, output=full, workers=1, **options)
            assert "\n" not in str(caught.value)
            assert not (full / FILES[0]).exists()
            copytree(full, tmp_path / "roomy")
    except CannotMount as reason:
        pytest.skip(str(reason))
    found = sweep(EXAMPLE, output=tmp_path / "roomy", workers=1, **options)
    assert found.document["run"]["reused"] > 0
    assert len({row["key"] for row in found.results}) == len(found.results) == 80


def test_it_goes_on_until_it_is_certain_where_seeds_decide(tmp_path: Path) -> None:
    options: dict[str, Any] = {"policies": ["fcfs", "easy"], "parameters": ORDERS, "jobs": 300, "seeds": 2}
    plain = sweep(EXAMPLE, workers=1, **options)
    assert not plain.certain
    assert "more seeds" in plain.document["not_yet"][0] or "same so far" in plain.document["not_yet"][0]
    more = sweep(EXAMPLE, workers=1, until="certain", at_most=60, **options)
    count = dict.fromkeys(("fcfs", "easy (order=queue)", "easy (order=shortest)"), 0)
    for row in more.results:
        count[row["policy"]] += 1
    assert count["easy (order=queue)"] == count["easy (order=shortest)"] > count["fcfs"] >= 2
    assert more.certain or max(count.values()) == 60


@pytest.mark.parametrize(
    ("options", "kind", "told"),
    [
        ({"parameters": {"ordr": ["queue"]}}, UnknownName, "did you mean 'order'"),
        ({"parameters": {"order": []}}, BadValue, "parameters.order"),
        ({"until": "sure"}, BadValue, "--until: 'sure'"),
        ({"until": "certain"}, BadValue, "seeds: 0 is not allowed"),
        ({"seeds": 2, "at_most": 1}, BadValue, "--at-most"),
        ({"objectives": ["mean_wait_s"]}, BadValue, "two metrics"),
        ({"objectives": ["mean_wait_s", "utilisation"]}, UnknownName, "did you mean 'utilization'"),
        ({"machines": [0]}, BadValue, "machines"),
        ({"machines": [10], "processors": 20}, BadInput, "leave one of them out"),
        ({"samples": 3}, BadInput, "go together"),
        ({"samples": 3, "sample": {"depth": [1, 2]}}, UnknownName, "depth"),
        (
            {"seeds": 10_000, "load_factor": "0.001:1:0.001", "machines": list(range(1, 101))},
            BadInput,
            "2,000,000,000",
        ),
        ({"by": "user"}, BadInput, "--by"),
        ({"executor": "nowhere"}, BadValue, "--dask"),
    ],
)
def test_what_cannot_be_used_is_one_line(options: dict[str, Any], kind: type[BadInput], told: str) -> None:
    given = {"policies": ["fcfs", "easy"], "jobs": 40, "workers": None if "executor" in options else 1}
    with pytest.raises(kind) as caught:
        sweep(EXAMPLE, **{**given, **options})
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_shown_at_a_prompt() -> None:
    found = sweep(EXAMPLE, policies=["fcfs", "easy"], jobs=60, workers=1)
    assert isinstance(found, Swept)
    assert repr(found).splitlines()[0] == "Sweep of 2 points, not yet certain"
    assert found._repr_html_().startswith("<table>")


def test_a_row_a_point_in_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    options: dict[str, Any] = {"policies": ["fcfs", "easy"], "parameters": ORDERS, "jobs": 60, "workers": 1}
    memory, kept = sweep(EXAMPLE, **options), sweep(EXAMPLE, output=tmp_path, **options)
    one, two = memory.to_pandas(), kept.to_pandas()
    assert list(one.columns) == list(two.columns)
    assert one["mean_wait_s"].tolist() == two["mean_wait_s"].tolist()
    assert [row["metrics"] for row in memory.results] == [row["metrics"] for row in kept.results]
