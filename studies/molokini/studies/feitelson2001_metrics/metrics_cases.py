"""What is measured of logs, of models, and of schedules as they go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from molokini.metrics.intervals import batch_means, in_order_of_end
from molokini.metrics.job_measures import job_times
from molokini.metrics.measures import geometric_mean
from molokini.metrics.settling import TRACKED, followed, settled
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from molokini.studies.log_files import Log, jobs_of, logs_in
from molokini.studies.study import Point, Row, seed_for
from molokini.workloads.distributions import H2
from molokini.workloads.fits.candidates import judged
from molokini.workloads.generated import generated
from molokini.workloads.statistics.selfsimilar import variance_time_h
from molokini.workloads.statistics.tails import tail
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

JOBS, COVERED, MODELLED = 50_000, 10_000, 100_000
"""Jobs of a schedule, of each run of the study of coverage, and of a model's statistics."""
RUNS = 20
"""Runs a seed in the study of coverage: 200 with ten seeds."""
BATCHES = (100, 250, 500, 1000)
"""Lengths of batches whose coverage is counted, for runs of 10,000 jobs."""
LOAD = 0.75
PRECISION = 0.05
MODELS = ("lublin", "jann", "downey", "feitelson96")
POLICIES = ("easy", "conservative")
ESTIMATES = ("exact", "phi", "f")
QUANTA = (60, 600)


@dataclass(frozen=True)
class Logged:
    """A log: its run times and its arrivals; no seed changes it."""

    log: Log


@dataclass(frozen=True)
class Modelled:
    """Run times of a model."""

    model: str


@dataclass(frozen=True)
class Scheduled:
    """The model ``jann`` at a load of 0.75."""

    policy: str
    estimates: str = "exact"


@dataclass(frozen=True)
class Covered:
    """Many short runs under EASY: how often each interval holds the mean of all."""


@dataclass(frozen=True)
class Replayed:
    """A log under a policy; ``gs-60`` and ``gs-600`` are gang scheduling with that quantum."""

    log: Log
    policy: str


AnyCase = Logged | Modelled | Scheduled | Covered | Replayed


def logs_of(folder: Path) -> list[Log]:
    """The logs in *folder* that say which jobs succeeded, and whose machine is known."""
    return logs_in(folder, _of_use, "a machine's size and at least 10,000 jobs that succeeded")


def _of_use(log: Workload) -> bool:
    status = log.records[:, SWF_FIELDS.index("status")]
    return int((status == 1.0).sum()) >= 10_000 and log.machine_processors is not None


def replayed_policies() -> tuple[str, ...]:
    """Policies under which logs are replayed."""
    return ("easy", *(f"gs-{quantum}" for quantum in QUANTA), "ps")


def cases_of(logs: Sequence[Log]) -> list[AnyCase]:
    """Every case once; replays of the logs whose jobs are few enough for gang scheduling."""
    return [
        *(Modelled(model) for model in MODELS),
        *(Scheduled(policy, estimates) for estimates in ESTIMATES for policy in POLICIES),
        Covered(),
        *(Logged(log) for log in logs),
        *(Replayed(log, policy) for log in logs if is_replayed(log) for policy in replayed_policies()),
    ]


def is_replayed(log: Log) -> bool:
    """KTH stands for the two machines of IBM of which the paper shows the convergence."""
    return log.name.startswith("KTH")


def run(folder: Path | None, point: Point) -> Row:
    """Measure one case; *folder* holds the logs."""
    case, length = point.case, point.length
    if isinstance(case, Modelled):
        return _modelled(case.model, point.seed, max(5_000, round(MODELLED * length)))
    if isinstance(case, Scheduled):
        jobs = _jann(point.seed, max(4_000, round(JOBS * length)), case.estimates)
        return _of_schedule(_replay(jobs, case.policy, {}))
    if isinstance(case, Covered):
        return _covered(point.seed, max(4_000, round(COVERED * length)))
    assert folder is not None
    assert isinstance(case, Logged | Replayed)
    if isinstance(case, Logged):
        return _logged(folder, case.log)
    return _replayed_row(folder, case.log, case.policy, length)


def prepare() -> None:
    """Compile the policies."""
    jobs = _jann(1, 200, "exact")
    for policy in (*POLICIES, "gs", "ps"):
        _replay(jobs, policy, {})


@lru_cache(maxsize=4)
def _jann(seed: int, jobs: int, estimates: str) -> Workload:
    model = generated("jann")
    values = model.values({"jobs": str(jobs), "load": str(LOAD), "estimates": estimates})
    return model.make(values, seed_for("feitelson2001", seed) >> 1)


def _replay(workload: Workload, policy: str, given: dict[str, Value]) -> Schedule:
    loaded = load_policy(policy)
    processors = workload.machine_processors
    assert processors is not None
    values = {**loaded.declaration.values({}), **given}
    replay = Replay(workload, Machine.counted(processors), loaded, values)
    replay.run()
    return replay.schedule()


def _spread(name: str, run_s: Floats) -> dict[str, float]:
    return {
        f"{name}mean": float(run_s.mean()),
        f"{name}median": float(np.median(run_s)),
        f"{name}deviation": float(run_s.std()),
        f"{name}cv": float(run_s.std() / run_s.mean()),
    }


def _modelled(model: str, seed: int, jobs: int) -> Row:
    made = generated(model)
    workload = made.make(made.values({"jobs": str(jobs)}), seed_for("feitelson2001", model, seed) >> 1)
    run_s = workload.run_s
    moments = H2.balanced(float(run_s.mean()), float(run_s.std() / run_s.mean()))
    positive = run_s[run_s > 0]
    return {
        **_spread("", run_s),
        "unsettled": _unsettled(run_s),
        "h2_by_moments": judged("h2", moments, positive).ks,
        "h2_by_likelihood": judged("h2", H2.fit(positive), positive).ks,
    }


def _unsettled(values: Floats) -> float:
    """How far the running mean is from the final one after a tenth of the values, at most, relatively."""
    running = np.cumsum(values) / np.arange(1, values.size + 1)
    return float(np.abs(running[values.size // 10 :] / running[-1] - 1.0).max())


@lru_cache(maxsize=8)
def _logged(folder: Path, log: Log) -> Row:
    workload = jobs_of(folder / log.name)
    status = workload.records[:, SWF_FIELDS.index("status")]
    run_s = workload.run_s[status == 1.0]
    found = tail(workload.run_s[workload.run_s > 0])
    counts = np.bincount(((workload.submit_s - workload.submit_s[0]) // 360.0).astype(np.int64))
    row: dict[str, float | None] = {
        "jobs": len(workload),
        "successful": int(run_s.size),
        **_spread("", run_s),
        "above_14_h": float((run_s > 50_000).mean()),
        "largest_s": float(run_s.max()),
        "alpha": None if found is None else found["llcd"].get("alpha"),
        "unsettled": _unsettled(run_s),
        "h": variance_time_h(workload.submit_s),
    }
    for name, size in (("6_min", 1), ("1_h", 10), ("10_h", 100)):
        blocks = counts[: counts.size // size * size].reshape(-1, size).sum(axis=1).astype(np.float64)
        row[f"slope_{name}"] = _slope(blocks)
    return row


def _slope(values: Floats) -> float | None:
    """The slope of the LLCD over its last decade of probability; None where it is too short."""
    x = np.sort(values[values > 0])
    if x.size < 200:
        return None
    above = 1.0 - np.arange(1, x.size) / x.size
    last = (above <= 0.1) & (above >= 10.0 / x.size)
    if np.unique(x[:-1][last]).size < 4:
        return None
    return float(np.polyfit(np.log10(x[:-1][last]), np.log10(above[last]), 1)[0])


def _of_schedule(schedule: Schedule) -> Row:
    row: dict[str, float | None] = {}
    curves: dict[str, Floats] = {}
    for one in TRACKED:
        _, values = in_order_of_end(schedule, one.metric, one.tau_s)
        running = followed(one.name, values, one.geometric, None, 0.95, 200)
        report = settled(running, values.size, PRECISION)
        row[one.name] = report.final_mean
        row[f"size_{one.name}"] = report.final_size
        row[f"first_{one.name}"] = None if report.first is None else report.first.mean
        row[f"second_{one.name}"] = None if report.second is None else report.second.mean
        row[f"points_{one.name}"] = report.points
        row[f"missed_{one.name}"] = len(report.missed)
        row[f"rise_{one.name}"] = _rise(running.size)
        curves[one.name] = running.mean[running.mean.size // 10 :]
    for tau in (10, 60, 600):
        row[f"like_response_{tau}"] = _alike(
            curves["mean_response_s"], curves[f"mean_bounded_slowdown_{tau}"]
        )
    row["like_wait"] = _alike(curves["mean_response_s"], curves["mean_wait_s"])
    times = job_times(schedule)
    later = times.response_s[times.submit_s >= np.quantile(times.submit_s, 0.1)]
    row["without_warm_up"] = float(later.mean() / times.response_s.mean() - 1.0)
    row["below_10_min"] = float((times.run_s < 600).mean())
    row["geometric"] = geometric_mean(times.response_s)
    return row


def _alike(one: Floats, other: Floats) -> float | None:
    if one.size != other.size or one.size < 3 or one.std() == 0 or other.std() == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _rise(size: Floats) -> float | None:
    """By which share the interval grows again at most, after a quarter of the run."""
    later = size[size.size // 4 :]
    later = later[np.isfinite(later)]
    if later.size < 2:
        return None
    return float((later / np.minimum.accumulate(later)).max() - 1.0)


def _covered(seed: int, jobs: int) -> Row:
    row: dict[str, float | None] = {"jobs": jobs}
    for turn in range(RUNS):
        workload = _jann(seed * 1000 + turn, jobs, "exact")
        _, values = in_order_of_end(_replay(workload, "easy", {}), "response_s")
        row[f"mean_{turn}"] = float(values.mean())
        for size in BATCHES:
            found = batch_means(values, size)
            row[f"low_{size}_{turn}"], row[f"high_{size}_{turn}"] = found.low, found.high
    return row


@lru_cache(maxsize=16)
def _replayed_row(folder: Path, log: Log, policy: str, length: float) -> Row:
    workload = jobs_of(folder / log.name)
    if length < 1:
        workload = workload.take(slice(0, max(3_000, round(len(workload) * length))))
    name, _, quantum = policy.partition("-")
    given: dict[str, Value] = {"quantum_s": float(quantum)} if quantum else {}
    row = _of_schedule(_replay(workload, name, given))
    return {
        key: value for key, value in row.items() if key.startswith(("size_", "mean_", "geometric", "rise_"))
    }
