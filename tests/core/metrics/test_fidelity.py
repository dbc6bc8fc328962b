"""Fidelity: a replay beside what its log records."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from molokini.experiments.distances import beyond
from molokini.metrics.comparison import BELOW
from molokini.metrics.fidelity import fidelity, kendall_tau
from molokini.model.decisions import StartedBy
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule, Told
from molokini.workloads.histories import read_history
from tests.kit.slurm_files import SACCT


@pytest.fixture
def schedule(tmp_path_factory: pytest.TempPathFactory) -> Schedule:
    path = tmp_path_factory.mktemp("log") / "sacct"
    path.write_text(SACCT)
    workload = read_history(path, "sacct")
    replay = Replay(workload, Machine.counted(16), load_policy("easy"), options=Options(interpreted=True))
    replay.run()
    return replay.schedule()


def test_the_log_itself_is_at_no_distance(schedule: Schedule) -> None:
    told = schedule.workload.recorded
    assert told is not None
    found = fidelity(replace(schedule, start_s=told.start_s), 30.0)
    assert found is not None
    assert found.distances == {"mean_wait_s": 0, "mean_response_s": 0, "mean_bounded_slowdown": 0}
    assert found.document["within_interval"]["share"] == 1
    assert found.document["kendall_tau"] == pytest.approx(1)
    assert found.document["unexplained"]["jobs"] == 0


def test_differences_are_simulated_less_recorded(schedule: Schedule) -> None:
    told = schedule.workload.recorded
    assert told is not None
    later = told.start_s + np.array([0, 0, 0, 60, 60, 600])
    found = fidelity(replace(schedule, start_s=later), 30.0)
    assert found is not None
    assert found.document["mean_wait_s"]["difference"] == pytest.approx(120)
    assert found.document["within_interval"] == {"interval_s": 30.0, "share": 0.5}
    assert found.document["within_s"]["60"] == pytest.approx(5 / 6)
    assert found.document["start_difference_s"]["p50"] == 30
    assert sum(one["jobs"] for one in found.document["day"]) == 6
    assert found.document["unexplained"]["jobs"] == 3
    assert "mean wait" in found.text


def test_passes_and_priorities_stand_beside_the_recorded_ones(schedule: Schedule) -> None:
    told = schedule.workload.recorded
    assert told is not None
    passes = told.started_by.copy()
    passes[0] = StartedBy.BACKFILL if passes[0] == StartedBy.MAIN else StartedBy.MAIN
    priorities = told.priority + np.array([0, 0, 0, 0, 7, -3])
    later = told.start_s + np.array([600, 0, 0, 0, 0, 0])
    found = fidelity(
        replace(schedule, told=Told(passes, priorities, np.full_like(passes, -1)), start_s=later), 30.0
    )
    assert found is not None
    known = int((told.started_by >= 0).sum())
    assert found.document["started_by"]["same_share"] == pytest.approx((known - 1) / known)
    assert sum(found.document["started_by"]["simulated"].values()) == pytest.approx(1)
    ranks = found.document["priorities"]
    assert ranks["jobs"] == int(np.isfinite(told.priority).sum())
    assert (ranks["difference"]["p50"], ranks["difference"]["mean"]) == (0, pytest.approx(4 / 6))
    assert ranks["equal_share"] == pytest.approx(4 / 6)
    assert found.document["unexplained"]["marks"]["started_by_another_pass"]["of_these"] == 1
    assert found.document["unexplained"]["marks"]["another_priority"]["of_these"] == 0


def test_each_queue_and_day_has_its_own_order(schedule: Schedule) -> None:
    told = schedule.workload.recorded
    assert told is not None
    found = fidelity(replace(schedule, start_s=told.start_s), 30.0)
    assert found is not None
    for name in ("queue", "day"):
        taus = [one["kendall_tau"] for one in found.document[name] if one["jobs"] > 1]
        assert taus, name
        assert all(tau is None or tau == pytest.approx(1) for tau in taus)


def test_a_policy_that_says_nothing_of_its_starts_has_no_passes(schedule: Schedule) -> None:
    found = fidelity(schedule, 30.0)
    assert found is not None
    assert found.document["priorities"] is None
    assert (found.document["started_by"]["simulated"], found.document["started_by"]["same_share"]) == (
        None,
        None,
    )


def test_without_records_there_is_none(schedule: Schedule) -> None:
    assert fidelity(replace(schedule, workload=replace(schedule.workload, recorded=None)), 30.0) is None


@pytest.mark.parametrize("seed", range(5))
def test_kendalls_tau_is_that_of_scipy(seed: int) -> None:
    draw = np.random.default_rng(seed)
    real = draw.integers(0, 20, 60).astype(float)
    ours = real + draw.integers(0, 20, 60).astype(float)
    assert kendall_tau(ours, real) == pytest.approx(kendalltau(ours, real).statistic)


def test_kendalls_tau_of_nothing() -> None:
    assert kendall_tau(np.ones(1), np.ones(1)) is None
    assert kendall_tau(np.ones(5), np.arange(5.0)) is None


def test_no_difference_below_the_distance_is_called_one() -> None:
    def one(difference: float, verdict: str) -> dict[str, object]:
        return {"metric": "mean_wait_s", "difference": difference, "verdict": verdict}

    told = {"differences": [one(-50, "better"), one(-150, "better"), one(3, "no clear difference")]}
    found = beyond(told, {"mean_wait_s": 100.0})
    assert [each["verdict"] for each in found["differences"]] == [BELOW, "better", "no clear difference"]
