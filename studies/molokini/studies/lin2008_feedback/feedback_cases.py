"""What is run for Lin, Sundararaj and Dinda 2008: programs at target rates on simulated nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from molokini.process_sim.iterating import Iterating
from molokini.process_sim.policies import needs_of
from molokini.process_sim.rates import rated_jobs, stretches, totals
from molokini.process_sim.replaying import ScenarioReplay, prepare
from molokini.process_sim.scenario import MS, US, Dist, Job, Prices, Process, S, Scenario, Settings, Step
from molokini.process_sim.words import Draw, Op, Wait
from molokini.studies.study import Point, Row, seed_for

PRICES = Prices(0, 0, 50 * US, 2 * US, 0, switch=10 * US, interrupt=10 * US, move=US, check=0)
RATIOS = ("5:1", "1:1", "1:5")
PERIODS_MS = (20, 50, 100, 200, 500)
TARGETS = (20, 30, 50, 70, 80)
THRESHOLDS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
MANY = (2, 3, 4, 6, 8, 9)
DISKS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
SEARCHES = ("sweep", "halving", "model")
GANG_MS = (20, 50, 100, 200)


@dataclass(frozen=True)
class Run:
    """One program, or several like it, under control or not."""

    ratio: str = "1:1"
    targets: tuple[int, ...] = (50,)
    """Percent; each for so many iterations:"""
    each: int = 30
    iteration_s: float = 8.0
    rounds: int = 1
    period_ms: int = 200
    control: bool = True
    threshold: float = 3.0
    """Percentage points."""
    change: str = "now"
    search: str = "sweep"
    beside: tuple[int, ...] = ()
    """Targets of other programs on the same nodes, percent."""
    load: bool = False
    """A busy loop on the first node."""
    priority: bool = True
    disk: float = 0.0
    """Its share of an iteration alone."""
    outside: float = 0.0
    uneven: bool = False
    nodes: int = 4
    miss_chance: float = 0.0
    clock: str = "absolute"
    budget: str = "wall"
    sliced: bool = True
    """False: by the operating systems of the nodes alone."""
    gang: bool = False
    """In rows of gang scheduling, whose quantum is the period."""


def cases() -> list[Run]:
    """Every case once."""
    found = [Run(ratio=ratio, targets=(target,)) for ratio in RATIOS for target in TARGETS]
    found += [
        Run(ratio=ratio, targets=(target,), control=False, period_ms=period, rounds=100)
        for ratio in ("5:1", "1:1", "1:2", "1:5")
        for target in (30, 50, 70)
        for period in PERIODS_MS
    ]
    found += [coarse(threshold, ratio) for ratio in RATIOS for threshold in THRESHOLDS]
    found += [drifting(control) for control in (False, True)]
    found += [Run(ratio=ratio, targets=(50, 30, 60, 20, 40)) for ratio in RATIOS]
    found += [beside(30, 40), Run(targets=(30, 50, 20, 40), beside=(40,))]
    found += [many(k) for k in MANY]
    found += [loaded(sliced, load, priority) for sliced, load, priority in LOADED]
    found += [Run(ratio="1:0", disk=share, control=False) for share in DISKS]
    found += [Run(ratio=ratio, outside=share, control=False) for ratio in ("1:5",) for share in (0.0, 0.5)]
    found += [Run(targets=(50,), uneven=True), idle("5:1"), idle("1:1"), idle("1:5")]
    found += [searched(search) for search in SEARCHES]
    found += [in_turns(period, gang) for period in GANG_MS for gang in (False, True)]
    return list(dict.fromkeys(found))


LOADED = (
    (False, False, True),
    (False, True, True),
    (True, False, True),
    (True, True, True),
    (True, True, False),
)


def coarse(threshold: float, ratio: str) -> Run:
    """An iteration of five periods alone, whose ends lie in slices."""
    return Run(ratio=ratio, targets=(50,), each=60, iteration_s=1.0, threshold=threshold)


def drifting(control: bool) -> Run:
    """Two nodes whose schedulers lose what they are late."""
    return Run(
        nodes=2, each=200, iteration_s=4.0, rounds=40, control=control, miss_chance=0.05, clock="relative"
    )


def beside(one: int, other: int) -> Run:
    """Two programs."""
    return Run(targets=(one,), each=60, beside=(other,))


def many(k: int) -> Run:
    """k programs at 10% each."""
    return Run(ratio="3:1", targets=(10,), beside=(10,) * (k - 1), rounds=20)


def loaded(sliced: bool, load: bool, priority: bool) -> Run:
    """With a busy loop on a node, and without."""
    return Run(ratio="3:1", sliced=sliced, load=load, priority=priority, rounds=20)


def idle(ratio: str) -> Run:
    """Alone, not sliced."""
    return Run(ratio=ratio, sliced=False)


def searched(search: str) -> Run:
    """A start out of phase, in short rounds: the period has to be searched."""
    return Run(ratio="5:1", each=120, rounds=100, search=search, change="redrawn", threshold=1.0)


def in_turns(period_ms: int, gang: bool) -> Run:
    """Two programs that share all nodes half and half: by control, or in two rows of gang scheduling."""
    return Run(
        targets=(45,), beside=(45,), each=20, iteration_s=4.0, rounds=20, period_ms=period_ms, gang=gang
    )


def prepare_all() -> None:
    """Compile what all runs need."""
    prepare(("feedback", "local", "1gs"))


def settings_of(case: Run) -> Settings:
    """How a case schedules."""
    if case.gang:
        quantum_ns = case.period_ms * MS
        return Settings(scheme="1gs", wait=Wait.BLOCK, spin_ns=0, rows=3, x=1, y=2, row_quantum_ns=quantum_ns)
    if not case.sliced:
        return Settings(wait=Wait.BLOCK, spin_ns=0)
    given = needs_of("feedback").values(
        "study",
        {
            "control": case.control,
            "threshold": case.threshold / 100,
            "first_period": f"{case.period_ms}ms",
            "least_period": f"{min(10, case.period_ms // 2)}ms",
            "search": case.search,
            "change": case.change,
            "miss_chance": case.miss_chance,
            "miss": "20ms",
            "clock": case.clock,
            "budget": case.budget,
            "priority": case.priority,
        },
    )
    return Settings(scheme="feedback", wait=Wait.BLOCK, given=given)


def program(case: Run) -> Iterating:
    """The program of a case."""
    a, b = map(int, case.ratio.split(":"))
    return Iterating(
        case.nodes,
        round(case.iteration_s * S),
        (a, b),
        case.rounds,
        case.each * len(case.targets),
        case.outside,
        uneven=(1.0, 1.0, 0.5, 0.5) if case.uneven else (),
        disk_ns=round(case.iteration_s * S * case.disk / (1 - case.disk)),
    )


def run(point: Point) -> Row:
    """Measure one case."""
    case = point.case
    assert isinstance(case, Run)
    made, places = program(case), list(range(case.nodes))
    plans: list[Sequence[int]] = [case.targets, *([one] for one in case.beside)]
    jobs = [
        made.job(f"p{k}", PRICES, [(case.each * i, 10_000 * one) for i, one in enumerate(plan)], places)
        for k, plan in enumerate(plans)
    ]
    if case.load:
        jobs.append(Job("loop", [Process((Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),), 0)]))
    seed = seed_for("lin2008", point.seed) % (2**31)
    # Long enough for the slowest that is run.
    until = round(made.full_ns(PRICES) * made.iterations * 100 / min(min(plan) for plan in plans) * 1.5)
    scenario = Scenario("lin2008", case.nodes, jobs, 1, seed, until, PRICES, settings_of(case))
    done = ScenarioReplay(scenario).finish()
    if case.gang:
        return _in_rows(case, made, done)
    return _measured(case, made, done) if case.sliced else _alone(case, made, done)


def _in_rows(case: Run, made: Iterating, done: ScenarioReplay) -> Row:
    """Each change of rows is a message to each node; how all of them synchronize is not counted.

    Of three rows the first program has two while both are there: its second one needs no message.
    """
    world = done.world
    end = int(world.jobs.end[0])
    last = end if end >= 0 else int(world.now)
    changes = int(world.queues.row_serial)
    return {
        "mean": 100 * made.full_ns(PRICES) * made.iterations / last,
        "messages_a_second": case.nodes * changes * 2 / 3 / (int(world.now) / S),
    }


def _alone(case: Run, made: Iterating, done: ScenarioReplay) -> Row:
    world, end = done.world, int(done.world.jobs.end[0])
    last = end if end >= 0 else int(world.now)
    spent = world.procs.spent[: case.nodes, :4].sum()
    return {
        "mean": 100 * made.full_ns(PRICES) * made.iterations / last,
        "idle_share": 1 - float(spent) / (last * case.nodes),
    }


def _measured(case: Run, made: Iterating, done: ScenarioReplay) -> Row:
    first, *others = rated_jobs(done)
    told = first.stretches
    responses = [one.response for one in told]
    known = [one for one in responses if one is not None]
    rates = np.array(first.rate)
    smooth = np.convolve(rates, np.ones(5) / 5, "valid") if len(rates) > 5 else rates
    # What the others achieved while the first one ran.
    means = [float(np.mean(one.rate)) - one.target[0] for one in (first, *others) if one.rate]
    outside = [1 - one.stretches[0].within for one in (first, *others) if one.rate]
    slices = sum(one.periods for one in (first, *others))
    after = told[-1].within_after
    sent = totals(done)
    stable = stretches(np.array(first.at_s), rates, np.array(first.target), case.threshold)[0]
    return {
        "mean": told[-1].mean,
        "bias": told[-1].mean - told[-1].target,
        "response": float(np.mean(known)) if len(known) == len(told) else None,
        "worst_response": float(max(known)) if len(known) == len(told) else 999.0,
        "within": after if after is not None else 0.0,
        "range": told[-1].high - told[-1].low,
        "smooth_range": float(smooth.max() - smooth.min()),
        "orders": first.orders,
        "orders_an_iteration": first.orders / max(1, len(rates)),
        "misses": sum(one.misses for one in (first, *others)) / max(1, slices),
        "cut": sum(one.cut for one in (first, *others)) / max(1, slices),
        "share_error": max(
            abs(100 * one_slice / period - target)
            for one_slice, period, target in zip(first.slice_s, first.period_s, first.target, strict=True)
        ),
        "worst_mean": max(abs(one) for one in means),
        "outside": float(np.mean(outside)),
        "other_within": min((one.stretches[0].within for one in others if one.rate), default=None),
        "spread_ms": sent["start_spread_ns"] / MS / max(1, sum(one.orders for one in (first, *others))),
        "messages_a_second": (sent["reports"] + sent["orders_to_nodes"])
        / (first.at_s[-1] if rates.size else 1),
        "steady": float(stable.within_after is not None and stable.within_after >= 0.9),
    }
