"""Preemption: who gives way to whom, how, and that nobody does in vain."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine, Node
from molokini.model.requests import Component as Part
from molokini.model.requests import Request
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.policies.maui.configuration.settings import Bucket, Credential, Limit, MauiSettings, Qos, Weight
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import (
    BackfillPolicy,
    Component,
    Factor,
    LimitKind,
    PreemptPolicy,
    QosFlag,
)
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from tests.kit.invariants import assert_no_overuse, assert_tables_empty
from tests.kit.workloads import Job, workload_of

LOW = Qos(flags=frozenset({QosFlag.PREEMPTEE}))
HIGH = Qos(priority=1000, flags=frozenset({QosFlag.PREEMPTOR}))
PLAIN: Mapping[str, Credential] = {"1": Credential(qos_default="low"), "2": Credential(qos_default="high")}
"""User 1 gives way, user 2 preempts, others do neither."""


def configured(preempt: PreemptPolicy, **more: object) -> MauiSettings:
    made = MauiSettings(
        components={Component.CREDENTIAL: Weight(1.0)},
        factors={Factor.QOS: Weight(1.0)},
        users=PLAIN,
        qos={"low": LOW, "high": HIGH},
        chosen={"preempt": preempt},
    )
    return replace(made, **more)  # type: ignore[arg-type]


def replay_of(jobs: list[Job], made: MauiSettings, machine: Machine, interpreted: bool = True) -> Replay:
    options = Options(parameters=vector_of(made, by_number), interpreted=interpreted)
    replay = Replay(workload_of(jobs), machine, load_policy("maui"), options=options)
    replay.run()
    return replay


COUNTED = Machine.counted(8)


def done(jobs: list[Job], made: MauiSettings, machine: Machine = COUNTED) -> Schedule:
    replay = replay_of(jobs, made, machine)
    assert_no_overuse(replay)
    assert_tables_empty(replay)
    return replay.schedule()


def violating() -> MauiSettings:
    """As above, but user 1's jobs have to give way as long as he is beyond his soft limit of processors."""
    soft = Credential(qos_default="soft", active={LimitKind.PROCESSORS: Limit(4, 100)})
    qos = {"soft": Qos(flags=frozenset({QosFlag.PREEMPT_SOFT_VIOLATION})), "high": HIGH}
    return configured(PreemptPolicy.CANCEL, users={**PLAIN, "1": soft}, qos=qos)


def test_who_is_beyond_a_soft_limit_gives_way_where_his_qos_says_so() -> None:
    jobs = [Job(0, 100, 4, user=1), Job(1, 100, 4, user=1), Job(30, 50, 4, user=2)]
    schedule = done(jobs, violating())
    assert schedule.end_s.tolist() == [100, 30, 80], "the second, which took him beyond it, went"


def test_who_is_beyond_a_soft_limit_by_an_override_alone_gives_way() -> None:
    qos = {
        "soft": Qos(
            flags=frozenset({QosFlag.PREEMPT_SOFT_VIOLATION}),
            active_override={LimitKind.PROCESSORS: Limit(4, 100)},
        ),
        "high": HIGH,
    }
    users = {**PLAIN, "1": Credential(qos_default="soft")}
    made = configured(PreemptPolicy.CANCEL, users=users, qos=qos)
    jobs = [Job(0, 100, 4, user=1), Job(1, 100, 4, user=1), Job(30, 50, 4, user=2)]
    assert done(jobs, made).end_s.tolist() == [100, 30, 80]


def test_who_is_within_his_soft_limits_again_stays() -> None:
    """Two of four must go for 4 processors; for 6 they would not be enough, and nobody goes."""
    narrow = [Job(float(k), 100, 2, user=1) for k in range(4)]
    assert done([*narrow, Job(30, 50, 4, user=2)], violating()).end_s.tolist() == [100, 101, 30, 30, 80]
    assert done([*narrow, Job(30, 50, 6, user=2)], violating()).end_s.tolist()[:4] == [100, 101, 102, 103]


def test_who_is_next_to_run_goes_before_all_others() -> None:
    qos = {"next": Qos(flags=frozenset({QosFlag.NEXT_TO_RUN}), priority=-5), "high": HIGH}
    made = configured(PreemptPolicy.CANCEL, users={"3": Credential(qos_default="next")}, qos=qos)
    made = replace(made, users={**made.users, "2": Credential(priority=5000)})
    jobs = [Job(0, 10, 8, user=1), Job(1, 10, 8, user=2), Job(2, 10, 8, user=3)]
    assert done(jobs, made).start_s.tolist() == [0, 20, 10]


def test_a_priority_that_has_risen_to_that_of_one_that_runs_is_enough() -> None:
    """A point a second: at 100 the preemptor is as urgent as the job that runs; no event says so."""
    made = MauiSettings(
        components={Component.CREDENTIAL: Weight(1.0), Component.SERVICE: Weight(1.0)},
        factors={Factor.USER: Weight(1.0), Factor.QUEUE_TIME: Weight(60.0)},
        users={**PLAIN, "1": Credential(qos_default="low", priority=100)},
        qos={"low": LOW, "high": replace(HIGH, priority=0)},
        chosen={"preempt": PreemptPolicy.SUSPEND, "poll_s": 0.0},
    )
    jobs = [Job(0, 1000, 8, user=1), Job(0, 50, 8, user=2)]
    assert replay_of(jobs, made, COUNTED).schedule().start_s.tolist() == [0, 100]


MACHINES = [COUNTED, Machine.uniform(2, 4)]
VICTIM, PREEMPTOR = Job(0, 100, 8, user=1), Job(30, 50, 8, user=2)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("policy", "end_s", "worked_s"),
    [
        (PreemptPolicy.REQUEUE, 180.0, 100.0),
        (PreemptPolicy.SUSPEND, 150.0, 100.0),
        (PreemptPolicy.CHECKPOINT, 150.0, 100.0),
        (PreemptPolicy.CANCEL, 30.0, 30.0),
    ],
)
def test_a_job_gives_way_as_the_policy_says(
    policy: PreemptPolicy, end_s: float, worked_s: float, machine: Machine
) -> None:
    schedule = done([VICTIM, PREEMPTOR], configured(policy), machine)
    assert schedule.start_s.tolist() == [0.0, 30.0]
    assert schedule.end_s.tolist() == [end_s, 80.0]
    assert schedule.run_s[0] == worked_s


def test_only_a_preemptor_preempts_and_only_a_preemptee_gives_way() -> None:
    made = configured(PreemptPolicy.REQUEUE)
    assert done([replace(VICTIM, user=3), PREEMPTOR], made).start_s[1] == 100.0
    assert done([VICTIM, replace(PREEMPTOR, user=3)], made).start_s[1] == 100.0
    # One that started with a higher priority does not.
    users = {**PLAIN, "1": Credential(qos_default="low", priority=5000)}
    factors = {Factor.QOS: Weight(1.0), Factor.USER: Weight(1.0)}
    above = replace(made, users=users, factors=factors)
    assert done([VICTIM, PREEMPTOR], above).start_s[1] == 100.0


def test_nobody_gives_way_in_vain_and_no_more_than_needed() -> None:
    made = configured(PreemptPolicy.SUSPEND)
    firm, small, wide = Job(0, 100, 2, user=3), Job(0, 100, 2, user=1), Job(0, 100, 4, user=1)
    in_vain = done([firm, small, wide, Job(30, 50, 7, user=2)], made)
    assert in_vain.start_s.tolist() == [0, 0, 0, 100]
    assert in_vain.end_s[:3].tolist() == [100, 100, 100]
    # Of equal priorities the wider frees more for it: it alone goes.
    enough = done([firm, small, wide, Job(30, 50, 3, user=2)], made)
    assert enough.start_s.tolist() == [0, 0, 0, 30]
    assert enough.end_s.tolist() == [100, 100, 150, 80]
    # And it is not the last that goes: the wider stands in front of the other now.
    assert done([firm, wide, small, Job(30, 50, 3, user=2)], made).end_s.tolist() == [100, 150, 100, 80]


def test_a_suspended_job_goes_on_before_those_that_wait_but_not_at_once() -> None:
    made = configured(PreemptPolicy.SUSPEND)
    schedule = done([VICTIM, replace(PREEMPTOR, run=4), Job(31, 10, 8, user=1)], made)
    # The preemptor is over at 34; ten seconds after its suspension the first goes on.
    assert schedule.start_s.tolist()[:2] == [0.0, 30.0]
    assert schedule.end_s[1] == 34.0


@pytest.mark.parametrize("machine", MACHINES)
def test_a_suspended_job_goes_on_after_ten_seconds_though_nothing_happens_then(machine: Machine) -> None:
    """The preemptor is over at 34, before the ten seconds are: nobody else wakes the policy at 40."""
    schedule = done([VICTIM, replace(PREEMPTOR, run=4)], configured(PreemptPolicy.SUSPEND), machine)
    assert schedule.end_s.tolist() == [110.0, 34.0]


def test_of_equal_suspended_jobs_the_first_of_the_queue_goes_on_first() -> None:
    """Two of 4 stop at 30 for one of 8. At 80 another of 4 takes half of the machine up to 100.

    The first has 70 s left and ends at 150, the second goes on at 100 and ends at 170.
    """
    made = configured(PreemptPolicy.SUSPEND)
    jobs = [Job(0, 100, 4, user=1), Job(0, 100, 4, user=1), PREEMPTOR, Job(79, 20, 4, user=2)]
    schedule = done(jobs, made)
    assert schedule.start_s.tolist() == [0, 0, 30, 80]
    assert schedule.end_s.tolist() == [150, 170, 80, 100]


@pytest.mark.parametrize("machine", MACHINES)
def test_who_has_given_way_to_one_makes_no_room_for_the_next(machine: Machine) -> None:
    """Both come at 30: the second has nobody left who could give way, and starts as the first ends."""
    schedule = done([VICTIM, PREEMPTOR, PREEMPTOR], configured(PreemptPolicy.SUSPEND), machine)
    assert schedule.start_s.tolist() == [0, 30, 80]
    assert schedule.end_s.tolist() == [200, 80, 130]


def test_a_priority_that_rises_makes_others_give_way_though_nothing_happens_then() -> None:
    """The victim started with 10 points more than the preemptor has, which gains one a minute."""
    users = {**PLAIN, "1": Credential(qos_default="low", priority=1010)}
    factors = {Factor.QOS: Weight(1.0), Factor.USER: Weight(1.0)}
    made = configured(PreemptPolicy.SUSPEND, users=users, factors=factors)
    assert done([replace(VICTIM, run=5000), PREEMPTOR], made).start_s.tolist() == [0.0, 630.0]


TASKS = {
    0: Request((Part(2, {Resource.PROCESSORS: 2.0}, tasks_per_node=1),)),
    1: Request((Part(2, {Resource.PROCESSORS: 1.0}, tasks_per_node=1),)),
    2: Request((Part(1, {Resource.PROCESSORS: 4.0}),)),
}
"""Two victims, each on both nodes of 4 processors, and a preemptor that needs one of them whole."""


@pytest.mark.parametrize("policy", list(PreemptPolicy))
def test_a_preemptor_with_a_request_finds_the_room_that_others_make(policy: PreemptPolicy) -> None:
    """It found none when the first had gone: what is remembered of its shape holds no longer."""
    jobs = [Job(0, 100, 4, user=1), Job(0, 100, 2, user=1), Job(30, 50, 4, user=2)]
    made = configured(policy)
    replay = Replay(
        workload_of(jobs),
        Machine.uniform(2, 4),
        load_policy("maui"),
        options=Options(parameters=vector_of(made, by_number), interpreted=True, requests=TASKS),
    )
    replay.run()
    assert_no_overuse(replay)
    assert replay.schedule().start_s[2] == 30.0


def on_nodes(jobs: list[Job], requests: dict[int, Request], made: MauiSettings) -> Replay:
    """On nodes of 4 processors: nodes 0 and 2 are of group 0, node 1 is of group 1."""
    four = {Resource.PROCESSORS: 4.0}
    machine = Machine.of_nodes([Node(four), Node(four, group=1), Node(four)])
    options = Options(parameters=vector_of(made, by_number), interpreted=True, requests=requests)
    return Replay(workload_of(jobs), machine, load_policy("maui"), options=options)


def whole(group: int) -> Request:
    return Request((Part(1, {Resource.PROCESSORS: 4.0}, where=group),))


@pytest.mark.parametrize("depth", [1, 2])
def test_who_has_just_given_way_gives_nothing_to_the_first_in_line_once_more(depth: int) -> None:
    """The preemptor has half of node 0 up to 60, when the head, which wants it whole, can start.

    Node 1 is busy up to 50, node 2 up to 200. The last would fit on node 0 at once, up to 110, in the way of
    the head, although by count there would be room for both: it starts at 60 on node 1.
    """
    jobs = [Job(0, 30, 4, user=1), Job(0, 50, 4, user=3), Job(0, 200, 4, user=3), Job(5, 10, 4, user=3)]
    jobs += [Job(10, 50, 2, user=2), Job(10, 100, 2, user=3)]
    requests = {0: whole(0), 1: whole(1), 2: whole(0), 3: whole(0)}
    made = configured(PreemptPolicy.CANCEL, buckets=(Bucket(depth),))
    replay = on_nodes(jobs, requests, made)
    replay.run(10)
    t = replay.tables
    assert t.jobs.reserved_s[t.queue.waiting[t.queue.head]] == 60
    replay.run()
    assert_no_overuse(replay)
    assert replay.schedule().start_s.tolist() == [0, 0, 0, 60, 10, 60 if depth == 1 else 50]


@pytest.mark.parametrize("victim_s", [90, 400])
@pytest.mark.parametrize("policy", list(PreemptPolicy))
def test_who_finds_no_room_beside_a_promise_finds_others(policy: PreemptPolicy, victim_s: float) -> None:
    """Half of node 0 is idle up to 100, when it is promised whole; node 2 lacks the memory.

    So the preemptor has no room for its 500 s, until the victim leaves node 1, where it would have stayed up
    to 90, or beyond the start of the promise.
    """
    two, four = {Resource.PROCESSORS: 2.0}, {Resource.PROCESSORS: 4.0}
    much = {**four, Resource.MEMORY_KB: 1024.0}
    jobs = [Job(0, 100, 2, user=3), Job(0, victim_s, 4, user=1), Job(1, 10, 4, user=3)]
    jobs += [Job(10, 500, 2, user=2)]
    options = Options(
        parameters=vector_of(
            configured(
                policy,
                factors={Factor.QOS: Weight(1.0), Factor.USER: Weight(1.0)},
                users={**PLAIN, "3": Credential(priority=5000)},
                buckets=(Bucket(2),),
            ),
            by_number,
        ),
        interpreted=True,
        requests={
            0: Request((Part(1, two, where=0),)),
            1: whole(1),
            2: whole(0),
            3: Request((Part(1, {**two, Resource.MEMORY_KB: 512.0}),)),
        },
    )
    machine = Machine.of_nodes([Node(much), Node(much, group=1), Node(four, group=2)])
    replay = Replay(workload_of(jobs), machine, load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist()[2:] == [100, 10]


def test_who_has_just_gone_on_is_waited_for_by_the_first_in_line() -> None:
    """The victim has 70 s left as the preemptor ends at 50: the head gets its node whole at 120.

    Its other half is idle meanwhile: the last, of 500 s, would be in the way.
    """
    jobs = [Job(0, 100, 2, user=1), Job(0, 1000, 4, user=3), Job(0, 1000, 4, user=3)]
    jobs += [Job(30, 20, 4, user=2), Job(40, 10, 4, user=3), Job(41, 500, 2, user=3)]
    two = Request((Part(2, {Resource.PROCESSORS: 1.0}, where=0),))
    requests = {0: two, 1: whole(1), 2: whole(0), 3: whole(0), 4: whole(0)}
    replay = on_nodes(jobs, requests, configured(PreemptPolicy.SUSPEND))
    replay.run()
    assert_no_overuse(replay)
    schedule = replay.schedule()
    assert schedule.start_s.tolist() == [0, 0, 0, 30, 120, 130]
    assert schedule.end_s[0] == 120


def test_who_has_just_gone_on_is_waited_for_where_promises_hold_nodes() -> None:
    """The victim goes on at 50, up to 120: the iteration that lets it promises its node from then on."""
    jobs = [Job(0, 100, 2, user=1), Job(0, 1000, 4, user=3), Job(0, 1000, 4, user=3)]
    jobs += [Job(30, 20, 4, user=2), Job(40, 10, 4, user=3)]
    two = Request((Part(2, {Resource.PROCESSORS: 1.0}, where=0),))
    four = {Resource.PROCESSORS: 4.0}
    made = configured(PreemptPolicy.SUSPEND, buckets=(Bucket(2),))
    options = Options(
        parameters=vector_of(made, by_number),
        interpreted=True,
        requests={0: two, 1: whole(1), 2: whole(0), 3: whole(0), 4: whole(0)},
    )
    machine = Machine.of_nodes([Node(four), Node(four, group=1), Node(four)])
    replay = Replay(workload_of(jobs), machine, load_policy("maui"), options=options)
    replay.run(50)
    t = replay.tables
    assert t.jobs.reserved_s[t.queue.waiting[t.queue.head]] == 120
    replay.run()
    assert replay.schedule().start_s[4] == 120


def test_a_job_that_began_as_the_best_of_a_window_does_not_give_way_to_one_of_lower_priority() -> None:
    """The backfilled job of user 1 goes before the preemptor; that of user 4 does not, so it alone goes.

    What the window has noted of the backfilled one says nothing about the order in which jobs give way.
    """
    users = {
        "1": Credential(qos_default="low", priority=5000),
        "2": Credential(qos_default="high"),
        "3": Credential(priority=9000),
        "4": Credential(qos_default="low", priority=900),
    }
    factors = {Factor.QOS: Weight(1.0), Factor.USER: Weight(1.0)}
    made = configured(PreemptPolicy.CANCEL, users=users, factors=factors, buckets=(Bucket(2),))
    jobs = [Job(0, 100, 4, user=3), Job(0, 100, 2, user=4), Job(1, 10, 8, user=3)]
    jobs += [Job(2, 90, 2, user=1), Job(30, 20, 2, user=2)]
    schedule = done(jobs, made.choosing(backfill=BackfillPolicy.BESTFIT))
    assert schedule.start_s.tolist() == [0, 0, 100, 2, 30]
    assert schedule.end_s.tolist() == [100, 30, 110, 92, 50]


@pytest.mark.parametrize("priority", [0, 1000])
def test_a_suspended_job_does_not_go_on_where_it_would_give_way_at_once(priority: int) -> None:
    """To one of a higher priority, or of its own; how long they wait makes no difference."""
    qos = {"low": replace(LOW, priority=priority), "high": HIGH}
    components = {Component.CREDENTIAL: Weight(1.0), Component.SERVICE: Weight(0.0)}
    made = configured(PreemptPolicy.SUSPEND, qos=qos, components=components)
    jobs = [VICTIM, PREEMPTOR, Job(35, 50, 8, user=2)]
    assert done(jobs, made).end_s.tolist() == [200.0, 80.0, 130.0]


def test_a_job_that_goes_on_counts_in_limits_in_the_same_iteration() -> None:
    """Its user may have 4 processors, which it has again from 80 to 150: his next job starts then."""
    users = {**PLAIN, "1": Credential(qos_default="low", active={LimitKind.PROCESSORS: Limit(4, 4)})}
    jobs = [Job(0, 100, 4, user=1), Job(1, 10, 4, user=1), PREEMPTOR]
    schedule = done(jobs, configured(PreemptPolicy.SUSPEND, users=users))
    assert schedule.start_s.tolist() == [0, 150, 30]
    assert schedule.end_s[0] == 150


def test_a_suspended_job_does_not_go_on_into_the_promise_of_one_before_it() -> None:
    """The firm job ends at 100, when a preemptor of the whole machine is promised its start.

    From 50 on there is room for the suspended one, which has 70 s left: it goes on after the preemptor.
    """
    jobs = [Job(0, 100, 4, user=3), Job(0, 100, 4, user=1)]
    jobs += [Job(30, 20, 4, user=2), Job(35, 10, 8, user=2)]
    schedule = done(jobs, configured(PreemptPolicy.SUSPEND))
    assert schedule.start_s.tolist() == [0, 0, 30, 100]
    assert schedule.end_s.tolist() == [100, 180, 50, 110]


@pytest.mark.parametrize(
    ("policy", "end_s"),
    [
        (PreemptPolicy.REQUEUE, 650.0),
        (PreemptPolicy.SUSPEND, 570.0),
        (PreemptPolicy.CHECKPOINT, 570.0),
        (PreemptPolicy.CANCEL, 100.0),
    ],
)
def test_backfilled_jobs_give_way_to_those_of_the_priority_phase(policy: PreemptPolicy, end_s: float) -> None:
    made = MauiSettings(chosen={"backfill": BackfillPolicy.PREEMPT, "preempt": policy})
    jobs = [Job(0, 100, 6, user=1), Job(10, 50, 8, user=2), Job(20, 500, 2, user=3)]
    schedule = done(jobs, made)
    # The last fills the hole without a reservation in its way, and gives way when the machine could be free.
    assert schedule.start_s.tolist() == [0.0, 100.0, 20.0]
    assert schedule.end_s.tolist() == [100.0, 150.0, end_s]


@st.composite
def crowds(draw: st.DrawFn) -> list[Job]:
    return [
        Job(
            draw(st.integers(0, 60)),
            draw(st.integers(0, 50)),
            draw(st.integers(1, 8)),
            user=draw(st.integers(1, 3)),
        )
        for _ in range(draw(st.integers(1, 12)))
    ]


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("policy", list(PreemptPolicy))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(jobs=crowds(), backfill=st.sampled_from(list(BackfillPolicy)))
def test_nothing_is_overused_and_nobody_is_lost(
    policy: PreemptPolicy, machine: Machine, jobs: list[Job], backfill: BackfillPolicy
) -> None:
    made = configured(policy).choosing(backfill=backfill)
    schedule = done(sorted(jobs, key=lambda job: job.submit), made, machine)
    assert np.isfinite(schedule.end_s).all()
    if policy is not PreemptPolicy.CANCEL:
        assert (schedule.run_s == schedule.workload.run_s).all()
    firm = schedule.workload.user == 3
    if backfill is not BackfillPolicy.PREEMPT:
        # Who is no preemptee runs through.
        assert (schedule.end_s - schedule.start_s == schedule.run_s)[firm].all()
