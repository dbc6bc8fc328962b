"""The phase of a site's backfill passes, from the seconds of starts that they made."""

import numpy as np
import pytest

from molokini.metrics.recorded_timers import recorded_backfill
from molokini.model.decisions import StartedBy

M, B = StartedBy.MAIN, StartedBy.BACKFILL


def test_most_starts_by_backfill_fall_into_one_second() -> None:
    starts = np.array([1003.0, 1012.0, 1022.0, 1022.0, 1035.0, np.nan])
    found = recorded_backfill(starts, np.array([M, B, B, B, B, B]), 1000.0, 10.0)
    assert found is not None
    assert (found.starts, found.second_s, found.share) == (4, 2.0, 0.75)
    # A timer with this phase makes its first pass 2.5 s after the first event.
    assert found.interval_s + found.phase_s == 2.5
    assert found.document["phase_s"] == -7.5


@pytest.mark.parametrize("by", [M, StartedBy.UNKNOWN])
def test_without_starts_by_backfill_nothing_is_known(by: int) -> None:
    assert recorded_backfill(np.array([5.0]), np.array([by]), 0.0, 10.0) is None


def test_an_interval_below_a_second_has_no_phase() -> None:
    assert recorded_backfill(np.array([5.0]), np.array([B]), 0.0, 0.0) is None
