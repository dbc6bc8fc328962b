"""What schedules in rows use and lose, by hand."""

import pytest

from molokini.metrics.measures import measure
from tests.kit.replays import finished
from tests.kit.rows import job

FULL = [job(4, 10), job(4, 10), job(4, 10)]


def test_what_a_context_switch_loses_while_a_job_waits() -> None:
    found = measure(finished(FULL, "gs", 4, {"mpl": 2, "context_switch": 0.05}, interpreted=True).schedule())
    assert found["utilization"] == pytest.approx(0.95)
    assert found["loss_of_capacity"] == pytest.approx(1 / 30)
    assert found["occupied"] == pytest.approx(1.0)
    assert found["loss_by_migration"] == 0.0


def test_nothing_is_lost_without_one() -> None:
    found = measure(finished(FULL, "gs", 4, {"mpl": 2}, interpreted=True).schedule())
    assert found["utilization"] == pytest.approx(1.0)
    assert found["loss_of_capacity"] == 0.0


def test_what_migrations_lose() -> None:
    jobs = [job(2, 20), job(2, 3), job(2, 20), job(2, 3), job(4, 5)]
    values = {"mpl": 2, "migration_cost": 2.0}
    found = measure(finished(jobs, "mgs", 4, values, interpreted=True).schedule())
    # Three times the cost, in 30 s of four processors.
    assert found["loss_by_migration"] == pytest.approx(6 / 120)
    assert found["utilization"] == pytest.approx((40 + 6 + 40 + 6 + 20) / 120)


def test_policies_without_rows_have_no_such_measures() -> None:
    assert "occupied" not in measure(finished(FULL, "fcfs", 4, interpreted=True).schedule())
