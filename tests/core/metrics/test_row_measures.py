"""What schedules in rows use and lose, by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from molokini.metrics.measures import measure
from molokini.metrics.row_measures import in_rows, row_measures, useful_processors, without_switches
from molokini.metrics.timelines import busy_processors
from molokini.sim.schedule import Schedule
from tests.kit.matrix_rows import job
from tests.kit.replays import finished
from tests.kit.schedules import Ran, schedule, trace

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


def in_rows_by_hand(**more: Any) -> Schedule:
    """Two jobs of 4 processors in two rows; the second begins at 4, when the first loses 1 s by moving."""
    changes = replace(
        trace((0, 0, 1.0, 4), (4, 0, 0.45, 2), (4, 1, 0.45, 2), (10, 0, 0.9, 4)),
        rows=np.array([1, 1, 2, 3]),
        stall_s=np.array([0.0, 1.0, 0.0, 0.5]),
    )
    story = schedule(Ran(0, 0, 8, 4, end=12), Ran(0, 4, 3, 4, end=10), changes=changes)
    return replace(story, switch=0.1, **more)


def test_a_switch_takes_its_part_of_all_slices_or_of_those_before_which_others_ran() -> None:
    always, changed = (in_rows_by_hand(switch_changed=which) for which in (False, True))
    busy = busy_processors(always)
    assert busy.values.tolist() == [4, 4, 4, 0]
    assert without_switches(replace(always, switch=0.0), busy) is busy
    assert without_switches(always, busy).values == pytest.approx([3.6, 3.6, 3.6, 0])
    found = without_switches(changed, busy)
    assert found.times.tolist() == [0, 4, 10, 12]
    assert found.values == pytest.approx([4.0, 3.6, 3.6, 0.0])


def test_of_a_part_what_was_occupied_counts_and_what_migrations_lose_when_they_begin() -> None:
    """Of the whole it is the work of the jobs, whatever was lost on the way."""
    story, ends = in_rows_by_hand(), (0.0, 12.0)
    busy = busy_processors(story)
    assert useful_processors(story, ends, busy) == (8 * 4 + 3 * 4) / 12
    part = replace(story, counted_s=(4.0, 10.0))
    assert useful_processors(part, (4.0, 10.0), busy) == (4 * 6 - 1.0 * 4) / 6
    assert useful_processors(part, (4.5, 10.5), busy) == (4 * 6 - 0.5 * 4) / 6
    assert useful_processors(part, (4.0, 4.0), busy) is None
    assert row_measures(story, (4.0, 10.0), busy)["loss_by_migration"] == 1.0 * 4 / (6 * 4)
    # A whole schedule with a job that still runs is counted as a part is.
    open_end = replace(story, end_s=np.array([np.nan, 10.0]))
    assert useful_processors(open_end, ends, busy) == (4 * 12 - 1.5 * 4) / 12
    assert in_rows(story)
