"""Gaps between arrivals so long that the machine or its scheduler was down.

Rule (ours): a gap longer than 2 hours and than 20 times the median gap of jobs that came in the same hour of
the day. In quiet hours a long gap is nothing special.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from molokini.workloads.workload import Floats, Ints

LEAST_S = 7200.0
TIMES_MEDIAN = 20.0


@dataclass(frozen=True)
class Downtimes:
    """The long gaps of a log."""

    row: Ints
    """Of each, the job before it."""
    start_s: Floats
    length_s: Floats

    def __len__(self) -> int:
        return len(self.row)

    def kept(self, gaps: int) -> NDArray[np.bool_]:
        """Of *gaps* gaps between neighbours, those that are none of these."""
        kept = np.ones(gaps, np.bool_)
        kept[self.row] = False
        return kept


def downtimes(submit_s: Floats, hour: Ints) -> Downtimes:
    """The gaps between jobs (in order of submission) that the rule calls downtime; *hour*: of the day."""
    gaps = np.diff(submit_s)
    limit = np.full(24, LEAST_S)
    for one in range(24):
        there = gaps[hour[:-1] == one]
        if there.size:
            limit[one] = max(LEAST_S, TIMES_MEDIAN * float(np.median(there)))
    rows = np.flatnonzero(gaps > limit[hour[:-1]]) if gaps.size else np.empty(0, np.int64)
    return Downtimes(rows, submit_s[rows], gaps[rows])
