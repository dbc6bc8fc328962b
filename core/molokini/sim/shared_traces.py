"""Traces in which one entry is about all running jobs, made into traces with an entry for each of them.

The engine of plain replays keeps one entry where a policy changes the rate of all jobs at once: under
processor sharing a million jobs have eighteen million changes of rate.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from molokini.sim.agenda import EVERY_JOB
from molokini.sim.schedule import Trace
from molokini.workloads.workload import Floats, Ints


def each_by_itself(trace: Trace, processors: Ints, ended_s: Floats) -> Trace:
    """*trace* with an entry for each running job in the place of each that is about all.

    *processors* is the width of each job, *ended_s* when it ended (NEVER: not yet). For replays in which a
    job has one entry of its own, at its start, and runs from then until it ends.
    """
    if not (trace.job == EVERY_JOB).any():
        return trace
    return LateTrace(lambda: _written_out(trace, processors, ended_s))


class LateTrace(Trace):
    """A trace that is made when it is first read: it may be twenty times as long as the workload."""

    def __init__(self, make: Callable[[], Trace]) -> None:
        self.__dict__["_make"] = make

    def __getattr__(self, name: str) -> Any:
        make = self.__dict__.pop("_make", None)
        if make is None:
            raise AttributeError(name)
        self.__dict__.update(vars(make()))
        return getattr(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Trace, tuple(getattr(self, one.name) for one in fields(Trace))


def _written_out(trace: Trace, processors: Ints, ended_s: Floats) -> Trace:
    shared = np.flatnonzero(trace.job == EVERY_JOB)
    job, count = _running(trace, shared, ended_s)
    # Where the entries of each old one begin in the new trace.
    sizes = np.ones(trace.job.size, dtype=np.int64)
    sizes[shared] = count
    old = np.repeat(np.arange(trace.job.size), sizes)
    jobs, occupied = trace.job[old], trace.occupied[old]
    of_all = jobs == EVERY_JOB
    jobs[of_all] = job
    rate = trace.rate[old]
    occupied[of_all] = processors[job] * rate[of_all]
    nothing = np.broadcast_to(np.int64(0), old.shape)
    return replace(
        trace,
        time_s=trace.time_s[old],
        job=jobs,
        rate=rate,
        occupied=occupied,
        stall_s=np.broadcast_to(np.float64(0.0), old.shape),
        rows=nothing,
        home=nothing,
        turns=nothing,
    )


def _running(trace: Trace, shared: Ints, ended_s: Floats) -> tuple[Ints, Ints]:
    """The jobs that run at each entry of *shared*, one after another, and how many these are at each.

    A job that ends at an instant has left before the pass of that instant.
    """
    own = np.flatnonzero(trace.job != EVERY_JOB)
    job = trace.job[own]
    first = np.searchsorted(shared, own)
    last = np.maximum(first, np.searchsorted(trace.time_s[shared], ended_s[job]))
    length = last - first
    begin = np.cumsum(length) - length
    entry = np.repeat(first - begin, length) + np.arange(length.sum())
    order = np.argsort(entry, kind="stable")
    return np.repeat(job, length)[order], np.bincount(entry, minlength=shared.size)
