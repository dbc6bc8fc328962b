"""Which nodes a job gets: the worked case 8 of the reference."""

from typing import Any

import pytest

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
