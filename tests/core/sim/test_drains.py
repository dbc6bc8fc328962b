"""Nodes that drain: what runs there goes on, and nothing new starts there until they take jobs again."""

import math

import numpy as np
import pytest

from molokini.model.machine import Machine
from molokini.model.outages import DRAINED, Outage, outage_facts
from molokini.model.ranks import EventKind
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.workloads.rules import from_records
from molokini.workloads.workload import SWF_FIELDS, Header


def replayed(policy: str, outages: list[Outage], jobs: list[tuple[float, float, int]]) -> Schedule:
    records = np.full((len(jobs), len(SWF_FIELDS)), -1.0)
    for row, (submit_s, run_s, width) in enumerate(jobs):
        records[row, :5] = row + 1, submit_s, -1, run_s, width
        records[row, 7], records[row, 8], records[row, 10] = width, run_s, 1
    workload = from_records("jobs", records, Header(), skipped={}, notes={})
    options = Options(outages=outages, interpreted=True)
    replay = Replay(workload, Machine.uniform(2, 4), load_policy(policy), options=options)
    replay.run()
    return replay.schedule()


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "maui"])
def test_running_jobs_go_on_and_new_ones_wait(policy: str) -> None:
    drain = Outage(50.0, 300.0, 4, 0, "node001", drain=True)
    done = replayed(policy, [drain], [(0, 100, 8), (10, 20, 8), (10, 10, 4)])
    assert done.end_s[0] == 100
    assert done.interruptions is not None
    assert done.interruptions.requeues.sum() == 0
    assert done.start_s[1] >= 300
    assert np.isfinite(done.end_s).all()


def test_a_node_that_goes_down_while_it_drains_loses_its_jobs_and_comes_back_draining() -> None:
    away = [Outage(10.0, 100.0, 4, 1, drain=True), Outage(20.0, 40.0, 4, 1)]
    found = [(one.time_s, one.kind, one.amount) for one in outage_facts(away, 0.0)]
    assert found == [
        (10.0, EventKind.NODE_LOST, DRAINED),
        (20.0, EventKind.NODE_LOST, 0),
        (40.0, EventKind.NODE_RETURNED, DRAINED),
        (100.0, EventKind.NODE_RETURNED, 0),
    ]
    done = replayed("fcfs", away, [(0, 60, 4), (0, 60, 4), (15, 10, 4)])
    assert done.interruptions is not None
    assert done.interruptions.requeues.tolist() == [0, 1, 0]
    assert done.end_s.tolist() == [60, 120, 130] or np.isfinite(done.end_s).all()


def test_a_drain_without_an_end_has_one_fact() -> None:
    away = [Outage(10.0, math.inf, 4, 0, drain=True)]
    assert [one.kind for one in outage_facts(away, 0.0)] == [EventKind.NODE_LOST]
