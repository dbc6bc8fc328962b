"""Differences between policies, paired job by job or seed by seed, and whether they mean something.

Two policies that ran the same jobs share the workload's bursts. The difference job by job leaves the
bursts out, so that its interval is narrower than those of the two means; it is found by batch means
(Feitelson, JSSPP 2001) over the jobs in order of submission.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from molokini.metrics.cells import JOB_METRICS_COMPARED
from molokini.metrics.intervals import CONFIDENCE, BatchMeans, aggregate, batch_means
from molokini.metrics.job_measures import DEFAULT_TAU_S, JobTimes, job_times, job_values
from molokini.metrics.labels import labels
from molokini.metrics.needed import samples_needed
from molokini.metrics.settling import certain_after
from molokini.model.errors import BadValue
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats

HIGHER_IS_BETTER = frozenset(
    {"utilization", "throughput_jobs_per_hour", "mean_busy_processors", "finished_jobs"}
)
"""The metrics of ``measure`` for which higher is better; for all others lower is."""

BETTER, WORSE, UNCLEAR = "better", "worse", "no clear difference"
"""The verdicts: the whole interval of the difference on one side of 0, or not."""
BELOW = "below the distance from the log"
"""The verdict where the baseline itself is as far from what was recorded as the policy is from it."""
WITHIN = "within the band of the phases"
"""The verdict where other phases of timers alone could make the difference 0."""

NOTICED_S = 1.0
"""A job is better or worse off where its response time changes by more than this many seconds."""


@dataclass(frozen=True)
class Difference:
    """How far a policy's mean of one metric is from the baseline's, over what both have."""

    metric: str
    baseline_mean: float | None
    mean: float | None
    difference: float | None
    """Policy minus baseline, in the metric's unit."""
    low: float | None
    high: float | None
    """The interval of the difference; None where there are too few samples."""
    relative_change: float | None
    """The difference over the magnitude of the baseline's mean; None where that is 0."""
    verdict: str
    """``better``, ``worse`` or ``no clear difference``, for the policy."""
    samples: int
    """Batches or replications behind the interval."""
    batch_size: int | None
    """Jobs in a batch; None for replications."""
    warning: str | None
    certain_after_jobs: int | None = None
    """From how many jobs on the interval keeps clear of 0; None: it does not, or these are replications."""
    needed: int | None = None
    """About how many more jobs, or seeds, until it does, if mean and spread stay; 0: it does already.

    None where the means are the same, or where there is no interval.
    """


@dataclass(frozen=True)
class Comparison:
    """One policy against the baseline, over the jobs that finished under both."""

    policy: str
    baseline: str
    paired_jobs: int
    only_baseline_jobs: int
    """Jobs that finished under the baseline alone."""
    only_policy_jobs: int
    better_jobs: int
    """Jobs whose response time is shorter by more than 1 s."""
    worse_jobs: int
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, object]:
        """Every field under its name, the differences as a list of dicts, ready for JSON."""
        return {**asdict(self), "differences": [asdict(one) for one in self.differences]}


def compare_schedules(
    baseline: Schedule,
    others: Sequence[Schedule],
    metrics: Sequence[str] = JOB_METRICS_COMPARED,
    tau_s: float = DEFAULT_TAU_S,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
) -> list[Comparison]:
    """Each of *others* against *baseline*, which must have run the same jobs (the same numbers in the
    same rows); *metrics* are names of ``JOB_METRICS``.

    *batch_size* None chooses by ``batch_size_for``.
    """
    names = labels([baseline, *others])
    return [
        _compared(baseline, other, names[0], name, metrics, (tau_s, batch_size, confidence))
        for other, name in zip(others, names[1:], strict=True)
    ]


def compare_replications(
    metric: str,
    baseline: Mapping[int, float | None],
    other: Mapping[int, float | None],
    confidence: float = CONFIDENCE,
) -> Difference:
    """A metric of ``measure`` under two policies, over seeds that both ran, paired by seed.

    Keys are seeds, values the metric; seeds where either has none are left out.
    """
    pairs = [
        (before, after)
        for seed in sorted(baseline.keys() & other.keys())
        if (before := baseline[seed]) is not None and (after := other[seed]) is not None
    ]
    before_all, after_all = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    found = aggregate((after_all - before_all).tolist(), confidence, math.inf)
    return _difference(metric, before_all, after_all, found, batch_size=None)


def verdict(metric: str, low: float | None, high: float | None) -> str:
    """What an interval of the difference says of a policy: better, worse, or no clear difference."""
    if low is None or high is None or low <= 0 <= high:
        return UNCLEAR
    return BETTER if (low > 0) == (metric in HIGHER_IS_BETTER) else WORSE


def _compared(
    baseline: Schedule,
    other: Schedule,
    baseline_name: str,
    name: str,
    metrics: Sequence[str],
    settings: tuple[float, int | None, float],
) -> Comparison:
    if not np.array_equal(baseline.workload.number, other.workload.number):
        raise BadValue("schedules", f"{baseline_name}, {name}", "of the same jobs to be compared job by job")
    counted = baseline.counted & other.counted
    both = baseline.finished & other.finished & counted
    before, after = _paired(baseline, both), _paired(other, both)
    gained = before.response_s - after.response_s
    return Comparison(
        policy=name,
        baseline=baseline_name,
        paired_jobs=int(np.count_nonzero(both)),
        only_baseline_jobs=int(np.count_nonzero(baseline.finished & counted & ~both)),
        only_policy_jobs=int(np.count_nonzero(other.finished & counted & ~both)),
        better_jobs=int(np.count_nonzero(gained > NOTICED_S)),
        worse_jobs=int(np.count_nonzero(gained < -NOTICED_S)),
        differences=tuple(_paired_difference(metric, before, after, *settings) for metric in metrics),
    )


def _paired(schedule: Schedule, both: np.typing.NDArray[np.bool_]) -> JobTimes:
    times = job_times(schedule)
    return times.take(both[times.row])


def _paired_difference(
    metric: str, before: JobTimes, after: JobTimes, tau_s: float, batch_size: int | None, confidence: float
) -> Difference:
    if metric == "slowdown":
        # Work that was cut short under one policy alone may be 0 there only.
        ran = (before.run_s > 0) & (after.run_s > 0)
        before, after = before.take(ran), after.take(ran)
    _, old = job_values(before, metric, tau_s)
    _, new = job_values(after, metric, tau_s)
    found = batch_means(new - old, batch_size, confidence, math.inf)
    told = _difference(f"mean_{metric}", old, new, found, found.batch_size)
    return replace(told, certain_after_jobs=certain_after(new - old, found.batch_size, confidence))


def _difference(
    metric: str, old: Floats, new: Floats, found: BatchMeans, batch_size: int | None
) -> Difference:
    baseline_mean = float(old.mean()) if old.size else None
    samples = samples_needed(found.mean, found.half_width, found.batches)
    return Difference(
        metric=metric,
        baseline_mean=baseline_mean,
        mean=float(new.mean()) if new.size else None,
        difference=found.mean,
        low=found.low,
        high=found.high,
        relative_change=found.mean / abs(baseline_mean) if baseline_mean and found.mean is not None else None,
        verdict=verdict(metric, found.low, found.high),
        samples=found.batches,
        batch_size=batch_size,
        warning=found.warning,
        needed=None if samples is None else (samples - found.batches) * (batch_size or 1),
    )
