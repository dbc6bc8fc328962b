"""One schedule in numbers: every metric under its name in machine-readable results.

Per-job metrics after Feitelson (JSSPP 2001, section 4); utilization and loss of capacity after
Zhang, Franke, Moreira and Sivasubramaniam (JSSPP 2001, equations 1 and 2).
"""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from molokini.metrics.grid_losses import lost_s, on_grid
from molokini.metrics.interruptions import interruption_measures
from molokini.metrics.job_measures import DEFAULT_TAU_S, JobTimes, checked_tau, job_times
from molokini.metrics.overload import overload_measures
from molokini.metrics.row_measures import in_rows, row_measures, useful_processors, without_switches
from molokini.metrics.timelines import (
    Steps,
    away_processors,
    busy_processors,
    idle_processors,
    integral,
    product,
    queue_length,
    span,
    waiting_processors,
    within,
)
from molokini.model.decisions import Refusal
from molokini.model.errors import UnknownName
from molokini.sim.schedule import ALL_TIME, Schedule
from molokini.workloads.workload import Floats

Number: TypeAlias = float | int | None
"""A metric; None where it is not defined."""

Measures: TypeAlias = dict[str, Number | dict[str, int]]
"""Metrics by name; every value is a number or None but ``refused``, which counts by reason."""


def measure(schedule: Schedule, tau_s: float = DEFAULT_TAU_S) -> Measures:
    """Every metric of *schedule*; times in seconds, percentiles interpolated linearly.

    *tau_s* is the threshold of the bounded slowdowns. A metric that is not defined (no finished
    job, no span of time) is None, never NaN. Averages over time run from the first submit to the
    last end, a span of ``makespan_s``; or over the part of it that counts.
    """
    checked_tau(tau_s)
    times = job_times(schedule)
    system = {**_deadlines(schedule), **_system(schedule)}
    told = {**interruption_measures(schedule), **overload_measures(schedule)}
    return {**_counts(schedule), **job_measures(times, tau_s), **system, "tau_s": tau_s, **told}


def number(measures: Measures, name: str) -> Number:
    """The metric *name* as a number; None where it is not defined. UnknownName for anything else."""
    value = measures.get(name, {})
    if isinstance(value, dict):
        raise UnknownName(
            "metric", name, [known for known, held in measures.items() if not isinstance(held, dict)]
        )
    return value


def mean(values: Floats) -> float | None:
    """The arithmetic mean; None where there are no values."""
    return float(values.mean()) if values.size else None


def geometric_mean(values: Floats) -> float | None:
    """The geometric mean of the values above 0, or None where there is none."""
    positive = values[values > 0]
    return float(np.exp(np.log(positive).mean())) if positive.size else None


def job_measures(times: JobTimes, tau_s: float = DEFAULT_TAU_S) -> dict[str, Number]:
    """The metrics that are statistics over jobs, for any group of finished jobs."""
    ran = times.ran()
    measures: dict[str, Number] = {"zero_run_jobs": len(times) - len(ran)}
    measures |= _spread("wait_s", times.wait_s)
    measures |= _spread("response_s", times.response_s)
    measures["geometric_mean_response_s"] = geometric_mean(ran.response_s)
    measures |= _spread("slowdown", ran.slowdown())
    measures |= _spread("bounded_slowdown", times.bounded_slowdown(tau_s))
    measures["mean_per_processor_slowdown"] = mean(times.per_processor_slowdown(tau_s))
    return measures


def loss_of_capacity(schedule: Schedule) -> float | None:
    """Share of the machine that stood empty while some job waited (Zhang et al., equation 2).

    In rows of a matrix the part of it that context switches took counts, too (equation 3): slice by slice
    where rows have the processors in turn, else on average.

    Processors held are those of running jobs; a suspended job holds none, and does not count as
    waiting; processors that an outage has taken are not there to be lost. The sum between scheduling
    events is taken exactly, starts at other instants included.
    """
    ends = span(schedule)
    busy = without_switches(schedule, busy_processors(schedule))
    return None if ends is None else _loss(schedule, ends, busy, queue_length(schedule))


def _loss(schedule: Schedule, ends: tuple[float, float], busy: Steps, queue: Steps) -> float | None:
    capacity = schedule.processors * (ends[1] - ends[0])
    if capacity <= 0:
        return None
    waiting = Steps(queue.times, (queue.values > 0).astype(np.float64))
    if on_grid(schedule):
        return lost_s(schedule, ends, waiting) / capacity
    empty = idle_processors(schedule, busy, ends[0])
    return integral(product(empty, waiting), *ends) / capacity


def _counts(schedule: Schedule) -> Measures:
    counted = schedule.counted
    finished, refused = schedule.finished & counted, schedule.refused_rows & counted
    killed = finished & (schedule.run_s < schedule.workload.run_s)
    return {
        "jobs": int(np.count_nonzero(counted)),
        "finished_jobs": int(np.count_nonzero(finished)),
        "unfinished_jobs": int(np.count_nonzero(counted & ~finished & ~refused)),
        "killed_jobs": int(np.count_nonzero(killed)),
        "refused_jobs": int(np.count_nonzero(refused)),
        "started_jobs": int(np.count_nonzero(np.isfinite(schedule.start_s) & counted)),
        "refused": {reason: int(count) for reason, count in sorted(_refused(schedule).items())},
    }


def _refused(schedule: Schedule) -> Mapping[str, int]:
    """Refused jobs by reason, of those that count."""
    if schedule.counted_s == ALL_TIME or schedule.refusals is None:
        return schedule.refused
    found = schedule.refusals[schedule.counted & schedule.refused_rows]
    return {Refusal(int(code)).name.lower(): int((found == code).sum()) for code in np.unique(found)}


def _deadlines(schedule: Schedule) -> dict[str, Number]:
    """Rejections and missed deadlines of divisible loads; nothing for other workloads."""
    workload, counted = schedule.workload, schedule.counted
    if workload.loads is None:
        return {}
    jobs, finished = int(np.count_nonzero(counted)), schedule.finished & counted
    refused = schedule.refused_rows & counted
    late = schedule.end_s[finished] > (workload.submit_s + workload.loads.deadline_s)[finished]
    return {
        "reject_ratio": float(np.count_nonzero(refused)) / jobs if jobs else None,
        "missed_deadlines": int(np.count_nonzero(late)),
        "mean_nodes": mean(workload.processors[finished].astype(np.float64)),
    }


def _system(schedule: Schedule) -> dict[str, Number]:
    """The metrics that are averages over time, and not over jobs."""
    ends = span(schedule)
    if ends is None:
        return dict.fromkeys(_SYSTEM)
    length = ends[1] - ends[0]
    occupied, queue, wanted = busy_processors(schedule), queue_length(schedule), waiting_processors(schedule)
    busy = without_switches(schedule, occupied)
    rows = in_rows(schedule)
    held = useful_processors(schedule, ends, busy) if rows else _average(busy, ends)
    available_s = schedule.processors * length - integral(away_processors(schedule), *ends)
    finished = int(np.count_nonzero((schedule.end_s >= ends[0]) & (schedule.end_s <= ends[1])))
    values: tuple[Number, ...] = (
        *ends,
        length,
        None if held is None else held / schedule.processors,
        _loss(schedule, ends, busy, queue),
        _average(queue, ends),
        int(within(queue, *ends).values.max()),
        _average(wanted, ends),
        int(within(wanted, *ends).values.max()),
        held,
        finished * 3600.0 / length if length > 0 else None,
        available_s,
        held * length / available_s if held is not None and available_s > 0 else None,
    )
    return {**dict(zip(_SYSTEM, values, strict=True)), **row_measures(schedule, ends, occupied)}


_SYSTEM = (
    "first_submit_s",
    "last_end_s",
    "makespan_s",
    "utilization",
    "loss_of_capacity",
    "mean_queue_length",
    "max_queue_length",
    "mean_waiting_processors",
    "max_waiting_processors",
    "mean_busy_processors",
    "throughput_jobs_per_hour",
    "available_processor_s",
    "utilization_of_available",
)


def _spread(name: str, values: Floats) -> dict[str, Number]:
    percents = {"median": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}
    found = np.percentile(values, list(percents.values())).tolist() if values.size else [None] * len(percents)
    return {
        f"mean_{name}": mean(values),
        **{f"{kind}_{name}": value for kind, value in zip(percents, found, strict=True)},
    }


def _average(steps: Steps, ends: tuple[float, float]) -> float | None:
    length = ends[1] - ends[0]
    return integral(steps, *ends) / length if length > 0 else None
