"""What is drawn, computed and simulated for the claims on heavy tails."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from molokini.metrics.intervals import batch_means, running_interval
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.queueing.assignment import equal_load, least_slowdown
from molokini.queueing.single_server import pollaczek_khinchin, srpt
from molokini.queueing.sizes import Sizes, expected_beyond
from molokini.sim.replay import Replay
from molokini.studies.study import Point, Row, seed_for
from molokini.workloads.distributions import BoundedPareto, Distribution, Exponential, Pareto
from molokini.workloads.distributions.named import distribution_of
from molokini.workloads.generated import generated
from molokini.workloads.statistics.mass import mass_count_of
from molokini.workloads.workload import Floats, Workload

DRAWS, QUEUED, ASSIGNED, SHARED = 2_000_000, 500_000, 30_000, 10_000
"""Draws of a distribution; jobs of one queue, of hosts with queues, of hosts that share."""

EXPONENTIAL = "gamma:shape=1.5;scale=2"
"""Nearly exponential: E[1/X], which slowdowns need, is finite."""
ASSIGNED_LAWS = (
    "bounded-pareto:k=1;p=1e5;alpha=1.1",
    "bounded-pareto:k=1;p=1e5;alpha=1.5",
    "bounded-pareto:k=1;p=1e5;alpha=1.9",
)
CONTRASTS = ("bounded-pareto:k=1;p=1e5;alpha=3", EXPONENTIAL)
HOSTS = (2, 4, 8)
LOADS = (0.5, 0.7, 0.9)
ASSIGNMENTS = ("sita-e", "sita-u", "least-work-left")
MOVES = ("age", "newest", "none")
BOUNDS = (1e3, 1e4, 1e5, 1e6)


@dataclass(frozen=True)
class Drawn:
    """Draws of a Pareto distribution without a bound."""

    alpha: float


@dataclass(frozen=True)
class Computed:
    """What follows from distributions alone."""


@dataclass(frozen=True)
class Queued:
    """One server, first come first served, at a load of 0.7."""

    law: str


@dataclass(frozen=True)
class Assigned:
    """Hosts with queues of their own; the load is that of each on average."""

    law: str
    hosts: int
    load: float
    policy: str


@dataclass(frozen=True)
class Moved:
    """Four hosts that their jobs share, at a load of 0.7, between which jobs move."""

    law: str
    move: str
    cost: float = 10.0
    """Seconds of work from which on a job may move, over the difference of jobs less one."""


AnyCase = Drawn | Computed | Queued | Assigned | Moved
COSTS = (1.0, 10.0, 100.0)
"""The paper prints none: an axis of the map."""
MOVED_LAWS = ("bounded-pareto:k=1;p=1e4;alpha=1.1", "exponential:scale=7")


def bounded(p: float) -> str:
    """The distribution of C6: alpha 1.5 up to *p*."""
    return f"bounded-pareto:k=1;p={p:g};alpha=1.5"


SETTLING = ("bounded-pareto:k=1;p=1e9;alpha=1.1", "bounded-pareto:k=1;p=1e9;alpha=1.5", EXPONENTIAL)


def assigned_cells() -> list[tuple[str, int, float]]:
    """Distributions, hosts and loads at which assignments are compared; eight hosts at one load only."""
    return [
        (law, hosts, load)
        for law in (*ASSIGNED_LAWS, *CONTRASTS)
        for hosts in HOSTS
        for load in LOADS
        if hosts != 8 or load == 0.7
    ]


def cases() -> Sequence[AnyCase]:
    """Every case once."""
    return [
        *(Drawn(alpha) for alpha in (0.8, 1.2, 1.5, 2.5)),
        Computed(),
        *(Queued(law) for law in (*SETTLING, *(bounded(p) for p in BOUNDS))),
        *(Assigned(*cell, policy) for cell in assigned_cells() for policy in ASSIGNMENTS),
        *(Moved(law, move, cost) for law in MOVED_LAWS for move in MOVES for cost in COSTS),
    ]


def run(point: Point) -> Row:
    """Measure one case."""
    case, length = point.case, point.length
    if isinstance(case, Drawn):
        return _drawn(case.alpha, point.seed, max(10_000, round(DRAWS * length)))
    if isinstance(case, Computed):
        return _computed()
    if isinstance(case, Queued):
        return _queued(case.law, point.seed, max(20_000, round(QUEUED * length)))
    if isinstance(case, Assigned):
        return _assigned(case, point.seed, max(5_000, round(ASSIGNED * length)))
    assert isinstance(case, Moved)
    return _moved(case, point.seed, max(3_000, round(SHARED * length)))


def prepare() -> None:
    """Compile the policies."""
    jobs = _jobs(EXPONENTIAL, 2, 0.5, 1, 100)
    for policy in (*ASSIGNMENTS, "migrate-by-age"):
        _replayed(jobs, 2, policy, {})


def _generator(*parts: Any) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed_for("crovella2001", *parts)))


def _drawn(alpha: float, seed: int, draws: int) -> Row:
    x = Pareto(1.0, alpha).sample(_generator("draws", alpha, seed), draws)
    few = draws // 100
    return {
        "largest_share": float(x.max() / x.sum()),
        "largest_share_of_squares": float(1.0 / ((x / x.max()) ** 2).sum()),
        "mean_over_mean_of_few": float(x.mean() / x[:few].mean()),
        "variance_over_that_of_few": float(x.var() / x[:few].var()),
        "beyond_over_formula": _beyond(x, alpha),
    }


def _beyond(x: Floats, alpha: float) -> float | None:
    """E[X | X > k] over alpha k/(alpha-1), k above 99% of the draws; None where it is infinite."""
    if alpha <= 1:
        return None
    k = float(np.quantile(x, 0.99))
    return float(x[x > k].mean() / (alpha * k / (alpha - 1.0)))


@lru_cache(maxsize=1)
def _computed() -> Row:
    row: dict[str, float] = {}
    for alpha in (1.5, 2.5):
        at = np.array([10.0, 100.0])
        found = expected_beyond(Pareto(1.0, alpha), at) / at
        row[f"beyond_{alpha:g}_10"], row[f"beyond_{alpha:g}_100"] = found.tolist()
    at = np.array([5.0, 10.0])
    row["left_exponential_5"], row["left_exponential_10"] = (
        expected_beyond(Exponential(1.0), at) - at
    ).tolist()
    few = np.array([0.5, 0.9])
    uniform = distribution_of("scipy.uniform")
    row["left_uniform_half"], row["left_uniform_9"] = (expected_beyond(uniform, few) - few).tolist()
    row["sum_over_max_pareto"] = _sum_over_max(Pareto(1.0, 1.5))
    row["sum_over_max_exponential"] = _sum_over_max(Exponential(1.0))
    row["top_1_pareto"] = mass_count_of(BoundedPareto(1.0, 1e6, 1.0))["top_1"]
    row["top_1_exponential"] = mass_count_of(Exponential(1.0))["top_1"]
    for power in (5, 6, 7, 8):
        sizes = Sizes(BoundedPareto(1.0, 10.0**power, 1.1))
        found_srpt = srpt(sizes, 0.7)
        row[f"srpt_slowdown_{power}"] = found_srpt.mean_slowdown
        row[f"srpt_response_of_1000_{power}"] = float(np.interp(1000.0, sizes.x, found_srpt.response))
        row[f"fcfs_wait_{power}"] = pollaczek_khinchin(0.7 / sizes.mean, sizes.mean, sizes.moment(2.0))
    return row


def _sum_over_max(law: Distribution) -> float:
    """P[X + Y > x] over P[max(X, Y) > x] where the latter is 10^-5, by quadrature over quantiles."""
    x = law.quantile(1.0 - 0.5e-5)
    half = x / 2
    # Either is above the half, or both are and the smaller makes up the rest.
    at = np.linspace(law.support[0], half, 400_001)
    density = np.exp(law.log_density(np.maximum(at, 1e-12)))
    one_large = 2.0 * float(np.trapezoid(density * law.survival(x - at), at))
    above = float(law.survival(np.array([half]))[0])
    single = float(law.survival(np.array([x]))[0])
    return (one_large + above**2) / (2.0 * single - single**2)


def _queued(law: str, seed: int, jobs: int) -> Row:
    generator = _generator("queue", law, seed)
    x = distribution_of(law).sample(generator, jobs)
    gap = generator.exponential(float(x.mean()) / 0.7, jobs)
    waits = lindley(x, gap)
    load = float(x.mean() / gap.mean())
    expected = pollaczek_khinchin(1.0 / float(gap.mean()), float(x.mean()), float((x * x).mean()))
    found = batch_means(waits)
    assert found.half_width is not None
    _, middle, half = running_interval(waits[: jobs // 10])
    early = float(half[-1] / middle[-1]) if middle.size and middle[-1] > 0 else None
    return {
        "load": load,
        "mean_wait": float(waits.mean()),
        "over_formula": float(waits.mean() / expected) if load < 1 else None,
        "size": found.relative_half_width,
        "size_of_tenth": early,
    }


def lindley(x: Floats, gap: Floats) -> Floats:
    """Waits of jobs of these sizes that arrive at an empty server, each *gap* after the one before."""
    change = np.concatenate([[0.0], np.cumsum(x[:-1] - gap[1:])])
    return np.asarray(change - np.minimum.accumulate(np.minimum(change, 0.0)))


@lru_cache(maxsize=2)
def _jobs(law: str, hosts: int, load: float, seed: int, jobs: int) -> Workload:
    model = generated("heavy")
    given = {"jobs": str(jobs), "load": repr(load), "distribution": law, "processors": str(hosts)}
    return model.make(model.values(given), seed_for("crovella2001", law, seed) >> 1)


@cache
def cutoffs(law: str, hosts: int, load: float, policy: str) -> tuple[float, ...]:
    """Cutoffs by formula."""
    sizes = Sizes(distribution_of(law))
    if policy == "sita-e":
        return equal_load(sizes, hosts)
    return least_slowdown(sizes, hosts, load)


def _replayed(workload: Workload, processors: int, policy: str, given: dict[str, Value]) -> Replay:
    loaded = load_policy(policy)
    replay = Replay(workload, Machine.counted(processors), loaded, {**loaded.declaration.values({}), **given})
    replay.run()
    return replay


def _assigned(case: Assigned, seed: int, jobs: int) -> Row:
    workload = _jobs(case.law, case.hosts, case.load, seed, jobs)
    given: dict[str, Value] = {"hosts": case.hosts}
    if case.policy != "least-work-left":
        given = {"cutoffs": cutoffs(case.law, case.hosts, case.load, case.policy)}
    schedule = _replayed(workload, case.hosts, case.policy, given).schedule()
    waits, sizes = schedule.start_s - workload.submit_s, workload.run_s
    large = sizes >= np.quantile(sizes, 0.99)
    return {
        "mean_wait": float(waits.mean()),
        "mean_slowdown": float((waits / sizes).mean()),
        "log_slowdown": float(np.log1p(waits / sizes).mean()),
        "response_of_largest": float((waits + sizes)[large].mean()),
        "better_than_1": float((waits / sizes < 1.0).mean()),
    }


def _moved(case: Moved, seed: int, jobs: int) -> Row:
    workload = _jobs(case.law, 4, 0.7, seed, jobs)
    replay = _replayed(workload, 4, "migrate-by-age", {"hosts": 4, "move": case.move, "cost": case.cost})
    response = replay.schedule().end_s - workload.submit_s
    return {
        "mean_slowdown": float((response / workload.run_s).mean()),
        "mean_response": float(response.mean()),
        "moves_per_job": _moves(replay) / jobs,
    }


def _moves(replay: Replay) -> float:
    from molokini.policies.migrate_by_age import mine

    return float(mine(replay.tables).migrations)
