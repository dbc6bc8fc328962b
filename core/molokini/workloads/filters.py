"""Parts of a workload: each function returns a new one and leaves the old as it was.

The header stays that of the whole log; its counts are then no longer those of the part.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.header import with_lines
from molokini.workloads.workload import Workload


def in_window(workload: Workload, start_s: float, end_s: float) -> Workload:
    """The jobs submitted at *start_s* or later and before *end_s*, in seconds from the log's zero."""
    if not start_s < end_s:
        raise BadValue("until_s", end_s, f"later than from_s, {start_s:.15g}")
    return workload.take((workload.submit_s >= start_s) & (workload.submit_s < end_s))


def by_users(workload: Workload, users: Collection[int]) -> Workload:
    """The jobs of these users (-1: jobs whose user is not known)."""
    return workload.take(np.isin(workload.user, np.fromiter(users, np.int64, len(users))))


def by_processors(workload: Workload, least: int = 1, most: int | None = None) -> Workload:
    """The jobs that ask for *least* to *most* processors, both included; *most* None is no bound."""
    if most is not None and most < least:
        raise BadValue("most", most, f"the least number of processors, {least:,}, or more")
    kept = workload.processors >= least
    if most is not None:
        kept &= workload.processors <= most
    return workload.take(kept)


def first_jobs(workload: Workload, jobs: int) -> Workload:
    """The first *jobs* jobs in order of submission; all where there are fewer."""
    if jobs < 1:
        raise BadValue("jobs", jobs, "a whole number of 1 or more")
    return workload.take(slice(0, jobs))


def with_note(workload: Workload, note: str) -> Workload:
    """The same jobs under a header that ends with one more ``Note``: say there what was done to a log."""
    return replace(workload, header=with_lines(workload.header, f"; Note: {note}"))
