"""Asking classes of nodes instead of nodes: the same starts, whatever the nodes are like."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability import node_classes
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.sim.replay import Replay
from molokini.tables.sizes import MOST_CLASSES
from tests.kit.replays import finished, prepared, starts
from tests.kit.workloads import Job

P, MEM = Resource.PROCESSORS, Resource.MEMORY_KB
WISHES = st.lists(
    st.tuples(
        st.integers(0, 6), st.integers(1, 9), st.integers(1, 4), st.integers(1, 3), st.integers(0, 40),
        st.integers(0, 1), st.booleans(),
    ),
    min_size=4,
    max_size=24,
)  # fmt: skip


def asked(wishes: Sequence[tuple[int, ...]]) -> tuple[list[Job], dict[int, Request]]:
    jobs, requests = [], {}
    for k, (at, run_s, tasks, each, memory, features, apart) in enumerate(sorted(wishes)):
        jobs.append(Job(at, run_s, tasks * each))
        need = {P: float(each), MEM: float(memory)} if memory else {P: float(each)}
        requests[k] = Request((Component(tasks, need, tasks_per_node=int(apart), features=features),))
    return jobs, requests


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["firstfit", "easy"])
@given(wishes=WISHES, kinds=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_nothing_starts_otherwise(policy: str, wishes: Sequence[tuple[int, ...]], kinds: int) -> None:
    nodes = [Node({P: 4, MEM: 64 >> (k % kinds)}, features=k % 2) for k in range(6)]
    jobs, requests = asked(wishes)
    found = []
    for scans in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(node_classes, "_SCANS", scans)
            done = finished(
                jobs, policy, Machine.of_nodes(nodes), requests=requests, interpreted=True, rows=64
            )
        found.append(starts(done))
    assert found[0] == found[1]


def full(memories: Sequence[int]) -> Replay:
    """Nodes of so much memory each, of which a running job holds 950; a job waits that wants 900 on one."""
    jobs = [Job(0, 100, len(memories)), Job(0, 5, 1)]
    requests = {
        0: Request((Component(len(memories), {P: 1.0, MEM: 950.0}, tasks_per_node=1),)),
        1: Request((Component(1, {P: 1.0, MEM: 900.0}),)),
    }
    machine = Machine.of_nodes([Node({P: 2, MEM: memory}) for memory in memories])
    replay = prepared(jobs, "firstfit", machine, requests=requests, interpreted=True, rows=64)
    assert not replay.run(until_s=0.0)
    # As in the next pass.
    replay.tables.cycle.room_epoch += 1
    replay.tables.cycle.start_epoch += 1
    return replay


def look(replay: Replay) -> tuple[int, int]:
    """What was counted after one more look for the job that waits, in vain."""
    t = replay.tables
    assert node_classes.place_by_class(t, int(t.queue.waiting[t.queue.head])) == -1
    return t.classes.scans, t.classes.count


@pytest.mark.parametrize(
    ("memories", "classes"),
    [
        ([1000, 1000, 1001, 1000, 1001], 2),
        (range(1000, 1000 + MOST_CLASSES), MOST_CLASSES),
        (range(1000, 1001 + MOST_CLASSES), -1),
    ],
)
def test_classes_have_a_bound(memories: Sequence[int], classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_classes, "_SCANS", 0)
    replay = full(memories)
    assert look(replay)[1] == classes
    if classes > 0:
        assert sum(replay.tables.classes.size[:classes]) == len(memories)


def test_the_first_wishes_are_looked_for_node_by_node() -> None:
    """A pass with few wishes counts no classes: that would take longer than to look."""
    replay = full([1000] * 4)
    assert [look(replay) for _ in range(5)] == [(1, 0), (2, 0), (3, 0), (3, 1), (3, 1)]
    replay.tables.cycle.start_epoch += 1
    assert look(replay) == (1, 0)
