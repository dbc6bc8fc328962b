"""Jobs that accept a shorter limit (``--time-min``): worked case 32 of the reference, and what heeds it."""

from dataclasses import replace
from math import inf
from typing import Any

import pytest

from molokini.model.machine import Machine
from molokini.model.reservations import Reservation, Terms
from molokini.policies.slurm.configuration.settings import Limits, Partition
from tests.kit.slurm import FOUR, LIMITS, NODE, THREE, Ran, Sbatch, settings_of, slurm, tree

PHASE: dict[str, Any] = {"backfill_phase_s": -5.0}
MIN = Sbatch(2, 1000, 10, least_minutes=1, **NODE)


def case_32(at: float, compiled: bool, **chosen: Any) -> Ran:
    """T starts at the first backfill pass, 5 s after the first job, which was submitted at *at*."""
    jobs = [Sbatch(at, 25, 4, **THREE), Sbatch(at + 1, 10, 5, **FOUR), replace(MIN, at=at + 2)]
    return slurm(jobs, settings_of({**PHASE, **chosen}), compiled=compiled)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("grows", "limit_s"), [("on", 180.0), ("off", 60.0)])
@pytest.mark.parametrize("at", [0.0, 15.0])
def test_case_32(at: float, grows: str, limit_s: float, compiled: bool) -> None:
    """Submitted at 15, H is planned at 255, and its plan begins at 240: 225 s later, as in the case."""
    ran = case_32(at, compiled, time_min_grows=grows).until(at + 6)
    assert ran.starts[2] == at + 5
    assert ran.limit_s(2) == limit_s
    assert ran.expected_s(1) == at + 240
    assert ran.replay.run()
    schedule = ran.replay.schedule()
    assert schedule.run_s[2] == limit_s
    assert schedule.limit_s is not None
    assert schedule.limit_s.tolist() == [0.0, 0.0, limit_s]
    assert schedule.end_s[2] == at + 5 + limit_s


def test_without_a_least_limit_the_same_job_waits() -> None:
    jobs = [Sbatch(0, 25, 4, **THREE), Sbatch(1, 10, 5, **FOUR), replace(MIN, least_minutes=0)]
    ran = slurm(jobs, settings_of(PHASE))
    assert ran.replay.run()
    assert ran.starts[2] > 30.0
    assert ran.replay.schedule().limit_s is None


def test_a_main_pass_starts_it_with_all_that_it_asks_for() -> None:
    ran = slurm([MIN], settings_of(PHASE)).until(3.0)
    assert (ran.starts, ran.limit_s(0)) == ([2.0], 600.0)


def test_without_a_plan_behind_it_it_gets_all_that_it_asks_for() -> None:
    """A blocked partition alone keeps the main pass from starting it: its two nodes are no others'."""
    parts = (Partition("batch", nodes=("n1", "n2")), Partition("low", nodes=("n2", "n3")))
    jobs = [Sbatch(0, 100, 10, nodes=2, x=True), Sbatch(1, 10, 10, nodes=2, x=True)]
    jobs += [replace(MIN, queue="low")]
    ran = slurm(jobs, settings_of(PHASE, parts)).until(30.0)
    assert ran.starts[2] < 6.0
    assert ran.limit_s(2) == 600.0


def test_on_counted_processors_it_grows_up_to_the_plan_of_others() -> None:
    jobs = [Sbatch(0, 25, 4, tasks=3), Sbatch(1, 10, 5, tasks=4), replace(MIN, nodes=0, x=False, tasks=1)]
    ran = slurm(jobs, settings_of(PHASE, (Partition("batch"),)), Machine.counted(4)).until(6.0)
    assert (ran.starts[2], ran.limit_s(2)) == (5.0, 180.0)


def test_it_grows_no_longer_than_its_partition_admits() -> None:
    """With a limit above MaxTime only backfill looks at it, by its least one."""
    parts = (Partition("batch", max_time_s=300.0), Partition("low", max_time_s=3600.0))
    ran = slurm([MIN, replace(MIN, least_minutes=0)], settings_of(PHASE, parts)).until(20.0)
    assert (ran.starts[0], ran.limit_s(0)) == (7.0, 300.0)
    assert (ran.starts[1], ran.reason(1)) == (inf, "PartitionTimeLimit")


@pytest.mark.parametrize(("first_s", "limit_s"), [(200.0, 180.0), (50.0, 0.0), (5000.0, 600.0)])
def test_it_ends_before_a_reservation_of_its_nodes_begins(first_s: float, limit_s: float) -> None:
    hosts = Terms(hosts={f"n{k}": 4 for k in range(1, 5)})
    wall = Reservation("maintenance", 16, first_s, first_s + 1000.0, {}, hosts)
    ran = slurm([MIN], settings_of({**PHASE, "sched_interval_s": -1.0}), reservations=(wall,)).until(20.0)
    if limit_s:
        assert (ran.starts[0], ran.limit_s(0)) == (7.0, limit_s)
    else:
        assert ran.starts[0] == inf


def test_a_requeued_job_asks_for_its_whole_limit_again() -> None:
    tiers = (Partition("batch", priority_tier=10), Partition("low"))
    jobs = [Sbatch(0, 25, 4, **THREE), Sbatch(1, 10, 5, **FOUR), replace(MIN, queue="low")]
    jobs.append(Sbatch(20, 500, 50, **FOUR))
    settings = settings_of(
        {**PHASE, "preempt_type": "partition_prio", "preempt_mode": "requeue", "requeue_delay_s": 5.0}, tiers
    )
    ran = slurm(jobs, settings).until(6.0)
    assert ran.limit_s(2) == 180.0
    ran.until(40.0)
    assert ran.nodes(2) == {}
    assert ran.limit_s(2) == 600.0
    assert ran.replay.run()
    schedule = ran.replay.schedule()
    assert schedule.limit_s is not None
    assert (schedule.run_s[2], schedule.limit_s[2]) == (600.0, 0.0)


@pytest.mark.parametrize(("minutes", "starts"), [(3.0, False), (39.0, True)])
def test_limits_in_minutes_count_its_least_limit(minutes: float, starts: bool) -> None:
    """Four CPUs for a minute take four of GrpTRESRunMins, for ten forty."""
    settings = settings_of(
        {**PHASE, **LIMITS}, associations=tree(limits={"b": Limits(grp_tres_run_mins={"cpu": minutes})})
    )
    ran = slurm([replace(MIN, user="sys")], settings).until(20.0)
    assert (ran.starts[0] < inf) == starts


def test_a_deadline_cuts_the_limit_of_a_main_pass() -> None:
    """A job that has not even its least limit left is refused, and so is one that accepts no shorter one."""
    jobs = [Sbatch(0, 10, 1, **FOUR)] + [replace(MIN, at=1, least_minutes=least) for least in (1, 1, 0)]
    ran = slurm(jobs, settings_of({"bf_interval_s": -1.0})).until(5.0)
    deadlines = ran.replay.tables.jobs.deadline_s
    for job, at_s in ((1, 260.0), (2, 70.0), (3, 260.0)):
        deadlines[ran.row(job)] = at_s
    ran.until(20.0)
    assert ran.starts == [0.0, 11.0, inf, inf]
    assert ran.limit_s(1) == 240.0
    assert ran.replay.schedule().refused == {"deadline_too_tight": 2}


def test_rows_of_jobs_that_have_ended_know_no_limits() -> None:
    ran = case_32(0.0, False)
    assert ran.replay.run()
    t = ran.replay.tables
    for column in (t.jobs.least_s, t.jobs.asked_s, t.cycle.tried_s):
        assert not column.any()
