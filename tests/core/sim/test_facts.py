"""Facts beside arrivals and ends: losses and returns, cancels, holds and releases, and their order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine, Node
from molokini.model.policy import Value
from molokini.model.ranks import RANK_OF, AgendaEvent, EventKind
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from tests.kit.invariants import assert_tables_empty
from tests.kit.policies import ALONE, different_policies
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, in_order, job_lists

SHARING = ("ps", "migrate-by-age")
"""Under these no job waits."""

every_policy = pytest.mark.parametrize("policy", different_policies())
space_sharing = pytest.mark.parametrize(
    "policy", [n for n in different_policies() if n not in (*SHARING, "sita-e", "random")]
)


def lost(at: float, amount: int = 0, node: int = -1) -> AgendaEvent:
    return AgendaEvent(at, EventKind.NODE_LOST, node, amount)


def returned(at: float, amount: int = 0, node: int = -1) -> AgendaEvent:
    return AgendaEvent(at, EventKind.NODE_RETURNED, node, amount)


def cancel(at: float, row: int) -> AgendaEvent:
    return AgendaEvent(at, EventKind.CANCELLED, row)


def hold(at: float, row: int) -> AgendaEvent:
    return AgendaEvent(at, EventKind.HELD, row)


def release(at: float, row: int) -> AgendaEvent:
    return AgendaEvent(at, EventKind.RELEASED, row)


@space_sharing
def test_the_job_that_started_last_makes_room_for_a_loss(policy: str) -> None:
    jobs = [Job(0, 10, 4), Job(2, 10, 4)]
    replay = finished(jobs, policy, 8, ALONE.get(policy, {}), facts=[lost(5, 3), returned(30, 3)])
    # The second loses its work at 5 and finds 5 - 4 = 1 processor until the first has ended.
    assert ends(replay) == [10.0, 20.0]
    assert starts(replay) == [0.0, 2.0], "the first attempt counts as the start"
    assert_tables_empty(replay)


def test_a_cancel_of_a_job_that_could_never_be_placed_touches_no_other() -> None:
    """It has left its row in the tables to the next one."""
    node = Node({Resource.PROCESSORS: 4.0})
    big = Request((Component(1, {Resource.PROCESSORS: 5.0}),))
    jobs = [Job(0, 10, 5), Job(1, 10, 4)]
    machine = Machine.of_nodes([node, node])
    replay = finished(jobs, "easy", machine, requests={0: big}, facts=[cancel(5, 0)])
    assert replay.schedule().refused == {"never_placeable": 1}
    assert ends(replay) == [None, 11.0]
    assert_tables_empty(replay)


@space_sharing
def test_a_loss_that_idle_processors_cover_touches_nobody(policy: str) -> None:
    jobs = [Job(0, 10, 4), Job(1, 10, 4, estimate=10)]
    replay = finished(jobs, policy, 16, facts=[lost(0.5, 8), returned(30, 8)])
    assert ends(replay) == [10.0, 11.0]


@every_policy
def test_a_wide_job_waits_for_the_return_of_what_it_needs(policy: str) -> None:
    # Maui would not look at them for an hour.
    own: dict[str, dict[str, Value]] = {**ALONE, "maui": {"defer_s": 0.0}}
    values = own.get(policy, {})
    facts = [lost(1, 4), returned(50, 4)]
    replay = finished([Job(0, 5, 8), Job(2, 10, 8)], policy, 8, values, facts=facts)
    schedule = replay.schedule()
    assert schedule.refused == {}
    assert schedule.finished.all()
    assert_tables_empty(replay)
    if policy == "ljf":
        assert ends(replay) == [65.0, 60.0]
    elif policy not in SHARING:
        assert ends(replay) == [55.0, 65.0]


@pytest.mark.parametrize("policy", ["conservative", "easy", "easy-depth"])
def test_a_reservation_for_a_wide_job_is_made_again_after_the_return(policy: str) -> None:
    # Job 2 is promised 10, loses the promise at 3, and nobody ends between 12 and the return at 40.
    jobs = [Job(0, 10, 5), Job(1, 10, 8), Job(2, 2, 1)]
    replay = finished(jobs, policy, 8, facts=[lost(3, 2), returned(40, 2)])
    assert starts(replay) == [0.0, 40.0, 2.0]


def test_of_jobs_that_started_together_the_last_in_number_makes_room() -> None:
    jobs = [Job(0, 10, 4), Job(0, 10, 4)]
    assert ends(finished(jobs, "fcfs", 8, facts=[lost(5, 3)])) == [10.0, 20.0]
    # The one of the higher number was submitted first, and so was started first.
    jobs = [Job(0, 10, 8, number=1), Job(1, 10, 4, number=7), Job(2, 10, 4, number=3)]
    assert ends(finished(jobs, "fcfs", 8, facts=[lost(15, 3)])) == [10.0, 30.0, 20.0]


def test_jobs_that_share_stand_still_while_all_processors_are_lost() -> None:
    # The second arrives meanwhile and has no work at all: that is done when there is a processor again.
    jobs = [Job(0, 10, 4), Job(7, 0, 4)]
    assert ends(finished(jobs, "ps", 8, facts=[lost(5, 8), returned(20, 8)])) == [25.0, 20.0]


def test_what_a_loss_frees_is_planned_once() -> None:
    # Job 2 is taken off at 4 and leaves 3 free until 20: room for job 4 (until 9), not for job 3, whose
    # promise stays at 20; job 2 comes after both.
    jobs = [Job(0, 20, 3), Job(1, 20, 4), Job(2, 6, 4), Job(3, 5, 2)]
    replay = finished(jobs, "conservative", 8, facts=[lost(4, 2)])
    assert ends(replay) == [20.0, 46.0, 26.0, 9.0]


@st.composite
def accidents(draw: st.DrawFn) -> list[AgendaEvent]:
    """Losses of counted processors and their returns, cancels, holds and later releases."""
    facts: list[AgendaEvent] = []
    for _ in range(draw(st.integers(0, 3))):
        at, length, amount = draw(st.integers(0, 30)), draw(st.integers(0, 20)), draw(st.integers(1, 2))
        facts += [lost(at, amount), returned(at + length, amount)]
    for _ in range(draw(st.integers(0, 4))):
        at, row = draw(st.integers(0, 40)), draw(st.integers(0, 15))
        if draw(st.booleans()):
            facts.append(cancel(at, row))
        else:
            facts += [hold(at, row), release(at + draw(st.integers(0, 9)), row)]
    return facts


@pytest.mark.quick(one_in=13)
@every_policy
@given(jobs=job_lists(8, most=16), facts=accidents())
@settings(max_examples=100, deadline=None)
def test_every_policy_survives_accidents(policy: str, jobs: list[Job], facts: list[AgendaEvent]) -> None:
    facts = [fact for fact in facts if fact.subject < len(jobs)]
    values = {"cutoffs": (4.0,)} if policy == "sita-e" else {}
    replay = finished(jobs, policy, 8, values, facts=facts)
    schedule = replay.schedule()
    assert_tables_empty(replay)
    cancelled = {fact.subject for fact in facts if fact.kind is EventKind.CANCELLED}
    for row, job in enumerate(in_order(jobs)):
        gone = bool(schedule.refused_rows[row]) or row in cancelled
        assert gone or schedule.finished[row], f"job {row} never ended"
        if not gone:
            assert schedule.start_s[row] >= job.submit
            assert schedule.run_s[row] == min(job.run, job.estimated)


@pytest.mark.quick(one_in=5)
@every_policy
@given(jobs=job_lists(8, most=10), facts=accidents())
@settings(max_examples=10, deadline=None)
def test_accidents_interpreted_and_compiled(policy: str, jobs: list[Job], facts: list[AgendaEvent]) -> None:
    facts = [fact for fact in facts if fact.subject < len(jobs)]
    compiled = finished(jobs, policy, 8, facts=facts)
    interpreted = finished(jobs, policy, 8, facts=facts, interpreted=True)
    assert outcome(compiled.schedule()) == outcome(interpreted.schedule())


@pytest.mark.quick(one_in=9)
@every_policy
@given(jobs=job_lists(8, most=16), facts=accidents())
@settings(max_examples=40, deadline=None)
def test_never_more_in_use_than_are_left(policy: str, jobs: list[Job], facts: list[AgendaEvent]) -> None:
    facts = [fact for fact in facts if fact.subject < len(jobs)]
    values = {"cutoffs": (4.0,)} if policy == "sita-e" else {}
    replay = prepared(jobs, policy, 8, values, facts=facts)
    for half in range(200):
        replay.run(until_s=half / 2)
        t = replay.tables
        running = t.queue.running[: t.queue.running_count]
        in_use = float((t.jobs.width[running] * t.jobs.rate[running]).sum())
        assert t.machine.free >= 0
        assert in_use <= t.machine.processors + 1e-9


@every_policy
def test_a_cancelled_job_leaves_room(policy: str) -> None:
    jobs = [Job(0, 100, 8), Job(1, 5, 8)]
    replay = finished(jobs, policy, 8, ALONE.get(policy, {}), facts=[cancel(10, 0)])
    assert ends(replay)[0] == 10.0
    schedule = replay.schedule()
    if policy in SHARING:
        assert schedule.run_s[0] < 10
    elif policy == "srpt":
        assert schedule.run_s[0] == 5.0, "suspended from 1 to 6"
    else:
        assert schedule.run_s[0] == 10.0
        assert starts(replay) == [0.0, 10.0]


@pytest.mark.parametrize("policy", [name for name in different_policies() if name not in (*SHARING, "srpt")])
def test_a_waiting_job_that_is_cancelled_never_starts(policy: str) -> None:
    replay = finished(
        [Job(0, 10, 4), Job(1, 5, 4)], policy, 4, ALONE.get(policy, {}), facts=[cancel(3, 1), cancel(4, 1)]
    )
    assert starts(replay) == [0.0, None]
    assert_tables_empty(replay)


def test_a_suspended_job_that_is_cancelled_keeps_the_work_it_has_done() -> None:
    # The short one takes the machine from 2 to 6; the long one is cancelled at 4 with 2 s done.
    replay = finished([Job(0, 100, 4), Job(2, 4, 4)], "srpt", 4, facts=[cancel(4, 0)])
    schedule = replay.schedule()
    assert (ends(replay), schedule.run_s.tolist()) == ([4.0, 6.0], [2.0, 4.0])
    assert_tables_empty(replay)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
def test_a_held_job_steps_aside_and_comes_back_to_its_place(policy: str) -> None:
    jobs = [Job(0, 10, 4), Job(1, 10, 4), Job(2, 10, 4)]
    replay = finished(jobs, policy, 4, facts=[hold(5, 1), release(15, 1)])
    assert starts(replay) == [0.0, 20.0, 10.0]
    # Released before the third starts, it stands in front of it again, but for who has a promise.
    replay = finished(jobs, policy, 4, facts=[hold(5, 1), release(7, 1)])
    assert starts(replay) == ([0.0, 20.0, 10.0] if policy == "conservative" else [0.0, 10.0, 20.0])


def test_facts_of_one_instant_in_the_order_of_their_ranks() -> None:
    assert sorted(RANK_OF.values()) == list(RANK_OF.values()), "kinds are numbered by rank"
    # At 10 the first ends, two processors go and come back, the second is cancelled before it could
    # start, the third arrives: one pass, in which the third finds everything free.
    jobs = [Job(0, 10, 4), Job(1, 10, 4), Job(10, 10, 4)]
    facts = [cancel(10, 1), returned(10, 2), lost(10, 2)]
    replay = finished(jobs, "fcfs", 4, facts=facts)
    assert starts(replay) == [0.0, None, 10.0]
    assert ends(replay) == [10.0, None, 20.0]
    assert replay.agenda.passes == replay.agenda.instants == 4


@pytest.mark.parametrize(("ties", "wanted"), [("batch", [0.0, 10.0, 20.0]), ("each", [0.0, 20.0, 10.0])])
def test_with_one_pass_a_fact_a_release_does_not_come_with_an_end(ties: str, wanted: list[float]) -> None:
    """At 10 the third arrives, the first ends, and the second is released: seen together it is in front."""
    jobs = [Job(0, 10, 4), Job(1, 10, 4), Job(10, 10, 4)]
    replay = finished(jobs, "fcfs", 4, facts=[hold(5, 1), release(10, 1)], ties=ties, interpreted=True)
    assert starts(replay) == wanted
    # At 0, 1, 5, 10 and 20; the last end is at 30. With one pass a fact there are three at 10.
    assert replay.agenda.passes == {"batch": 6, "each": 8}[ties]


def test_an_end_comes_before_the_loss_of_its_processors() -> None:
    replay = finished([Job(0, 10, 4)], "fcfs", 4, facts=[lost(10, 4), returned(20, 4)])
    assert ends(replay) == [10.0]


@pytest.mark.parametrize("policy", ["fcfs", "easy"])
def test_a_lost_node_sends_its_jobs_back_to_the_queue(policy: str) -> None:
    machine = Machine.uniform(2, 4)
    jobs = [Job(0, 10, 4), Job(0, 10, 4), Job(1, 3, 4)]
    replay = finished(jobs, policy, machine, facts=[lost(5, node=0), returned(12, node=0)])
    # The first stood on node 0; it keeps its place in the queue and starts again at 10 on node 1.
    assert ends(replay) == [20.0, 10.0, 15.0]
    assert_tables_empty(replay)


@pytest.mark.quick(one_in=5)
@every_policy
@given(jobs=job_lists(8, most=12), node=st.integers(0, 3), at=st.integers(0, 20), length=st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_every_policy_survives_losses(policy: str, jobs: list[Job], node: int, at: int, length: int) -> None:
    facts = [lost(at, node=node), returned(at + length, node=node)]
    replay = finished(jobs, policy, Machine.uniform(4, 2), facts=facts)
    schedule = replay.schedule()
    assert (schedule.finished | schedule.refused_rows).all()
    assert_tables_empty(replay)


def test_a_partition_gives_only_what_the_machine_has_left() -> None:
    # Four of eight run in the long partition; two of the others are lost, so two are left and not three.
    jobs = [Job(0, 20, 4), Job(2, 3, 3)]
    replay = prepared(jobs, "sita-e", 8, {"cutoffs": (4.0,)}, facts=[lost(1, 2), returned(30, 2)])
    replay.run(until_s=2.0)
    assert replay.tables.machine.free >= 0
    assert starts(replay) == [0.0, None]


@every_policy
def test_credentials_follow_the_job_into_the_tables(policy: str) -> None:
    jobs = [Job(0, 10, 1, user=3), Job(0, 10, 1, user=5), Job(0, 10, 1, user=3)]
    replay = prepared(jobs, policy, 8)
    replay.run(until_s=5)
    t = replay.tables
    rows = t.queue.running[: t.queue.running_count]
    user_of = dict(
        zip(t.jobs.number[rows].tolist(), t.credentials.user[t.jobs.credential[rows]].tolist(), strict=True)
    )
    assert user_of == {1: 3, 2: 5, 3: 3}
    assert t.credentials.user.size == 3, "nobody, and each combination once"


def test_in_blocks_a_lost_node_takes_its_own_columns() -> None:
    """The job there begins again in the block of another, although none is in the block that it had."""
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 2}) for _ in range(4)])
    facts = [lost(5, node=0), returned(100, node=0)]
    replay = finished([Job(0, 10, 2)] * 4, "buddy-gang", machine, interpreted=True, facts=facts)
    assert ends(replay) == [20.0, 15.0, 10.0, 10.0]
    assert_tables_empty(replay)


def test_in_rows_a_lost_node_takes_its_own_columns() -> None:
    """The job there begins again behind the next one; those on other nodes keep their columns."""
    machine = Machine.of_nodes([Node({Resource.PROCESSORS: 2}) for _ in range(3)])
    jobs = [Job(0, 10, 2)] * 3
    facts = [lost(5, node=0), returned(7, node=0)]
    replay = finished(jobs, "gs", machine, {"mpl": 2}, interpreted=True, facts=facts)
    # From 5 on the first two share the second node, and the first has it alone when the second has ended.
    assert ends(replay) == [20.0, 15.0, 10.0]
    assert_tables_empty(replay)
