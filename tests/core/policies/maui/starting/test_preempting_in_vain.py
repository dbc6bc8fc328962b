"""Jobs that were to give way in vain: all is as before, for the job that was to begin and others."""

from dataclasses import replace

from molokini.model.machine import Machine, Node
from molokini.model.requests import Component as Part
from molokini.model.requests import Request
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.policies.maui.configuration.settings import Bucket, Credential, Limit, Weight
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import Factor, LimitKind, PreemptPolicy, QosFlag
from molokini.sim.replay import Options, Replay
from tests.core.policies.maui.starting.test_preempting import (
    COUNTED,
    HIGH,
    LOW,
    PLAIN,
    VICTIM,
    configured,
    whole,
)
from tests.kit.workloads import Job, workload_of


def test_who_was_to_give_way_in_vain_is_waited_for() -> None:
    """5 for 45 s reach into what is kept from 50 to 60: they are promised the end of the victim."""
    made = configured(PreemptPolicy.SUSPEND)
    kept = Reservation("kept", 4, 50.0, 60.0, {"user": ("9",)})
    options = Options(parameters=vector_of(made, by_number), interpreted=True, reservations=(kept,))
    jobs = [replace(VICTIM, width=4), Job(10, 45, 5, user=2)]
    replay = Replay(workload_of(jobs), COUNTED, load_policy("maui"), options=options)
    replay.run(10)
    t = replay.tables
    assert t.jobs.reserved_s[t.queue.waiting[t.queue.head]] == 100
    replay.run()
    # From 60 on others give way to them.
    assert replay.schedule().start_s.tolist() == [0, 60]


def test_who_was_to_give_way_in_vain_counts_in_limits_as_before() -> None:
    """A task of 4 finds no node free of the firm job; with the victim one more of its owner is all."""
    users = {**PLAIN, "1": Credential(qos_default="low", active={LimitKind.PROCESSORS: Limit(4, 4)})}
    both = Request((Part(2, {Resource.PROCESSORS: 1.0}, tasks_per_node=1),))
    jobs = [Job(0, 100, 2, user=3), Job(0, 100, 2, user=1), Job(30, 50, 4, user=2)]
    jobs += [Job(30, 20, 2, user=1), Job(30, 20, 2, user=1)]
    options = Options(
        parameters=vector_of(configured(PreemptPolicy.SUSPEND, users=users), by_number),
        interpreted=True,
        requests={0: both, 1: both, 2: Request((Part(1, {Resource.PROCESSORS: 4.0}),))},
    )
    replay = Replay(workload_of(jobs), Machine.uniform(2, 4), load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0.0, 0.0, 100.0, 30.0, 50.0]
    assert replay.schedule().end_s[1] == 100.0


def test_who_was_to_give_way_in_vain_uses_what_is_kept_for_it_as_before() -> None:
    """Two of node 0, which is kept for user 1, are his; nodes 1 and 2 have two idle each.

    No node is free whole for the preemptor, whichever job gives way. The last takes the four that are idle
    outside of what is kept: had the victim gone, all of node 0 would be kept, and two of the six that are
    idle left.
    """
    four = {Resource.PROCESSORS: 4.0}
    two = [Request((Part(2, {Resource.PROCESSORS: 1.0}, where=k),)) for k in range(3)]
    options = Options(
        parameters=vector_of(configured(PreemptPolicy.SUSPEND), by_number),
        interpreted=True,
        requests={0: two[0], 1: two[1], 2: two[2], 3: Request((Part(1, four),))},
        reservations=(Reservation("kept", 4, 0.0, 500.0, {"user": ("1",)}, Terms(hosts={"a": 4})),),
        node_names=("a", "b", "c"),
    )
    jobs = [Job(0, 100, 2, user=1), Job(0, 100, 2, user=3), Job(0, 100, 2, user=3)]
    jobs += [Job(30, 50, 4, user=2), Job(30, 20, 4, user=3)]
    machine = Machine.of_nodes([Node(four, group=k) for k in range(3)])
    replay = Replay(workload_of(jobs), machine, load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 0, 100, 30]


def test_who_was_to_give_way_in_vain_changes_nothing_of_who_has_just_started() -> None:
    """User 5 may have two jobs: both start at 30, one before the preemptor in the list and one behind it.

    The preemptor wants a whole node; on each of them is half a firm job, too, up to 100.
    """
    users = {**PLAIN, "5": Credential(active={LimitKind.JOBS: Limit(2, 2)})}
    factors = {Factor.QOS: Weight(1.0), Factor.WALL_TIME: Weight(1.0)}
    both = Request((Part(2, {Resource.PROCESSORS: 1.0}, tasks_per_node=1),))
    jobs = [Job(0, 100, 2, user=3), Job(0, 100, 2, user=1), Job(30, 5000, 1, user=5)]
    jobs += [Job(30, 50, 4, user=2), Job(30, 20, 1, user=5)]
    options = Options(
        parameters=vector_of(configured(PreemptPolicy.SUSPEND, users=users, factors=factors), by_number),
        interpreted=True,
        requests={0: both, 1: both, 3: Request((Part(1, {Resource.PROCESSORS: 4.0}),))},
    )
    replay = Replay(workload_of(jobs), Machine.uniform(2, 4), load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 30, 100, 30]


def test_who_was_to_give_way_in_vain_is_on_its_node_for_those_behind() -> None:
    """Half of node 0 is idle up to 100, when it is promised whole: the preemptor, who wants it, waits.

    The victim, of node 1, stays. The last may be on node 1 or 2, and begins on 2.
    """
    two, four = {Resource.PROCESSORS: 2.0}, {Resource.PROCESSORS: 4.0}
    made = configured(
        PreemptPolicy.CANCEL,
        factors={Factor.QOS: Weight(1.0), Factor.USER: Weight(1.0)},
        users={**PLAIN, "3": Credential(priority=5000)},
        qos={"low": LOW, "high": replace(HIGH, flags=HIGH.flags | {QosFlag.NO_RESERVATION})},
        buckets=(Bucket(2),),
    )
    jobs = [Job(0, 100, 2, user=3), Job(0, 400, 4, user=1), Job(1, 10, 4, user=3)]
    jobs += [Job(10, 500, 6, user=2), Job(10, 500, 2, user=4)]
    options = Options(
        parameters=vector_of(made, by_number),
        interpreted=True,
        requests={
            0: Request((Part(1, two, where=0),)),
            1: whole(1),
            2: whole(0),
            3: Request((Part(1, two, where=0), Part(1, four, where=1))),
            4: Request((Part(1, two, where=1),)),
        },
    )
    machine = Machine.of_nodes([Node(four), Node(four, group=1), Node(four, group=1)])
    replay = Replay(workload_of(jobs), machine, load_policy("maui"), options=options)
    replay.run(10)
    t = replay.tables
    assert (t.nodes.total - t.nodes.free)[:, 0].tolist() == [2, 4, 2]
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 0, 100, 110, 10]
