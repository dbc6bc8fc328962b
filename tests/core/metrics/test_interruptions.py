"""What interruptions cost: time off the processors, and work that was lost."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.metrics.interruptions import interruption_measures, suspended_s
from molokini.sim.schedule import Interruptions
from tests.kit.schedules import NAN, Ran, schedule, trace


def test_time_off_the_processors_counts_between_the_first_start_and_the_end() -> None:
    """Of each job its own gaps alone: what follows its end, and its wait, are none of them."""
    story = schedule(
        Ran(0, 2, 10, processors=2, end=17),
        Ran(1, 1, 4, end=5),
        Ran(3, 20, 5, end=NAN),
        Ran(4, None, 5),
        Ran(30, 40, 2, end=45),
        changes=trace((4, 0, 0, 0), (8, 0, 1, 2), (9, 0, 0.5, 1), (11, 0, 0, 0), (12, 0, 1, 2),
                      (21, 2, 0, 0), (41, 4, 0, 0), (44, 4, 1, 1)),
    )  # fmt: skip
    np.testing.assert_array_equal(suspended_s(story), [5.0, 0.0, NAN, NAN, 3.0])


def test_where_rates_never_change_nobody_was_off_and_the_end_is_asked_for_all_the_same() -> None:
    np.testing.assert_array_equal(suspended_s(schedule(Ran(0, 0, 3), Ran(0, None, 3))), [0.0, NAN])


@pytest.mark.parametrize(
    ("counted_s", "wanted"),
    [
        ((-np.inf, np.inf), (5, 2, 3, 2, 1, 4.0 * 2 + 1.5 * 4)),
        # The first does not count: the last, which has not ended, does.
        ((1.0, 9.0), (3, 1, 1, 1, 0, 1.5 * 4)),
    ],
)
def test_sums_are_over_the_jobs_that_count_and_lost_work_is_by_width(
    counted_s: tuple[float, float], wanted: tuple[float, ...]
) -> None:
    story = replace(
        schedule(Ran(0, 0, 9, processors=2), Ran(1, 9, 9), Ran(8, 9, 9, processors=4, end=NAN)),
        interruptions=Interruptions(
            np.array([2, 0, 3]), np.array([2, 0, 1]), np.array([1, 0, 0]), np.array([4.0, 0.0, 1.5])
        ),
        counted_s=counted_s,
    )
    assert tuple(interruption_measures(story).values()) == wanted
    assert list(interruption_measures(story)) == [
        *("suspensions", "suspended_jobs", "requeues", "requeued_jobs", "checkpoints"),
        "lost_work_processor_s",
    ]
