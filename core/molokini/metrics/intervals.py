"""How far a mean can be trusted: confidence intervals by batch means, and running averages.

After Feitelson (JSSPP 2001, section 3): job completions in their order are cut into batches, and the
means of the batches are treated as independent samples. Long queues make neighbouring jobs alike, so
batches must be long; whether they were long enough is reported with every interval.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from molokini.metrics.job_measures import DEFAULT_TAU_S, job_times, job_values
from molokini.metrics.student import t_quantile
from molokini.model.errors import BadValue
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Ints

BATCH_SIZE = 5000
"""Job completions in a batch (Feitelson, JSSPP 2001, after MacDougall)."""

FEWEST_BATCHES = 10
"""Where ``BATCH_SIZE`` gives fewer batches than this, the batches are made shorter ..."""

SHORTEST_BATCH = 100
"""... but not shorter than this: neighbouring batches of fewer jobs are too much alike."""

PRECISION = 0.10
"""The relative half width at which a mean is called converged."""

CONFIDENCE = 0.95
"""The default level of intervals."""

_ONE_SIDED_5_PERCENT = 1.6449  # of the normal distribution: only a positive correlation misleads


@dataclass(frozen=True)
class BatchMeans:
    """A mean over jobs and its confidence interval by batch means, in the unit of the values."""

    mean: float | None
    """Over all values; None where there are none."""
    values: int
    batch_size: int
    batches: int
    """Complete batches; the values after the last one enter ``mean`` only."""
    confidence: float
    batched_mean: float | None = None
    """Over the complete batches: the middle of the interval. None with fewer than two batches."""
    half_width: float | None = None
    low: float | None = None
    high: float | None = None
    relative_half_width: float | None = None
    """Half width over the magnitude of the batched mean; None where that is 0."""
    lag1_correlation: float | None = None
    """Between successive batch means; None with fewer than three batches or without variance."""
    converged: bool = False
    warning: str | None = None
    """Why the interval should not be relied upon, or why there is none; None where it is sound."""

    def as_dict(self) -> dict[str, float | int | str | bool | None]:
        """Every field under its name, ready for JSON."""
        return asdict(self)


def batch_size_for(values: int) -> int:
    """The batch size that is used for this many values unless one is given.

    5,000 as in the paper; where that makes fewer than 10 batches, a tenth of the values, but not
    fewer than 100. (Fewer than 200 values have no interval.) Then as much more as leaves fewer values
    over than there are batches: otherwise thousands of jobs at the end of a log would count in the
    mean, and not in the interval.
    """
    size = min(BATCH_SIZE, max(SHORTEST_BATCH, values // FEWEST_BATCHES))
    return values // max(1, values // size) if values >= size else size


def batch_means(
    values: Floats,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
    precision: float = PRECISION,
) -> BatchMeans:
    """The mean of *values*, which stand in order of completion, and its interval by batch means.

    *batch_size* None chooses by ``batch_size_for``. *confidence* is the level; *precision* the
    relative half width from which on the mean counts as converged.
    """
    _check(batch_size, confidence, precision)
    size = batch_size_for(values.size) if batch_size is None else batch_size
    batches = _batches(values, size)
    overall = float(values.mean()) if values.size else None
    plain = BatchMeans(overall, int(values.size), size, int(batches.size), confidence)
    if batches.size < 2:
        count = f"{values.size:,} value does" if values.size == 1 else f"{values.size:,} values do"
        return replace(plain, warning=f"no interval: {count} not fill two batches of {size:,}")
    middle = float(batches.mean())
    half = _half_width(float(batches.std(ddof=1)), batches.size, confidence)
    relative = half / abs(middle) if middle else None
    lag1 = _lag1(batches)
    warning = _warning(batches.size, half, relative, lag1, precision)
    return replace(
        plain,
        batched_mean=middle,
        half_width=half,
        low=middle - half,
        high=middle + half,
        relative_half_width=relative,
        lag1_correlation=lag1,
        converged=warning is None,
        warning=warning,
    )


def aggregate(
    values: Sequence[float], confidence: float = CONFIDENCE, precision: float = PRECISION
) -> BatchMeans:
    """The mean over independent replications (seeds) with its Student-t interval: batches of one.

    Replications have no order, so their correlation is left out.
    """
    found = batch_means(np.array(values, dtype=np.float64), 1, confidence, precision)
    if found.half_width is None:
        count = f"{found.values} replication{'' if found.values == 1 else 's'}"
        return replace(found, warning=f"no interval: {count}; an interval needs two or more")
    warning = _warning(found.batches, found.half_width, found.relative_half_width, None, precision)
    return replace(found, lag1_correlation=None, converged=warning is None, warning=warning)


def in_order_of_end(
    schedule: Schedule, metric: str = "response_s", tau_s: float = DEFAULT_TAU_S
) -> tuple[Ints, Floats]:
    """The rows and values of *metric* for the finished jobs, in order of completion (then of row)."""
    jobs, values = job_values(job_times(schedule), metric, tau_s)
    order = np.argsort(jobs.end_s, kind="stable")
    return jobs.row[order], values[order]


def mean_with_interval(
    schedule: Schedule,
    metric: str = "response_s",
    tau_s: float = DEFAULT_TAU_S,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
    precision: float = PRECISION,
) -> BatchMeans:
    """The mean of a job metric over *schedule* with its batch-means interval, jobs ordered by end."""
    _, values = in_order_of_end(schedule, metric, tau_s)
    return batch_means(values, batch_size, confidence, precision)


def running_average(values: Floats, points: int = 1000) -> tuple[Ints, Floats]:
    """The mean of the first n values, for at most about *points* n up to all of them."""
    count = np.unique(np.linspace(1, values.size, min(points, values.size)).astype(np.int64))
    if not values.size:
        return count[:0], np.zeros(0)
    return count, np.cumsum(values)[count - 1] / count


def running_interval(
    values: Floats, batch_size: int | None = None, confidence: float = CONFIDENCE, points: int = 500
) -> tuple[Ints, Floats, Floats]:
    """The interval as it was after n values: n, the mean over complete batches, and the half width.

    n runs from two batches on, at the end of a batch, at most about *points* of them.
    """
    _check(batch_size, confidence, PRECISION)
    size = batch_size_for(values.size) if batch_size is None else batch_size
    batches = _batches(values, size)
    if batches.size < 2:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    used = np.unique(np.linspace(2, batches.size, min(points, batches.size - 1)).astype(np.int64))
    centre = float(batches.mean())  # squares of what is left after it lose no digits
    first = np.cumsum(batches - centre)[used - 1]
    second = np.cumsum((batches - centre) ** 2)[used - 1]
    deviation = np.sqrt(np.maximum(second - first**2 / used, 0.0) / (used - 1))
    t = np.array([t_quantile(0.5 + confidence / 2, int(count) - 1) for count in used])
    return used * size, centre + first / used, t * deviation / np.sqrt(used)


def _half_width(deviation: float, samples: int, confidence: float) -> float:
    return t_quantile(0.5 + confidence / 2, samples - 1) * deviation / math.sqrt(samples)


def _batches(values: Floats, size: int) -> Floats:
    count = values.size // size
    means: Floats = values[: count * size].reshape(count, size).mean(axis=1)
    return means


def _lag1(batches: Floats) -> float | None:
    away = batches - batches.mean()
    variance = float(np.sum(away * away))
    if batches.size < 3 or variance <= 0:
        return None
    return float(np.sum(away[1:] * away[:-1])) / variance


def _warning(
    batches: int, half: float, relative: float | None, lag1: float | None, precision: float
) -> str | None:
    found = []
    if half > 0 and math.isfinite(precision) and (relative is None or relative > precision):
        size = "without bound" if relative is None else f"{relative:.0%}"
        found.append(f"the half width is {size} of the mean, more than {precision:.0%}")
    if lag1 is not None and lag1 > _ONE_SIDED_5_PERCENT / math.sqrt(batches):
        found.append(
            f"successive batches are correlated ({lag1:.2f}), so that the true interval is wider: "
            "take longer batches or more jobs"
        )
    return "not converged: " + "; ".join(found) if found else None


def _check(batch_size: int | None, confidence: float, precision: float) -> None:
    if batch_size is not None and batch_size < 1:
        raise BadValue("batch size", batch_size, "a whole number of jobs, 1 or more")
    if not 0 < confidence < 1:
        raise BadValue("confidence", confidence, "between 0 and 1, both not included")
    if not precision > 0:
        raise BadValue("precision", precision, "a positive share of the mean")
