"""Which nodes a job gets: the worked case 8 of the reference, and ways that a site may choose."""

from typing import Any

import pytest

from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.settings import Partition
from tests.kit.slurm import Sbatch, settings_of, slurm

LONG: dict[str, Any] = {"run": 1000.0, "minutes": 100.0}


def test_case_8a_the_fullest_node_that_holds_it() -> None:
    """A job without a maximum of nodes: best fit, in every release."""
    jobs = [Sbatch(0, nodes=0, tasks=tasks, **LONG) for tasks in (3, 2, 3, 1)]
    ran = slurm(jobs).until(1.0)
    # 3 on n1; 2 on n2, as n1 has 1 left; 3 on n3; 1 on n1, which it fills.
    assert [ran.nodes(k) for k in range(4)] == [{"n1": 3}, {"n2": 2}, {"n3": 3}, {"n1": 1}]


@pytest.mark.parametrize(("one_node", "wanted"), [("first", {"n1": 2}), ("best", {"n2": 2})])
def test_case_8b_the_node_of_a_job_of_one_node(one_node: str, wanted: dict[str, int]) -> None:
    # One CPU of n1 and two of n2 are in use once the second job has ended.
    jobs = [Sbatch(0, tasks=1, **LONG), Sbatch(0, 5, 1, tasks=3), Sbatch(1, tasks=2, **LONG)]
    jobs += [Sbatch(8, tasks=2, nodes=1, **LONG)]
    ran = slurm(jobs, settings_of({"one_node": one_node})).until(9.0)
    assert [ran.nodes(k) for k in (0, 2, 3)] == [{"n1": 1}, {"n2": 2}, wanted]


def test_a_job_of_several_nodes_holds_exactly_the_cpus_that_it_asks_for() -> None:
    ran = slurm([Sbatch(0, tasks=7, nodes=3, **LONG), Sbatch(1, tasks=9, **LONG)]).until(2.0)
    assert sum(ran.nodes(0).values()) == 7
    assert len(ran.nodes(0)) == 3
    assert sum(ran.nodes(1).values()) == 9


def test_the_least_loaded_node_goes_first_where_that_is_said() -> None:
    jobs = [Sbatch(0, tasks=3, **LONG), Sbatch(1, tasks=1, **LONG), Sbatch(2, tasks=1, **LONG)]
    jobs += [Sbatch(3, tasks=2, nodes=1, **LONG), Sbatch(4, tasks=6, **LONG)]
    ran = slurm(jobs, settings_of({"least_loaded": "on"})).until(5.0)
    # 3 of n1 are in use; n2 to n4 get one job each, then n2 and n3, of which 3 are free each, hold six.
    assert [ran.nodes(k) for k in range(5)] == [
        {"n1": 3},
        {"n2": 1},
        {"n3": 1},
        {"n4": 2},
        {"n2": 3, "n3": 3},
    ]


def test_a_partition_may_say_so_for_itself() -> None:
    parts = (Partition("batch", least_loaded=True), Partition("low"))
    jobs = [Sbatch(0, tasks=1, **LONG), Sbatch(1, tasks=1, **LONG), Sbatch(2, tasks=1, queue="low", **LONG)]
    ran = slurm(jobs, settings_of(partitions=parts)).until(5.0)
    assert [ran.nodes(k) for k in range(3)] == [{"n1": 1}, {"n2": 1}, {"n1": 1}]


@pytest.mark.parametrize(("busy", "wanted"), [("off", {"n1", "n2"}), ("on", {"n2", "n3"})])
def test_a_plan_prefers_nodes_in_use_where_that_is_said(busy: str, wanted: set[str]) -> None:
    """n1 is idle, the others are in use until 120; the plan of two nodes begins then."""
    jobs = [Sbatch(0, 3, 1, nodes=1, x=True), Sbatch(0, 500, 2, nodes=3, x=True)]
    jobs += [Sbatch(2, 5, 5, nodes=2, x=True)]
    ran = slurm(jobs, settings_of({"bf_busy_nodes": busy, "bf_interval_s": 4.0})).until(9.0)
    assert ran.expected_s(2) == 120.0
    chosen = int(ran.replay.tables.site.node_plans.chosen[0])
    assert {f"n{node + 1}" for node in range(4) if chosen >> node & 1} == wanted


def test_a_plan_is_on_nodes_with_one_of_the_features_that_a_job_asks_for() -> None:
    room = {Resource.PROCESSORS: 4.0}
    machine = Machine.of_nodes([Node(room), Node(room, features=1), Node(room, features=2)])
    wide = Sbatch(0, 100, 2, tasks=8, nodes=2, any_of=(3,))
    # The second can only run on n2 or n3, when the first ends; the third may have n1 at once, however long.
    jobs = [wide, Sbatch(1, 10, 5, tasks=4, any_of=(3,)), Sbatch(2, 10, 600, tasks=4)]
    starts = slurm(jobs, machine=machine).until(300.0).starts
    assert starts[:2] == [0.0, 101.0]
    assert 2.0 < starts[2] <= 12.0
