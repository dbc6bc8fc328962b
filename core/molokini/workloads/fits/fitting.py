"""A log as fitted distributions: what ``molokini workload fit`` finds.

Rules (ours): gaps, run time, work, size, memory, accuracy are fitted one by one and reported. For making
jobs, gaps are fitted in operational time (the weekly rhythm taken out) without those that may be downtime,
and run times apart for each of up to four classes of sizes, since the two hang together. Sizes, estimates
and users are tables.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from molokini.model.errors import BadInput
from molokini.workloads.arriving.cycles import Cycle
from molokini.workloads.arriving.feeds import merged
from molokini.workloads.calendar import calendar, each_weekday
from molokini.workloads.distributions.fitting import FEWEST_TO_FIT
from molokini.workloads.downtime import Downtimes, downtimes
from molokini.workloads.fits.arrivals import Arrivals
from molokini.workloads.fits.bursts import BurstFit, Bursts, fit_bursts
from molokini.workloads.fits.candidates import Candidate, Fits, fit_all
from molokini.workloads.fits.cycle import WEEK_S, fitted_week, week_of
from molokini.workloads.streams import Streams
from molokini.workloads.tools.comparing import attributes
from molokini.workloads.workload import Floats, Workload

ATTRIBUTES = ("interarrival_s", "run_s", "work_processor_s", "processors", "memory_kb", "accuracy")
NEEDED = ("interarrival_s", "run_s")
"""Without a fit of these nothing can be made."""

_CLASSES = 4
_FEWEST_IN_CLASS = 500
_MOST_SIZES, _MOST_ESTIMATES, _MOST_USERS = 400, 200, 400


@dataclass(frozen=True)
class RunClass:
    """The run times of jobs from *least* to *most* processors (both included)."""

    least: int
    most: int
    zero_share: float
    fits: Fits


@dataclass(frozen=True)
class Table:
    """Some values with their shares, the commonest ones where there are very many; shares add up to 1."""

    values: tuple[float, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class LogFit:
    """All that was fitted to a log."""

    name: str
    jobs: int
    processors: int
    reports: dict[str, Fits]
    """By attribute; gaps as they are, downtime included."""
    left_out: dict[str, str]
    """Attributes without a fit, and why."""
    downtimes: Downtimes
    without_downtime: Fits
    """Gaps that are no downtime, in real time."""
    cycle: Cycle
    gaps: Fits
    """Gaps in operational time, from which jobs are made."""
    gap_zero_share: float
    bursts: BurstFit
    sizes: Table
    runs: tuple[RunClass, ...]
    estimates: Table | None
    estimated_share: float
    exact_share: float
    past_share: float
    accuracy: Candidate | None
    memory: Candidate | None
    memory_share: float
    users: Table | None

    def told(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "file": self.name,
            "jobs": self.jobs,
            "processors": self.processors,
            "downtimes": {"gaps": len(self.downtimes), "total_s": float(self.downtimes.length_s.sum())},
            "attributes": {name: fits.told() for name, fits in self.reports.items()},
            "left_out": self.left_out,
            "interarrival_s_without_downtime": self.without_downtime.told(),
            "interarrival_s_operational": self.gaps.told(),
            "hurst": self.bursts.told(),
            "run_s_by_size": [
                {"least": one.least, "most": one.most, "zero_share": one.zero_share, **one.fits.told()}
                for one in self.runs
            ],
        }


def fit_log(workload: Workload, *, keep_downtime: bool = False) -> LogFit:
    """Fit every attribute of *workload*.

    Raises BadInput for fewer than 20 jobs, and where gaps or run times are all equal: there is nothing to
    fit.
    """
    if len(workload) < FEWEST_TO_FIT:
        raise BadInput(
            f"{workload.name}: {len(workload)} jobs are too few for a fit; {FEWEST_TO_FIT} are needed"
        )
    samples = attributes(workload)
    reports, left_out = _reports(samples)
    days = calendar(workload.header, workload.submit_s)
    gone = downtimes(workload.submit_s, days.hour)
    all_gaps = np.diff(workload.submit_s)
    kept = np.ones(all_gaps.size, np.bool_) if keep_downtime else gone.kept(all_gaps.size)
    cycle = _cycle(workload)
    # Whole seconds, as those of the log.
    operational = np.ceil(np.diff(cycle.operational_s(_since_monday(workload)))[kept] - 1e-6)
    estimated = workload.estimated
    run, asked = workload.run_s[estimated], workload.estimate_s[estimated]
    inside = samples["accuracy"][samples["accuracy"] < 1.0]
    accuracy = _optional("accuracy", inside, left_out)
    memory = reports.get("memory_kb")
    gaps, zero_share = fit_all("interarrival_s", operational), float((operational <= 0).mean())
    return LogFit(
        name=workload.name,
        jobs=len(workload),
        processors=workload.machine_processors or int(workload.processors.max()),
        reports=reports,
        left_out=left_out,
        downtimes=gone,
        without_downtime=fit_all("interarrival_s", all_gaps[gone.kept(all_gaps.size)]),
        cycle=cycle,
        gaps=gaps,
        gap_zero_share=zero_share,
        bursts=_bursts(workload, gaps, zero_share, cycle),
        sizes=table(workload.processors.astype(np.float64), _MOST_SIZES),
        runs=_run_classes(workload),
        estimates=table(asked, _MOST_ESTIMATES) if estimated.any() else None,
        estimated_share=float(estimated.mean()),
        exact_share=float((run == asked).mean()) if run.size else 0.0,
        past_share=float((run > asked).mean()) if run.size else 0.0,
        accuracy=None if accuracy is None else accuracy.for_making,
        memory=None if memory is None else memory.for_making,
        memory_share=samples["memory_kb"].size / len(workload),
        users=table(workload.user[workload.user >= 0].astype(np.float64), _MOST_USERS)
        if (workload.user >= 0).any()
        else None,
    )


def _bursts(workload: Workload, gaps: Fits, zero_share: float, cycle: Cycle) -> BurstFit:
    def made(bursts: Bursts | None, seed: int) -> Floats:
        arrivals = Arrivals(gaps.for_making.distribution, zero_share, gaps.largest, cycle, bursts)
        return merged([arrivals.feed(Streams(seed), len(workload))], len(workload)).submit_s

    return fit_bursts(workload.submit_s, made)


def _reports(samples: dict[str, Floats]) -> tuple[dict[str, Fits], dict[str, str]]:
    found: dict[str, Fits] = {}
    left_out: dict[str, str] = {}
    for name in ATTRIBUTES:
        if name in NEEDED:
            found[name] = fit_all(name, samples[name])
        elif (fits := _optional(name, samples[name], left_out)) is not None:
            found[name] = fits
    return found, left_out


def _optional(name: str, values: Floats, left_out: dict[str, str]) -> Fits | None:
    try:
        return fit_all(name, values)
    except BadInput as error:
        left_out.setdefault(name, str(error))
        return None


def _since_monday(workload: Workload) -> Floats:
    """Local time of each submission since the Monday before the first; of the log where it has no date."""
    found = calendar(workload.header, workload.submit_s)
    monday = float(found.day[0] - found.weekday[0]) * 86400.0
    since: Floats = found.local_s - monday
    return np.maximum.accumulate(since)  # clocks that go back do not turn the order round


def _cycle(workload: Workload) -> Cycle:
    found = calendar(workload.header, workload.submit_s)
    since = _since_monday(workload)
    if found.dated:
        return fitted_week(since % WEEK_S, each_weekday(found))
    # Without a date there are days, but it is not known which are Sundays.
    even = np.bincount(((since % 86400.0) // 1800).astype(np.int64), minlength=48)[:48]
    return week_of(even.tolist(), even.tolist(), even.tolist())


def _run_classes(workload: Workload) -> tuple[RunClass, ...]:
    """Run times by size: up to four classes of about as many jobs each, one where there are few jobs."""
    sizes = workload.processors
    classes = min(_CLASSES, max(1, len(workload) // _FEWEST_IN_CLASS))
    cuts = np.unique(np.quantile(sizes, np.arange(1, classes) / classes).astype(np.int64))
    cuts = cuts[cuts < sizes.max()]
    found: list[RunClass] = []
    least = 1
    for most in [*cuts.tolist(), int(sizes.max())]:
        run = workload.run_s[(sizes >= least) & (sizes <= most)]
        try:
            fits = fit_all("run_s", run)
        except BadInput:
            continue  # the next class takes these sizes, too
        found.append(RunClass(least, most, float((run == 0).mean()), fits))
        least = most + 1
    if not found:
        fits = fit_all("run_s", workload.run_s)
        return (RunClass(1, int(sizes.max()), float((workload.run_s == 0).mean()), fits),)
    last = found[-1]
    return (*found[:-1], RunClass(last.least, int(sizes.max()), last.zero_share, last.fits))


def table(values: Floats, most: int) -> Table:
    """The *most* commonest of *values*, in rising order, with their shares among themselves."""
    found, counts = np.unique(values, return_counts=True)
    rows = np.sort(np.argsort(-counts, kind="stable")[:most])
    shares = counts[rows] / counts[rows].sum()
    return Table(tuple(found[rows].tolist()), tuple(shares.tolist()))
