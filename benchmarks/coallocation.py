"""One point of the co-allocation curves: 100,000 jobs over four clusters, made and replayed."""

import time
from typing import Any

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.workloads.generated import generated

JOBS = 100_000
WANTED_S = 2.0
POINTS = (
    ("fcfs-worstfit", "ordered", 0.4),
    ("fcfs-worstfit", "unordered", 0.4),
    ("fcfs-worstfit", "flexible", 0.5),
    ("fcfs-worstfit", "ordered:0.5,flexible:0.5", 0.45),
    ("easy-worstfit", "ordered:0.5,flexible:0.5", 0.45),
    ("conservative-worstfit", "ordered:0.5,flexible:0.5", 0.45),
)


def points(rounds: int = 3) -> list[dict[str, Any]]:
    """Each policy and mix at a moderate load, the best of so many rounds; CPU seconds."""
    return [_point(policy, mix, load, rounds) for policy, mix, load in POINTS]


def _point(name: str, mix: str, load: float, rounds: int) -> dict[str, Any]:
    best: tuple[float, float, float] | None = None
    for _ in range(rounds):
        spent = _once(name, mix, load)
        best = spent if best is None else min(best, spent)
    assert best is not None
    total_s, made_s, replayed_s = best
    return {
        "policy": name,
        "mix": mix,
        "load": load,
        "jobs": JOBS,
        "made_s": round(made_s, 3),
        "replayed_s": round(replayed_s, 3),
        "jobs_per_s": round(JOBS / replayed_s),
        "wanted": f"{WANTED_S:g} s",
        "reached": total_s <= WANTED_S,
    }


def _once(name: str, mix: str, load: float) -> tuple[float, float, float]:
    model = generated("das")
    before = time.process_time()
    workload = model.make(model.values({"jobs": str(JOBS), "mix": mix, "load": str(load)}), 1)
    made_s = time.process_time() - before
    assert workload.platform is not None
    machine, policy = Machine.of_platform(workload.platform), load_policy(name)
    before = time.process_time()
    replay = Replay(workload, machine, policy)
    prepared_s = time.process_time() - before
    replay.prepare()  # compiled, or taken from the cache: not counted
    before = time.process_time()
    replay.run()
    replayed_s = time.process_time() - before + prepared_s
    return made_s + replayed_s, made_s, replayed_s
