"""The policy slurm: one backfill pass, and the head of a year.

A pass tests 100 jobs on 1,000 nodes that are full; promised is 1 ms, best of several; the row says how many
jobs were tested, how many planned: the others would start beyond the horizon. A year of 600,000 jobs on 5,000
nodes by name is promised in 15 minutes; the row replays its first jobs, of which the first find an empty
machine, and times those after them. Processor time.
"""

import time
from typing import Any

import numpy as np

from molokini.cycle.calling import compiled_function
from molokini.cycle.entries import entries
from molokini.experiments.models import made_of
from molokini.model.machine import Machine
from molokini.model.requests import Component, Request
from molokini.policies import load_policy
from molokini.policies.slurm.configuration.configured import Configured
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.settings import SlurmSettings
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.sim.engine import _join, _leave
from molokini.sim.replay import Options, Replay
from molokini.tables.tables import NEVER, Tables
from molokini.workloads.workload import Workload

NODES, CPUS, WAITING, WANTED_MS = 1_000, 16, 100, 1.0
NOW = 10_000.0
YEAR = "lublin?jobs=600000&processors=5000&load=0.85&estimates=tsafrir&type=untyped&umed=5&uhi=8.8"
YEAR_NODES, YEAR_JOBS, YEAR_S = 5_000, 600_000, 900.0
EMPTY, HEAD = 2_000, 12_000
"""Jobs until the machine has filled, and jobs that are replayed."""


def _crowd(seed: int = 1) -> Tables:
    """A machine full of jobs, each on all CPUs of one to eight nodes; and jobs that wait."""
    random = np.random.default_rng(seed)
    nodes: list[int] = []
    while sum(nodes) < NODES:
        nodes.append(min(2 ** int(random.integers(0, 4)), NODES - sum(nodes)))
    wanted = 2 ** random.integers(0, 8, WAITING)
    width = CPUS * np.array([*nodes, *wanted], dtype=np.int64)
    running, count = len(nodes), len(nodes) + WAITING
    estimate_s = (600 * random.integers(1, 144, count)).astype(float)
    estimate_s[:running] += NOW
    workload = Workload(
        name="crowd",
        number=np.arange(1, count + 1),
        submit_s=np.where(np.arange(count) < running, 0.0, NOW),
        run_s=estimate_s,
        estimate_s=estimate_s,
        processors=width,
        user=random.integers(1, 50, count),
        group=np.ones(count, dtype=np.int64),
        queue=np.ones(count, dtype=np.int64),
        records=np.full((count, 18), -1.0),
    )
    machine = Machine.uniform(NODES, CPUS)
    requests = {
        k: Request((Component(int(width[k]), least_nodes=int(width[k]) // CPUS),))
        for k in range(running, count)
    }
    vector = Configured.of(SlurmSettings(), {}).vector(lambda _kind, _name: -1)
    options = Options(parameters=vector, rows=count, requests=requests)
    tables = Replay(workload, machine, load_policy("slurm"), options=options).tables
    filling = Replay(
        workload, machine, load_policy("fcfs"), options=Options(requests=requests), tables=tables
    )
    filling.agenda.workload.count = running
    filling.run(0.0)
    filling.agenda.workload.count = count
    filling.tables.cycle.planning = 1
    _join(filling.agenda, filling.tables, NOW)
    _leave(filling.agenda, filling.tables, NOW)
    filling.tables.cycle.replan = 1
    return filling.tables


def rows(rounds: int = 20) -> list[dict[str, Any]]:
    """Both figures."""
    return [_pass(rounds), _year()]


def _year() -> dict[str, Any]:
    """The head of the year, and what all of it would take at that rate."""
    workload = made_of(YEAR).workload(0, HEAD)
    replay = Replay(workload, Machine.uniform(YEAR_NODES, 1), load_policy("slurm"))
    replay.prepare()
    replay.run(float(workload.submit_s[EMPTY]))
    before = time.process_time()
    replay.run(float(workload.submit_s[-1]))
    spent_s = time.process_time() - before
    speed = (HEAD - EMPTY) / spent_s
    return {
        "what": f"a year of {YEAR_JOBS:,} jobs, {YEAR_NODES:,} nodes: {YEAR_JOBS / speed / 60:.1f} min at "
        f"the rate of {HEAD - EMPTY:,} jobs",
        "jobs": HEAD - EMPTY,
        "cpu_ms": round(1000 * spent_s),
        "jobs_per_s": round(speed),
        "wanted": f"{YEAR_S / 60:g} min",
        "reached": YEAR_JOBS / speed <= YEAR_S,
    }


def _pass(rounds: int) -> dict[str, Any]:
    policy, kernels = load_policy("slurm"), entries()
    assert policy.begin is not None
    begin, schedule = compiled_function(policy.begin), compiled_function(policy.schedule)
    full, seconds, tests, plans = _crowd(), [], 0, 0
    for _ in range(rounds):
        t = full.copy()
        if kernels.begin_pass(t, NOW):
            begin(t, NOW)
        schedule(t, NOW)
        kernels.check_decisions(t)
        t.cycle.decided = 0
        # A pass without a test, and without an end of a job: only backfill is due.
        kernels.begin_pass(t, NOW)
        mine(t).changed, mine(t).changed_s, mine(t).whole = 1, NOW, 1
        mine(t).last_backfill_s = NOW - parameters(t).bf_interval_s
        mine(t).queued_s = mine(t).ended_s = mine(t).next_full_s = NEVER
        mine(t).expected_s[:], mine(t).tests = 0.0, 0
        before = time.process_time()
        schedule(t, NOW)
        seconds.append(time.process_time() - before)
        tests, plans = int(mine(t).tests), int((mine(t).expected_s > 0.0).sum())
    best_ms = 1000 * min(seconds)
    return {
        "what": f"a backfill pass, {NODES:,} nodes, {tests} tests, {plans} plans",
        "jobs": WAITING,
        "cpu_ms": round(best_ms, 2),
        "jobs_per_s": None,
        "wanted": f"{WANTED_MS:g} ms",
        "reached": best_ms <= WANTED_MS and tests == WAITING,
    }


if __name__ == "__main__":
    print(*rows(), sep="\n")
