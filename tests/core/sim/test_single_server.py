"""A million jobs on one processor beside the formulas of their queue, over ten seeds.

The mean of so heavy a tail is itself random: formulas take the sizes that were drawn (reference, section 6).
"""

from collections.abc import Callable

import numpy as np
import pytest

from molokini.compiled.structs import Floats
from molokini.metrics.student import t_quantile
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.queueing.single_server import srpt_of_jobs
from molokini.sim.replay import Replay
from molokini.workloads.generated import generated

SEEDS = 10
JOBS = 1_000_000


def by_sharing(sizes: Floats, load: float) -> Floats:
    return sizes / (1.0 - load)


def ratio(
    policy: str, formula: Callable[[Floats, float], Floats], alpha: str, load: float, seed: int
) -> float:
    """The mean response as simulated over that of the formula."""
    model = generated("heavy")
    given = {"processors": "1", "jobs": str(JOBS), "load": str(load), "alpha": alpha}
    jobs = model.make(model.values(given), seed)
    loaded = load_policy(policy)
    replay = Replay(jobs, Machine.counted(1), loaded, loaded.declaration.values({}))
    assert replay.run()
    response = replay.schedule().end_s - jobs.submit_s
    return float(response.mean() / formula(jobs.run_s, load).mean())


@pytest.mark.deep
@pytest.mark.dear("ten seeds of a million jobs")
@pytest.mark.parametrize(
    ("policy", "formula"), [("srpt", srpt_of_jobs), ("ps", by_sharing)], ids=["srpt", "ps"]
)
@pytest.mark.parametrize(("alpha", "load"), [("1.1", 0.5), ("1.1", 0.9), ("1.5", 0.7)])
def test_the_formula_lies_in_the_interval(
    policy: str, formula: Callable[[Floats, float], Floats], alpha: str, load: float
) -> None:
    found = np.array([ratio(policy, formula, alpha, load, seed) for seed in range(1, SEEDS + 1)])
    half = t_quantile(0.975, SEEDS - 1) * found.std(ddof=1) / np.sqrt(SEEDS)
    assert abs(found.mean() - 1.0) <= half, (found.mean(), half)
