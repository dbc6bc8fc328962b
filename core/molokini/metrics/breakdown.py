"""The same metrics for parts of the jobs: by size, user, group, queue or run time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from molokini.metrics.job_measures import DEFAULT_TAU_S, JobTimes, checked_tau, job_times
from molokini.metrics.measures import Number, job_measures
from molokini.model.errors import UnknownName
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Ints, Workload

RUN_TIME_CLASSES: tuple[tuple[float, str], ...] = (
    (60.0, "under 1 min"),
    (600.0, "1-10 min"),
    (3600.0, "10-60 min"),
    (6 * 3600.0, "1-6 h"),
    (24 * 3600.0, "6-24 h"),
    (np.inf, "1 day or more"),
)
"""Upper bounds in seconds (not included) and names of the run-time classes."""

NAMED = frozenset({"user", "group", "queue", "account", "partition", "qos"})
"""Kinds of classes to which a log may give names."""
UNKNOWN = "unknown"
"""The name of the class of jobs of which a log does not tell whose they are."""


def size_class(processors: Ints) -> Ints:
    """The class of each size: 0 for 1 processor, 1 for 2, 2 for 3-4, 3 for 5-8, ... (powers of two)."""
    # frexp is exact where a logarithm of 2**k may fall short of k.
    return np.frexp(np.maximum(processors, 1).astype(np.float64) - 0.5)[1].astype(np.int64)


def size_class_name(index: int) -> str:
    """The sizes of a class in words: "1", "2", "3-4", "5-8", ..."""
    if index <= 1:
        return str(index + 1)
    return f"{2 ** (index - 1) + 1}-{2**index}"


def run_time_class(run_s: Floats) -> Ints:
    """The index into ``RUN_TIME_CLASSES`` of each run time in seconds."""
    bounds = np.array([bound for bound, _ in RUN_TIME_CLASSES])
    return np.searchsorted(bounds, run_s, side="right").astype(np.int64)


def breakdown(
    schedule: Schedule, by: str = "size", tau_s: float = DEFAULT_TAU_S
) -> list[dict[str, Number | str]]:
    """One row a class: class, name, jobs, share_of_jobs, share_of_work and the job metrics.

    The class of a user, group or queue is its number, and the name what the log calls it: the number again
    where it has no names, ``UNKNOWN`` where it does not tell. *by* is ``size``, ``user``, ``group``,
    ``queue``, ``partition`` (the queue in which it ran), ``account``, ``qos`` or ``run_time``. Only finished
    jobs are counted, and only classes that have one are listed, in order of size, number or run time.
    ``share_of_work`` is the share of all processor-seconds, None where there are none.
    """
    if by not in _CLASSES:
        raise UnknownName("breakdown", by, _CLASSES)
    checked_tau(tau_s)
    times = job_times(schedule)
    if not len(times):
        return []
    key, name = _CLASSES[by]
    keys = key(schedule, times)
    order = np.argsort(keys, kind="stable")
    present, first = np.unique(keys[order], return_index=True)
    groups = np.split(order, first[1:])
    work = times.processors * times.run_s
    total = float(work.sum())
    return [
        {
            "class": name(int(value)),
            "name": _called(schedule.workload, by, int(value)) if by in NAMED else name(int(value)),
            "jobs": int(rows.size),
            "share_of_jobs": rows.size / len(times),
            "share_of_work": float(work[rows].sum()) / total if total > 0 else None,
            **job_measures(times.take(rows), tau_s),
        }
        for value, rows in zip(present, groups, strict=True)
    ]


def _called(workload: Workload, kind: str, number: int) -> str:
    return workload.name_of_number("queue" if kind == "partition" else kind, number) or UNKNOWN


def _recorded(kind: str) -> Callable[[Schedule, JobTimes], Ints]:
    """The account, or the QoS, of each job, as its record says; -1: it says none."""

    def of(schedule: Schedule, times: JobTimes) -> Ints:
        told = schedule.workload.recorded
        if told is None:
            return np.full(len(times), -1, dtype=np.int64)
        numbers: Ints = getattr(told, kind)[times.row]
        return numbers

    return of


def every_class(policies: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """For each class with a job that ended, the row of the policy under which most jobs of it ended.

    *policies* have the rows of ``breakdown``, of one workload by one kind of class. A policy under which jobs
    never end may lack classes that another has.
    """
    order: list[Any] = []
    fullest: dict[Any, Mapping[str, Any]] = {}
    for rows in sorted(policies.values(), key=len, reverse=True):
        at = 0
        for row in rows:
            name = row["class"]
            if name not in fullest:
                order.insert(at, name)
            at = order.index(name) + 1
            if name not in fullest or row["jobs"] > fullest[name]["jobs"]:
                fullest[name] = row
    return [fullest[name] for name in order]


_CLASSES: Mapping[str, tuple[Callable[[Schedule, JobTimes], Ints], Callable[[int], str]]] = {
    "size": (lambda schedule, times: size_class(times.processors), size_class_name),
    "user": (lambda schedule, times: schedule.workload.user[times.row], str),
    "group": (lambda schedule, times: schedule.workload.group[times.row], str),
    "queue": (lambda schedule, times: schedule.workload.queue[times.row], str),
    "partition": (lambda schedule, times: schedule.queue[times.row], str),
    "account": (_recorded("account"), str),
    "qos": (_recorded("qos"), str),
    "run_time": (
        lambda schedule, times: run_time_class(times.run_s),
        lambda index: RUN_TIME_CLASSES[index][1],
    ),
}
