"""Changes of starts between two schedules of the same jobs."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.metrics import start_changes
from molokini.metrics.start_changes import BOUNDS_S, CLASSES
from molokini.model.errors import BadValue
from tests.kit.schedules import NAN, Ran, schedule

SHIFTS = (-90000.0, -86400.0, -3600.0, -61.0, -60.0, 0.0, 60.0, 60.5, 3600.0, 86400.0, 86401.0)


def test_every_bound_belongs_to_the_class_nearer_to_zero() -> None:
    before = schedule(*(Ran(0, 1e6, 10) for _ in SHIFTS))
    after = schedule(*(Ran(0, 1e6 + shift, 10) for shift in SHIFTS))
    found = start_changes(before, after)
    assert found.change_s.tolist() == list(SHIFTS)
    assert found.of_class.tolist() == [0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6]
    assert len(CLASSES) == len(BOUNDS_S) + 1


def test_in_numbers() -> None:
    before = schedule(Ran(0, 10, 5), Ran(0, 20, 5), Ran(0, 30, 5), Ran(0, 40, 5))
    after = schedule(Ran(0, 0, 5), Ran(0, 20, 5), Ran(0, 150, 5), Ran(0, None, 5, end=NAN))
    numbers = start_changes(before, after).as_dict()
    assert numbers["classes"] == dict.fromkeys(CLASSES, 0) | {"within 1 min": 2, "1 min to 1 h later": 1}
    assert numbers | {"classes": None} == {
        "jobs": 3,
        "earlier_jobs": 1,
        "later_jobs": 1,
        "mean_change_s": pytest.approx(110 / 3),
        "mean_earlier_s": 10.0,
        "mean_later_s": 120.0,
        "max_earlier_s": 10.0,
        "max_later_s": 120.0,
        "classes": None,
    }


def test_only_jobs_that_count() -> None:
    before, after = schedule(Ran(0, 10, 5), Ran(7, 20, 5)), schedule(Ran(0, 11, 5), Ran(7, 25, 5))
    found = start_changes(replace(before, counted_s=(5.0, 9.0)), replace(after, counted_s=(5.0, 9.0)))
    assert np.isnan(found.change_s[0])
    assert found.as_dict()["mean_change_s"] == 5.0


def test_other_jobs_are_refused() -> None:
    with pytest.raises(BadValue, match="same jobs"):
        start_changes(schedule(Ran(0, 0, 1)), schedule(Ran(0, 0, 1), Ran(1, 1, 1)))


def test_a_job_counts_where_it_counts_under_both() -> None:
    story = schedule(Ran(0, 0, 1), Ran(5, 5, 1), Ran(9, 9, 1))
    early, late = replace(story, counted_s=(-1.0, 9.0)), replace(story, counted_s=(5.0, 10.0))
    for pair in ((early, late), (late, early)):
        assert np.isnan(start_changes(*pair).change_s).tolist() == [True, False, True]
