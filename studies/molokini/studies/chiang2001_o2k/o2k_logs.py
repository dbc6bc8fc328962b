"""What the logs of other machines say to the claims: gaps of stationary periods, run times, requests, memory.

As in section 4.1 a weekday has a peak, an intermediate and a low period; gaps are taken inside one of them
alone, and month by month, since rates change over the months of a log.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadInput
from molokini.studies.chiang2001_o2k.o2k_measures import FITTED, PIECES
from molokini.studies.log_files import Log, jobs_of, logs_in
from molokini.studies.study import Row
from molokini.workloads.calendar import calendar
from molokini.workloads.distributions import LogUniform
from molokini.workloads.downtime import downtimes
from molokini.workloads.fits.candidates import Fits, fit_all, judged
from molokini.workloads.statistics.people import correlations, memory
from molokini.workloads.statistics.rhythm import hours_of_week
from molokini.workloads.statistics.tails import tail
from molokini.workloads.workload import Floats, Workload

PERIODS = {"peak": (9, 17), "middle": (18, 24), "low": (0, 8)}
"""Hours of a weekday; section 4.2 leaves out 8 to 9 and 17 to 18 h for gaps."""
RATES = {"peak": (8, 18), "middle": (18, 24), "low": (0, 8)}
"""The same for rates of arrivals."""
FEWEST_GAPS = 100
"""In a month's periods of one kind; where there are fewer, nothing is said of it."""
GAP_LAWS = ("exponential", "gamma", "weibull", "h2-moments")
"""Section 4.2: the hyper-exponential one has the mean and the variation of the gaps, balanced."""
_WEEKDAYS = 5


@dataclass(frozen=True)
class Logged:
    """One log; what is measured of it does not depend on a seed."""

    log: Log


def logs_of(folder: Path) -> list[Log]:
    """The logs in *folder* whose jobs are of known days."""
    return logs_in(folder, _of_use, "a date and some thousand jobs")


def _of_use(log: Workload) -> bool:
    return len(log) >= 1000 and calendar(log.header, log.submit_s).dated


@lru_cache(maxsize=8)
def log_row(folder: Path, log: Log) -> Row:
    """Every figure of a log by name; None where the log does not tell it."""
    jobs = jobs_of(folder / log.name)
    return {**_gaps(jobs), **_rates(jobs), **_run_times(jobs), **_requests(jobs)}


def _gaps(jobs: Workload) -> dict[str, float | None]:
    """Variation and fits of gaps, with and without those that may be downtime."""
    kept = downtimes(jobs.submit_s, calendar(jobs.header, jobs.submit_s).hour).kept(len(jobs) - 1)
    variation: dict[str, list[float]] = {name: [] for name in PERIODS}
    nearest: list[str] = []
    pareto, with_downtime = 0, 0
    for name, gaps, up in _stationary(jobs, kept):
        fits = _fitted(gaps[up])
        if fits is None:
            continue
        variation[name].append(float(gaps[up].std() / gaps[up].mean()))
        nearest.append(fits.best.name)
        if not up.all():
            both = _fitted(gaps, "pareto")
            with_downtime += 1
            pareto += both is not None and both.best.name == "pareto"
    every = [one for found in variation.values() for one in found]
    return {
        **{f"gap_cv_{name}": float(np.median(found)) if found else None for name, found in variation.items()},
        "periods": len(nearest),
        "gap_cv_1_to_2": float(np.mean([1.0 <= one <= 2.0 for one in every])) if every else None,
        **{f"nearest_{law}": nearest.count(law) / len(nearest) if nearest else None for law in GAP_LAWS},
        "periods_with_downtime": with_downtime,
        "pareto_with_downtime": pareto / with_downtime if with_downtime else None,
    }


def _stationary(jobs: Workload, kept: NDArray[np.bool_]) -> Iterator[tuple[str, Floats, NDArray[np.bool_]]]:
    """The gaps inside one period of one day, by kind of period and month; and which are no downtime."""
    found = calendar(jobs.header, jobs.submit_s)
    gaps, day, month = np.diff(jobs.submit_s), found.day, found.month
    for name, (first, last) in PERIODS.items():
        inside = (found.hour >= first) & (found.hour < last) & (found.weekday < _WEEKDAYS)
        within = inside[:-1] & inside[1:] & (day[:-1] == day[1:])
        for one in np.unique(month[:-1][within]).tolist():
            rows = within & (month[:-1] == one)
            if rows.sum() >= FEWEST_GAPS:
                yield name, gaps[rows], kept[rows]


def _fitted(gaps: Floats, *more: str) -> Fits | None:
    """The candidates of the paper, the nearest first; None where nothing can be fitted."""
    try:
        return fit_all("gaps", gaps, only=(*GAP_LAWS, *more))
    except BadInput:
        return None


def _rates(jobs: Workload) -> dict[str, float | None]:
    """Jobs an hour, and how far the days from Monday to Friday are from their mean."""
    week = np.array(hours_of_week(jobs)["jobs_per_hour"])
    days = week[:_WEEKDAYS].sum(axis=1)
    return {
        **{f"rate_{name}": float(week[:_WEEKDAYS, slice(*hours)].mean()) for name, hours in RATES.items()},
        "rate_weekend_day": float(week[_WEEKDAYS:, 8:].mean()),
        "rate_weekend_low": float(week[_WEEKDAYS:, :8].mean()),
        "weekdays_apart": float(np.abs(days / days.mean() - 1.0).max()),
    }


def _run_times(jobs: Workload) -> dict[str, float | None]:
    """Distances of the fits that the paper compares, the tail, the correlation with processors."""
    run_s = jobs.run_s[jobs.run_s > 0]
    fits = fit_all("run_s", run_s, only=tuple(law.NAME for law in FITTED))
    distance = {one.name: one.ks for one in fits.candidates}
    pieces = judged(LogUniform.NAME, LogUniform.fit(run_s, PIECES), run_s)
    found = tail(run_s)
    line = {"alpha": None, "decades": None} if found is None else found["llcd"]
    return {
        **{f"distance_{law.NAME}": distance.get(law.NAME) for law in FITTED},
        f"distance_{LogUniform.NAME}": pieces.ks,
        "tail_alpha": line["alpha"],
        "run_and_processors": correlations(jobs)["pairs"]["processors run_s"]["spearman"],
    }


def _requests(jobs: Workload) -> dict[str, float | None]:
    """Run time over request, as far as requests are known; memory over its request."""
    given = jobs.estimated & (jobs.estimate_s > 0)
    used = memory(jobs)
    told: dict[str, float | None] = {
        "below_a_fifth": None,
        "from_uniform": None,
        "memory_above_request": None if used is None else used["above_requested"],
    }
    if given.any():
        ratio = jobs.run_s[given] / jobs.estimate_s[given]
        inside = np.sort(ratio[ratio < 0.99]) / 0.99
        steps = np.arange(1, inside.size + 1) / max(inside.size, 1)
        told["below_a_fifth"] = float((ratio < 0.2).mean())
        told["from_uniform"] = float(np.abs(inside - steps).max()) if inside.size else None
    return told
