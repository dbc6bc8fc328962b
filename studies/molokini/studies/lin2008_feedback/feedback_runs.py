"""What runs of Lin, Sundararaj and Dinda 2008 are measured by."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from molokini.process_sim.accounts import job_accounts
from molokini.process_sim.iterating import Iterating
from molokini.process_sim.rates import Rated, rated_jobs, stretches, totals
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, Dist, Job, Pages, Process, S, Scenario, Step
from molokini.process_sim.words import Draw, Op
from molokini.studies.lin2008_feedback.feedback_cases import (
    PRICES,
    Queued,
    Run,
    memory_of,
    program,
    set_of,
    settings_of,
)
from molokini.studies.study import Point, Row, seed_for

MEAN_ITERATIONS = 20.0
"""Of a job in the queue, a second each: exponential."""
SETTLED = 3
"""Reports that are left out where oscillation is measured."""
DISTURBED = 1.0
"""Rates further from the target, points, are disturbed."""


def run(point: Point) -> Row:
    """Measure one case."""
    case, seed = point.case, seed_for("lin2008", point.seed) % (2**31)
    if isinstance(case, Queued):
        return _queued(case, seed)
    assert isinstance(case, Run)
    made, places = program(case), list(range(case.nodes))
    plans: list[Sequence[int]] = [case.targets, *([one] for one in case.beside)]
    jobs = [
        made.job(f"p{k}", PRICES, [(case.each * i, 10_000 * one) for i, one in enumerate(plan)], places)
        for k, plan in enumerate(plans)
    ]
    jobs = [_with_memory(job, set_of(case, k)) for k, job in enumerate(jobs)]
    if case.load:
        jobs.append(Job("loop", [Process((Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),), 0)]))
    # Long enough for the slowest that is run.
    until = round(made.full_ns(PRICES) * made.iterations * 100 / min(min(plan) for plan in plans) * 1.5)
    scenario = Scenario(
        "lin2008", case.nodes, jobs, 1, seed, until, PRICES, settings_of(case), memory_of(case)
    )
    done = ScenarioReplay(scenario).finish()
    if case.gang:
        return _in_rows(case, made, done)
    return _measured(case, made, done) if case.sliced else _alone(case, made, done)


def _with_memory(job: Job, pages: Pages | None) -> Job:
    return replace(job, processes=[replace(one, pages=pages) for one in job.processes])


def _queued(case: Queued, seed: int) -> Row:
    """What jobs wait, and how long they take with that; they want as much at whatever rate."""
    generator = np.random.Generator(np.random.Philox(seed))
    lengths = np.maximum(1, np.round(generator.exponential(MEAN_ITERATIONS, case.jobs)))
    arrivals = np.cumsum(generator.exponential(MEAN_ITERATIONS / case.load, case.jobs))
    one = Run(control=False, phases="alike", iteration_s=1.0)
    jobs = [
        replace(program(one), iterations=int(count)).job(
            *(f"q{k}", PRICES, [(0, 10_000 * case.rate)], range(one.nodes)), arrival_ns=round(at * S)
        )
        for k, (count, at) in enumerate(zip(lengths, arrivals, strict=True))
    ]
    done = ScenarioReplay(
        Scenario("lin2008", one.nodes, jobs, 1, seed, None, PRICES, settings_of(one))
    ).finish()
    accounts = job_accounts(done)
    return {
        "mean_wait_s": float(np.mean([job["queued_ns"] for job in accounts])) / S,
        "mean_response_s": float(np.mean([job["response_ns"] for job in accounts])) / S,
    }


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
        **_of_all([one for one in (first, *others) if one.rate]),
        "disturbed": int(np.sum(np.abs(rates - np.array(first.target)) > DISTURBED)),
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


def _of_all(programs: Sequence[Rated]) -> Row:
    """Means over programs: how they oscillate, and how slices of each begin apart and are interrupted."""
    settled = [np.array(one.rate[SETTLED:]) for one in programs]
    deviations = [one.std() for one in settled if one.size]
    slices = sum(one.periods for one in programs)
    return {
        "deviation": float(np.mean(deviations)) if deviations else None,
        "apart_ms": 1000 * float(np.mean([np.mean(one.apart_s) for one in programs])),
        "most_apart_ms": 1000 * max(max(one.apart_s) for one in programs),
        "interrupted": sum(one.interrupted for one in programs) / max(1, slices),
        "orders_each": float(np.mean([one.orders / len(one.rate) for one in programs])),
    }
