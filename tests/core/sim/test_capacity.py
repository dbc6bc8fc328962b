"""The maximal utilization: by hand, and two ways to find it beside each other."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.model.errors import BadValue
from molokini.policies import load_policy
from molokini.scheduling.tables import Machine
from molokini.sim.capacity import saturated, searched
from molokini.workloads.generated import generated
from molokini.workloads.workload import Workload
from tests.kit.workloads import Job, workload_of

FCFS = load_policy("fcfs")


def made(**given: str) -> Workload:
    model = generated("das")
    return model.make(model.values(given), 1)


def machine_of(workload: Workload) -> Machine:
    assert workload.platform is not None
    return Machine.of_platform(workload.platform)


def test_one_job_at_a_time_leaves_the_rest_idle() -> None:
    jobs = workload_of([Job(10 * k, 5, 6) for k in range(20)])
    found = saturated(jobs, Machine.counted(8), FCFS)
    assert found.held == pytest.approx(6 / 8)
    assert found.loss == pytest.approx(2 / 8)


def test_wide_and_narrow_in_turn() -> None:
    # Eight, then two that run together, and again: half the time full, half of it with four of eight.
    jobs = [Job(k, 1, 8 if k % 3 == 0 else 2) for k in range(300)]
    assert saturated(workload_of(jobs), Machine.counted(8), FCFS).held == pytest.approx(0.75, abs=0.01)


def test_a_search_finds_what_a_full_queue_shows() -> None:
    workload = made(jobs="8000", mix="unordered", ratio="50")
    machine, policy = machine_of(workload), load_policy("fcfs-worstfit")
    one, other = saturated(workload, machine, policy), searched(workload, machine, policy, tolerance=0.01)
    assert other.held == pytest.approx(one.held, abs=0.02)
    assert other.computing == pytest.approx(one.computing, abs=0.02)
    assert 0.3 < one.computing < one.held < 0.6


def test_backfilling_has_more_capacity() -> None:
    workload = made(jobs="2000", mix="ordered", ratio="10")
    machine = machine_of(workload)
    fcfs, easy = (
        searched(workload, machine, load_policy(name), tolerance=0.02)
        for name in ("fcfs-worstfit", "easy-worstfit")
    )
    assert easy.held > fcfs.held + 0.03


def test_without_communication_all_that_is_held_computes() -> None:
    workload = replace(made(jobs="500", mix="total"), communication=None)
    found = saturated(workload, machine_of(workload), load_policy("fcfs-worstfit"))
    assert found.held == pytest.approx(found.computing)


def test_what_no_capacity_can_be_found_of() -> None:
    one = workload_of([Job(0, 1)])
    together = replace(workload_of([Job(0, 1), Job(1, 1)]), submit_s=np.zeros(2))
    with pytest.raises(BadValue, match="jobs"):
        saturated(one, Machine.counted(8), FCFS)
    with pytest.raises(BadValue, match="workload"):
        searched(together, Machine.counted(8), FCFS)
    with pytest.raises(BadValue, match="tolerance"):
        searched(workload_of([Job(0, 1), Job(1, 1)]), Machine.counted(8), FCFS, tolerance=0.0)
