"""An excerpt of tables: for every policy, a pass over it decides what a pass over the whole decides."""

import numpy as np
import pytest

from molokini.cycle.dry_run import decide_on
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request, Shape
from molokini.model.resources import Resource
from molokini.policies import load_policy, policy_names
from molokini.sim.replay import Replay
from molokini.tables.excerpts import excerpt
from molokini.tables.making import grow
from molokini.tables.tables import Tables
from molokini.tables.transitions import end
from tests.kit.replays import prepared
from tests.kit.workloads import Job

Decided = set[tuple[int, int, float]]

NOTHING_WAITS = frozenset({"ps"})
"""Policies under which every job starts as it comes."""
JOBS = [Job(3.0 * k, run=40.0 + 7 * (k % 5), width=1 + k % 6, estimate=60.0 + 7 * (k % 5)) for k in range(60)]


def wishes() -> dict[int, Request]:
    """Requests that counting does not answer, of one component and of two, for one job in four."""
    one = Component(2, {Resource.PROCESSORS: 1.0, Resource.MEMORY_KB: 100.0})
    other = Component(1, {Resource.PROCESSORS: 2.0, Resource.MEMORY_KB: 50.0})
    two = Request((one, other), Shape.COMPONENTS)
    return {k: (Request((one,)) if k % 8 else two) for k in range(0, len(JOBS), 4)}


def stopped(policy: str) -> Replay:
    """A replay in the midst of it: jobs run and wait, on nodes where the policy takes any."""
    counted = load_policy(policy).declaration.counted_only
    node = Node({Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 400.0})
    machine = Machine.counted(8) if counted else Machine.of_nodes([node, node])
    replay = prepared(JOBS, policy, machine, requests=None if counted else wishes(), rows=64)
    replay.run(until_s=120.0)
    return replay


def decided(t: Tables, replay: Replay, now: float) -> Decided:
    """What the policy of *replay*, which begins anew, decides: kinds, jobs and times."""
    decide_on(t, replay.policy.begin, replay.policy.schedule, now)
    return {
        (
            int(t.cycle.decisions[k, 0]),
            int(t.jobs.number[t.cycle.decisions[k, 1]]),
            float(t.cycle.decision_time_s[k]),
        )
        for k in range(t.cycle.decided)
    }


@pytest.mark.parametrize("policy", policy_names())
def test_a_pass_over_all_jobs_in_an_excerpt_decides_the_same(policy: str) -> None:
    replay = stopped(policy)
    t, now = replay.tables, replay.agenda.now
    part = excerpt(t, t.queue.waiting[t.queue.head : t.queue.tail], spare=5)
    grow(part)
    whole = t.copy()
    for name in ("memory_f", "memory_i", "global_f", "global_i"):
        getattr(whole, name)[...] = 0
    found = []
    for tables in (whole, part):
        tables.cycle.replan = 1
        # All but one of the running jobs end: there is something to decide, and allocations are given back.
        for row in tables.queue.running[: max(1, tables.queue.running_count - 1)].tolist():
            end(tables, row, now)
        found.append(decided(tables, replay, now + 1.0))
    assert found[0] == found[1]
    assert np.array_equal(part.nodes.free, whole.nodes.free)
    assert found[0] or policy in NOTHING_WAITS


def test_an_excerpt_holds_what_was_asked_for_and_no_more() -> None:
    replay = stopped("easy")
    t = replay.tables
    waiting = t.queue.waiting[t.queue.head : t.queue.tail]
    part = excerpt(t, waiting[::2])
    kept = part.queue.waiting[part.queue.head : part.queue.tail]
    assert part.jobs.number[kept].tolist() == t.jobs.number[waiting[::2]].tolist()
    assert part.queue.running_count == t.queue.running_count > 0
    for name in ("number", "width", "expected_end_s", "held"):
        old = getattr(t.jobs, name)[t.queue.running[: t.queue.running_count]]
        assert np.array_equal(
            getattr(part.jobs, name)[part.queue.running[: part.queue.running_count]], old
        ), name
    assert part.machine.free == t.machine.free
    assert part.queue.wishing == np.count_nonzero(
        part.jobs.needs_placement[: kept.size + part.queue.running_count]
    )


def test_a_policy_begins_anew_over_an_excerpt() -> None:
    """Nothing is left of a pass over the whole, and policies plan."""
    t = stopped("easy").tables
    t.cycle.replan, t.cycle.explain, t.cycle.decided, t.holes.count = 0, 1, 3, 2
    t.classes.scans, t.classes.count, t.shapes.spoil_head, t.partitions.counted = 5, 6, 7, 8
    part = excerpt(t, t.queue.waiting[t.queue.head : t.queue.tail])
    assert (part.cycle.replan, part.cycle.explain, part.cycle.decided, part.holes.count) == (1, 0, 0, 0)
    assert (part.classes.scans, part.classes.count) == (0, 0)
    assert (part.shapes.spoil_head, part.partitions.counted) == (0, 0)
