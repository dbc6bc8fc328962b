"""The rhythm of a log: hours of the week, load of its weeks, means as they run, queue against load."""

from typing import Any

import numpy as np

from molokini.workloads.calendar import WEEKDAYS, calendar, each_weekday
from molokini.workloads.downtime import downtimes
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

WEEK_S = 7 * 86400.0
_POINTS = 200
_MOST_WEEKS = 5218
_QUEUE_CLASSES = 12
_LOAD_CLASSES = 10
_WAIT = SWF_FIELDS.index("wait_s")
_ALLOCATED = SWF_FIELDS.index("allocated_processors")


def hours_of_week(workload: Workload) -> dict[str, Any]:
    """Mean number of jobs in each hour of each weekday: seven rows of 24, Monday first.

    Where the header tells no date the days are those of the log's own weeks.
    """
    found = calendar(workload.header, workload.submit_s)
    names = list(WEEKDAYS) if found.dated else [f"day {day}" for day in range(1, 8)]
    if not len(workload):
        return {"clock": found.clock, "days": names, "jobs_per_hour": np.zeros((7, 24)).tolist()}
    jobs = np.bincount(found.weekday * 24 + found.hour, minlength=168).reshape(7, 24)
    each = each_weekday(found)
    return {
        "clock": found.clock,
        "days": names,
        "jobs_per_hour": (jobs / np.maximum(each, 1)[:, None]).tolist(),
    }


def weeks(workload: Workload) -> list[dict[str, Any]]:
    """Each week since the first submission: jobs, users, work, and offered load where the machine is known.

    The last week may be a part of one; its load is of that part. Nothing of a log of more than a century.
    """
    if not len(workload) or workload.submit_s[-1] - workload.submit_s[0] >= _MOST_WEEKS * WEEK_S:
        return []
    since = workload.submit_s - workload.submit_s[0]
    index = (since // WEEK_S).astype(np.int64)
    count = int(index[-1]) + 1
    jobs = np.bincount(index, minlength=count)
    work = np.bincount(index, weights=workload.processors * workload.run_s, minlength=count)
    _, user = np.unique(workload.user, return_inverse=True)
    users = int(user.max()) + 1
    present = np.bincount(np.unique(index * users + user) // users, minlength=count)
    length = np.full(count, WEEK_S)
    length[-1] = max(float(since[-1]) - (count - 1) * WEEK_S, 1.0)
    machine = workload.machine_processors
    return [
        {
            "start_s": float(workload.submit_s[0]) + week * WEEK_S,
            "jobs": int(jobs[week]),
            "users": int(present[week]),
            "work_processor_s": float(work[week]),
            "offered_load": None if machine is None else float(work[week] / length[week] / machine),
        }
        for week in range(count)
    ]


def gaps_without_downtime(workload: Workload) -> dict[str, Any]:
    """How many gaps between arrivals may be downtime, how much time they are, and the CV with and without."""
    hour = calendar(workload.header, workload.submit_s).hour
    found = downtimes(workload.submit_s, hour)
    gaps = np.diff(workload.submit_s)
    rest = gaps[found.kept(gaps.size)]
    return {
        "downtimes": len(found),
        "downtime_s": float(found.length_s.sum()),
        "cv": _cv(gaps),
        "cv_without": _cv(rest),
        "mean_without_s": float(rest.mean()) if rest.size else None,
    }


def _cv(values: Floats) -> float | None:
    mean = float(values.mean()) if values.size else 0.0
    return float(values.std()) / mean if mean > 0 else None


def running_means(workload: Workload) -> dict[str, list[float]]:
    """Mean run time and mean gap of the first so many jobs: a mean that still jumps at the end is no mean."""
    count = len(workload)
    if count < 2:
        return {"jobs": [], "run_s": [], "gap_s": []}
    at = np.unique(np.geomspace(min(10, count - 1), count - 1, _POINTS).astype(np.int64))
    run = np.cumsum(workload.run_s)[at - 1] / at
    gap = (workload.submit_s[at] - workload.submit_s[0]) / at
    return {"jobs": at.tolist(), "run_s": run.tolist(), "gap_s": gap.tolist()}


def queue_against_load(workload: Workload) -> dict[str, Any] | None:
    """How many jobs waited when a job came, against the busy share of the machine, as the log has it.

    ``jobs[q][u]``: jobs that found a queue of class q (0, 1, 2-3, 4-7, ...) at a utilization in the u-th
    tenth. None where the machine or most waits are not known.
    """
    wait = workload.records[:, _WAIT]
    known = wait >= 0
    if workload.machine_processors is None or not len(workload) or known.mean() < 0.5:
        return None
    submit, start = workload.submit_s[known], (workload.submit_s + wait)[known]
    end = start + workload.run_s[known]
    given = workload.records[known, _ALLOCATED]
    width = np.where(given > 0, given, workload.processors[known]).astype(np.float64)
    waiting = np.arange(submit.size) - np.searchsorted(np.sort(start), submit, side="right")
    busy = _taken(start, width, submit) - _taken(end, width, submit)
    use = np.clip(busy / workload.machine_processors, 0.0, 1.0)
    queue = np.maximum(waiting, 0)
    kind = np.where(queue > 0, np.floor(np.log2(np.maximum(queue, 1))).astype(np.int64) + 1, 0)
    kind = np.minimum(kind, _QUEUE_CLASSES - 1)
    tenth = np.minimum((use * _LOAD_CLASSES).astype(np.int64), _LOAD_CLASSES - 1)
    jobs = np.bincount(kind * _LOAD_CLASSES + tenth, minlength=_QUEUE_CLASSES * _LOAD_CLASSES)
    first = [0, *(2**place for place in range(_QUEUE_CLASSES - 1))]
    return {
        "queue_from": first,
        "utilization_from": [place / _LOAD_CLASSES for place in range(_LOAD_CLASSES)],
        "jobs": jobs.reshape(_QUEUE_CLASSES, _LOAD_CLASSES).tolist(),
        "mean_utilization_seen": float(use.mean()),
    }


def _taken(at: Floats, width: Floats, when: Floats) -> Floats:
    """The sum of *width* of everything that has happened (*at*) up to each instant *when*."""
    order = np.argsort(at, kind="stable")
    upto = np.concatenate([[0.0], np.cumsum(width[order])])
    found: Floats = upto[np.searchsorted(at[order], when, side="right")]
    return found
