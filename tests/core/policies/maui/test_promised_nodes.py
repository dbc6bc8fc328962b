"""Promises of particular nodes: when one of them is lost, and what those who start first leave of them."""

from molokini.model.facts import Fact, FactKind
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies.maui.settings import Bucket, MauiSettings, Reservations
from molokini.policies.maui.words import ReservationPolicy
from tests.core.policies.maui.test_reservations import reserved
from tests.kit.maui import at, maui
from tests.kit.workloads import Job


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
        MauiSettings(reservations=Reservations(ReservationPolicy.HIGHEST)),
        machine=Machine.of_nodes([Node(need, group=k) for k in range(4)]),
        requests=requests,
        facts=[Fact(60, FactKind.NODE_LOST, 1)],
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
        MauiSettings(reservations=Reservations(buckets=(Bucket(2),))),
        machine=Machine.of_nodes([Node(two), Node(four, group=1), Node(four, group=2)]),
        requests={0: head, 1: on_1, 2: on_1, 3: on_1},
        reservations=(Reservation("r", 2, 0.0, 100.0, {"user": ("9",)}, Terms(hosts={"n1": 2})),),
        node_names=("n1", "n2", "n3"),
    )
    replay.run()
    assert replay.schedule().start_s.tolist() == [100, 1, 1, 110]
