"""One server simulated beside its formula: mean responses by size under SRPT and sharing."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from molokini.experiments.host import NOBODY, Host
from molokini.experiments.replaying import compile_both, finished
from molokini.metrics.intervals import batch_means
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.queueing.single_server import srpt_of_jobs
from molokini.sim.replay import Replay
from molokini.workloads.generated import generated
from molokini.workloads.workload import Floats, Workload

_FEWEST_BATCHES = 8
POLICIES = ("srpt", "ps")
_ENDS = (0.0, 0.5, 0.9, 0.99, 0.999, 1.0)
"""Bins of sizes: quantiles of the jobs."""


def simulated_queues(
    distribution: str, loads: Sequence[float], jobs: int, seed: int, host: Host = NOBODY
) -> list[dict[str, Any]]:
    """For each load *jobs* jobs of the *distribution* (its name in text), simulated under each policy.

    By size: the mean response, its 95% interval by batch means (None where the jobs are too few), and the
    mean of the formula over the sizes that were drawn.
    """
    found = []
    for load in loads:
        workload = one_server(distribution, load, jobs, seed)
        rows = []
        for policy in POLICIES:
            rows += _by_size(workload, policy, load, host)
        found.append({"load": load, "jobs": jobs, "seed": seed, "by_size": rows})
    return found


def one_server(distribution: str, load: float, jobs: int, seed: int) -> Workload:
    """*jobs* serial jobs of this distribution for one processor, at exactly this load."""
    model = generated("heavy")
    spelled = distribution.replace("?", ":", 1).replace("&", ";")
    given = {"jobs": str(jobs), "load": repr(load), "distribution": spelled, "processors": "1"}
    values = model.values(given)
    return model.make(values, seed)


def _by_size(workload: Workload, policy: str, load: float, host: Host) -> list[dict[str, Any]]:
    loaded = load_policy(policy)
    replay = Replay(workload, Machine.counted(1), loaded, loaded.declaration.values({}))
    with host.compiling([policy]):
        compile_both(replay)
    with host.bar(policy) as progress:
        schedule = finished(replay, progress)
    sizes = workload.run_s
    response = schedule.end_s - workload.submit_s
    expected = srpt_of_jobs(sizes, load) if policy == "srpt" else sizes / (1.0 - load)
    ends = np.quantile(sizes, _ENDS)
    bins = np.clip(np.searchsorted(ends, sizes, side="left") - 1, 0, len(_ENDS) - 2)
    order = np.argsort(schedule.end_s, kind="stable")
    return [
        _row(policy, ends[place : place + 2], sizes[rows], response[rows], expected[rows])
        for place in range(len(_ENDS) - 1)
        if (rows := order[bins[order] == place]).size
    ]


def _row(policy: str, ends: Floats, sizes: Floats, response: Floats, expected: Floats) -> dict[str, Any]:
    found = batch_means(response)
    # Of two or three batches an interval says nothing.
    sound = found.batches >= _FEWEST_BATCHES
    return {
        "policy": policy,
        "from": float(ends[0]),
        "to": float(ends[1]),
        "jobs": int(sizes.size),
        "mean_size": float(sizes.mean()),
        "mean_response": float(response.mean()),
        "low": found.low if sound else None,
        "high": found.high if sound else None,
        "formula": float(expected.mean()),
    }
