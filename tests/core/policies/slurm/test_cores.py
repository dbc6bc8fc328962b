"""Whole cores: a job has all CPUs of each core that it uses (reference, sections 4.1 and 10, 7).

The four nodes have four CPUs each, two cores of two threads, where nothing else is said.
"""

from dataclasses import replace
from math import inf
from typing import Any

import pytest

from molokini.model.machine import Machine, Node
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.model.states import JobState
from molokini.policies.slurm.configuration.settings import Limits, NodeLine, Partition, SlurmSettings
from tests.kit.slurm import LIMITS, WEIGHTS, Ran, Sbatch, settings_of, slurm, tree

LONG: dict[str, Any] = {"run": 1000.0, "minutes": 100.0}


def cores(chosen: dict[str, Any] | None = None, **given: Any) -> SlurmSettings:
    """Settings of a cluster whose cores have two threads."""
    return settings_of({"cpus_per_unit": 2, **(chosen or {})}, **given)


def at_the_end(ran: Ran) -> None:
    """All that jobs have had is free again."""
    t = ran.replay.tables
    assert ran.replay.run()
    assert t.machine.free == t.machine.processors
    assert (t.nodes.free == t.nodes.total).all()


@pytest.mark.parametrize("memory_mb", [0.0, 10.0])
def test_a_job_has_both_threads_of_each_core(memory_mb: float) -> None:
    room = {Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 1024.0 * 100}
    machine = Machine.of_nodes([Node(room)] * 4)
    asked = [(1, 0), (1, 0), (3, 0), (2, 2)]
    jobs = [Sbatch(0, tasks=n, nodes=at, memory_mb=memory_mb, **LONG) for n, at in asked]
    ran = slurm(jobs, cores(), machine).until(1.0)
    # Each of the first two has a core of n1; the third both of n2; the last one on each of two nodes.
    assert [ran.nodes(k) for k in range(4)] == [{"n1": 2}, {"n1": 2}, {"n2": 4}, {"n3": 2, "n4": 2}]
    assert ran.replay.tables.nodes.free[:, 0].tolist() == [0.0, 0.0, 2.0, 2.0]
    if memory_mb:
        # Memory goes by what the job asks for.
        assert ran.replay.tables.nodes.free[:, 1].tolist() == [1024.0 * left for left in (80, 70, 90, 90)]
    assert ran.replay.tables.machine.free == 4
    at_the_end(ran)


def test_a_job_of_several_nodes_is_rounded_up_on_each() -> None:
    """Of six tasks n1 has four, as one is left for each further node, and n2 and n3 have a core each."""
    jobs = [Sbatch(0, tasks=6, nodes=3, **LONG), Sbatch(1, tasks=5, **LONG)]
    ran = slurm(jobs, cores()).until(3.0)
    assert ran.nodes(0) == {"n1": 4, "n2": 2, "n3": 2}
    # The run of n2 to n4 has eight: two, two and the last one's core.
    assert ran.nodes(1) == {"n2": 2, "n3": 2, "n4": 2}
    at_the_end(ran)


def test_jobs_wait_for_whole_cores() -> None:
    """Two jobs of three CPUs have all of n1 and n2 where nobody else is; a job of one finds no core there."""
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 4.0})] * 2)
    jobs = [Sbatch(0, 50, 1, tasks=3), Sbatch(0, 30, 1, tasks=3), Sbatch(1, 10, 1, tasks=1)]
    assert slurm(jobs, machine=machine).until(5.0).starts == [0.0, 0.0, 1.0]
    ran = slurm(jobs, cores(), machine).until(40.0)
    assert ran.starts == [0.0, 0.0, 31.0]
    at_the_end(ran)


def test_a_plan_counts_whole_cores() -> None:
    """Three CPUs of one node: on each of n1 and n2 one core is taken until 120, and n1's other one until 60.

    By single CPUs n2 has three at once; by cores n1 and n2 have two each until 120, and nobody has both.
    """
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 4.0})] * 2)
    jobs = [
        Sbatch(0, 120, 2, tasks=2, nodes=2),
        Sbatch(0, 60, 1, tasks=1, nodes=1),
        Sbatch(2, 10, 5, tasks=3, nodes=1),
    ]
    assert slurm(jobs, machine=machine).until(5.0).starts == [0.0, 0.0, 2.0]
    ran = slurm(jobs, cores({"bf_interval_s": 4.0}), machine).until(70.0)
    assert ran.starts == [0.0, 0.0, inf]
    assert ran.expected_s(2) == 120.0
    at_the_end(ran)


def test_limits_count_whole_cores() -> None:
    """GrpTRES=cpu=4 of account b: two jobs of one CPU each have that."""
    limits = tree(limits={"b": Limits(grp_tres={"cpu": 4})})
    jobs = [Sbatch(0, 30, 1, tasks=1, user="sys") for _ in range(3)]
    one_by_one = slurm(jobs, settings_of(LIMITS, associations=limits)).until(5.0)
    assert one_by_one.starts == [0.0, 0.0, 0.0]
    ran = slurm(jobs, cores(LIMITS, associations=limits)).until(5.0)
    assert ran.starts == [0.0, 0.0, inf]
    assert ran.reason(2) == "AssocGrpCpuLimit"
    at_the_end(ran)


def test_a_limit_of_a_job_counts_what_it_gets() -> None:
    """MaxTRES=cpu=3: three CPUs are asked for, four are allocated."""
    limits = tree(limits={"b": Limits(max_tres={"cpu": 3})})
    ran = slurm([Sbatch(0, 30, 1, tasks=3, user="sys")], cores(LIMITS, associations=limits)).until(5.0)
    assert ran.starts == [inf]
    assert ran.reason(0) == "AssocMaxCpuPerJobLimit"


def test_usage_counts_whole_cores() -> None:
    """Twenty seconds of one CPU, both threads of a core, under a calculation every ten seconds."""
    chosen = {**WEIGHTS, "priority_calc_period_s": 10.0, "priority_decay_half_life_s": 0.0}
    jobs = [Sbatch(0, 20, 1, tasks=1, user="sys"), Sbatch(35, 100, 2, tasks=1, user="man")]
    used = []
    for settings in (settings_of(chosen), cores(chosen)):
        ran = slurm(jobs, settings).until(40.0)
        used.append(max(ran.replay.tables.site.tallies.tolist()))
    assert used[1] == pytest.approx(2.0 * used[0])


def test_the_size_that_a_test_found_counts_whole_cores() -> None:
    """The size factor has the CPUs of the last test: 4 of 16 of a job of three, which cannot start."""
    chosen = {"priority_weight_job_size": 16_000.0, "priority_calc_period_s": 10.0, "bf_interval_s": 4.0}
    jobs = [Sbatch(0, 500, 5, tasks=16), Sbatch(2, 10, 5, tasks=3)]
    before = slurm(jobs, cores(chosen)).until(3.0).priorities()[1]
    after = slurm(jobs, cores(chosen)).until(15.0).priorities()[1]
    # (1 node of 4 + 3 of 16 CPUs) / 2, then 4 of 16.
    assert (before, after) == (3500.0, 4000.0)


def test_nodes_may_differ_in_their_cores() -> None:
    lines = (NodeLine("n1", together=1), NodeLine("n2", together=4), NodeLine("n3"), NodeLine("n4"))
    jobs = [Sbatch(0, tasks=3, **LONG), Sbatch(1, tasks=2, **LONG), Sbatch(2, tasks=1, nodes=1, **LONG)]
    settings = replace(cores({"cpus_per_unit": 4, "one_node": "first"}), nodes=lines)
    ran = slurm(jobs, settings).until(3.0)
    # n1 gives out single CPUs, all others four at a time.
    assert [ran.nodes(k) for k in range(3)] == [{"n1": 3}, {"n2": 4}, {"n1": 1}]
    at_the_end(ran)


def test_the_parameter_bounds_what_nodes_say() -> None:
    lines = (NodeLine("n1", together=2),)
    ran = slurm([Sbatch(0, tasks=1, **LONG)], replace(settings_of(), nodes=lines)).until(1.0)
    assert ran.nodes(0) == {"n1": 1}


def test_a_job_alone_on_its_nodes_holds_what_it_asks_for() -> None:
    ran = slurm([Sbatch(0, tasks=1, nodes=1, x=True, **LONG)], cores()).until(1.0)
    assert ran.nodes(0) == {"n1": 1}
    at_the_end(ran)


def test_a_suspended_job_leaves_its_cores_and_has_them_again() -> None:
    tiers = (Partition("batch", priority_tier=10), Partition("low"))
    settings = cores({"preempt_type": "partition_prio", "preempt_mode": "suspend"}, partitions=tiers)
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 4.0})])
    jobs = [
        Sbatch(0, 100, 10, tasks=1, queue="low"),
        Sbatch(0, 100, 10, tasks=1, queue="low"),
        Sbatch(5, 20, 10, tasks=1),
    ]
    ran = slurm(jobs, settings, machine).until(10.0)
    # One of the two goes, with its core: the other thread of a core is no room.
    assert len(ran.suspended) == 1
    t = ran.replay.tables
    assert t.machine.free == 0
    assert t.nodes.free[0, 0] == 0.0
    assert ran.nodes(2) == {"n1": 2}
    ran.until(30.0)
    assert ran.suspended == []
    assert (t.jobs.state == JobState.RUNNING).sum() == 2
    at_the_end(ran)


@pytest.mark.dear("one compilation of the policy")
def test_whole_cores_compiled() -> None:
    jobs = [Sbatch(k, 40 + 7 * k, 2, tasks=1 + k % 5, nodes=k % 3, memory_mb=float(k % 2)) for k in range(30)]
    room = {Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 1024.0 * 100}
    machine = Machine.of_nodes([Node(room)] * 4)
    ran = [slurm(jobs, cores(), machine, compiled) for compiled in (True, False)]
    for one in ran:
        at_the_end(one)
    assert ran[0].starts == ran[1].starts


def test_who_is_alone_on_a_node_has_what_is_no_whole_core_too() -> None:
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 5.0})])
    jobs = [Sbatch(0, 10, 1, tasks=4), Sbatch(1, 10, 1, tasks=5, nodes=1, x=True), Sbatch(2, 10, 1, tasks=5)]
    ran = slurm(jobs, cores(), machine)
    assert ran.replay.run()
    # The last one never finds more than two cores.
    assert ran.starts == [0.0, 11.0, inf]


def test_a_core_of_which_a_part_is_reserved_is_no_room() -> None:
    kept = Reservation("maintenance", 1, 0.0, 1000.0, {}, Terms(hosts={"n1": 1}))
    jobs = [Sbatch(0, tasks=3, nodes=1, **LONG), Sbatch(1, tasks=1, nodes=1, **LONG)]
    settings = cores({"one_node": "first"})
    ran = slurm(jobs, settings, reservations=[kept]).until(3.0)
    assert [ran.nodes(k) for k in range(2)] == [{"n2": 4}, {"n1": 2}]
    at_the_end(ran)
