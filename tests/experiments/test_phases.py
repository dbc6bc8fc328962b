"""Phases of timers are drawn by seed, each within its period, and the band is over what came of them."""

from pathlib import Path
from typing import Any

import pytest

from molokini.experiments import simulate
from molokini.experiments.asked import Simulation
from molokini.experiments.choosing import choose
from molokini.experiments.phases import drawn, phases_part
from molokini.model.errors import BadInput, BadValue
from tests.kit.slurm_files import CONF, SACCT


def settings_of(seed: int, seeds: int, *given: str) -> list[dict[str, object]]:
    (chosen,) = choose(["slurm"], given, ())
    asked = Simulation(log="log", policy="slurm", set=given, seed=seed, seeds=seeds)
    return [dict(one.set) for one in drawn(asked, chosen) if isinstance(one.set, dict)]


def test_each_phase_is_drawn_within_its_period() -> None:
    found = settings_of(1, 20, "bf_interval_s=7")
    for name, period_s in (("backfill_phase_s", 7), ("priority_phase_s", 300), ("tick_phase_s", 1)):
        assert all(0 <= float(str(one[name])) <= period_s for one in found)
        assert len({one[name] for one in found}) == 20
    assert all(one["bf_interval_s"] == "7" for one in found)


def test_a_phase_that_is_set_is_known() -> None:
    found = settings_of(1, 20, "priority_phase_s=1")
    assert {one["priority_phase_s"] for one in found} == {"1"}
    # The others are drawn as they are without it.
    without = settings_of(1, 20)
    assert [one["tick_phase_s"] for one in found] == [one["tick_phase_s"] for one in without]
    with pytest.raises(BadInput, match="all of them are set; leave out backfill_phase_s"):
        settings_of(1, 2, "priority_phase_s=1", "backfill_phase_s=1", "tick_phase_s=0")


def test_a_draw_depends_on_its_seed_alone() -> None:
    assert settings_of(1, 3) == settings_of(1, 5)[:3]
    assert settings_of(1, 3) != settings_of(2, 3)


def test_a_policy_without_timers_has_no_phases() -> None:
    (chosen,) = choose(["easy"], (), ())
    with pytest.raises(BadInput, match="policy easy has none; leave it out"):
        drawn(Simulation(log="log", policy="easy", seeds=2), chosen)


def test_the_band_is_the_least_the_mean_and_the_most() -> None:
    def document(wait_s: float, share: float, tau: float | None) -> dict[str, object]:
        near: dict[str, object] = {"mean_wait_s": {"simulated": wait_s}, "within_interval": {"share": share}}
        near |= {"kendall_tau": tau, "priorities": tau and {"equal_share": tau}}
        return {"policy": {"parameters": {"backfill_phase_s": 1.0}}, "metrics": {}, "fidelity": near}

    found = phases_part([document(5.0, 0.9, None), document(3.0, 0.95, 0.5)])
    assert found["band"] == {
        "mean_wait_s": {"low": 3.0, "mean": 4.0, "high": 5.0},
        "within_interval": {"low": 0.9, "mean": pytest.approx(0.925), "high": 0.95},
        "kendall_tau": {"low": 0.5, "mean": 0.5, "high": 0.5},
    }
    # The phase of the calculation is the one with which most priorities are those of the log.
    assert [run["equal_priorities"] for run in found["runs"]] == [None, 0.5]


def test_replays_with_other_phases_stand_in_the_results(tmp_path: Path) -> None:
    for name, text in (("slurm.conf", CONF), ("log", SACCT)):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def replayed(seeds: int) -> dict[str, Any]:
        log, conf = str(tmp_path / "log"), str(tmp_path / "slurm.conf")
        given = ["enforce_limits=off", "enforce_associations=off", "enforce_qos=off"]
        return dict(simulate(log, policy="slurm", slurm_conf=conf, set=given, seeds=seeds).document)

    found = replayed(2)["phases"]
    assert found["seeds"] == len(found["runs"]) == 2
    assert "phases" not in replayed(0)
    with pytest.raises(BadValue, match="from 0 to 1,000"):
        replayed(-1)
