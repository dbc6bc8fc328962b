"""Jobs that share processors: an agent hears of each and of every rate, and ends it when its work is done."""

import pytest

from molokini.model.facts import JobShared, JobStarted
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import Cancel, Requeue
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import MemoryJournal, live, nodes, spec_of
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.voices import spoken


async def test_a_shared_job_ends_when_its_work_is_done() -> None:
    async with live("ps") as story:
        first = await story.submit(processors=16, run_s=30.0)
        await story.advance(10.0)
        second = await story.submit(processors=16, run_s=5.0)
        await story.advance(100.0)
        # At half the rate from 10 on the second takes 10 s, in which the first does 5 s of its last 20.
        assert (story.run(second).end_s, story.run(first).end_s) == (20.0, 35.0)
        assert (story.status(first), story.status(second)) == ("completed", "completed")


async def test_jobs_that_start_together_lie_apart() -> None:
    async with live("ps") as story:
        await story.submit_many([spec_of(processors=4, run_s=10.0) for _ in range(4)])
        places = [story.run(job).nodes for job in range(1, 5)]
        assert sorted(number for place in places for number, _ in place) == [0, 1, 2, 3]


async def test_its_agent_hears_of_it_and_of_every_other_rate() -> None:
    async with spoken(policy="ps") as (story, voice):
        first = await story.submit(processors=16, run_s=30.0)
        second = await story.submit(processors=16, run_s=30.0)
        one, other = await voice.hears("launch", 2)
        assert (one.attempt.job_id, one.rate) == (first, 1.0)
        assert (other.attempt.job_id, other.rate) == (second, 0.5)
        assert sum(part.processors for part in one.allocation) == 16
        [order] = await voice.hears("order")
        assert (order.kind, order.attempt.job_id, order.rate) == (wire.Order.SET_RATE, first, 0.5)


async def test_jobs_are_spread_over_the_nodes_that_take_work() -> None:
    async with live("ps", [nodes("n[1-4]", 4)]) as story:
        await story.do(DrainNodes(["n2"], "root", ""))
        for _ in range(3):
            await story.submit(processors=4)
        held = [story.run(number).nodes for number in (1, 2, 3)]
        assert held == [((0, 4),), ((2, 4),), ((3, 4),)]
        wide = await story.submit(processors=14)
        assert story.run(wide).nodes == ((0, 6), (2, 4), (3, 4)), "more than there are: some twice"
        assert_sound(story.state)


@pytest.mark.parametrize("how", ["cancel", "requeue"])
async def test_it_is_stopped_by_its_agent(how: str) -> None:
    async with live("ps") as story:
        number = await story.submit(processors=2, run_s=30.0)
        await story.advance(5.0)
        await story.do(Cancel(number, -1, "ann") if how == "cancel" else Requeue(number, -1, "ann"))
        await story.advance(100.0)
        assert story.status(number) == ("cancelled" if how == "cancel" else "completed")
        assert story.run(number).end_s == (5.0 if how == "cancel" else 35.0)


async def test_it_goes_on_where_another_server_takes_over() -> None:
    async with live("ps") as story:
        for _ in range(3):
            await story.submit(processors=16, run_s=10.0)
        await story.advance(6.0)
        await assert_kept(story)
    async with live("ps", journal=MemoryJournal(story.journal.entries, 2)) as other:
        await other.advance(100.0)
        assert [other.run(number).end_s for number in (1, 2, 3)] == [30.0] * 3
        assert [other.run(number).attempt for number in (1, 2, 3)] == [1] * 3


async def test_its_nodes_may_be_lost_and_return() -> None:
    async with live("ps", [nodes("n[1-2]", 4)]) as story:
        number = await story.submit(processors=8, run_s=10.0)
        await story.advance(4.0)
        await story.do(LoseNodes(["n1", "n2"], "root", "power"))
        assert story.status(number) == "waiting"
        later = await story.submit(processors=8, run_s=10.0)
        assert story.status(later) == "waiting", "no node takes work"
        assert_sound(story.state)
        await story.advance(6.0)
        await story.do(ReturnNodes(["n1"], "root"))
        await story.advance(100.0)
        # Sixteen processors wanted and four there: each runs at a quarter.
        assert [story.run(one).end_s for one in (number, later)] == [50.0, 50.0]


async def test_another_policy_lets_it_end() -> None:
    async with live("ps") as story:
        for _ in range(2):
            await story.submit(processors=16, run_s=10.0)
        await story.choose("easy")
        later = await story.submit(processors=16, run_s=10.0)
        await story.advance(200.0)
        assert [story.status(number) for number in (1, 2, later)] == ["completed"] * 3
        assert_sound(story.state)


async def test_who_held_nodes_and_takes_turns_from_now_on_gives_them_back() -> None:
    """The policy changes, and changes again when all is over: no node is taken by anybody then."""
    async with live("easy") as story:
        first = await story.submit(processors=16, run_s=30.0)
        await story.advance(10.0)
        for name, parameters in (("gs", {"mpl": "2"}), ("easy", {})):
            await story.choose(name, parameters)
            last = await story.submit(processors=16, run_s=30.0)
            await story.advance(1.0)
            assert story.status(last) == "running"
            await assert_kept(story)
            await story.advance(200.0)
            assert [story.status(job) for job in (first, last)] == ["completed"] * 2


async def test_who_was_suspended_by_command_shares_again() -> None:
    async with live("ps") as story:
        for _ in range(3):
            await story.submit(processors=16, run_s=10.0)
        for number in (1, 2):
            await story.do(SuspendJob(number, -1, "root"))
        for number in (1, 2):
            await story.do(ResumeJob(number, -1, "root"))
        assert_sound(story.state)
        await story.advance(100.0)
        assert [story.run(number).end_s for number in (1, 2, 3)] == [30.0] * 3


@pytest.mark.parametrize(("command", "status"), [(Cancel, "cancelled"), (Requeue, "running")])
async def test_what_no_agent_has_ends_without_one(command: type[Cancel] | type[Requeue], status: str) -> None:
    async with live("ps") as story:
        number = await story.submit(processors=2, run_s=10.0)
        # However it has come about.
        story.run(number).nodes = ()
        await story.do(command(number, -1, "ann"))
        assert story.status(number) == status
        assert story.run(number).attempt == (1 if command is Cancel else 2)
        assert_sound(story.state)


async def test_facts_of_a_journal_say_where_it_ran() -> None:
    async with live("ps") as story:
        number = await story.submit(processors=6, run_s=10.0)
        await story.submit(processors=16, run_s=10.0)
        [start, _] = story.journal.facts(JobStarted)
        assert (start.job, start.exclusive, sum(tasks for _, tasks, _ in start.placed)) == (number, False, 6)
        assert story.journal.facts(JobShared)
