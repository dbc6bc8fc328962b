"""What backfill plans: the worked cases 7, 10, 11 and 29 of the reference."""

import pytest

from tests.core.policies.slurm.test_starts import WHOLE, WINDOW
from tests.kit.slurm import FOUR, NODE, WEIGHTS, YEAR_MINUTES, Sbatch, settings_of, slurm


@pytest.mark.parametrize(("relevant", "wanted"), [("on", 120.0), ("off", 138.0)])
def test_case_7_precision_of_the_planned_start(relevant: str, wanted: float) -> None:
    jobs = [Sbatch(0, 100, 2, **NODE), Sbatch(18, 100, 2, **NODE)]
    jobs += [Sbatch(18, 600, 9, **NODE), Sbatch(18, 600, 9, **NODE), Sbatch(20, 10, 1, **NODE)]
    assert slurm(jobs, settings_of({"relevant_end": relevant})).until(45.0).expected_s(4) == wanted


def test_case_11_plans_of_small_jobs_block_large_ones() -> None:
    jobs = [Sbatch(0, 1000, 10, **FOUR), Sbatch(1, 5, 10, tasks=1, qos="high")]
    jobs += [
        Sbatch(2, 5, 20, tasks=4, qos="high"),
        Sbatch(3, 5, 60, tasks=2, qos="mid"),
        Sbatch(4, 5, 60, tasks=16),
    ]
    ran = slurm(jobs, settings_of(WEIGHTS)).until(30.0)
    assert [ran.expected_s(k) for k in range(1, 5)] == [600.0, 600.0, 600.0, 4200.0]


def test_case_10_plans() -> None:
    ran = slurm(WHOLE).until(25.0)
    assert 120.0 <= ran.expected_s(2) <= 122.0
    assert 180.0 <= ran.expected_s(3) <= 182.0


def test_case_29_without_the_window() -> None:
    ran = slurm(WINDOW)
    assert ran.replay.run()
    assert 30.0 <= ran.starts[1] <= 32.0


def test_a_job_without_a_limit_is_planned_for_a_year() -> None:
    jobs = [Sbatch(0, 50, YEAR_MINUTES, **FOUR), Sbatch(1, 5, 1, **NODE)]
    ran = slurm(jobs)
    assert ran.replay.run()
    assert 50.0 <= ran.starts[1] <= 52.0
