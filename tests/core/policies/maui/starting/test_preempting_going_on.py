"""Suspended jobs: which of them goes on when, and what that means for those that wait."""

from collections.abc import Mapping
from dataclasses import replace

from molokini.model.machine import Machine, Node
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.policies import load_policy
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import (
    Bucket,
    Credential,
    Limit,
    MauiSettings,
    Target,
    Weight,
)
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import (
    Allocation,
    BackfillPolicy,
    Charge,
    Factor,
    LimitKind,
    PreemptPolicy,
)
from molokini.policies.maui.configuration.words import Component as Weighed
from molokini.sim.replay import Options, Replay
from molokini.tables.tables import NEVER
from tests.core.policies.maui.starting.test_preempting import COUNTED, HIGH, LOW, PLAIN, configured, replay_of
from tests.kit.workloads import Job, workload_of

MADE = configured(PreemptPolicy.SUSPEND)
"""User 1 gives way, user 2 preempts, others do neither."""
AT_MOST_ONE_JOB = {LimitKind.JOBS: Limit(1, 1)}


def begun(
    jobs: list[Job],
    until_s: float,
    made: MauiSettings = MADE,
    machine: Machine = COUNTED,
    requests: Mapping[int, Request] | None = None,
) -> Replay:
    options = Options(parameters=vector_of(made, by_number), interpreted=True, requests=requests or {})
    replay = Replay(workload_of(jobs), machine, load_policy("maui"), options=options)
    replay.run(until_s)
    return replay


def ends(jobs: list[Job], made: MauiSettings = MADE, machine: Machine = COUNTED) -> list[float]:
    found: list[float] = replay_of(jobs, made, machine).schedule().end_s.tolist()
    return found


def test_one_that_must_wait_for_its_ten_seconds_keeps_no_other() -> None:
    """The second stops at 20, the first, which is more urgent, at 25: both go on ten seconds later."""
    jobs = [Job(0, 100, 4), Job(0, 100, 4), Job(20, 3, 4, user=2), Job(25, 2, 8, user=2)]
    assert ends(jobs) == [110, 110, 23, 27]


def test_one_that_is_too_wide_keeps_no_other() -> None:
    """At 40 there are 4: the narrow one goes on with 80 s left, the wide one at 60."""
    jobs = [Job(0, 100, 6), Job(0, 100, 2), Job(20, 20, 8, user=2), Job(39, 20, 4, user=2)]
    assert ends(jobs) == [140, 120, 40, 60]


def test_the_priority_that_it_started_with_counts_when_it_has_gone_on() -> None:
    """It started with 1; as it goes on at 700 it would have 11.7, more than the 5 of who comes at 800."""
    made = replace(MADE, qos={"low": LOW, "high": replace(HIGH, priority=5)})
    jobs = [Job(0, 5000, 8), Job(600, 100, 8, user=2), Job(800, 10, 8, user=2)]
    assert replay_of(jobs, made, COUNTED).schedule().start_s.tolist() == [0, 600, 800]


def test_a_preemptor_who_is_over_a_limit_keeps_nobody_from_going_on() -> None:
    """User 2 may have one job. As user 4's ends at 40 the victim goes on before user 3's, which waits."""
    users = {**PLAIN, "4": Credential(qos_default="high")}
    users["2"] = Credential(qos_default="high", active=AT_MOST_ONE_JOB)
    made = replace(MADE, users=users)
    jobs = [Job(0, 100, 4), Job(0, 200, 4, user=2), Job(20, 20, 4, user=4)]
    jobs += [Job(25, 10, 4, user=2), Job(26, 10, 4, user=3)]
    assert ends(jobs, made) == [120, 200, 40, 210, 130]


def test_the_most_urgent_of_those_that_wait_says_who_goes_on() -> None:
    """Everybody may preempt: at 200 user 2's next is more urgent than the victim, user 3's job less."""
    made = MADE.choosing(backfill=BackfillPolicy.PREEMPT)
    jobs = [Job(0, 1000, 8), Job(100, 100, 8, user=2), Job(150, 50, 8, user=2), Job(160, 10, 8, user=3)]
    assert replay_of(jobs, made, COUNTED).schedule().start_s.tolist()[:3] == [0, 100, 200]


def test_of_equal_victims_the_last_of_the_queue_goes() -> None:
    """Two of 4 began at once with one priority: the second stops at 30, and goes on at 80."""
    assert ends([Job(0, 100, 4), Job(0, 100, 4), Job(30, 50, 4, user=2)]) == [100, 150, 80]


def test_who_goes_on_counts_in_limits_at_once() -> None:
    """User 1 may have one job: his second waits until the first, which goes on at 40, has ended."""
    users = {**PLAIN, "1": Credential(qos_default="low", active=AT_MOST_ONE_JOB)}
    jobs = [Job(0, 100, 4), Job(1, 10, 2), Job(20, 20, 8, user=2)]
    assert ends(jobs, replace(MADE, users=users)) == [120, 130, 40]


def test_who_goes_on_is_in_nobodys_place() -> None:
    """At 30 a preemptor takes 2 of 6, and the head is promised all at 60: 4 for 80 s do not fit.

    A second later nobody is more urgent than who was suspended, and the head is promised his end.
    """
    jobs = [Job(0, 100, 4), Job(0, 60, 2, user=3), Job(20, 10, 6, user=2), Job(21, 10, 8, user=3)]
    jobs += [Job(30, 5, 2, user=2)]
    assert ends(jobs) == [111, 60, 30, 121, 35]


def test_the_first_in_line_is_promised_the_end_of_who_goes_on() -> None:
    """The victim has 80 s left at 40, when the head begins to wait for all of the machine."""
    jobs = [Job(0, 100, 4), Job(20, 20, 8, user=2), Job(30, 10, 8, user=3)]
    replay = begun(jobs, 40)
    t = replay.tables
    assert t.jobs.reserved_s[t.queue.waiting[t.queue.head]] == 120
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 20, 120]


def test_who_goes_on_is_one_of_the_jobs_of_its_node() -> None:
    """A node takes two jobs: who goes on at 40 and one more, the other waits for its end."""
    lines = {"DEFAULT": NodeLine(most_jobs=2)}
    made = replace(MADE, nodes=NodeSettings(Allocation.FIRSTAVAILABLE, lines=lines))
    jobs = [Job(0, 100, 1), Job(20, 20, 4, user=2), Job(21, 10, 1, user=3), Job(21, 10, 1, user=3)]
    assert ends(jobs, made, Machine.uniform(1, 4)) == [120, 40, 50, 60]


def test_who_goes_on_is_placed_as_others_are() -> None:
    """By load the node of which 4 are idle comes before the one of which 2 are."""
    made = replace(MADE, nodes=NodeSettings(Allocation.CPULOAD))
    jobs = [Job(0, 100, 2, user=3), Job(0, 100, 1), Job(20, 10, 6, user=2)]
    replay = begun(jobs, 31, made, Machine.uniform(2, 4))
    t = replay.tables
    assert t.queue.running_count == 2
    assert (t.nodes.total - t.nodes.free)[:, 0].tolist() == [2, 1]


def test_one_that_goes_on_beside_promised_nodes_leaves_less_of_them_to_others() -> None:
    """Two are promised 100 and 150, with half of node 0 and all of node 1: one processor of node 0 is spare.

    The victim goes on with it at 40; the last wants two of node 0 beyond 100, and would delay the first.
    """
    one, four = ({Resource.PROCESSORS: count} for count in (1.0, 4.0))
    whole = Component(1, four, where=1)

    def some(count: int) -> Component:
        return Component(count, one, where=0)

    jobs = [Job(0, 300, 1), Job(0, 100, 4, user=3), Job(0, 100, 1, user=3), Job(20, 20, 3, user=2)]
    jobs += [Job(25, 50, 6, user=2), Job(25, 50, 4, user=2), Job(26, 200, 2, user=3)]
    wishes = [(some(1),), (whole,), (some(1),), (some(3),), (whole, some(2)), (whole,), (some(2),)]
    made = replace(MADE, buckets=(Bucket(2),))
    machine = Machine.of_nodes([Node(four, group=k) for k in range(3)])
    requests = {k: Request(parts) for k, parts in enumerate(wishes)}
    schedule = begun(jobs, NEVER, made, machine, requests).schedule()
    assert schedule.start_s.tolist() == [0, 0, 0, 20, 100, 150, 150]
    assert schedule.end_s[0] == 320


def test_one_that_goes_on_counts_against_the_limits_at_once() -> None:
    """User 1 may have one job: as his first goes on at 40, his second waits, though there is room."""
    users = {**PLAIN, "1": Credential(qos_default="low", active=AT_MOST_ONE_JOB)}
    made = replace(MADE, users=users)
    assert ends([Job(0, 100, 4), Job(1, 50, 2), Job(20, 20, 8, user=2)], made) == [120, 170, 40]


def test_who_goes_on_where_nobody_waits_is_weighed_by_what_runs_then() -> None:
    """Both victims are of 5. As user 1's firm job ends at 60 one of them fits, by number the first.

    User 1 has no active job any more, as user 4 has none: what counted against the former is over.
    """
    users = {**PLAIN, "4": Credential(qos_default="low")}
    factors = {Factor.QOS: Weight(1.0), Factor.USER_JOBS: Weight(-10.0)}
    qos = {"low": replace(LOW, priority=100), "high": HIGH}
    made = replace(MADE, users=users, factors=factors, qos=qos)
    jobs = [Job(0, 100, 5), Job(0, 100, 5, user=4), Job(0, 60, 2), Job(30, 50, 6, user=2)]
    assert ends(jobs, made, Machine.counted(12)) == [130, 150, 60, 80]


def test_who_goes_on_where_nobody_waits_is_weighed_by_what_was_used_up_to_then() -> None:
    """At 30, as both are suspended, user 4 has used less than user 1; at 60, as one of them fits, more."""
    users = {
        "1": Credential(qos_default="low", target=Target(30.0)),
        "2": Credential(qos_default="high"),
        "4": Credential(qos_default="low", target=Target(30.0)),
    }
    components = {Weighed.CREDENTIAL: Weight(1.0), Weighed.FAIRSHARE: Weight(1.0)}
    made = replace(
        MADE,
        components=components,
        factors={Factor.QOS: Weight(1.0), Factor.FAIRSHARE_USER: Weight(1.0)},
        users=users,
        qos={"low": replace(LOW, priority=100), "high": HIGH},
    ).choosing(fairshare=Charge.DEDICATED_PROCESSOR_SECONDS, fairshare_interval_s=1000.0)
    jobs = [Job(0, 100, 5), Job(10, 100, 5, user=4), Job(10, 50, 2, user=4), Job(30, 50, 6, user=2)]
    assert ends(jobs, made, Machine.counted(12)) == [130, 160, 60, 80]
