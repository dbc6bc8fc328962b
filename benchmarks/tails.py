"""Heavy tails and memory: jobs of one server, closed forms, stack distances; CPU seconds of this process."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from molokini.memory.curves import knee
from molokini.memory.stack import Stack
from molokini.memory.streams import synthetic
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.queueing.single_server import against_sharing
from molokini.queueing.sizes import Sizes
from molokini.sim.replay import Replay
from molokini.workloads.distributions import BoundedPareto
from molokini.workloads.generated import generated

JOBS, REFERENCES, BLOCKS = 1_000_000, 100_000_000, 20_000
_DRAWN = 2_000_000
_POLICIES = ("srpt", "ps")


def rows() -> list[dict[str, Any]]:
    """Each figure that was promised beside the measured one."""
    model = generated("heavy")
    jobs = model.make(model.values({"processors": "1", "jobs": str(JOBS), "load": "0.9"}), 1)
    found = [
        _row(f"{JOBS:,} jobs, load 0.9, {name}", 2.0, partial(_replayed, jobs, name)) for name in _POLICIES
    ]
    found.append(_row("formulas at three loads", 1.0, _formulas))
    stream = synthetic(knee(7_000, BLOCKS, 0.002), _DRAWN, np.random.Generator(np.random.Philox(1)))
    found.append(_row(f"stack distances of {REFERENCES:,} references", 20.0, partial(_distances, stream)))
    return found


def _replayed(jobs: Any, name: str) -> None:
    policy = load_policy(name)
    replay = Replay(jobs, Machine.counted(1), policy, policy.declaration.values({}))
    replay.run()


def _formulas() -> None:
    sizes = Sizes(BoundedPareto(1.0, 1e6, 1.1))
    for load in (0.5, 0.7, 0.9):
        against_sharing(sizes, load)


def _distances(stream: Any) -> None:
    stack = Stack(BLOCKS)
    for _ in range(REFERENCES // _DRAWN):
        stack.touch(stream)


def _row(what: str, wanted_s: float, work: Callable[[], object]) -> dict[str, Any]:
    before = time.process_time()
    work()
    spent_s = time.process_time() - before
    return {"what": what, "cpu_s": round(spent_s, 2), "wanted_s": wanted_s, "reached": spent_s <= wanted_s}
