"""What nodes take once running jobs are gone: the kept sets against a count of each node from the start."""

from collections.abc import Sequence

import numpy as np
import pytest

from molokini.model.resources import Resource
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.nodes.sets import find_up, has, up_of
from molokini.policies.slurm.planning.later_room import bring_chosen, choose_fitting, know
from molokini.policies.slurm.planning.releases import find_releases
from molokini.policies.slurm.planning.will_run import begin_test
from molokini.tables.tables import Tables
from tests.kit.slurm import Sbatch, machine_of, slurm

NODES, CPUS, NOW = 70, 4, 50.0


def _crowd(seed: int, alone: bool) -> tuple[Tables, int]:
    """A full machine, and the row of a job that waits for half of it."""
    random = np.random.default_rng(seed)
    jobs = [
        Sbatch(0, 5000, float(minutes), tasks=int(tasks), x=bool(alone and tasks > 3))
        for minutes, tasks in zip(random.integers(2, 600, 90), random.integers(1, 9, 90), strict=True)
    ]
    jobs.append(Sbatch(1, 10, 10, tasks=NODES * CPUS // 2))
    ran = slurm(jobs, machine=machine_of(NODES, CPUS)).until(NOW)
    return ran.replay.tables, ran.row(90)


def _fits_of_each(t: Tables, count: int) -> list[int]:
    """CPUs that are free of each node once *count* jobs are gone; 0 where one is left that is alone there."""
    room, alone = t.nodes.free[:, Resource.PROCESSORS].copy(), t.site.node_plans.alone_now.copy()
    for k in range(count):
        lone = bool(t.components.alone[t.jobs.components[t.site.releases.row[k]]])
        for e in range(t.site.releases.first[k], t.site.releases.last[k]):
            room[t.site.releases.node[e]] += t.site.releases.tasks[e]
            alone[t.site.releases.node[e]] -= lone
    return [0 if alone[node] else int(room[node]) for node in range(NODES)]


def _counts(t: Tables) -> Sequence[int]:
    """Numbers of jobs, forth and back."""
    return [0, 3, 2, *range(0, t.site.releases.count + 1, 7), 5, t.site.releases.count, 1]


@pytest.mark.parametrize("sets", [1, 5, 300])
@pytest.mark.parametrize("alone", [False, True])
def test_nodes_take_what_a_count_says(sets: int, alone: bool) -> None:
    t, row = _crowd(sets, alone)
    plans = t.site.node_plans
    plans.bind("then", np.zeros(sets * plans.numbers, dtype=np.int64))
    find_up(t, NOW)
    up_of(t, 0)
    find_releases(t, NOW)
    assert t.site.releases.count > 30
    mine(t).like = 0
    begin_test(t, row, 0)
    plans.usable[:] = plans.base
    for count in _counts(t):
        wanted = _fits_of_each(t, count)
        know(t, row, 0, count)
        assert choose_fitting(t, count) == sum(fits > 0 for fits in wanted)
        assert [has(plans.chosen, 0, node) for node in range(NODES)] == [fits > 0 for fits in wanted]
        assert bring_chosen(t, row, 0, count) == sum(wanted)
        assert max(wanted) <= plans.top
        found = [int(plans.fits[node]) if wanted[node] else 0 for node in range(NODES)]
        assert found == wanted
