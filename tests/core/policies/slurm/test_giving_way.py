"""Preemption: the worked case 16 of the reference, and what QOSes say."""

from math import inf
from typing import Any

import pytest

from molokini.policies.slurm.configuration.settings import Partition, Qos
from tests.kit.slurm import FOUR, NODE, THREE, Sbatch, settings_of, slurm

TIERS = (Partition("batch", priority_tier=10), Partition("low"))
PREEMPTING: dict[str, Any] = {"preempt_type": "partition_prio", "preempt_mode": "requeue"}


@pytest.mark.parametrize("compiled", [False, True])
def test_case_16_preemption_by_partition(compiled: bool) -> None:
    jobs = [
        Sbatch(0, 1000, 100, nodes=2, x=True, queue="low"),
        Sbatch(2, 1000, 100, queue="low", **NODE),
        Sbatch(4, 1000, 100, queue="low", **NODE),
        Sbatch(8, 20, 5, **NODE),
    ]
    ran = slurm(jobs, settings_of(PREEMPTING, TIERS), compiled=compiled).until(7.0)
    assert [ran.nodes(k) for k in range(3)] == [{"n1": 1, "n2": 1}, {"n3": 1}, {"n4": 1}]
    ran.until(10.0)
    assert ran.nodes(3) == {"n3": 1}
    assert 8.0 <= ran.starts[3] <= 9.0
    assert ran.reason(1) in ("None", "BeginTime")
    ran.until(128.0)
    assert ran.nodes(0) == {"n1": 1, "n2": 1}
    # It waits 121 s, although its node is free from 29 on, and then for the pass of each minute.
    assert ran.nodes(1) == {}
    ran.until(181.0)
    assert ran.nodes(1) == {"n3": 1}


@pytest.mark.parametrize(("mode", "left"), [("requeue", 2), ("cancel", 1)])
def test_preemption_by_qos(mode: str, left: int) -> None:
    qos = (Qos("normal"), Qos("mid", 30.0), Qos("high", 100.0, preempt=("mid",)))
    jobs = [Sbatch(0, 1000, 100, qos="mid", **FOUR), Sbatch(5, 20, 5, qos="high", **FOUR)]
    ran = slurm(jobs, settings_of({"preempt_type": "qos", "preempt_mode": mode}, qos=qos)).until(10.0)
    assert ran.starts[1] == 6.0
    t = ran.replay.tables
    assert t.queue.running_count + t.queue.tail - t.queue.head == left


def test_nobody_gives_way_where_all_together_do_not_make_room() -> None:
    jobs = [Sbatch(0, 1000, 100, **NODE), Sbatch(0, 1000, 100, queue="low", **THREE)]
    jobs.append(Sbatch(5, 20, 5, **FOUR))
    ran = slurm(jobs, settings_of(PREEMPTING, TIERS)).until(50.0)
    assert ran.starts == [0.0, 0.0, inf]


@pytest.mark.parametrize(("mode", "left"), [("requeue", 2), ("cancel", 1)])
def test_a_victim_goes_on_until_its_grace_is_over(mode: str, left: int) -> None:
    qos = (Qos("normal"), Qos("mid", 30.0, grace_s=40.0), Qos("high", 100.0, preempt=("mid",)))
    jobs = [Sbatch(0, 1000, 100, qos="mid", **FOUR), Sbatch(5, 20, 5, qos="high", **FOUR)]
    ran = slurm(jobs, settings_of({"preempt_type": "qos", "preempt_mode": mode}, qos=qos)).until(44.0)
    assert ran.starts == [0.0, inf]
    ran.until(50.0)
    assert ran.starts[1] == 46.0
    t = ran.replay.tables
    assert t.queue.running_count + t.queue.tail - t.queue.head == left


def test_nobody_else_gives_way_while_one_in_its_grace_will_make_room() -> None:
    tiers = (Partition("batch", priority_tier=10), Partition("low", grace_s=30.0))
    jobs = [Sbatch(k, 1000, 100, queue="low", **NODE) for k in range(4)] + [Sbatch(10, 500, 50, **NODE)]
    ran = slurm(jobs, settings_of(PREEMPTING, tiers)).until(60.0)
    assert ran.starts[4] == 41.0
    assert ran.replay.tables.queue.running_count == 4
