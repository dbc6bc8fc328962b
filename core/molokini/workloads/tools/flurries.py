"""Bursts of very high activity by a single user, listed for a person to judge.

The archive defines a flurry in these words and gives no threshold. Ours: in one week a user has more than
half of all jobs, or more than 100 times the median number of jobs that a user has in a week, and most of
them are of one size and much alike in run time. Nothing is removed: the filter that would do it stands
beside each.
"""

from dataclasses import dataclass

import numpy as np

from molokini.workloads.calendar import calendar
from molokini.workloads.tools.whole import WholeLog
from molokini.workloads.workload import Ints

SHARE_OF_WEEK = 0.5
TIMES_MEDIAN = 100.0
ALIKE = 0.5
"""Share of the jobs that have the commonest size, and whose run time is within a factor 2 of the median."""
LEAST_JOBS = 100
"""A week of fewer jobs by a user is no flurry, whatever share it is."""


@dataclass(frozen=True)
class Flurry:
    """A candidate: weeks in a row in which one user's jobs are far too many."""

    user: int
    first_job: int
    last_job: int
    jobs: int
    """Jobs of the user in these weeks."""
    weeks: int
    share_of_week: float
    """Largest share that the user has of a week's jobs."""
    times_median: float
    """Jobs of the user's largest week over those of the median week of a user."""
    processors: int
    """The commonest size."""
    same_size: float
    """Share of the jobs that have it."""
    median_run_s: float
    same_run: float
    """Share of the jobs whose run time is from half to twice the median."""

    @property
    def filter(self) -> str:
        """What removes it, in the language of filters."""
        return f"user={self.user} and (job>={self.first_job} and job<={self.last_job})"


def flurries(log: WholeLog) -> list[Flurry]:
    """The candidates of a log, the largest first."""
    user = log.column("user").astype(np.int64)
    week = calendar(log.header, log.column("submit_s")).week
    known = np.flatnonzero(user >= 0)
    if not known.size:
        return []
    # A gap of one number between users, so that weeks in a row are never of two of them.
    span = int(week.max() - week.min()) + 2
    _, whose = np.unique(user[known], return_inverse=True)
    mine = whose * span + week[known] - week.min()
    pairs, which, count = np.unique(mine, return_inverse=True, return_counts=True)
    present, in_week = np.unique(week, return_counts=True)
    share = count / in_week[np.searchsorted(present, pairs % span + week.min())]
    times = count / float(np.median(count))
    wild = np.flatnonzero((count >= LEAST_JOBS) & ((share > SHARE_OF_WEEK) | (times > TIMES_MEDIAN)))
    found = [
        _candidate(
            log, known[np.isin(which, run)], float(share[run].max()), float(times[run].max()), len(run)
        )
        for run in _runs(pairs, wild)
    ]
    alike = [one for one in found if one.same_size >= ALIKE and one.same_run >= ALIKE]
    return sorted(alike, key=lambda one: (-one.jobs, one.user, one.first_job))


def _runs(pairs: Ints, wild: Ints) -> list[Ints]:
    """The rows *wild* in runs of one user's neighbouring weeks, which are neighbouring numbers."""
    if not wild.size:
        return []
    return np.split(wild, np.flatnonzero(np.diff(pairs[wild]) != 1) + 1)


def _candidate(log: WholeLog, rows: Ints, share: float, times: float, weeks: int) -> Flurry:
    sizes, counts = np.unique(log.widths[rows], return_counts=True)
    run = log.column("run_s")[rows]
    median = float(np.median(run))
    number = log.column("number")[rows]
    return Flurry(
        user=int(log.column("user")[rows[0]]),
        first_job=int(number.min()),
        last_job=int(number.max()),
        jobs=len(rows),
        weeks=weeks,
        share_of_week=share,
        times_median=times,
        processors=int(sizes[counts.argmax()]),
        same_size=float(counts.max() / len(rows)),
        median_run_s=median,
        same_run=float(((run >= median / 2) & (run <= 2 * median)).mean()),
    )
