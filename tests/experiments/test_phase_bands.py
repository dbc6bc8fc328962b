"""``compare --seeds`` under a policy with timers: phases are drawn, and verdicts heed the bands."""

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from molokini.experiments import compare, simulate
from molokini.experiments.phase_bands import Bands
from molokini.experiments.phases import PERIOD_OF
from molokini.metrics.comparison import BELOW, BETTER, UNCLEAR, WITHIN
from molokini.model.errors import BadInput
from molokini.policies import load_policy
from tests.kit.slurm_files import SACCT_COLUMNS

CONF = """\
ClusterName=tiny
SchedulerParameters=bf_interval={interval}
NodeName=n[1-8] CPUs=4
PartitionName=batch Nodes=ALL Default=YES MaxTime=1-0
"""


def busy_log() -> str:
    """A job every ten seconds, with recorded starts, so that no timer is ever idle for long."""
    rng = np.random.default_rng(3)
    lines = [SACCT_COLUMNS]
    for job in range(1, 161):
        submit, run = 1000 + 10 * job, int(rng.integers(20, 400))
        cpus = int(rng.choice([1, 2, 4, 8, 16]))
        start = submit + int(rng.integers(0, 300))
        minutes = -(-run // 60) + int(rng.integers(0, 4))
        lines.append(
            f"{job}|ann|staff|a|batch|normal|{submit}|{submit}|{start}|{start + run}|{run}|"
            f"00:{minutes:02}:00|COMPLETED|{cpus}|{cpus}|1|0|n1|1|SchedMain|0"
        )
    return "\n".join(lines) + "\n"


@pytest.fixture
def site(tmp_path: Path) -> SimpleNamespace:
    (tmp_path / "log").write_text(busy_log(), encoding="utf-8")
    for name, interval in (("today.conf", 60), ("proposed.conf", 90)):
        (tmp_path / name).write_text(CONF.format(interval=interval), encoding="utf-8")
    confs = [str(tmp_path / "today.conf"), str(tmp_path / "proposed.conf")]
    return SimpleNamespace(log=str(tmp_path / "log"), confs=confs)


def test_each_phase_of_a_policy_is_drawn() -> None:
    declared = {one.name for one in load_policy("slurm").declaration.parameters}
    assert {name for name in declared if name.endswith("_phase_s")} == set(PERIOD_OF)


def test_figures_and_differences_have_bands(site: SimpleNamespace) -> None:
    found = dict(compare(site.log, slurm_conf=site.confs, seeds=3, seed=4, workers=1).document)
    today, proposed = found["phases"]
    assert (today["policy"], today["seeds"], found["seeds"]) == ("today.conf", 3, [5, 6, 7])
    assert [run["seed"] for run in today["runs"]] == [None, 5, 6, 7]
    for one, row in zip((today, proposed), found["results"], strict=True):
        waits = [run["mean_wait_s"] for run in one["runs"]]
        assert one["band"]["mean_wait_s"] == {
            "low": min(waits),
            "mean": pytest.approx(fmean(waits)),
            "high": max(waits),
        }
        assert len(set(waits)) > 1
        assert waits[0] == row["metrics"]["mean_wait_s"]
        assert {"within_interval", "kendall_tau", "p95_wait_s", "utilization"} <= one["band"].keys()
    wait = next(one for one in found["comparisons"][0]["differences"] if one["metric"] == "mean_wait_s")
    mine, theirs = proposed["band"]["mean_wait_s"], today["band"]["mean_wait_s"]
    assert wait["band"] == {"low": mine["low"] - theirs["high"], "high": mine["high"] - theirs["low"]}
    assert wait["band"]["low"] <= wait["difference"] <= wait["band"]["high"]


def test_draws_are_those_of_simulate(site: SimpleNamespace) -> None:
    asked: dict[str, Any] = {"seeds": 2, "seed": 1}
    alone = simulate(site.log, policy="slurm", slurm_conf=site.confs[0], **asked).document["phases"]["runs"]
    both = compare(site.log, slurm_conf=site.confs, workers=1, **asked).document["phases"][0]["runs"][1:]
    assert [{name: run[name] for name in alone[0]} for run in both] == alone


@pytest.mark.parametrize("policies", [(), ("slurm?backfill_phase_s=7",)])
def test_a_phase_that_is_set_is_known(site: SimpleNamespace, policies: tuple[str, ...]) -> None:
    where: dict[str, Any] = {"policies": policies, "processors": 32}
    if not policies:
        where = {"slurm_conf": site.confs[:1], "set": "backfill_phase_s=7"}
    found, drawn = (
        compare(site.log, seeds=4, workers=1, **asked).document["phases"][0]["runs"]
        for asked in (where, {"slurm_conf": site.confs[:1]})
    )
    assert [run["backfill_phase_s"] for run in found] == [7.0] * 5
    # The others are drawn as they are without it.
    for name in ("priority_phase_s", "tick_phase_s"):
        assert [run[name] for run in found[1:]] == [run[name] for run in drawn[1:]]
        assert len({run[name] for run in found[1:]}) == 4


def test_a_policy_whose_phases_are_all_set_is_replayed_once(site: SimpleNamespace) -> None:
    every = "slurm?backfill_phase_s=1&priority_phase_s=1&tick_phase_s=0"
    asked: dict[str, Any] = {"seeds": 2, "workers": 1}
    found = compare(site.log, policies=[every], slurm_conf=site.confs[:1], **asked).document["phases"]
    assert [(one["seeds"], len(one["runs"])) for one in found] == [(0, 1), (2, 3)]
    with pytest.raises(BadInput, match="--seeds draws phases of timers, and all of them are set; leave out"):
        compare(site.log, policies=[every], processors=32, **asked)


def test_without_seeds_nothing_is_drawn(site: SimpleNamespace) -> None:
    found = compare(site.log, slurm_conf=site.confs, workers=1).document
    assert "phases" not in found
    assert all("band" not in one for one in found["comparisons"][0]["differences"])


def test_a_policy_without_timers_stays_as_it_is(site: SimpleNamespace) -> None:
    found = compare(site.log, policies=["easy"], slurm_conf=site.confs[:1], seeds=2, workers=1).document
    easy = found["phases"][0]
    assert (easy["policy"], easy["seeds"], len(easy["runs"])) == ("easy", 0, 1)
    assert easy["band"]["mean_wait_s"]["low"] == easy["band"]["mean_wait_s"]["high"]


def test_breakdowns_go_with_phases_alone(site: SimpleNamespace) -> None:
    found = compare(site.log, slurm_conf=site.confs, seeds=1, by="user", workers=1).document
    assert [one["by"] for one in found["breakdowns"]] == ["user"]
    with pytest.raises(BadInput, match="--by needs one replay per policy"):
        compare(site.log, policies="easy", processors=32, seeds=1, by="user", workers=1)


def judged(
    mine: float, theirs: float, distance: float, verdict: str = BETTER, difference: float = -9.0
) -> str:
    """The verdict on a mean wait 100 s +- *mine* beside one of 109 s +- *theirs*."""
    here = ("log", 1.0, 1.0)
    bands = Bands(SimpleNamespace(), [1])  # type: ignore[arg-type]
    for name, middle, spread in (("new", 100.0, mine), ("old", 109.0, theirs)):
        bands.runs[*here, name] = [{"mean_wait_s": middle - spread}, {"mean_wait_s": middle + spread}]
    bands.distances[*here, "old"] = [{"mean_wait_s": 1.0}, {"mean_wait_s": distance}]
    place: Mapping[str, Any] = dict(zip(("workload", "load_factor", "run_time_factor"), here, strict=True))
    one = {"metric": "mean_wait_s", "difference": difference, "verdict": verdict}
    told = bands.compared({**place, "policy": "new", "baseline": "old", "differences": [one]})
    return str(told["differences"][0]["verdict"])


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (judged(1.0, 1.0, 5.0), BETTER),
        (judged(1.0, 8.0, 5.0), WITHIN),
        (judged(8.0, 1.0, 5.0), WITHIN),
        (judged(1.0, 1.0, 9.0), BELOW),
        (judged(1.0, 1.0, 5.0, UNCLEAR), UNCLEAR),
    ],
)
def test_nothing_is_better_inside_the_band_or_below_the_distance(found: str, verdict: str) -> None:
    assert found == verdict
