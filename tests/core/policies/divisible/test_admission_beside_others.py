"""Divisible loads beside jobs that cannot be divided, and whose nodes are free before they were expected."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.applications.divisible import Costs
from molokini.metrics.timelines import busy_processors
from molokini.policies.divisible import POLICIES
from molokini.sim.agenda import next_instant
from tests.kit.divisible_worlds import FigureThree, Task, begun, planned, replayed, rigid
from tests.kit.invariants import assert_no_overuse, assert_tables_empty

NODES = 8
COSTS = Costs(1.0, 10.0)
every_member = pytest.mark.parametrize("policy", [policy.name for policy in POLICIES])


@st.composite
def mixed(draw: st.DrawFn, early: bool = False) -> list[Task]:
    """Loads with deadlines, some met exactly, and rigid jobs, which may end *early*."""
    tasks, at = [], 0.0
    for _ in range(draw(st.integers(2, 12))):
        at += draw(st.sampled_from([0.0, 0.0, 1.0, 5.0, 12.0, 30.0]))
        if draw(st.booleans()):
            estimate_s = draw(st.sampled_from([3.0, 10.0, 25.0, 60.0]))
            run_s = draw(st.sampled_from([0.25, 0.5, 1.0])) * estimate_s if early else estimate_s
            tasks.append(rigid(at, draw(st.integers(1, NODES)), estimate_s, run_s))
        else:
            size = draw(st.sampled_from([1.0, 2.0, 5.0, 8.0, 13.0, 20.5]))
            slack = draw(st.sampled_from([1.0, 1.3, 2.0, 5.0]))
            n = draw(st.integers(1, NODES))
            tasks.append(Task(at, size, slack * COSTS.execution_s("opr", size, n)))
    return tasks


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("port", ["unlimited", "shared"])
@every_member
@given(tasks=mixed())
@settings(max_examples=40, deadline=None)
def test_rigid_jobs_keep_their_width_and_wait_for_no_port(policy: str, port: str, tasks: list[Task]) -> None:
    values: dict[str, Any] = {"port": port, **({"k": 3} if policy.endswith("-k") else {})}
    replay = replayed(tasks, policy, NODES, COSTS, values)
    plain = FigureThree(policy, NODES, COSTS, k=3, shared_port=port == "shared")
    assert planned(replay) == plain.run(tasks)
    assert_no_overuse(replay)
    assert_tables_empty(replay)


@pytest.mark.quick(one_in=7)
@every_member
@given(tasks=mixed(early=True))
@settings(max_examples=40, deadline=None)
def test_nodes_that_are_free_early_make_nobody_late(policy: str, tasks: list[Task]) -> None:
    replay = replayed(tasks, policy, NODES, COSTS, {"k": 3} if policy.endswith("-k") else {})
    schedule = replay.schedule()
    for k, task in enumerate(tasks):
        if not schedule.refused_rows[k]:
            assert schedule.end_s[k] <= task.until
    assert_no_overuse(replay)


def test_a_plan_that_holds_is_kept_where_nodes_that_are_free_early_give_none() -> None:
    """The first load would start at 1 on fewer nodes and end later; the second, which needs all, too late."""
    four, eight = COSTS.execution_s("opr", 5.0, 4), COSTS.execution_s("opr", 20.0, 8)
    tasks = [
        rigid(0, 4, 10.0, run_s=1.0),
        rigid(0, 4, 25.0),
        Task(0, 5.0, 30.0),
        Task(0, 20.0, 10 + four + eight),
    ]
    found = planned(replayed(tasks, "fifo-opr-mn", NODES, COSTS))
    assert found[2] == (10.0, 4, 10 + four)
    assert found[3] == (10 + four, 8, 10 + four + eight)


@pytest.mark.parametrize(("policy", "nodes"), [("edf-opr-an", 8), ("fifo-opr-mn", 2), ("mwf-epr-mn", 2)])
def test_nodes_that_are_free_early_are_used(policy: str, nodes: int) -> None:
    """It was promised a start at 50, on all nodes; the fewest that do from 10 on are two."""
    rule = policy.split("-")[1]
    tasks = [rigid(0, 8, 50.0, run_s=10.0), Task(1, 10.0, 49.5 + COSTS.execution_s(rule, 10.0, 8))]
    replay = replayed(tasks, policy, NODES, COSTS)
    assert replay.agenda.results.first_reserved_s[1] == 50.0
    assert planned(replay)[1] == (10.0, nodes, 10 + COSTS.execution_s(rule, 10.0, nodes))


@pytest.mark.quick(one_in=3)
@every_member
@given(tasks=mixed(early=True))
@settings(max_examples=12, deadline=None)
def test_all_that_the_next_pass_needs_is_in_the_tables(policy: str, tasks: list[Task]) -> None:
    """What a policy remembers may be lost between any two passes, as where a server starts again."""
    values: dict[str, Any] = {"k": 3} if policy.endswith("-k") else {}
    replay = begun(tasks, policy, NODES, COSTS, values)
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        t = replay.tables
        for memory in (t.memory_f, t.memory_i, t.global_f, t.global_i, t.profile.time_s, t.profile.free):
            memory[...] = 0
    assert planned(replay) == planned(replayed(tasks, policy, NODES, COSTS, values))


def test_each_node_is_given_back_when_its_chunk_is_done() -> None:
    """Of three, sent one after the other within 4 s each and computed in 40 s; nothing else happens."""
    replay = replayed([Task(0, 12.0, 100.0)], "edf-epr-k", NODES, COSTS, {"k": 3, "release": "each"})
    busy = busy_processors(replay.schedule())
    assert list(zip(busy.times, busy.values, strict=True)) == [(0, 3), (44, 2), (48, 1), (52, 0)]
