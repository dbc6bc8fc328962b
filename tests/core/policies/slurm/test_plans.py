"""What backfill plans: the worked cases 7, 10, 11, 29 to 31 and 35 of the reference."""

from math import inf
from typing import Any

import pytest

from molokini.model.reservations import Reservation, Terms
from molokini.policies.slurm.configuration.settings import Partition
from molokini.policies.slurm.knowledge.kept_state import mine
from tests.core.policies.slurm.test_starts import WHOLE, WINDOW
from tests.kit.slurm import FOUR, NODE, THREE, WEIGHTS, YEAR_MINUTES, Sbatch, settings_of, slurm


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


@pytest.mark.parametrize(("minutes", "at_once"), [(10.0, False), (9.0, True)])
def test_case_30_a_plan_that_begins_when_a_job_would_end_is_in_its_way(minutes: float, at_once: bool) -> None:
    jobs = [Sbatch(0, 590, 10, **THREE), Sbatch(0, 10, 10, **FOUR), Sbatch(0, 500, minutes, **NODE)]
    ran = slurm(jobs, settings_of({"backfill_phase_s": -10.0})).until(5.0)
    assert ran.expected_s(1) == 600.0
    assert ran.starts[2] == (0.0 if at_once else inf)


@pytest.mark.parametrize(
    ("most", "wanted"), [(2, [600.0, 600.0, 0.0, 600.0]), (20, [600.0, 600.0, 600.0, 1200.0])]
)
def test_case_31_plans_of_an_array(most: int, wanted: list[float]) -> None:
    """Three nodes come free at 600, one at 1200; a lower job takes what is left."""
    jobs = [Sbatch(0, 2000, 10, **THREE), Sbatch(0, 2000, 20, **NODE)]
    jobs += [Sbatch(1, 10, 10, qos="high", array=7, **NODE) for _ in range(3)]
    jobs += [Sbatch(1, 10, 10, **NODE)]
    ran = slurm(jobs, settings_of({**WEIGHTS, "bf_max_job_array_resv": most})).until(25.0)
    assert [ran.expected_s(k) for k in range(2, 6)] == wanted


TWO: dict[str, Any] = {"nodes": 2, "x": True}


@pytest.mark.parametrize("array", [0, 7])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_what_an_array_does_not_plan_a_lower_job_takes(most: int, array: int) -> None:
    """n4 is idle, and n1 to n3 come free at 600: two elements on two nodes each would need all of them."""
    jobs = [Sbatch(0, 600, 10, **THREE)]
    jobs += [Sbatch(1, 10, 10, qos="high", array=array, **TWO) for _ in range(2)]
    jobs += [Sbatch(1, 10, 30, **NODE)]
    ran = slurm(jobs, settings_of({**WEIGHTS, "bf_max_job_array_resv": most}))
    assert ran.replay.run()
    planned = 2 if array == 0 else most
    assert (ran.starts[3] < 20.0) == (planned < 2)


@pytest.mark.parametrize(("array", "most", "tests"), [(0, 2, 6), (7, 2, 3), (7, 3, 4), (7, 1, 2), (7, 0, 2)])
def test_no_more_elements_are_tested_than_are_planned(array: int, most: int, tests: int) -> None:
    """A pass with five elements: the first of those that get no plan is tested where none may have one."""
    jobs = [Sbatch(0, 600, 10, **THREE)]
    jobs += [Sbatch(1, 10, 10, array=array, **TWO) for _ in range(5)] + [Sbatch(1, 10, 5, **NODE)]
    ran = slurm(jobs, settings_of({"bf_max_job_array_resv": most})).until(12.0)
    assert (mine(ran.replay.tables).passes, mine(ran.replay.tables).tests) == (1, tests)
    assert ran.starts[6] <= 12.0


def test_elements_with_another_limit_are_jobs_of_their_own() -> None:
    """Where its limit was changed, or it has run before, an element has a record of its own in Slurm."""
    jobs = [Sbatch(0, 600, 10, **THREE), Sbatch(1, 10, 20, array=7, **TWO)]
    jobs += [Sbatch(1, 10, 5, array=7, **NODE)]
    ran = slurm(jobs, settings_of({"bf_max_job_array_resv": 0})).until(12.0)
    assert ran.starts[2] <= 12.0


@pytest.mark.parametrize(("once", "behind"), [("off", 900.0), ("on", 600.0)])
def test_case_35_a_job_of_two_partitions_is_planned_in_both(once: str, behind: float) -> None:
    parts = (
        Partition("batch", nodes=("n3", "n4"), priority_tier=2),
        Partition("low", nodes=("n1", "n2")),
    )
    two: dict[str, Any] = {"nodes": 2, "x": True}
    jobs = [Sbatch(0, 2000, 15, **two), Sbatch(0, 2000, 10, queue="low", **two)]
    jobs += [Sbatch(1, 10, 5, queue="low,batch", **two), Sbatch(2, 10, 5, queue="low", **NODE)]
    ran = slurm(jobs, settings_of({"bf_one_resv_per_job": once}, parts)).until(45.0)
    assert ran.expected_s(2) == (600.0 if once == "off" else 900.0)
    assert ran.expected_s(3) == behind


WALL = Reservation("maintenance", 8, 600.0, 1200.0, {}, Terms(hosts={"n3": 4, "n4": 4}))


def test_plans_keep_clear_of_a_reservation_for_others() -> None:
    """n3 and n4 are reserved from 600 to 1200, n1 and n2 are in use until 6000."""
    jobs = [Sbatch(0, 5000, 100, nodes=2, x=True)]
    jobs += [Sbatch(1, 5, 20, **NODE), Sbatch(2, 500, 9, **NODE), Sbatch(3, 5, 40, **THREE)]
    ran = slurm(jobs, reservations=(WALL,))
    ran.until(25.0)
    # The long job waits for the end of the reservation, the short one fits before it.
    assert ran.expected_s(1) == 1200.0
    assert ran.starts[2] <= 12.0
    # The wide one can only begin when both the reservation and the first job are over.
    assert ran.expected_s(3) >= 6000.0
