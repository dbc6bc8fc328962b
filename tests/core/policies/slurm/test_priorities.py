"""Priorities to the integer: the worked cases 1, 13 to 15, 19 and 20 of the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from molokini.policies.slurm.knowledge.kept_state import mine
from tests.kit.slurm import FOUR, NODE, WEIGHTS, Sbatch, settings_of, slurm

HOLDER = Sbatch(0, 1000, 100, **FOUR)


def test_case_1_priorities_to_the_integer() -> None:
    jobs = [
        HOLDER,
        Sbatch(1, 5, 10, tasks=1, user="daemon"),
        Sbatch(1, 5, 20, nodes=1, tasks=4, user="sys", queue="low", qos="high"),
        Sbatch(1, 5, tasks=16, user="mail", qos="mid"),
        Sbatch(1, 5, tasks=2, user="bin"),
    ]
    found = slurm(jobs, settings_of(WEIGHTS)).until(2.0).priorities()
    # The second has a nice value of 100 in the case.
    assert found == {1: 101_218.0, 2: 85_650.0 + 100.0, 3: 55_725.0, 4: 76_312.0}


def _size(jobs: Sequence[Sbatch], chosen: Mapping[str, Any]) -> list[float]:
    """The size terms of *jobs* by a weight of a million, in units of the reference's thousand."""
    weighed = settings_of({"priority_weight_job_size": 1e6, **chosen})
    found = slurm([HOLDER, *jobs], weighed).until(2.0).priorities()
    return [found[k + 1] / 1000.0 for k in range(len(jobs))]


SIZES = [
    Sbatch(1, 5, 10, tasks=1),
    Sbatch(1, 5, 20, nodes=1, tasks=4),
    Sbatch(1, 5, 60, tasks=16),
    Sbatch(1, 5, 30, nodes=2, tasks=2),
    Sbatch(1, 5, 5, **NODE),
]


def test_case_13_favor_small() -> None:
    assert _size(SIZES, {"priority_favor_small": "on"}) == [843.75, 750.0, 375.0, 687.5, 843.75]


def test_case_14_small_relative_to_time() -> None:
    assert _size(SIZES, {"small_relative_to_time": "on"}) == [25.0, 12.5, 16.666, 16.666, 50.0]


def test_case_15_raw_values() -> None:
    raw = {f"no_normal_{name}": "on" for name in ("assoc", "part", "qos", "tres")}
    chosen = {**WEIGHTS, **raw, "priority_weight_fairshare": 0.0}
    jobs = [HOLDER, Sbatch(1, 5, 10, tasks=16, user="mail", qos="mid")]
    found = slurm(jobs, settings_of(chosen)).until(2.0).priorities()
    size = (1 / 4 + 16 / 16) / 2 * 1000
    assert found == {1: float(int(size + 20 * 1000 + 300_000 + 500 + 16_000))}


@pytest.mark.parametrize(
    ("weight", "usage", "wanted"),
    [(4e9, 0.0, 4_294_967_295.0), (0.0, 0.0, 1.0)],
)
def test_case_19_bounds(weight: float, usage: float, wanted: float) -> None:
    chosen = {"priority_weight_qos": weight, "priority_weight_partition": weight}
    jobs = [HOLDER, Sbatch(1, 5, 10, tasks=1, qos="high")]
    assert slurm(jobs, settings_of(chosen)).until(2.0).priorities() == {1: wanted}


@pytest.mark.parametrize(("always", "wanted"), [("off", 179.0), ("on", 300.0)])
def test_age_of_a_requeued_job_counts_from_its_submission_where_that_is_said(
    always: str, wanted: float
) -> None:
    """It was preempted at 0 and may begin at 121; the calculation is at 300."""
    chosen = {"priority_weight_age": 604_800.0, "accrue_always": always}
    ran = slurm([HOLDER, Sbatch(0, 5, 10, tasks=1)], settings_of(chosen)).until(0.0)
    kept = mine(ran.replay.tables)
    row = ran.row(1)
    kept.begin_s[row], kept.listed[row] = 121.0, 0
    assert ran.until(300.0).priorities()[1] == pytest.approx(wanted, abs=1.0)


def test_case_20_age_at_the_runs_of_the_timer() -> None:
    chosen = {
        "priority_weight_age": 1000.0 * 604_800,
        "priority_phase_s": 100.0,
        "priority_calc_period_s": 300.0,
    }
    jobs = [replace(HOLDER, run=6000.0), Sbatch(0, 5, 10, tasks=1)]
    ran = slurm(jobs, settings_of({**chosen, "priority_max_age_s": 604_800.0}))
    told = [ran.until(at_s).priorities()[1] for at_s in (99.0, 100.0, 399.0, 400.0, 700.0)]
    assert told == [1.0, 100_000.0, 100_000.0, 400_000.0, 700_000.0]
