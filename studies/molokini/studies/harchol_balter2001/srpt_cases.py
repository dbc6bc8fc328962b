"""What is computed and simulated for the claims on SRPT: formulas, single servers, sequences tried out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations

import numpy as np

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.queueing.assignment import equal_load
from molokini.queueing.single_server import against_sharing, srpt_of_jobs
from molokini.queueing.sizes import Sizes
from molokini.sim.replay import Replay
from molokini.studies.study import Point, Row, seed_for
from molokini.workloads.distributions.named import distribution_of
from molokini.workloads.generated import generated
from molokini.workloads.workload import Floats, Workload

JOBS = 120_000
"""Of a simulated server."""
SEQUENCES, LONGEST = 100, 30
"""Random sequences a seed, and jobs in each."""
TRIED, FEW = 20, 6
"""Sequences whose optimum is found by trying, and jobs in each."""

WEB = "bounded-pareto:k=1;p=2640.69;alpha=1.1"
"""As heavy as the paper's trace: the largest 3% of the requests hold half of the work."""
HEAVY = (
    "bounded-pareto:k=1;p=1e6;alpha=1.0",
    "bounded-pareto:k=1;p=1e6;alpha=1.1",
    "bounded-pareto:k=1;p=1e10;alpha=1.1",
    "bounded-pareto:k=1;p=1e10;alpha=1.2",
)
"""Distributions with the property HT: the largest 1% of the jobs hold half of the work."""
LIGHT = (
    "exponential:scale=1",
    "bounded-pareto:k=1;p=1e6;alpha=1.5",
    "gamma:shape=10;scale=0.1",
    "scipy.uniform",
    "weibull:shape=0.5;scale=1",
    "h2:share=0.9;mean1=0.5;mean2=5.5",
)
"""Others: even sizes, exponential ones, and varied ones without HT."""
LOADS = (0.3, 0.45, 0.49, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
SIMULATED_LAWS = ("exponential:scale=1", "bounded-pareto:k=1;p=1000;alpha=1.1", WEB)
SIMULATED_LOADS = (0.6, 0.7, 0.8, 0.9)
POLICIES = ("srpt", "ps", "six-bands")
_BINS = (0.0, 0.5, 0.8, 0.9, 0.99, 0.999, 1.0)
"""Quantiles between which responses are averaged."""


@dataclass(frozen=True)
class Formula:
    """A distribution at a load, in closed form."""

    law: str
    load: float


@dataclass(frozen=True)
class Simulated:
    """One server simulated; one seed gives every policy the same jobs."""

    law: str
    load: float
    policy: str


@dataclass(frozen=True)
class Sequences:
    """Random sequences under SRPT and other policies, job by job."""


@dataclass(frozen=True)
class Tried:
    """Random sequences of few jobs, and the least mean slowdown that any schedule of them has."""


AnyCase = Formula | Simulated | Sequences | Tried


def cases() -> Sequence[AnyCase]:
    """Every case once."""
    formulas = [Formula(law, load) for law in (*HEAVY, *LIGHT, WEB) for load in LOADS]
    simulated = [
        Simulated(law, load, policy)
        for law in SIMULATED_LAWS
        for load in SIMULATED_LOADS
        for policy in POLICIES
        if law == WEB or (policy != "six-bands" and load >= 0.8)
    ]
    return [*formulas, *simulated, Sequences(), Tried()]


def run(point: Point) -> Row:
    """Measure one case."""
    case = point.case
    if isinstance(case, Formula):
        return _formula(case.law, case.load)
    if isinstance(case, Simulated):
        return _simulated(case, point.seed, max(5_000, round(JOBS * point.length)))
    generator = np.random.Generator(np.random.Philox(seed_for("harchol2001", point.seed)))
    if isinstance(case, Sequences):
        return _sequences(generator, max(5, round(SEQUENCES * point.length)))
    return _tried(generator, max(3, round(TRIED * point.length)))


def prepare() -> None:
    """Compile the policies."""
    for policy in ("srpt", "ps", "fcfs", "sjf"):
        _replayed(_jobs(WEB, 0.5, 1, 100), policy, ())


@cache
def _sizes(law: str) -> Sizes:
    return Sizes(distribution_of(law))


@cache
def _formula(law: str, load: float) -> Row:
    found = against_sharing(_sizes(law), load)
    return {
        "response_factor": found.ps.mean_response / found.srpt.mean_response,
        "slowdown_factor": found.ps.mean_slowdown / found.srpt.mean_slowdown,
        "srpt_slowdown": found.srpt.mean_slowdown,
        "largest_ratio": found.largest_ratio,
        "ratio_of_largest": found.ratio_of_largest,
        "share_better": found.share_better,
        "small_slowdown": found.small_slowdown,
    }


@lru_cache(maxsize=2)
def _jobs(law: str, load: float, seed: int, jobs: int) -> Workload:
    model = generated("heavy")
    given = {"jobs": str(jobs), "load": repr(load), "distribution": law, "processors": "1"}
    values = model.values(given)
    return model.make(values, seed_for("harchol2001", law, seed) >> 1)


def _replayed(workload: Workload, policy: str, levels: Sequence[float]) -> Floats:
    """When each job ended."""
    loaded = load_policy(policy)
    values = loaded.declaration.values({})
    if levels:
        values = {**values, "levels": tuple(levels)}
    replay = Replay(workload, Machine.counted(1), loaded, values)
    replay.run()
    return replay.schedule().end_s


def bands(law: str) -> tuple[float, ...]:
    """Thresholds of six bands: as much work in each. The paper does not print its own."""
    return equal_load(_sizes(law), 6)


def _simulated(case: Simulated, seed: int, jobs: int) -> Row:
    workload = _jobs(case.law, case.load, seed, jobs)
    six = case.policy == "six-bands"
    ends = _replayed(workload, "srpt" if six else case.policy, bands(case.law) if six else ())
    response, sizes = ends - workload.submit_s, workload.run_s
    expected = srpt_of_jobs(sizes, case.load) if case.policy == "srpt" else sizes / (1.0 - case.load)
    row: dict[str, float] = {
        "mean_response": float(response.mean()),
        "over_formula": float(response.mean() / expected.mean()),
        "makespan": float(ends.max() - workload.submit_s[0]),
    }
    edges = np.quantile(sizes, _BINS)
    place = np.clip(np.searchsorted(edges, sizes, side="left") - 1, 0, len(_BINS) - 2)
    for k in range(len(_BINS) - 1):
        inside = place == k
        row[f"response_{k}"] = float(response[inside].mean())
        row[f"slowdown_variance_{k}"] = float((response[inside] / sizes[inside]).var())
        row[f"over_formula_{k}"] = float(response[inside].mean() / expected[inside].mean())
    return row


BINS = len(_BINS) - 1


def bin_name(k: int) -> str:
    """The jobs of a bin in words."""
    return f"{100 * _BINS[k]:g} to {100 * _BINS[k + 1]:g}% by size"


def _sequences(generator: np.random.Generator, count: int) -> Row:
    """How often some other policy has a lower mean response than SRPT, and by how much at most."""
    model = generated("heavy")
    lower, most = 0, 0.0
    for _ in range(count):
        jobs = int(generator.integers(2, LONGEST + 1))
        given = {
            "processors": "1",
            "jobs": str(jobs),
            "p": "100",
            "alpha": repr(float(generator.uniform(0.5, 2.5))),
        }
        values = model.values({**given, "load": repr(float(generator.uniform(0.2, 3.0)))})
        workload = model.make(values, int(generator.integers(1 << 40)))
        means = {
            name: float((_replayed(workload, name, ()) - workload.submit_s).mean())
            for name in ("srpt", "fcfs", "sjf", "ps")
        }
        others = min(means[name] for name in ("fcfs", "sjf", "ps"))
        excess = means["srpt"] / others - 1.0
        lower += excess > 1e-9
        most = max(most, excess)
    return {"sequences": count, "lower": lower, "largest_excess": most}


def _tried(generator: np.random.Generator, count: int) -> Row:
    """The largest mean slowdown of SRPT over the least of any schedule."""
    worst = 0.0
    for _ in range(count):
        sizes = np.ceil(10.0 ** generator.uniform(0.0, 2.0, FEW)).tolist()
        arrivals = np.sort(generator.uniform(0.0, sum(sizes) * 0.7, FEW)).tolist()
        best = min(_slowdown(arrivals, sizes, order) for order in permutations(range(FEW)))
        worst = max(worst, _slowdown(arrivals, sizes, None) / best)
    return {"sequences": count, "worst_over_optimum": worst}


def _slowdown(arrivals: Sequence[float], sizes: Sequence[float], order: Sequence[int] | None) -> float:
    """The mean slowdown if the first of *order* that has arrived is always served; without it by SRPT.

    Some such order is optimal: that of the completions of an optimal schedule, since to serve by it delays
    none.
    """
    left, ends, now = list(sizes), [0.0] * len(sizes), 0.0
    places = range(len(sizes))
    rank = None if order is None else {k: at for at, k in enumerate(order)}
    while any(one > 0 for one in left):
        here = [k for k in places if left[k] > 0 and arrivals[k] <= now]
        coming = [arrivals[k] for k in places if arrivals[k] > now]
        if not here:
            now = min(coming)
            continue
        k = min(here, key=lambda k: (left[k], k)) if rank is None else min(here, key=lambda k: rank[k])
        done = min(left[k], min(coming) - now) if coming else left[k]
        left[k] -= done
        now += done
        if left[k] <= 1e-12:
            left[k], ends[k] = 0.0, now
    pairs = zip(ends, arrivals, sizes, strict=True)
    return sum((end - arrival) / size for end, arrival, size in pairs) / len(sizes)
