"""What is in a workload, as plain values ready for JSON, and cutoffs for size-interval assignment."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.arrivals import hours_of_day
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import SWF_FIELDS, Floats, Ints, Workload

SCHEMA = "molokini.workload/1"

_PERCENTILES = {"p5": 5, "p25": 25, "median": 50, "p75": 75, "p95": 95, "p99": 99}


def workload_info(workload: Workload) -> dict[str, Any]:
    """What a user wants to know about a log before a simulation; undefined figures are None."""
    machine = workload.machine_processors
    return {
        "schema": SCHEMA,
        "file": workload.name,
        "header": [{"label": label, "value": value} for label, value in workload.header.labels],
        "jobs": len(workload),
        "skipped": dict(workload.skipped),
        "notes": dict(workload.notes),
        "span": _span(workload),
        "machine": {"processors": machine},
        "sizes": _sizes(workload),
        "run_s": distribution(workload.run_s),
        "estimate_s": distribution(workload.estimate_s),
        "estimates": _estimates(workload),
        "zero_run_jobs": int((workload.run_s == 0).sum()),
        "users": _distinct(workload.user),
        "groups": _distinct(workload.group),
        "queues": _distinct(workload.queue),
        "arrivals": _arrivals(workload),
        "work_processor_s": _defined(float(workload.processors @ workload.run_s)),
        "offered_load": None if machine is None else offered_load(workload, machine),
    }


def distribution(values: Floats) -> dict[str, float | None]:
    """Mean, coefficient of variation, extremes and percentiles of some seconds (or of anything)."""
    if values.size == 0:
        return dict.fromkeys(("mean", "cv", "min", *_PERCENTILES, "max"))
    mean = float(values.mean())
    cuts = np.percentile(values, list(_PERCENTILES.values()))
    return {
        "mean": _defined(mean),
        "cv": _defined(float(values.std()) / mean) if mean else None,
        "min": float(values.min()),
        **dict(zip(_PERCENTILES, map(float, cuts), strict=True)),
        "max": float(values.max()),
    }


def sita_cutoffs(workload: Workload, hosts: int, *, by_estimate: bool = False) -> list[float]:
    """The hosts - 1 run times that cut the jobs into *hosts* intervals of equal total work.

    SITA-E of Crovella, Harchol-Balter and Murta: host k takes the jobs longer than cutoff k - 1 and
    no longer than cutoff k. Work is processor-seconds. Jobs of one run time stay together, so the
    shares are as equal as they can be; a cutoff that repeats leaves a host without jobs. With
    *by_estimate* the intervals are of estimates, which is what a policy sees; the work in them is
    still the true one.
    """
    if hosts < 1:
        raise BadValue("hosts", hosts, "a whole number of 1 or more")
    size = workload.estimate_s if by_estimate else workload.run_s
    lengths, group = np.unique(size, return_inverse=True)
    work = np.bincount(group, weights=workload.processors * workload.run_s, minlength=len(lengths))
    done = np.cumsum(work)
    if done.size == 0 or done[-1] <= 0:
        raise BadValue("workload", workload.name, "one with work in it, to be cut in equal parts")
    wanted = done[-1] * np.arange(1, hosts) / hosts
    after = np.minimum(np.searchsorted(done, wanted), len(lengths) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.where(wanted - done[before] <= done[after] - wanted, before, after)
    return [float(length) for length in lengths[nearer]]


def _span(workload: Workload) -> dict[str, float | None]:
    if len(workload) == 0:
        return {"first_submit_s": None, "last_submit_s": None, "days": None}
    first, last = float(workload.submit_s[0]), float(workload.submit_s[-1])
    return {"first_submit_s": first, "last_submit_s": last, "days": (last - first) / 86400.0}


def _sizes(workload: Workload) -> dict[str, Any]:
    sizes = workload.processors
    if sizes.size == 0:
        return {**dict.fromkeys(("min", "mean", "median", "max", "power_of_two_share")), "classes": []}
    return {
        "min": int(sizes.min()),
        "mean": float(sizes.mean()),
        "median": float(np.median(sizes)),
        "max": int(sizes.max()),
        "power_of_two_share": float(((sizes & (sizes - 1)) == 0).mean()),
        "classes": _size_classes(workload),
    }


def _size_classes(workload: Workload) -> list[Mapping[str, float | None]]:
    """Jobs and work of 1, 2, 3-4, 5-8, ... processors; classes without jobs are listed too."""
    index = np.ceil(np.log2(workload.processors)).astype(np.int64)
    jobs = np.bincount(index)
    work = np.bincount(index, weights=workload.processors * workload.run_s)
    total = work.sum()
    return [
        {
            "from_processors": 1 if exponent == 0 else 2 ** (exponent - 1) + 1,
            "to_processors": 2**exponent,
            "jobs": int(jobs[exponent]),
            "work_share": float(work[exponent] / total) if total else None,
        }
        for exponent in range(len(jobs))
    ]


def _estimates(workload: Workload) -> dict[str, float | None]:
    """How good the estimates are that the log gives (a run time in place of one says nothing).

    Accuracy is run time over estimate, at most 1, of jobs that ran at all.
    """
    given = workload.records[:, SWF_FIELDS.index("requested_s")] > 0
    run, estimate = workload.run_s[given], workload.estimate_s[given]
    accuracy = np.minimum(run / estimate, 1.0)[run > 0]
    return {
        "jobs_with_estimate": int(given.sum()),
        "past_estimate_share": float((run > estimate).mean()) if given.any() else None,
        "mean_accuracy": float(accuracy.mean()) if accuracy.size else None,
        "median_accuracy": float(np.median(accuracy)) if accuracy.size else None,
    }


def _arrivals(workload: Workload) -> dict[str, Any]:
    hours, clock = hours_of_day(workload)
    gaps = distribution(np.diff(workload.submit_s))
    return {
        "clock": clock,
        "jobs_per_hour_of_day": np.bincount(hours, minlength=24).tolist(),
        "interarrival_s": gaps,
    }


def _distinct(ids: Ints) -> int:
    """How many different known ids there are."""
    return int(np.unique(ids[ids >= 0]).size)


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
