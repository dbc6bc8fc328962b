"""How long a run must be: when the interval of each mean is narrow enough, and whether that can be believed.

Feitelson (JSSPP 2001, sections 3 and 5): the relative size of an interval does not only fall. So the report
has the first and the second count of completions at which it falls below the precision, the means there, the
final mean, and the counts at which a narrow interval does not hold the final mean. The size is the half width
over the mean; the paper does not say which width it means.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from molokini.metrics.intervals import CONFIDENCE, batch_size_for, in_order_of_end, running_interval
from molokini.metrics.measures import geometric_mean
from molokini.model.errors import BadValue
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Ints

TAUS_S = (10.0, 60.0, 600.0)
"""Thresholds of bounded slowdowns that are told."""


@dataclass(frozen=True)
class Tracked:
    """A mean that is followed as jobs complete."""

    name: str
    metric: str
    """Of ``JOB_METRICS``."""
    tau_s: float = 10.0
    geometric: bool = False


TRACKED: tuple[Tracked, ...] = (
    Tracked("mean_wait_s", "wait_s"),
    Tracked("mean_response_s", "response_s"),
    Tracked("geometric_mean_response_s", "response_s", geometric=True),
    Tracked("mean_slowdown", "slowdown"),
    *(Tracked(f"mean_bounded_slowdown_{tau:g}", "bounded_slowdown", tau) for tau in TAUS_S),
    *(Tracked(f"mean_per_processor_slowdown_{tau:g}", "per_processor_slowdown", tau) for tau in TAUS_S),
)
"""All metrics of the paper, with each threshold."""


@dataclass(frozen=True)
class Running:
    """A mean and its interval as they were after so many completions."""

    name: str
    completed: Ints
    mean: Floats
    low: Floats
    high: Floats
    size: Floats
    """Half of the interval over the mean; infinite where that is 0."""
    final: float | None
    """Over all values; None where there are none."""


@dataclass(frozen=True)
class Crossing:
    """Where the size of an interval falls below the precision."""

    completed: int
    mean: float


@dataclass(frozen=True)
class Settled:
    """The crossing report of one metric."""

    metric: str
    values: int
    final_mean: float | None
    final_size: float | None
    """Half width over mean at the end; None without an interval."""
    first: Crossing | None
    second: Crossing | None
    largest_size_after_first: float | None
    """How wide the interval is again after it was narrow enough."""
    points: int
    """Counts of completions at which the interval was narrow enough ..."""
    missed: tuple[int, ...]
    """... and those of them at which it did not hold the final mean."""

    def as_dict(self) -> dict[str, object]:
        """Every field under its name, ready for JSON."""
        return asdict(self)


def running_of(
    schedule: Schedule,
    tracked: Tracked,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
    points: int = 500,
) -> Running:
    """How *tracked* went as the jobs of *schedule* completed."""
    _, values = in_order_of_end(schedule, tracked.metric, tracked.tau_s)
    return followed(tracked.name, values, tracked.geometric, batch_size, confidence, points)


def followed(
    name: str,
    values: Floats,
    geometric: bool = False,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
    points: int = 500,
) -> Running:
    """How the mean of *values* went, which stand in order of completion.

    A geometric mean is followed by its logarithm: values of 0 are left out, its interval is not symmetric.
    """
    if not geometric:
        count, middle, half = running_interval(values, batch_size, confidence, points)
        size = np.where(middle != 0, half / np.where(middle != 0, np.abs(middle), 1.0), np.inf)
        final = float(values.mean()) if values.size else None
        return Running(name, count, middle, middle - half, middle + half, size, final)
    positive = values[values > 0]
    count, middle, half = running_interval(np.log(positive), batch_size, confidence, points)
    low, high = np.exp(middle - half), np.exp(middle + half)
    mean = np.exp(middle)
    return Running(name, count, mean, low, high, (high - low) / (2.0 * mean), geometric_mean(positive))


def settled(running: Running, values: int, precision: float) -> Settled:
    """The crossing report of *running* for this precision."""
    checked_precision(precision)
    narrow = running.size < precision
    begins = np.flatnonzero(narrow & ~np.concatenate([[False], narrow[:-1]]))
    crossings = [Crossing(int(running.completed[k]), float(running.mean[k])) for k in begins[:2]]
    after = running.size[begins[0] :] if begins.size else running.size[:0]
    missed: Sequence[int] = ()
    if running.final is not None:
        outside = narrow & ((running.final < running.low) | (running.final > running.high))
        missed = running.completed[outside].tolist()
    last = float(running.size[-1]) if running.size.size and np.isfinite(running.size[-1]) else None
    wide = float(after.max()) if after.size and np.isfinite(after.max()) else None
    return Settled(
        metric=running.name,
        values=values,
        final_mean=running.final,
        final_size=last,
        first=crossings[0] if crossings else None,
        second=crossings[1] if len(crossings) > 1 else None,
        largest_size_after_first=wide,
        points=int(narrow.sum()),
        missed=tuple(missed),
    )


def settling(
    schedule: Schedule, precision: float, batch_size: int | None = None, confidence: float = CONFIDENCE
) -> list[Settled]:
    """The crossing report of every metric of ``TRACKED``. Raises BadValue for a precision of 0 or less."""
    checked_precision(precision)
    found = []
    for one in TRACKED:
        _, values = in_order_of_end(schedule, one.metric, one.tau_s)
        count = int(np.count_nonzero(values > 0)) if one.geometric else int(values.size)
        running = followed(one.name, values, one.geometric, batch_size, confidence)
        found.append(settled(running, count, precision))
    return found


def checked_precision(precision: float) -> float:
    """*precision*, if it is a share of the mean above 0; BadValue else."""
    if not 0.0 < precision < 1.0:
        raise BadValue("precision", precision, "a share of the mean, above 0 and below 1")
    return precision


def certain_after(
    differences: Floats, batch_size: int | None = None, confidence: float = CONFIDENCE
) -> int | None:
    """From how many jobs on the interval of the mean of *differences* keeps clear of 0 to the end.

    None where it holds 0 at the end, or there is no interval: the ranking is not certain.
    """
    size = batch_size_for(differences.size) if batch_size is None else batch_size
    count, middle, half = running_interval(differences, size, confidence, max(1, differences.size // size))
    unclear = np.flatnonzero(np.abs(middle) <= half)
    if not count.size or (unclear.size and unclear[-1] == count.size - 1):
        return None
    # On the other side of 0 it would be certain of the contrary.
    other = np.flatnonzero(np.sign(middle) != np.sign(middle[-1]))
    last = max([*unclear[-1:].tolist(), *other[-1:].tolist()], default=-1)
    return int(count[last + 1])


@dataclass(frozen=True)
class Coverage:
    """How often an interval held the true value, over independent runs."""

    runs: int
    held: int
    share: float
    low: float
    """Of the share, by Wilson's interval of 95%."""
    high: float


def coverage(intervals: Sequence[tuple[float, float]], true: float) -> Coverage:
    """How many of *intervals* hold *true*, and how certain that share is."""
    runs = len(intervals)
    if not runs:
        raise BadValue("intervals", 0, "one at least")
    held = sum(low <= true <= high for low, high in intervals)
    share, z = held / runs, 1.959963984540054
    middle = (share + z * z / (2 * runs)) / (1 + z * z / runs)
    half = z * np.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs)) / (1 + z * z / runs)
    return Coverage(runs, held, share, float(max(0.0, middle - half)), float(min(1.0, middle + half)))
