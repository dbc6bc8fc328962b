"""Which promises hold nodes, and which nodes they take: beside others, and when others have gone."""

import pytest

from molokini.model.agenda import AgendaEvent, EventKind
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.node_settings import NodeSettings
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Qos
from molokini.policies.maui.configuration.words import Allocation, QosFlag, ReservationPolicy
from tests.core.policies.maui.nodes.test_allocation import nodes_of
from tests.core.policies.maui.starting.test_reservations import reserved
from tests.kit.maui import Whose, at, maui
from tests.kit.workloads import Job

FOUR = {Resource.PROCESSORS: 4.0}
HIGHEST = {"reservation": ReservationPolicy.HIGHEST}
ANN, BOB = Whose("ann"), Whose("bob")


def apart(count: int) -> Machine:
    """Nodes of four processors, each of a group of its own."""
    return Machine.of_nodes([Node(FOUR, group=k) for k in range(count)])


def on(node: int, processors: int = 4) -> Request:
    return Request((Component(processors, {Resource.PROCESSORS: 1.0}, where=node),))


SEVERAL = {
    "by buckets": MauiSettings(buckets=(Bucket(2),)),
    "by a bucket each": MauiSettings(
        qos={"high": Qos(), "DEFAULT": Qos()},
        users={"bob": Credential(qos_default="high")},
        buckets=(Bucket(1, ("DEFAULT",)), Bucket(1, ("high",))),
    ),
    "by a flag": MauiSettings(
        qos={"high": Qos(flags=frozenset({QosFlag.RESERVE_ALWAYS})), "DEFAULT": Qos()},
        users={"bob": Credential(qos_default="high")},
        buckets=(Bucket(1, ("DEFAULT",)),),
    ),
}


@pytest.mark.parametrize("settings", SEVERAL.values(), ids=SEVERAL)
def test_where_several_may_have_promises_each_holds_its_nodes(settings: MauiSettings) -> None:
    """The second is promised node 1 at 200, which has one idle until then; node 2 has four.

    So the last, which would be on node 1 up to 503, is in the way, although by count it is not.
    """
    jobs = [Job(0, 100, 4), Job(0, 200, 3), Job(1, 10, 4), Job(2, 10, 4), Job(3, 500, 1)]
    requests = {0: on(0), 1: on(1, 3), 2: on(0), 3: on(1), 4: on(1, 1)}
    replay = maui(jobs, settings, [ANN, ANN, ANN, BOB, ANN], machine=apart(3), requests=requests)
    assert reserved(at(replay, 2)) == {3: 100, 4: 200}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 100, 200, 210]


@pytest.mark.parametrize("gone", [EventKind.CANCELLED, EventKind.HELD])
def test_the_nodes_of_who_is_gone_are_promised_to_the_next(gone: EventKind) -> None:
    """Job 2 is promised node 0 from 100 to 1100, and goes at 10, or is held: at 20 job 3 is promised 100."""
    jobs = [Job(0, 100, 4), Job(1, 1000, 4), Job(20, 10, 4)]
    replay = maui(
        jobs,
        MauiSettings(buckets=(Bucket(2),), chosen=HIGHEST),
        machine=apart(2),
        requests={k: on(0) for k in range(3)},
        facts=[AgendaEvent(10, gone, 1)],
    )
    assert reserved(at(replay, 5)) == {2: 100}
    assert reserved(at(replay, 20)) == {3: 100}


def test_who_finds_other_nodes_at_the_promised_instant_goes_before_who_does_not() -> None:
    """Node 0 is lost. Two of it and node 1 were promised 100, and after them one of node 0 was promised 110.

    That one finds node 1 at 110. What was promised the two moves behind it, not it behind them.
    """
    whole = Component(1, FOUR, tasks_per_node=1)
    two = Request((Component(2, FOUR, tasks_per_node=1),))
    jobs = [Job(0, 50, 4), Job(0, 100, 4), Job(0, 200, 4), Job(1, 10, 8), Job(2, 500, 4)]
    replay = maui(
        jobs,
        MauiSettings(buckets=(Bucket(2),), chosen=HIGHEST),
        machine=apart(3),
        requests={0: on(0), 1: on(1), 2: on(2), 3: two, 4: Request((whole,))},
        facts=[AgendaEvent(60, EventKind.NODE_LOST, 0)],
    )
    assert reserved(at(replay, 2)) == {4: 100, 5: 110}
    assert reserved(at(replay, 60)) == {4: 610, 5: 100}


def test_lastavailable_takes_the_smallest_gap_before_each_of_several_promises() -> None:
    """Node 1 is promised 100 and node 2 promised 200, node 0 nothing.

    The gaps of who ends at 150, at 90 and at 300 are the smallest at nodes 2, 1 and 0.
    """
    jobs = [Job(0, 100, 3), Job(0, 200, 3), Job(1, 10, 4), Job(1, 10, 4)]
    jobs += [Job(2, 148, 1), Job(3, 87, 1), Job(4, 296, 1)]
    replay = maui(
        jobs,
        MauiSettings(nodes=NodeSettings(Allocation.LASTAVAILABLE), buckets=(Bucket(2),)),
        machine=apart(3),
        requests={0: on(1, 3), 1: on(2, 3), 2: on(1), 3: on(2)},
    )
    at(replay, 4)
    assert [nodes_of(replay, number) for number in (5, 6, 7)] == [[2], [1], [0]]
