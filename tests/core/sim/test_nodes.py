"""Jobs on nodes: what they may wish for, who is refused, and that room is neither lost nor made."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine, Node
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.requests import Component, Request, Shape
from molokini.model.resources import Resource
from molokini.policies import load_policy
from tests.kit.invariants import assert_tables_empty
from tests.kit.policies import different_policies
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, job_lists

P, MEM = Resource.PROCESSORS, Resource.MEMORY_KB


def counts(policy: str) -> bool:
    """Whether *policy* refuses wishes beyond processors; the last of these does count, but by cluster."""
    return load_policy(policy).declaration.counted_only or policy == "conservative-worstfit"


placing = pytest.mark.parametrize("policy", [name for name in different_policies() if not counts(name)])


def needing(tasks: int, need: Mapping[Resource, float] | None = None, **wishes: Any) -> Request:
    return Request((Component(tasks, need or {P: 1.0}, **wishes),))


@pytest.mark.quick(one_in=13)
@pytest.mark.parametrize("policy", different_policies())
@pytest.mark.parametrize(("nodes", "each"), [(4, 2), (1, 8), (8, 1)])
@given(jobs=job_lists(8))
@settings(max_examples=30, deadline=None)
def test_jobs_start_as_on_counted_processors(policy: str, nodes: int, each: int, jobs: list[Job]) -> None:
    if policy == "slurm":
        pytest.skip("its plans are sets of nodes: whether a later one fits depends on which they have")
    on_nodes = finished(jobs, policy, Machine.uniform(nodes, each))
    counted = finished(jobs, policy, 8)
    assert (starts(on_nodes), ends(on_nodes)) == (starts(counted), ends(counted))
    assert_tables_empty(on_nodes)


def test_a_node_of_many_processors_takes_as_many_jobs() -> None:
    jobs = [Job(0, 5)] * 100
    assert starts(finished(jobs, "fcfs", Machine.uniform(1, 100))) == [0.0] * 100


@pytest.mark.quick(one_in=11)
@placing
@pytest.mark.parametrize("placement", ["first-fit", "best-fit", "worst-fit", "contiguous"])
@given(
    wishes=st.lists(
        st.tuples(
            st.integers(0, 3), st.integers(0, 9), st.integers(1, 3), st.integers(1, 2), st.integers(0, 30),
            st.sampled_from([-1, 0, 1]), st.integers(0, 2), st.sampled_from([0, 0, 1]), st.booleans(),
        ),
        min_size=1,
        max_size=12,
    )
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_wishes_and_room_are_kept(policy: str, placement: str, wishes: Sequence[tuple[int, ...]]) -> None:
    nodes = [Node({P: 4, MEM: 64}, group=k // 2, features=k % 2) for k in range(4)]
    at, jobs, requests = 0, [], {}
    for row, (gap, run, tasks, each, memory, where, per_node, features, two) in enumerate(wishes):
        at += gap
        jobs.append(Job(at, run, tasks * each))
        part = Component(tasks, {P: float(each), MEM: float(memory)}, where, per_node, features)
        requests[row] = Request((part, Component(1)) if two else (part,))
    replay = finished(jobs, policy, Machine.of_nodes(nodes), requests=requests, placement=placement)
    schedule = replay.schedule()
    assert (schedule.finished | schedule.refused_rows).all()
    assert_tables_empty(replay)
    np.testing.assert_array_equal(replay.tables.nodes.free, replay.tables.nodes.total)


@placing
def test_memory_can_be_what_is_short(policy: str) -> None:
    machine = Machine.of_nodes([Node({P: 4, MEM: 100})])
    requests = {0: needing(1, {P: 1, MEM: 60}), 1: needing(1, {P: 1, MEM: 60})}
    replay = finished([Job(0, 10), Job(0, 10)], policy, machine, requests=requests)
    assert starts(replay) == [0.0, 10.0]


def test_a_group_and_features_are_kept_to() -> None:
    machine = Machine.of_nodes([Node({P: 2}), Node({P: 2}, group=1), Node({P: 2}, group=1, features=2)])
    requests = {
        0: needing(2, where=1),
        1: needing(1, features=2),
        2: needing(3, where=1),
        3: needing(1, where=1),
    }
    jobs = [Job(0, 10, 2), Job(0, 10), Job(0, 10, 3), Job(0, 4)]
    # The first fills node 1, the second takes half of node 2; the third needs three of both.
    assert starts(finished(jobs, "fcfs", machine, requests=requests)) == [0.0, 0.0, 10.0, 10.0]


def test_tasks_per_node_spread_a_job() -> None:
    jobs = [Job(0, 10), Job(1, 5, 2)]
    requests = {1: needing(2, tasks_per_node=1)}
    assert starts(finished(jobs, "fcfs", Machine.uniform(2, 2), requests=requests)) == [0.0, 1.0]
    requests = {1: needing(2, {P: 2.0}, tasks_per_node=1)}
    assert starts(finished(jobs, "fcfs", Machine.uniform(2, 2), requests=requests)) == [0.0, 10.0]


def test_components_start_together_or_not_at_all() -> None:
    machine = Machine.of_nodes([Node({P: 2}), Node({P: 2}, group=1)])
    both = Request((Component(2, where=0), Component(2, where=1)))
    jobs = [Job(0, 10, 1), Job(1, 5, 4), Job(2, 3, 1)]
    replay = finished(jobs, "firstfit", machine, requests={0: needing(1, where=1), 1: both})
    # The second would find its first component at 1; it waits for the second one and takes nothing meanwhile.
    assert starts(replay) == [0.0, 10.0, 2.0]


def test_easy_where_counting_would_be_wrong() -> None:
    # Node 0 is busy to 10, node 1 to 20. The head wants both processors of node 1: two processors are free
    # from 10 on, but not where it wants them. Counting would take 10 for the shadow time and let nobody
    # of 15 s pass; on nodes the shadow time is 20.
    machine = Machine.of_nodes([Node({P: 2}), Node({P: 2}, group=1), Node({P: 1}, group=2)])
    jobs = [Job(0, 10, 2), Job(0, 20, 2), Job(1, 5, 2), Job(2, 15, 1)]
    requests = {
        0: needing(2, where=0),
        1: needing(2, where=1),
        2: needing(2, where=1),
        3: needing(1, where=2),
    }
    assert starts(finished(jobs, "easy", machine, requests=requests)) == [0.0, 0.0, 20.0, 2.0]
    # And the other way: enough would be free at the shadow time by count, but not on the node.
    machine = Machine.uniform(2, 2)
    jobs = [Job(0, 10, 1), Job(1, 5, 2), Job(2, 30, 1), Job(2, 30, 1)]
    requests = {0: needing(1), 1: needing(1, {P: 2.0}), 2: needing(1, tasks_per_node=1)}
    # The head starts at once on node 1, and both of 30 s leave nothing to be delayed.
    assert starts(finished(jobs, "easy", machine, requests=requests)) == [0.0, 1.0, 2.0, 6.0]


def test_easy_spares_the_node_of_the_head() -> None:
    # Both nodes hold one job of one processor, to 10 and to 50. The head wants a whole node: node 0 at 10.
    # By count there is one extra processor, whoever takes it; on node 0 it would delay the head.
    machine = Machine.of_nodes([Node({P: 2}), Node({P: 2}, group=1)])
    busy = {0: needing(1, where=0), 1: needing(1, where=1)}
    jobs = [Job(0, 10), Job(0, 50), Job(1, 5, 2), Job(2, 30)]
    head = {2: needing(1, {P: 2.0})}
    on_0 = finished(jobs, "easy", machine, requests={**busy, **head, 3: needing(1, where=0)})
    assert starts(on_0) == [0.0, 0.0, 10.0, 15.0]
    on_1 = finished(jobs, "easy", machine, requests={**busy, **head, 3: needing(1, where=1)})
    assert starts(on_1) == [0.0, 0.0, 10.0, 2.0]


@placing
def test_a_wish_that_no_machine_state_could_fulfil_is_refused(policy: str) -> None:
    jobs = [Job(0, 5, 2), Job(0, 5, 2)]
    replay = finished(jobs, policy, Machine.uniform(2, 2), requests={0: needing(1, {P: 2, MEM: 1})})
    assert replay.schedule().refused == {"never_placeable": 1}
    assert_tables_empty(replay)


@pytest.mark.parametrize("policy", different_policies())
def test_counted_policies_refuse_wishes_by_name(policy: str) -> None:
    replay = finished([Job(0, 5, 2)], policy, Machine.uniform(2, 2), requests={0: needing(1, {P: 2})})
    assert replay.schedule().refused == ({"needs_nodes": 1} if counts(policy) else {})


def test_wishes_are_still_kept_after_a_refusal() -> None:
    # The refused one must not make the tables forget that the others wish for something.
    machine = Machine.of_nodes([Node({P: 2}), Node({P: 2}, group=1)])
    jobs = [Job(0, 10), Job(0, 50), Job(1, 5, 2), Job(2, 30), Job(0, 1)]
    requests = {0: needing(1, {MEM: 1.0, P: 1.0}), 1: needing(1, where=0), 2: needing(1, where=1)}
    requests |= {3: needing(1, {P: 2.0}), 4: needing(1, where=0)}
    ordered = [jobs[4], *jobs[:4]]
    assert starts(finished(ordered, "easy", machine, requests=requests)) == [None, 0.0, 0.0, 10.0, 15.0]


def test_a_job_that_arrives_while_its_node_is_down_waits_for_it() -> None:
    machine = Machine.of_nodes([Node({P: 2}), Node({P: 2}, group=1)])
    facts = [AgendaEvent(1, EventKind.NODE_LOST, 1), AgendaEvent(20, EventKind.NODE_RETURNED, 1)]
    replay = finished([Job(5, 5)], "fcfs", machine, requests={0: needing(1, where=1)}, facts=facts)
    assert starts(replay) == [20.0]


def test_more_components_than_rows() -> None:
    """Interpreted, because a compiled kernel that runs out of them would write where it must not."""
    parts = Request(tuple(Component(1, where=k % 2) for k in range(6)))
    machine = Machine.of_nodes([Node({P: 4}), Node({P: 4}, group=1)])
    replay = finished(
        [Job(0, 5, 6), Job(1, 5, 6)], "fcfs", machine, requests={0: parts, 1: parts}, rows=2, interpreted=True
    )
    assert starts(replay) == [0.0, 5.0]
    assert_tables_empty(replay)


@pytest.mark.quick(one_in=11)
@placing
@pytest.mark.parametrize("placement", ["first-fit", "worst-fit", "contiguous"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_known_of_a_shape_changes_nothing(policy: str, placement: str, data: st.DataObject) -> None:
    """Jobs of one shape share what was found out about it; without a shape, each is looked at by itself."""
    machine = Machine.of_nodes([Node({P: 4.0, MEM: 8.0})] * 3 + [Node({P: 2.0, MEM: 16.0})])
    kinds = [needing(1, {P: 1, MEM: 4.0}), needing(2, {P: 2.0}), needing(2, {P: 1, MEM: 8.0}), needing(4)]
    jobs, requests, at = [], {}, 0
    for row in range(data.draw(st.integers(4, 20))):
        at += data.draw(st.integers(0, 3))
        run = data.draw(st.integers(1, 9))
        jobs.append(Job(at, run, estimate=run + data.draw(st.integers(0, 9))))
        requests[row] = data.draw(st.sampled_from(kinds))
    shared = finished(jobs, policy, machine, requests=requests, placement=placement)
    apart = prepared(jobs, policy, machine, requests=requests, placement=placement)
    assert ((apart.agenda.workload.shape > 0) == (apart.agenda.workload.component_count > 0)).all()
    apart.agenda.workload.shape[:] = 0
    apart.prepare()
    apart.run()
    assert outcome(shared.schedule()) == outcome(apart.schedule())


SOME = Machine.of_nodes([Node({P: 1.0}, features=bits) for bits in (1, 1, 2, 2, 3, 0)])
"""A processor each: two nodes of feature 1, two of feature 2, one of both and one of none."""


@placing
def test_jobs_get_nodes_of_their_features(policy: str) -> None:
    apart = [Component(1, tasks_per_node=1, features=bits, apart=True) for bits in (1, 2)]
    asked = {
        0: needing(2, tasks_per_node=1, features=1),
        1: needing(3, tasks_per_node=1, one_of=3),
        2: Request((needing(5, tasks_per_node=1, any_of=(3,)).components[0],)),
        3: Request(tuple(apart), Shape.COMPONENTS),
    }
    # One after the other all find their nodes at once, but for policies that look at the queue now and then.
    jobs = [Job(100.0 * k, 30, request.processors, 30) for k, request in asked.items()]
    begun = starts(finished(jobs, policy, SOME, requests=asked))
    assert [one is not None and one - job.submit < 60.0 for one, job in zip(begun, jobs, strict=True)] == [
        True
    ] * 4


@placing
def test_jobs_wait_for_nodes_that_share_a_feature(policy: str) -> None:
    # Two nodes of either feature are left: three that have one, and no three that share one.
    asked = {
        0: needing(1, tasks_per_node=1, features=1),
        1: needing(1, tasks_per_node=1, features=2),
        2: needing(3, tasks_per_node=1, one_of=3),
    }
    jobs = [Job(0, 200, 1, 200), Job(0, 200, 1, 200), Job(1, 100, 3, 100)]
    begun = starts(finished(jobs, policy, SOME, requests=asked))
    assert begun[2] is not None
    assert begun[2] >= 200.0


@placing
def test_what_no_nodes_have_is_refused_from_the_start(policy: str) -> None:
    for wish in (needing(4, tasks_per_node=1, one_of=3), needing(4, tasks_per_node=1, features=4)):
        asked = {0: wish}
        assert starts(finished([Job(0, 10, 4)], policy, SOME, requests=asked)) == [None]
