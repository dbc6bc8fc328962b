"""Which promises hold nodes, and which nodes they take: beside others, and when others have gone."""

from collections.abc import Mapping

import pytest

from molokini.availability.node_rules import NodeRule
from molokini.model.machine import Machine, Node
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Qos
from molokini.policies.maui.configuration.words import Allocation, QosFlag, ReservationPolicy
from molokini.sim.replay import Overrun
from tests.core.policies.maui.nodes.test_allocation import nodes_of
from tests.core.policies.maui.starting.test_planning import reserved
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


def test_who_starts_beside_a_promise_is_placed_by_what_is_idle() -> None:
    """Node 0 is promised 100 whole; of node 1 two are idle, of node 2 four: the last goes to node 2."""
    jobs = [Job(0, 100, 4), Job(0, 1000, 2), Job(1, 10, 4), Job(1, 500, 1)]
    replay = maui(
        jobs,
        MauiSettings(nodes=NodeSettings(Allocation.CPULOAD), buckets=(Bucket(2),)),
        machine=apart(3),
        requests={0: on(0), 1: on(1, 2), 2: on(0)},
    )
    assert reserved(at(replay, 1)) == {3: 100}
    assert nodes_of(replay, 4) == [2]


@pytest.mark.parametrize(
    ("access", "most_jobs", "second_s"),
    [
        (NodeRule.SHARED, None, 100),
        (NodeRule.SHARED_ONLY, None, 100),
        (NodeRule.SINGLE_USER, None, 150),
        (NodeRule.SINGLE_JOB, None, 150),
        (NodeRule.SHARED, 1, 150),
        (NodeRule.SHARED_ONLY, 1, 150),
        (NodeRule.SHARED, 2, 150),
    ],
)
def test_half_a_node_is_promised_where_shared(
    access: NodeRule, most_jobs: int | None, second_s: float
) -> None:
    lines = {"n1": NodeLine(most_jobs=most_jobs)}
    replay = maui(
        [Job(0, 100, 4), Job(1, 50, 2), Job(1, 50, 2)],
        MauiSettings(nodes=NodeSettings(access=access, lines=lines), buckets=(Bucket(2),)),
        machine=apart(1),
        requests={0: on(0), 1: on(0, 2), 2: on(0, 2)},
    )
    assert reserved(at(replay, 1)) == {2: 100, 3: second_s}


def test_a_promise_of_less_that_begins_sooner_leaves_less_beside_a_later_one() -> None:
    """Each is promised two of node 0: the first with node 1 from 200 on, the second with node 2 from 100 on.

    So from 200 on node 0 has none for the last, though each promise by itself leaves two.
    """
    jobs = [Job(0, 200, 4), Job(0, 100, 4), Job(1, 50, 6), Job(2, 300, 6), Job(3, 500, 1)]
    half, whole = Component(2, {Resource.PROCESSORS: 1.0}, where=0), Component(1, FOUR, where=1)
    requests = {0: on(1), 1: on(2), 2: Request((half, whole)), 4: on(0, 1)}
    requests[3] = Request((half, Component(1, FOUR, where=2)))
    replay = maui(jobs, MauiSettings(buckets=(Bucket(2),)), machine=apart(4), requests=requests)
    assert reserved(at(replay, 3)) == {3: 200, 4: 100}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 200, 100, 250]


def test_who_starts_between_two_promises_is_there_in_the_second() -> None:
    """Nodes 0 and 1 are free at 100, but for one processor of node 1, which job 4 takes now, up to 201."""
    jobs = [Job(0, 100, 4), Job(0, 100, 3), Job(1, 10, 4), Job(1, 200, 1), Job(1, 10, 4)]
    requests = {0: on(0), 1: on(1, 3), 2: on(0), 3: on(1, 1), 4: on(1)}
    replay = maui(jobs, MauiSettings(buckets=(Bucket(3),)), machine=apart(3), requests=requests)
    assert reserved(at(replay, 1)) == {3: 100, 5: 201}


def test_a_kept_promise_moves_on_with_who_runs_past_his_limit_on_its_nodes() -> None:
    """Node 1 has enough by count as job 1 runs on from 100, but the promise is of node 0."""
    replay = maui(
        [Job(0, 200, 4, 100), Job(1, 10, 4)],
        MauiSettings(buckets=(Bucket(2),), chosen=HIGHEST),
        machine=apart(2),
        requests={0: on(0), 1: on(0)},
        overrun=Overrun.EXTEND,
    )
    assert [reserved(at(replay, at_s)) for at_s in (99, 100, 150, 199)] == [
        {2: k} for k in (100, 101, 151, 200)
    ]


KEPT: Mapping[str, tuple[str, ...]] = {"user": ("9",)}


@pytest.mark.parametrize("from_s", [100.0, 120.0])
def test_a_promise_of_a_node_begins_behind_what_is_kept_of_it_for_others(from_s: float) -> None:
    """All of node 0 is kept up to 200: the one promise is of then, though node 1 has as many by count."""
    replay = maui(
        [Job(0, 100, 4), Job(1, 50, 4)],
        machine=apart(2),
        requests={0: on(0), 1: on(0)},
        reservations=(Reservation("r", 4, from_s, 200.0, KEPT, Terms(hosts={"n1": 4})),),
        node_names=("n1", "n2"),
    )
    assert reserved(at(replay, 1)) == {2: 200}


@pytest.mark.parametrize("second_s", [100, 50])
def test_what_is_kept_of_a_node_is_kept_beside_what_is_promised_of_it(second_s: float) -> None:
    """Two of node 0 are kept for others, and two promised from 100 to 600 (with node 1, which is busy).

    Before, one more has room, but not for so long: it is promised 600, though node 2 has four by count.
    """
    jobs = [Job(0, second_s, 2), Job(0, 100, 4), Job(1, 500, 6), Job(1, 510, 1)]
    head = Request((Component(2, {Resource.PROCESSORS: 1.0}, where=0), Component(1, FOUR, where=1)))
    replay = maui(
        jobs,
        MauiSettings(buckets=(Bucket(2),)),
        machine=apart(3),
        requests={0: on(0, 2), 1: on(1), 2: head, 3: on(0, 1)},
        reservations=(Reservation("r", 2, 0.0, 1000.0, KEPT, Terms(hosts={"n1": 2})),),
        node_names=("n1", "n2", "n3"),
    )
    assert reserved(at(replay, 1)) == {3: 100, 4: 600}


def test_a_later_promise_takes_nothing_of_what_an_earlier_one_leaves() -> None:
    """Two of node 0 are promised from 100 to 110, all of it from 200 on: two for 150 s start beside both."""
    jobs = [Job(0, 100, 2), Job(0, 100, 4), Job(0, 200, 4), Job(1, 10, 6), Job(2, 10, 8), Job(3, 150, 2)]
    requests = {0: on(0, 2), 1: on(1), 2: on(2), 5: on(0, 2)}
    requests[3] = Request((Component(1, {Resource.PROCESSORS: 2.0}, where=0), Component(1, FOUR, where=1)))
    requests[4] = Request((Component(1, FOUR, where=0), Component(1, FOUR, where=2)))
    replay = maui(jobs, MauiSettings(buckets=(Bucket(2),)), machine=apart(4), requests=requests)
    assert reserved(at(replay, 2)) == {4: 100, 5: 200}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 0, 100, 200, 3]


@pytest.mark.parametrize(("whose", "run_s"), [(ANN, 90), (BOB, 500)])
def test_who_would_be_in_what_is_kept_as_a_promise_begins_waits_alone(whose: Whose, run_s: float) -> None:
    """Bob's first job uses what is kept of node 0 for him, up to 50; two of it are promised to ann's at 100.

    At 100 ann's next would be in what is kept. One that is over then is not, nor is one of bob's.
    """
    jobs = [Job(0, 50, 2), Job(0, 100, 4), Job(1, 10, 6), Job(1, 10, 4), Job(2, 500, 2), Job(2, run_s, 2)]
    head = Request((Component(2, {Resource.PROCESSORS: 1.0}, where=0), Component(1, FOUR, where=1)))
    replay = maui(
        jobs,
        MauiSettings(buckets=(Bucket(2),)),
        [BOB, ANN, ANN, ANN, ANN, whose],
        machine=apart(3),
        requests={0: on(0, 2), 1: on(1), 2: head, 3: on(1), 4: on(0, 2), 5: on(0, 2)},
        reservations=(Reservation("r", 2, 0.0, 1000.0, {"user": ("2",)}, Terms(hosts={"n1": 2})),),
        node_names=("n1", "n2", "n3"),
    )
    assert reserved(at(replay, 2)) == {3: 100, 4: 110}
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 100, 110, 110, 2]


@pytest.mark.parametrize("run_s", [97, 98])
def test_who_ends_as_a_promise_begins_has_the_nodes_of_it(run_s: float) -> None:
    """Node 0 is promised 100 whole, and half of it idle up to then; node 1 is promised 200 whole."""
    jobs = [Job(0, 100, 2), Job(0, 200, 2), Job(1, 10, 4), Job(1, 10, 4), Job(2, run_s, 2), Job(2, 198, 2)]
    requests = {0: on(0, 2), 1: on(1, 2), 2: on(0), 3: on(1), 4: on(0, 2), 5: on(1, 2)}
    replay = maui(jobs, MauiSettings(buckets=(Bucket(2),)), machine=apart(3), requests=requests)
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 100, 200, 2, 2]


@pytest.mark.parametrize("run_s", [97, 98])
def test_who_ends_as_a_promise_begins_leaves_the_rest_of_its_nodes_to_others(run_s: float) -> None:
    """Two of node 0 are promised from 100 on; one job is over then, and one of two may stay beside them."""
    jobs = [Job(0, 100, 4), Job(1, 10, 6), Job(2, run_s, 2), Job(2, 500, 2)]
    head = Request((Component(2, {Resource.PROCESSORS: 1.0}, where=0), Component(1, FOUR, where=1)))
    replay = maui(
        jobs,
        MauiSettings(buckets=(Bucket(2),)),
        machine=apart(3),
        requests={0: on(1), 1: head, 2: on(0, 2), 3: on(0, 2)},
    )
    assert replay.run()
    assert replay.schedule().start_s.tolist() == [0, 100, 2, 2]


def test_lastavailable_looks_at_the_first_of_several_reservations_of_a_node() -> None:
    """Node 1 is kept from 100 and from 1000 on, node 2 from 200 on: what ends at 90 goes to node 1."""
    kept = [("n2", 100.0, 150.0), ("n2", 1000.0, 1100.0), ("n3", 200.0, 250.0)]
    replay = maui(
        [Job(0, 90, 1)],
        MauiSettings(nodes=NodeSettings(Allocation.LASTAVAILABLE)),
        machine=apart(3),
        reservations=tuple(
            Reservation(f"r{k}", 4, from_s, until_s, KEPT, Terms(hosts={name: 4}))
            for k, (name, from_s, until_s) in enumerate(kept)
        ),
        node_names=("n1", "n2", "n3"),
    )
    at(replay, 0)
    assert nodes_of(replay, 1) == [1]
