"""Runs of neighbours read off sets of nodes, against a walk over all nodes in their order."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.policies.slurm.configuration.settings import NodeLine
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.sets import put
from molokini.tables.tables import Tables
from tests.kit.slurm import Sbatch, machine_of, settings_of, slurm

NODES, CPUS = 130, 2
LINES = {
    "alike": (),
    "gaps": tuple(NodeLine(f"n{k + 1}", index=k + k // 10) for k in range(NODES)),
    "weights": tuple(NodeLine(f"n{k + 1}", weight=1.0 + k // 50) for k in range(NODES)),
}


def _placed(t: Tables, row: int) -> list[tuple[int, int]]:
    """Where a job would go among the ``usable`` nodes: nodes, and tasks on each."""
    plans = t.site.node_plans
    count = choose(t, t.nodes.free, plans.alone_now, plans.usable, row, 0)
    return [(int(t.placing.node[k]), int(t.placing.tasks[k])) for k in range(count)]


@pytest.mark.parametrize("lines", LINES)
def test_both_ways_choose_the_same_nodes(lines: str) -> None:
    settings, random = replace(settings_of(), nodes=LINES[lines]), np.random.default_rng(5)
    jobs = [Sbatch(0, 5000, 600, tasks=1) for _ in range(40)] + [Sbatch(0, 5000, 600, nodes=NODES)]
    jobs += [Sbatch(1, 10, 10, tasks=tasks) for tasks in (1, 2, 7, 30)]
    ran = slurm(jobs, settings, machine_of(NODES, CPUS)).until(5.0)
    t, found = ran.replay.tables, 0
    assert mine(t).in_order == 1
    rows = [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail]]
    assert len(rows) >= 4
    for trial in range(60):
        t.site.node_plans.usable[:] = 0
        for node in np.flatnonzero(random.random(NODES) < (0.1, 0.5, 0.95, 1.0)[trial % 4]):
            put(t.site.node_plans.usable, 0, int(node))
        t.nodes.free[:, 0] = random.integers(0, CPUS + 1, NODES) if trial % 3 else CPUS
        for row in rows:
            mine(t).in_order = 1
            quick = _placed(t, row)
            mine(t).in_order = 0
            assert quick == _placed(t, row)
            found += len(quick) > 0
    assert found > 100
