"""What is run for Bucur and Epema, JSSPP 2001: one placement, full queues, and curves."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from molokini.applications.communicating import messages_between, most_messages_between
from molokini.metrics.capacity import full_queue, measured
from molokini.model.machine import Machine
from molokini.model.platforms import Platform
from molokini.policies import load_policy
from molokini.sim.schedule import Schedule
from molokini.studies.bucur2001_coallocation.freed import freed_share
from molokini.studies.replays import jobs_of_model, replay_of
from molokini.studies.study import Point, Row
from molokini.tables.tables import Tables
from molokini.workloads.components import Components
from molokini.workloads.workload import Workload

POLICY = "fcfs-worstfit"
JOBS = 100_000
SINGLE = ("total", "flexible", "unordered", "ordered")
RATIOS = (10, 50, 100)
ITERATIONS = ("one", "each-second", "given-up")
"""When messages are exchanged: three readings of section 3."""
ORDERED_PERCENT = (0, 10, 50, 90, 100)
WARM_UP = 0.05
"""The first jobs of a curve's run are not measured: so large a share of them."""


@dataclass(frozen=True)
class Example:
    """One flexible request of 18 processors, in an empty system of four clusters of 8."""

    spread: str


@dataclass(frozen=True)
class Full:
    """A queue that is never empty; *ratio* 0 is without communication."""

    mix: str
    ratio: int
    spread: str = "balance"
    iterations: str = "one"
    application: str = "all-to-all"


@dataclass(frozen=True)
class Loaded:
    """A point of a curve: so much load is offered."""

    mix: str
    load: float
    ratio: int = 50
    spread: str = "balance"
    sizes: str = "decay"
    largest: int = 8
    application: str = "all-to-all"


AnyCase = Example | Full | Loaded

_LOADS: Mapping[str, tuple[float, ...]] = {
    "ordered": (0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.48),
    "unordered": (0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5),
    "flexible": (0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6),
    "total": (0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65),
}
_MIXED_LOADS = {10: (*_LOADS["flexible"][:-1],), 50: _LOADS["unordered"], 90: _LOADS["ordered"]}
_SMALL_LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7)


def mix_of(ordered_percent: int) -> str:
    """The mix with this share of ordered requests, the others flexible."""
    if ordered_percent in (0, 100):
        return "ordered" if ordered_percent else "flexible"
    share = ordered_percent / 100
    return f"ordered:{share:g},flexible:{1 - share:g}"


def curve(mix: str, ratio: int = 50, spread: str = "balance") -> list[Loaded]:
    """The points of one curve of figures 1, 2, 4 and 5, from left to right."""
    shares = {mix_of(percent): loads for percent, loads in _MIXED_LOADS.items()}
    return [Loaded(mix, load, ratio, spread) for load in (_LOADS.get(mix) or shares[mix])]


def small_curve(spread: str) -> list[Loaded]:
    """A curve of figure 6."""
    return [Loaded(mix_of(50), load, 50, spread, sizes="uniform", largest=4) for load in _SMALL_LOADS]


def measured_curve(mix: str) -> list[Loaded]:
    """A curve of figure 7: the measured application."""
    return [Loaded(mix, load, application="gauss-seidel") for load in (*_SMALL_LOADS, 0.75, 0.8)]


def cases() -> list[AnyCase]:
    """Every case once."""
    found: list[AnyCase] = [Example("balance"), Example("fill")]
    for mix in SINGLE:
        found += [Full(mix, 0)]
        found += [Full(mix, ratio, iterations=when) for when in ITERATIONS for ratio in RATIOS]
    found += [Full("flexible", ratio, "fill") for ratio in (0, *RATIOS)]
    for percent in ORDERED_PERCENT:
        found += [Full(mix_of(percent), 50, spread) for spread in ("balance", "fill")]
    found += [Full(mix, 0, application="gauss-seidel") for mix in ("ordered", "total")]
    for ratio in RATIOS:
        for mix in SINGLE:
            found += curve(mix, ratio)
    found += curve("flexible", 100, "fill")
    for percent in ORDERED_PERCENT:
        found += [point for spread in ("balance", "fill") for point in curve(mix_of(percent), 50, spread)]
    found += [*small_curve("balance"), *small_curve("fill")]
    found += [*measured_curve("ordered"), *measured_curve("total")]
    return list(dict.fromkeys(found))


def run(point: Point) -> Row:
    """Measure one case."""
    case = point.case
    if isinstance(case, Example):
        return _placed(case)
    if isinstance(case, Full):
        return _full(case, point)
    assert isinstance(case, Loaded)
    return _loaded(case, point)


def _jobs(point: Point, **given: Any) -> Workload:
    """The same draws for all cases of a seed."""
    count = max(500, int(JOBS * point.length))
    return jobs_of_model("das", "bucur2001", point.seed, jobs=count, **given)


def _placed(case: Example) -> Row:
    one = jobs_of_model("das", "bucur2001", 1, jobs=1, mix="flexible")
    spread = np.array([2])
    asked = Components(np.array([0]), np.array([1]), np.array([18]), np.array([-1]), spread)
    one = replace(one, processors=np.array([18]), components=asked, communication=None)
    replay = replay_of(one, POLICY, spread=case.spread)
    replay.run(until_s=0.0)
    parts = _parts(replay.tables)
    messages = messages_between(parts)
    return {
        "messages": messages,
        "messages_a_task": messages / sum(parts),
        "messages_of_the_longest": most_messages_between(parts),
    }


def _parts(t: Tables) -> list[int]:
    parts = [0] * t.clusters.count
    entry = int(t.jobs.entries[t.queue.running[0]])
    while entry >= 0:
        parts[int(t.nodes.group[t.entries.node[entry]])] += int(t.entries.tasks[entry])
        entry = int(t.entries.next[entry])
    return [part for part in parts if part]


def _full(case: Full, point: Point) -> Row:
    ratio = max(1, case.ratio)
    application = case.application
    workload = _jobs(point, mix=case.mix, ratio=ratio, iterations=case.iterations, application=application)
    if case.ratio == 0:
        workload = replace(workload, communication=None)
    assert workload.platform is not None
    policy = load_policy(POLICY)
    values = {**policy.declaration.values({}), "spread": case.spread}
    schedule = full_queue(workload, Machine.of_platform(workload.platform), policy, values)
    found = measured(schedule)
    # With a full queue every job that starts does so by the last start, so these are means over all jobs.
    mean_time_s = float((schedule.end_s - schedule.start_s).mean())
    mean_size = float(schedule.workload.processors.mean())
    return {
        "held": found.held,
        "computing": found.computing,
        "product": found.jobs_per_s * mean_size * mean_time_s / schedule.processors,
        "before_ends": _busy_before_ends(schedule),
        "freed": _freed(case, workload.platform, schedule),
    }


def _freed(case: Full, platform: Platform, schedule: Schedule) -> float | None:
    """The loss that ``freed`` measures; None where it says nothing.

    A flexible or total request that is blocked never finds enough idle processors in all.
    """
    if case.mix in ("flexible", "total"):
        return 0.0
    if case.mix not in SINGLE or case.iterations != "one" or case.application != "all-to-all":
        return None
    return freed_share(schedule, len(platform.clusters), platform.clusters[0].nodes)


def _busy_before_ends(schedule: Schedule) -> float:
    """The mean share of processors that are held just before a job ends: a mean over events, not time."""
    width = schedule.workload.processors.astype(float)
    starts, ends = np.argsort(schedule.start_s), np.argsort(schedule.end_s)
    started = np.concatenate([[0.0], np.cumsum(width[starts])])
    ended = np.concatenate([[0.0], np.cumsum(width[ends])])
    at = schedule.end_s[schedule.end_s <= schedule.start_s.max()]
    before = started[np.searchsorted(schedule.start_s[starts], at, side="left")]
    gone = ended[np.searchsorted(schedule.end_s[ends], at, side="left")]
    return float((before - gone).mean()) / schedule.processors


def _loaded(case: Loaded, point: Point) -> Row:
    given = asdict(case)
    spread = given.pop("spread")
    replay = replay_of(_jobs(point, **given), POLICY, spread=spread)
    replay.run()
    return _steady(replay.schedule())


def _steady(schedule: Schedule) -> Row:
    """Mean response and utilization after the warm-up, up to the last arrival."""
    submit_s = schedule.workload.submit_s
    first = int(WARM_UP * len(submit_s))
    since_s, until_s = submit_s[first], submit_s[-1]
    busy_s = np.clip(np.minimum(schedule.end_s, until_s) - np.maximum(schedule.start_s, since_s), 0.0, None)
    room = (until_s - since_s) * schedule.processors
    return {
        "utilization": float(busy_s @ schedule.workload.processors) / room,
        "response_s": float((schedule.end_s - submit_s)[first:].mean()),
    }


@cache
def prepare() -> None:
    """Compile."""
    replay_of(jobs_of_model("das", "bucur2001", 1, jobs=10), POLICY, spread="balance").run()
