"""Promises of particular nodes: when one of them is lost, and what those who start first leave of them."""

import numpy as np
import pytest

from molokini.availability.node_rules import NodeRule
from molokini.model.machine import Machine, Node
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Weight
from molokini.policies.maui.configuration.words import Allocation, Factor, ReservationPolicy
from molokini.policies.maui.introspection.introspection import INSIGHT
from tests.core.policies.maui.starting.test_planning import reserved
from tests.kit.maui import Whose, at, maui, nodes
from tests.kit.workloads import Job


def test_a_promise_of_two_components_on_one_node_holds_both() -> None:
    """A task of three and a task of one are promised the first node at 10. What is free of it before is
    too little for a job that would still be there then.
    """
    requests = {
        row: Request((Component(1, {Resource.PROCESSORS: float(width)}, where=node),))
        for row, (width, node) in enumerate([(2, 0), (3, 1), (2, 2), (2, 2)])
    }
    tasks = [Component(1, {Resource.PROCESSORS: 3.0}), Component(1, {Resource.PROCESSORS: 1.0})]
    requests |= {4: Request(tuple(tasks)), 5: Request((Component(1, {Resource.PROCESSORS: 2.0}),))}
    jobs = [Job(0, 10, 2), Job(0, 60, 3), Job(0, 10, 2), Job(0, 60, 2), Job(1, 50, 4), Job(2, 30, 2)]
    replay = maui(
        jobs,
        MauiSettings(buckets=(Bucket(3),)),
        machine=Machine.of_nodes([Node({Resource.PROCESSORS: 4.0}, group=k) for k in range(3)]),
        requests=requests,
    )
    assert reserved(at(replay, 2)) == {5: 10, 6: 10}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 0, 0, 10, 10]


def test_who_loses_a_node_of_his_promise_is_promised_the_next_instant_at_which_others_are_there() -> None:
    """Two whole nodes of four: promised those that are free at 50 and 100; at 60 the first of them is lost.

    At 100 as many processors are free as are wanted, but one node alone is free whole; at 200 two are.
    """
    need = {Resource.PROCESSORS: 4.0}
    one = {Resource.PROCESSORS: 1.0}
    requests = {k: Request((Component(1, need, where=k),)) for k in (0, 1)}
    requests |= {k: Request((Component(1, one, where=k),)) for k in (2, 3)}
    requests[4] = Request((Component(2, need, tasks_per_node=1),))
    jobs = [Job(0, 100, 4), Job(0, 50, 4), Job(0, 200, 1), Job(0, 300, 1), Job(1, 10, 8)]
    replay = maui(
        jobs,
        MauiSettings(chosen={"reservation": ReservationPolicy.HIGHEST}),
        machine=Machine.of_nodes([Node(need, group=k) for k in range(4)]),
        requests=requests,
        facts=[AgendaEvent(60, EventKind.NODE_LOST, 1)],
    )
    assert reserved(at(replay, 1)) == {5: 100}
    assert reserved(at(replay, 60)) == {5: 200}
    assert replay.run()
    assert replay.schedule().start_s[4] == 200


def test_the_first_start_of_all_leaves_less_to_the_next_beside_reservations() -> None:
    """Node 0 is kept for others up to 100, when the head has it and half of node 1 up to 110.

    Nothing runs before: of three that want one processor of node 1 for long two fit beside the head, although
    by count there is room for all.
    """
    two, one, four = ({Resource.PROCESSORS: count} for count in (2.0, 1.0, 4.0))
    on_1 = Request((Component(1, one, where=1),))
    head = Request((Component(1, two, where=0), Component(1, two, where=1)))
    replay = maui(
        [Job(1, 10, 4), *[Job(1, 500, 1)] * 3],
        MauiSettings(buckets=(Bucket(2),)),
        machine=Machine.of_nodes([Node(two), Node(four, group=1), Node(four, group=2)]),
        requests={0: head, 1: on_1, 2: on_1, 3: on_1},
        reservations=(Reservation("r", 2, 0.0, 100.0, {"user": ("9",)}, Terms(hosts={"n1": 2})),),
        node_names=("n1", "n2", "n3"),
    )
    replay.run()
    assert replay.schedule().start_s.tolist() == [100, 1, 1, 110]


@pytest.mark.parametrize("looks", [0, 1, 4])
def test_what_a_kept_promise_holds_is_the_same_however_often_it_is_looked_at(looks: int) -> None:
    """Two of half a node's processors and memory each are promised 100, with iterations between the two."""
    half = {Resource.PROCESSORS: 2.0, Resource.MEMORY_KB: 1024.0}
    kind = {Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 2048.0}
    first = Request((Component(1, {Resource.PROCESSORS: 4.0}, where=0),))
    wishes = {
        0: first,
        1: Request((Component(1, half, where=0),)),
        looks + 2: Request((Component(1, half, where=0),)),
    }
    between = [Job(10 * (k + 1), 1, 1) for k in range(looks)]
    replay = maui(
        [Job(0, 100, 4), Job(1, 500, 2), *between, Job(60, 500, 2)],
        MauiSettings(buckets=(Bucket(2),), chosen={"reservation": ReservationPolicy.HIGHEST}),
        machine=Machine.of_nodes([Node(kind), Node(kind, group=1)]),
        requests=wishes,
    )
    assert reserved(at(replay, 60)) == {2: 100, looks + 3: 100}
    assert replay.run()
    assert replay.schedule().start_s[[1, looks + 2]].tolist() == [100, 100]


def test_what_is_planned_takes_nodes_as_they_are_numbered_whatever_the_order_of_the_present() -> None:
    """Bob's job takes the last idle processor, of node 1; ann's two are promised 100, when both are free."""
    four, two = {Resource.PROCESSORS: 4.0}, {Resource.PROCESSORS: 2.0}
    replay = maui(
        [Job(0, 100, 4), Job(0, 100, 3), Job(1, 10, 1), Job(1, 10, 2)],
        MauiSettings(
            nodes=NodeSettings(Allocation.CPULOAD),
            factors={Factor.USER: Weight(1)},
            users={"bob": Credential(priority=1000)},
            chosen={"reservation": ReservationPolicy.HIGHEST},
        ),
        [Whose("cy"), Whose("cy"), Whose("bob"), Whose("ann")],
        machine=Machine.of_nodes([Node(four), Node(four, group=1)]),
        requests={
            0: Request((Component(1, four, where=0),)),
            1: Request((Component(3, {Resource.PROCESSORS: 1.0}, where=1),)),
            3: Request((Component(1, two),)),
        },
    )
    t = at(replay, 1)
    assert reserved(t) == {4: 100}
    assert INSIGHT.held_nodes(t, int(t.queue.waiting[t.queue.head])) == {0: 2}


def test_two_kept_promises_leave_the_rest_of_their_nodes_to_others() -> None:
    """Both are promised 100: half of node 0 each, and 2 and 1 of node 1, which has one more."""
    one, two, four = ({Resource.PROCESSORS: float(count)} for count in (1, 2, 4))
    half = Component(1, two, where=0)
    replay = maui(
        [Job(0, 100, 4), Job(1, 500, 4), Job(1, 500, 3), Job(10, 500, 1)],
        MauiSettings(buckets=(Bucket(2),), chosen={"reservation": ReservationPolicy.HIGHEST}),
        machine=Machine.of_nodes([Node(four), Node(four, group=1)]),
        requests={
            0: Request((Component(1, four, where=0),)),
            1: Request((half, Component(2, one, where=1))),
            2: Request((half, Component(1, one, where=1))),
            3: Request((Component(1, one, where=1),)),
        },
    )
    assert reserved(at(replay, 1)) == {2: 100, 3: 100}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 100, 100, 10]


def test_who_can_be_promised_nothing_does_not_keep_the_next_from_being_spared() -> None:
    """Job 2 wants the node that is lost; job 3 wants node 0 whole at 100, and job 4 would be in its way."""
    one, four = {Resource.PROCESSORS: 1.0}, {Resource.PROCESSORS: 4.0}
    replay = maui(
        [Job(0, 100, 3), Job(2, 10, 4), Job(3, 10, 4), Job(4, 500, 1)],
        machine=Machine.of_nodes([Node(four, group=k) for k in range(3)]),
        requests={
            0: Request((Component(3, one, where=0),)),
            1: Request((Component(1, four, where=1),)),
            2: Request((Component(1, four, where=0),)),
            3: Request((Component(1, one, where=0),)),
        },
        facts=[AgendaEvent(1, EventKind.NODE_LOST, 1), AgendaEvent(2000, EventKind.NODE_RETURNED, 1)],
    )
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 2000, 100, 110]


def test_who_takes_all_that_is_left_of_a_partition_beside_promises_starts() -> None:
    """Ann's two are promised 100 and 110 in a; in b 5 of 8 are idle, and bob's 5 take them for long."""
    lines = {f"n{k}": NodeLine(partition="b") for k in (3, 4)}
    settings = MauiSettings(
        nodes=NodeSettings(lines=lines),
        users={"ann": Credential(partition_list=("DEFAULT",)), "bob": Credential(partition_list=("b",))},
        buckets=(Bucket(2),),
    )
    ann, bob = Whose("ann"), Whose("bob")
    jobs = [Job(0, 100, 8), Job(0, 1000, 3), Job(1, 10, 8), Job(1, 10, 8), Job(2, 500, 5)]
    replay = maui(jobs, settings, [ann, bob, ann, ann, bob], machine=nodes(4, 4))
    assert reserved(at(replay, 1)) == {3: 100, 4: 110}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 100, 110, 2]


def test_promises_under_other_settings_hold_what_these_say() -> None:
    """A node is one job's at first; when nodes are shared two are promised halves of it for the same time."""
    half = Request((Component(1, {Resource.PROCESSORS: 2.0}),))
    four = {Resource.PROCESSORS: 4.0}
    replay = maui(
        [Job(0, 100, 4), Job(1, 50, 2), Job(1, 50, 2), Job(20, 1, 4)],
        MauiSettings(nodes=NodeSettings(access=NodeRule.SINGLE_JOB), buckets=(Bucket(2),)),
        machine=Machine.of_nodes([Node(four)]),
        requests={0: Request((Component(1, four),)), 1: half, 2: half},
    )
    t = at(replay, 1)
    assert reserved(t) == {2: 100, 3: 150}
    parameters(t).node_access = NodeRule.SHARED
    t.cycle.replan = 1
    assert reserved(at(replay, 20)) == {2: 100, 3: 100}


def test_nodes_that_are_kept_at_many_instants_are_free_for_who_is_over_before_the_first() -> None:
    """Halves of n1 are kept for bob and cy in turn from 1,000 on: two long jobs are promised the rest at 100.

    The short one is promised n1 for the same time.
    """
    kept = [
        Reservation(f"r{k}", 2, at_s, at_s + 3.0, {"user": (str(2 + k % 2),)}, Terms(hosts={"n1": 2}))
        for k, at_s in enumerate(np.arange(1000.0, 1120.0, 2.0).tolist())
    ]
    replay = maui(
        [Job(0, 100, 12), Job(1, 2000, 4), Job(1, 2000, 4), Job(1, 10, 4)],
        MauiSettings(buckets=(Bucket(3),)),
        [Whose("ann"), Whose("ann"), Whose("bob"), Whose("ann")],
        machine=nodes(3, 4),
        reservations=kept,
        node_names=("n1", "n2", "n3"),
    )
    assert reserved(at(replay, 1)) == {2: 100, 3: 100, 4: 100}


def test_a_node_that_takes_one_job_of_a_user_is_promised_to_one_of_his_jobs_at_a_time() -> None:
    """Node 0 is free at 100, node 1 at 300: ann's first job has the one up to 150, then her second."""
    how = MauiSettings(
        nodes=NodeSettings(lines={"DEFAULT": NodeLine(most_jobs_per_user=1)}),
        buckets=(Bucket(2),),
        chosen={"reservation": ReservationPolicy.HIGHEST},
    )
    jobs = [Job(0, 100, 4), Job(0, 300, 4), Job(1, 50, 2), Job(2, 50, 2)]
    replay = maui(jobs, how, [Whose("cy"), Whose("bob"), Whose("ann"), Whose("ann")], machine=nodes(2, 4))
    assert reserved(at(replay, 3)) == {3: 100, 4: 150}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 100, 150]
