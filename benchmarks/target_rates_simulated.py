"""Target rates on simulated nodes: what is missed up to a whole CPU, and a run of the paper's size."""

import json
import time
from typing import Any

from benchmarks import live
from molokini.process_sim.rates import rated_jobs
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import Scenario
from molokini.studies.lin2008_feedback.feedback_cases import (
    PRICES,
    Run,
    prepare_all,
    program,
    settings_of,
)

WHOLE_CPUS = ((100,), (60, 40), (30, 30, 40), (10,) * 10, (70, 5, 25), (33, 33, 34), (5,) * 20)
"""Targets of programs whose sum is a whole CPU, percent."""
NODES, ITERATIONS, ITERATION_S = 4, 200, 16.0
"""The paper's runs."""


def rows() -> list[dict[str, Any]]:
    """Periods that are missed at a sum of 100%, and the seconds of a whole run."""
    prepare_all()
    periods = misses = 0
    for targets in WHOLE_CPUS:
        for seed in (1, 2, 3):
            one = Run(targets=targets[:1], beside=targets[1:], each=20, iteration_s=1.0, period_ms=50)
            found = rated_jobs(replayed(one, seed))
            periods += sum(job.periods for job in found)
            misses += sum(job.misses for job in found)
    best = min(_took(rounds) for rounds in (1, 1, 1))
    fine = min(_took(rounds) for rounds in (100, 100, 100))
    size = f"{NODES} nodes, {ITERATIONS} iterations of {ITERATION_S:g} s"
    return [
        live.row(f"shares that fill a CPU, {len(WHOLE_CPUS)} mixes: periods", periods, "", 10_000),
        live.row("... of these missed", misses, "", -0.0),
        live.row(f"{size}, one round each (best of 3)", best, "s", -1.0),
        live.row(f"{size}, 100 rounds each (best of 3)", fine, "s", None),
    ]


def replayed(case: Run, seed: int) -> ScenarioReplay:
    """All programs of *case* until they have ended."""
    made, places = program(case), list(range(case.nodes))
    plans = [case.targets[0], *case.beside]
    jobs = [made.job(f"p{k}", PRICES, [(0, 10_000 * one)], places) for k, one in enumerate(plans)]
    until = round(made.full_ns(PRICES) * made.iterations * 100 / min(plans) * 1.5)
    scenario = Scenario("bench", case.nodes, jobs, 1, seed, until, PRICES, settings_of(case))
    return ScenarioReplay(scenario).finish()


def _took(rounds: int) -> float:
    """Seconds of a run of the paper's size, which is compiled before."""
    case = Run(targets=(50,), each=ITERATIONS, iteration_s=ITERATION_S, rounds=rounds, nodes=NODES)
    began = time.perf_counter()
    replayed(case, 1)
    return time.perf_counter() - began


if __name__ == "__main__":
    for one in rows():
        print(json.dumps(one))
