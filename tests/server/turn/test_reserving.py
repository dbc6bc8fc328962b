"""Reservations of administrators in a live cluster: kept, rolled, given up, and there after a recovery."""

from dataclasses import replace

import pytest

from molokini.model import reservations
from molokini.model.calendars import Calendar
from molokini.model.errors import BadValue, Conflict, MolokiniError, UnknownName
from molokini.model.facts import ReservationMade, ReservationsRolled
from molokini.model.reservations import Reservation, StandingReservation, Terms
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import NotNow
from molokini.server.turn.operating import SetPolicy, SetQueue
from molokini.server.turn.reserving import MakeReservation, ReleaseReservation
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept

OURS = Reservation("ours", 10, 100.0, 200.0, {"user": ("bob",), "queue": ("night",)})


async def reserve(story: Story, one: Reservation | StandingReservation = OURS) -> None:
    if "night" not in story.state.queues:
        await story.do(SetQueue(Queue("night"), "root"))
    await story.do(MakeReservation(one, "root"))


@pytest.mark.parametrize("policy", ["easy", "fcfs", "conservative", "maui"])
async def test_a_stranger_waits_for_the_end_of_the_window_and_a_friend_does_not(policy: str) -> None:
    async with live(policy) as story:
        await reserve(story)
        await story.advance(50.0)
        stranger = await story.submit(processors=8, run_s=60.0, estimate_s=60.0)
        friend = await story.submit(user="bob", processors=8, run_s=60.0, estimate_s=60.0)
        in_time = await story.submit(processors=4, run_s=50.0, estimate_s=50.0)
        await story.advance(1.0)
        assert story.status(stranger) == "waiting"
        if policy != "fcfs":
            assert (story.status(friend), story.status(in_time)) == ("running", "running")
        await assert_kept(story)
        await story.advance(300.0)
        assert story.run(stranger).start_s == 200.0
        # What is over is gone.
        await story.submit(run_s=1.0)
        assert (story.state.reservations, story.state.tables.reservations.count) == ({}, 0)
        assert story.status(friend) == "completed"


@pytest.mark.parametrize("policy", ["easy", "fcfs", "conservative", "maui"])
async def test_one_on_nodes_keeps_strangers_off_them_and_comes_back_with_the_server(policy: str) -> None:
    async with live(policy) as story:
        await reserve(
            story, Reservation("half", 1, 0.0, 200.0, {"user": ("bob",)}, Terms(hosts={"n2": 0, "n4": 3}))
        )
        [fact] = story.journal.facts(ReservationMade)
        assert fact.reservation["processors"] == 7
        assert fact.reservation["terms"]["hosts"] == {"n2": 4, "n4": 3}
        stranger = await story.submit(processors=9, run_s=60.0, estimate_s=60.0)
        wide = await story.submit(processors=8, run_s=60.0, estimate_s=60.0)
        friend = await story.submit(user="bob", processors=7, run_s=60.0, estimate_s=60.0)
        await story.advance(1.0)
        assert dict(story.run(stranger).nodes) == {0: 4, 2: 4, 3: 1}
        assert story.status(wide) == "waiting"
        if policy != "fcfs":
            assert dict(story.run(friend).nodes) == {1: 4, 3: 3}
        await assert_kept(story)
        await story.do(ReleaseReservation("half", "root"))
        assert (story.state.reservations, story.state.tables.hosts.count) == ({}, 0)
        await assert_kept(story)


@pytest.mark.parametrize("policy", ["easy", "conservative", "maui"])
async def test_nodes_that_join_leave_what_is_reserved_on_others_as_it_is(policy: str) -> None:
    """They are free for strangers; processors that are reserved by their number are kept on all together."""
    async with live(policy, [nodes("n[1-2]", 4)]) as story:
        await reserve(
            story, Reservation("half", 1, 0.0, 200.0, {"user": ("bob",)}, Terms(hosts={"n1": 0, "n2": 2}))
        )
        await reserve(story, Reservation("any", 2, 100.0, 300.0, {"user": ("amy",)}))
        await story.join([nodes("n[3-4]", 4)])
        stranger = await story.submit(processors=10, run_s=60.0, estimate_s=60.0)
        wide = await story.submit(processors=3, run_s=600.0, estimate_s=600.0)
        friend = await story.submit(user="bob", processors=6, run_s=60.0, estimate_s=60.0)
        await story.advance(1.0)
        assert dict(story.run(stranger).nodes) == {1: 2, 2: 4, 3: 4}
        assert story.status(wide) == "waiting"
        assert dict(story.run(friend).nodes) == {0: 4, 1: 2}
        await assert_kept(story)


async def test_nodes_that_join_give_a_partial_one_what_it_lacked() -> None:
    async with live("easy", [nodes("n[1-2]", 4)]) as story:
        for name in ("cut", "more"):
            await reserve(story, Reservation(name, 6, 0.0, 200.0, {"user": (name,)}, Terms(partial=True)))
        first = await story.submit(processors=4, run_s=600.0, estimate_s=600.0)
        await story.advance(1.0)
        assert story.status(first) == "waiting"
        await story.join([nodes("n[3-4]", 4)])
        second = await story.submit(run_s=600.0, estimate_s=600.0)
        await story.advance(1.0)
        assert [story.status(job) for job in (first, second)] == ["running", "waiting"]
        await assert_kept(story)


async def test_nodes_that_there_are_not_and_too_many_of_their_processors_are_refused(story: Story) -> None:
    with pytest.raises(UnknownName, match="no node named 'n9'"):
        await reserve(story, Reservation("a", 1, 0.0, 9.0, {}, Terms(hosts={"n9": 1})))
    with pytest.raises(BadValue, match="processors of n1: 5 is not allowed; it must be from 1 to its 4"):
        await reserve(story, Reservation("a", 1, 0.0, 9.0, {}, Terms(hosts={"n1": 5})))
    assert story.journal.facts(ReservationMade) == []


async def test_a_reservation_that_was_given_up_keeps_no_job_out(story: Story) -> None:
    await reserve(story)
    await story.advance(50.0)
    stranger = await story.submit(processors=8, run_s=60.0, estimate_s=60.0)
    assert story.status(stranger) == "waiting"
    await story.do(ReleaseReservation("ours", "root"))
    assert story.run(stranger).start_s == 50.0
    with pytest.raises(UnknownName, match="no reservation named 'ours'"):
        await story.do(ReleaseReservation("ours", "root"))


OTHER_NIGHT = Reservation("other", 2, 100.0, 900.0)

EVERY_NIGHT = StandingReservation("nights", 2, Calendar(start_s=0.0, end_s=3600.0), 2)


@pytest.mark.parametrize("others", [[OTHER_NIGHT], [EVERY_NIGHT], [OTHER_NIGHT, EVERY_NIGHT]])
async def test_past_reservations_go(story: Story, others: list[Reservation | StandingReservation]) -> None:
    for one in (*others, OURS):
        await reserve(story, one)
    # Where nobody waits they are rolled with whatever happens next.
    await story.advance(300.0)
    await story.submit(run_s=1.0)
    assert set(story.state.reservations) == {one.name for one in others}
    await assert_kept(story)


async def test_a_standing_one_is_rolled_at_midnight_and_a_recovery_goes_on_with_it(story: Story) -> None:
    nights = StandingReservation("nights", 16, Calendar(start_s=0.0, end_s=3600.0), 2, {"user": ("bob",)})
    await reserve(story, nights)
    assert [one.start_s for one in story.state.instances] == [0.0, 86_400.0]
    stranger = await story.submit(processors=1, run_s=10.0, estimate_s=10.0)
    assert story.status(stranger) == "waiting"
    await story.advance(7200.0)
    assert story.run(stranger).start_s == 3600.0
    await story.advance(88_000.0 - 7200.0)
    late = await story.submit(processors=1, run_s=10.0, estimate_s=86_000.0)
    assert [one.start_s for one in story.state.instances] == [86_400.0, 172_800.0]
    assert story.journal.facts(ReservationsRolled)
    assert story.status(late) == "waiting"
    await assert_kept(story)
    with pytest.raises(Conflict, match="ends only with its standing reservation: release 'nights'"):
        await story.do(ReleaseReservation("nights.172800", "root"))
    await story.do(ReleaseReservation("nights", "root"))
    assert (story.status(late), story.state.instances) == ("running", [])


async def test_a_standing_reservation_takes_its_own_instances_with_it_and_no_others(story: Story) -> None:
    for name in ("maint", "maint2", "maint.2"):
        await reserve(story, replace(EVERY_NIGHT, name=name))
    await story.do(ReleaseReservation("maint", "root"))
    left = [one.name.rpartition(".")[0] for one in story.state.instances]
    assert left == ["maint2", "maint2", "maint.2", "maint.2"]
    await assert_kept(story)


async def test_what_cannot_be_is_refused_with_nothing_kept(story: Story) -> None:
    await reserve(story)
    for bad, words in (
        (OURS, "a name of its own"),
        (Reservation("wide", 17, 1.0, 2.0), "at most the machine's 16"),
        (Reservation("past", 1, -5.0, 0.0), "later than now"),
    ):
        with pytest.raises(BadValue, match=words):
            await reserve(story, bad)
    assert len(story.journal.facts(ReservationMade)) == 1
    with pytest.raises(NotNow, match="policy ps cannot keep jobs out"):
        await story.do(SetPolicy("ps", {}, "root"))
    await story.do(ReleaseReservation("ours", "root"))
    await story.do(SetPolicy("ps", {}, "root"))
    with pytest.raises(MolokiniError, match="policy ps cannot keep jobs out"):
        await reserve(story)


async def test_no_more_reservations_than_the_tables_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reservations, "MOST", 3)
    async with live() as story:
        await reserve(story, EVERY_NIGHT)
        with pytest.raises(BadValue, match="reservations: 4 is not allowed; it must be at most 3"):
            await reserve(story, replace(EVERY_NIGHT, name="more"))
        for name in ("a", "b"):
            await reserve(story, replace(OURS, name=name))
        with pytest.raises(BadValue, match="reservations: 4 is not allowed; it must be at most 3"):
            await reserve(story)
        assert list(story.state.reservations) == ["nights", "a", "b"]


@pytest.mark.parametrize("entry", ["nigth", "nigth-", "nigth="])
@pytest.mark.parametrize("again_and_again", [False, True])
async def test_a_queue_that_there_is_not_is_refused_by_name(entry: str, again_and_again: bool) -> None:
    access = {"user": ("bob",), "queue": ("night-", entry)}
    one: Reservation | StandingReservation = Reservation("a", 1, 0.0, 9.0, access)
    if again_and_again:
        one = StandingReservation("a", 1, Calendar(start_s=0.0, end_s=3600.0), 2, access)
    async with live() as story:
        with pytest.raises(UnknownName, match="no queue named 'nigth'; did you mean 'night'"):
            await reserve(story, one)
        assert story.journal.facts(ReservationMade) == []


async def test_of_two_reservations_of_one_name_in_one_turn_one_is_made(story: Story) -> None:
    await story.do(SetQueue(Queue("night"), "root"))
    first = story.core.reactor.post(MakeReservation(OURS, "root"))
    second = story.core.reactor.post(MakeReservation(OURS, "root"))
    await story.settled()
    await first
    with pytest.raises(BadValue):
        await second
