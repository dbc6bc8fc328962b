"""Promises where nodes decide: reservations are there, are kept, and nobody is backfilled into them."""

from dataclasses import dataclass

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from molokini.availability.node_rules import NodeRule
from molokini.model.calendars import Calendar
from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.reservations import Reservation, StandingReservation, Terms
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Weight
from molokini.policies.maui.configuration.words import Allocation, BackfillPolicy, Factor, ReservationPolicy
from molokini.sim.replay import Replay
from molokini.tables.tables import NEVER, Tables
from tests.kit.invariants import assert_no_overuse, assert_tables_empty
from tests.kit.maui import NAMES, Whose, at, maui
from tests.kit.workloads import Job

COUNT, PROCESSORS, MEMORY_KB = 4, 4, 4096.0
USERS = ("ann", "bob", "cy")
LAST_S = 80


@dataclass(frozen=True)
class Asks:
    """One job of an example."""

    submit: int
    run: int
    spare: int
    width: int
    user: int
    kind: int


asks = st.builds(
    Asks,
    submit=st.integers(0, 25),
    run=st.integers(1, 30),
    spare=st.integers(0, 15),
    width=st.integers(1, 12),
    user=st.integers(0, 2),
    kind=st.integers(0, 4),
)
"""*kind*: 0, 1 and 2 plain, 3 whole nodes, 4 tasks with memory."""


@dataclass(frozen=True)
class Kept:
    """One reservation of an administrator."""

    start: int
    length: int
    first: int
    nodes: int
    processors: int
    user: int
    hosted: bool


kept = st.builds(
    Kept,
    start=st.integers(0, 60),
    length=st.integers(1, 25),
    first=st.integers(0, COUNT - 1),
    nodes=st.integers(1, 2),
    processors=st.integers(1, PROCESSORS),
    user=st.integers(0, 2),
    hosted=st.booleans(),
)


def request_of(one: Asks) -> Request | None:
    if one.kind == 3 and one.width <= COUNT:
        need = {Resource.PROCESSORS: float(PROCESSORS)}
        return Request((Component(one.width, need, tasks_per_node=1),))
    if one.kind == 4:
        need = {Resource.PROCESSORS: 1.0, Resource.MEMORY_KB: MEMORY_KB / 2}
        return Request((Component(min(one.width, 2 * COUNT), need),))
    return None


def reservation(number: int, one: Kept) -> Reservation:
    access = {"user": (str(NAMES[USERS[one.user]]),)}
    start_s, end_s = float(one.start), float(one.start + one.length)
    if not one.hosted:
        return Reservation(f"r{number}", one.processors, start_s, end_s, access, Terms(partial=True))
    names = [f"n{1 + (one.first + k) % COUNT}" for k in range(one.nodes)]
    terms = Terms(hosts=dict.fromkeys(names, one.processors), partial=True)
    return Reservation(f"r{number}", one.processors * one.nodes, start_s, end_s, access, terms)


def replay_of(work: list[Asks], reservations: list[Kept], how: MauiSettings) -> Replay:
    work.sort(key=lambda one: one.submit)
    requests = {k: made for k, one in enumerate(work) if (made := request_of(one)) is not None}
    widths = [requests[k].processors if k in requests else one.width for k, one in enumerate(work)]
    jobs = [
        Job(float(one.submit), float(one.run), width, float(one.run + one.spare))
        for one, width in zip(work, widths, strict=True)
    ]
    node = Node({Resource.PROCESSORS: float(PROCESSORS), Resource.MEMORY_KB: MEMORY_KB})
    return maui(
        jobs,
        how,
        [Whose(USERS[one.user]) for one in work],
        machine=Machine.of_nodes([node] * COUNT),
        compiled=True,
        requests=requests,
        reservations=tuple(reservation(k, one) for k, one in enumerate(reservations)),
        node_names=tuple(f"n{k + 1}" for k in range(COUNT)),
    )


def reserved(t: Tables) -> dict[int, float]:
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    return {int(t.jobs.number[row]): float(t.jobs.reserved_s[row]) for row in rows}


@given(
    work=st.lists(asks, min_size=1, max_size=12),
    reservations=st.lists(kept, max_size=2),
    parts=st.lists(st.sampled_from("ab"), min_size=COUNT, max_size=COUNT),
    rules=st.lists(
        st.sampled_from([NodeRule.SHARED, NodeRule.SHARED, NodeRule.SINGLE_JOB, NodeRule.SINGLE_USER]),
        min_size=COUNT,
        max_size=COUNT,
    ),
    listed=st.booleans(),
    depth=st.integers(1, 3),
    policy=st.sampled_from([ReservationPolicy.HIGHEST, ReservationPolicy.CURRENT_HIGHEST]),
    backfill=st.sampled_from([BackfillPolicy.FIRSTFIT, BackfillPolicy.BESTFIT, BackfillPolicy.GREEDY]),
    allocation=st.sampled_from([Allocation.FIRSTAVAILABLE, Allocation.LASTAVAILABLE, Allocation.CPULOAD]),
    anew=st.integers(1, LAST_S),
)
@settings(max_examples=20, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_the_first_have_reservations_and_they_are_kept(
    work: list[Asks],
    reservations: list[Kept],
    parts: list[str],
    rules: list[NodeRule],
    listed: bool,
    depth: int,
    policy: ReservationPolicy,
    backfill: BackfillPolicy,
    allocation: Allocation,
    anew: int,
) -> None:
    """Jobs come first whose submission is first, and nobody is over a limit.

    Every *anew* seconds plans are begun anew, as where reservations are rolled.

    Under CURRENTHIGHEST the reservations of an iteration are made anew; only that of the first is kept, as
    nobody stands before it.
    """
    lines = {
        f"n{k + 1}": NodeLine(partition=part, access=rule)
        for k, (part, rule) in enumerate(zip(parts, rules, strict=True))
    }
    how = MauiSettings(
        nodes=NodeSettings(allocation, lines=lines),
        users={"cy": Credential(partition_list=("a",))} if listed else {},
        buckets=(Bucket(depth),),
        chosen={"reservation": policy, "backfill": backfill},
    )
    replay = replay_of(work, reservations, how)
    promised: dict[int, float] = {}
    for instant in range(LAST_S):
        replay.tables.cycle.replan |= int(instant % anew == 0)
        waiting = reserved(at(replay, float(instant)))
        for place, (number, at_s) in enumerate(sorted(waiting.items())):
            assert place >= depth or at_s < NEVER, f"job {number} has no reservation at {instant}"
            assert at_s > instant or at_s == NEVER, f"job {number} is promised a start that has passed"
            if policy is ReservationPolicy.HIGHEST or place == 0:
                assert at_s <= promised.get(number, NEVER), f"that of job {number} moves at {instant}"
                promised[number] = at_s
    assert replay.run()
    started = replay.schedule().start_s
    for number, at_s in promised.items():
        assert started[number - 1] <= at_s
    assert np.isfinite(started[~replay.schedule().refused_rows]).all()
    assert_no_overuse(replay)
    assert_tables_empty(replay)


def test_a_roll_at_midnight_moves_no_promise() -> None:
    """Bob's job came after ann's had its promise, and goes first otherwise; the lab is none's business."""
    midnight = 86_400.0
    hours, lab = Calendar(start_s=36_000.0, end_s=39_600.0), Terms(hosts={"n4": 4})
    jobs = [
        Job(0, 50, 1),
        Job(midnight - 50, 100, 16),
        Job(midnight - 40, 60, 16),
        Job(midnight - 30, 60, 16),
    ]
    how = MauiSettings(
        users={"bob": Credential(priority=1_000_000)},
        factors={Factor.USER: Weight(1)},
        buckets=(Bucket(2),),
        chosen={"reservation": ReservationPolicy.HIGHEST},
    )
    replay = maui(
        jobs,
        how,
        [Whose(), Whose(), Whose("ann"), Whose("bob")],
        machine=Machine.of_nodes([Node({Resource.PROCESSORS: 4.0})] * COUNT),
        reservations=(StandingReservation("lab", 4, hours, 2, terms=lab),),
        node_names=tuple(f"n{k + 1}" for k in range(COUNT)),
    )
    promised = {3: midnight + 50, 4: midnight + 110}
    assert reserved(at(replay, midnight - 30)) == promised
    assert reserved(at(replay, midnight + 1)) == promised


def test_who_keeps_his_nodes_takes_no_more_of_them_than_he_has() -> None:
    """Bob's second job goes first, and shares a node with what ann's has been promised before."""
    work = [Asks(1, 5, 7, 6, 1, 0), Asks(3, 6, 5, 6, 1, 0), Asks(4, 12, 4, 6, 0, 0), Asks(5, 9, 7, 6, 1, 0)]
    how = MauiSettings(
        nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines={"n4": NodeLine(partition="b")}),
        users={"bob": Credential(priority=1_000_000)},
        factors={Factor.USER: Weight(1)},
        buckets=(Bucket(2),),
        chosen={"reservation": ReservationPolicy.HIGHEST},
    )
    replay = replay_of(work, [], how)
    assert reserved(at(replay, 5.0)) == {3: 13.0, 4: 14.0}
    # Job 1 ends before its estimate, and all is looked at again.
    assert replay.run()
    assert replay.schedule().start_s[2] == 6.0


def test_plans_begun_anew_leave_each_promise_its_nodes() -> None:
    """Bob, who goes first, would take the partition in which ann's job is to start."""
    work = [Asks(1, 8, 5, 8, 0, 0), Asks(5, 10, 1, 6, 0, 0), Asks(5, 7, 8, 8, 0, 0), Asks(6, 11, 7, 8, 1, 0)]
    lines = {f"n{k + 1}": NodeLine(partition=part) for k, part in enumerate("aabb")}
    how = MauiSettings(
        nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines=lines),
        users={"bob": Credential(priority=1_000_000)},
        factors={Factor.USER: Weight(1)},
        buckets=(Bucket(1),),
        chosen={"reservation": ReservationPolicy.HIGHEST},
    )
    replay = replay_of(work, [], how)
    for instant in range(10):
        replay.tables.cycle.replan = 1
        at(replay, float(instant))
    assert replay.run()
    assert replay.schedule().start_s[2] <= 14.0


def test_each_start_beside_reservations_leaves_less_for_the_next() -> None:
    """The head wants all of node 0, busy up to 100, and half of node 1: two of three long jobs fit beside it.

    The third finds node 1 half empty, and processors enough by count on node 2, where it may not go: it gets
    the second reservation, and starts as the head ends at 110. The last, over as the head begins, takes its
    half meanwhile.
    """
    made = MauiSettings(buckets=(Bucket(2),))
    two, one = {Resource.PROCESSORS: 2.0}, {Resource.PROCESSORS: 1.0}
    four = {Resource.PROCESSORS: 4.0}
    machine = Machine.of_nodes([Node(two), Node(four, group=1), Node(four, group=2)])
    jobs = [Job(0, 100, 2), Job(1, 10, 4), *[Job(1, 500, 1)] * 3, Job(1, 99, 2)]
    on_1 = Request((Component(1, one, where=1),))
    head = Request((Component(1, two, where=0), Component(1, two, where=1)))
    requests = {0: Request((Component(1, two, where=0),)), 1: head, 2: on_1, 3: on_1, 4: on_1}
    requests[5] = Request((Component(1, two, where=1),))
    replay = maui(jobs, made, machine=machine, requests=requests)
    replay.run()
    assert_no_overuse(replay)
    assert replay.schedule().start_s.tolist() == [0, 100, 1, 1, 110, 1]


def test_who_stays_longer_is_placed_beside_more_reservations() -> None:
    """As above, and the next wants all of node 1 from 110 to 310, after the head.

    3 processors up to 106 do not fit beside the head's half; one up to 501 would, but not beside the next.
    """
    made = MauiSettings(buckets=(Bucket(2),))
    two, one = {Resource.PROCESSORS: 2.0}, {Resource.PROCESSORS: 1.0}
    four = {Resource.PROCESSORS: 4.0}
    machine = Machine.of_nodes([Node(two), Node(four, group=1), Node(four, group=2)])
    jobs = [Job(0, 100, 2), Job(1, 10, 4), Job(1, 200, 4), Job(1, 105, 3), Job(1, 500, 1)]
    requests = {
        0: Request((Component(1, two, where=0),)),
        1: Request((Component(1, two, where=0), Component(1, two, where=1))),
        2: Request((Component(4, one, where=1),)),
        3: Request((Component(3, one, where=1),)),
        4: Request((Component(1, one, where=1),)),
    }
    replay = maui(jobs, made, machine=machine, requests=requests)
    replay.run()
    assert_no_overuse(replay)
    assert replay.schedule().start_s.tolist() == [0, 100, 110, 310, 310]
