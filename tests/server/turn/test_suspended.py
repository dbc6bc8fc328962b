"""Suspended jobs in a live cluster, and what an administrator changes of them meanwhile."""

import asyncio

import pytest

from molokini.model.facts import NO_INDEX
from molokini.server.turn.changing import Alter
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import Story, live
from tests.kit.live_picture import assert_kept, assert_sound


async def shortened(story: Story, jobs: list[int], estimate_s: float) -> None:
    """Cut the estimates of all *jobs* in one turn."""
    changes = {"estimate_s": estimate_s}
    commands = [Alter(job, "root", changes, story.limits, operator=True) for job in jobs]
    await asyncio.gather(*(story.do(command) for command in commands))


async def test_two_that_have_done_more_than_is_left_of_their_estimates_take_turns() -> None:
    # Both are suspended with 10 s done when their estimates are cut to 5 s: nothing is left of either, and
    # only one has room. A pass that asked for both would be thrown away, and the policy replaced in the end.
    async with live("srpt") as story:
        first = await story.submit(processors=10, run_s=90.0, estimate_s=100.0)
        await story.advance(10.0)
        second = await story.submit(processors=10, run_s=45.0, estimate_s=50.0)
        await story.advance(10.0)
        wide = await story.submit(processors=16, run_s=5.0, estimate_s=6.0)
        jobs = (first, second, wide)
        assert [story.status(job) for job in jobs] == ["suspended", "suspended", "running"]
        await shortened(story, [first, second], 5.0)
        assert story.core.reactor.policy_failures == 0
        await story.advance(400.0)
        assert story.core.reactor.policy_failures == 0
        assert story.core.reactor.running_policy.policy.name == "srpt"
        assert [story.status(job) for job in jobs] == ["timed-out", "timed-out", "completed"]
        assert_sound(story.state)


@pytest.mark.parametrize("suspended", [False, True])
async def test_what_is_requeued_gives_back_what_it_has_and_no_more(suspended: bool) -> None:
    async with live() as story:
        await story.submit(processors=4, run_s=90.0)
        job = await story.submit(processors=10, run_s=50.0)
        await story.advance(5.0)
        if suspended:
            await story.do(SuspendJob(job, NO_INDEX, "root"))
        await story.hold(job)
        await story.requeue(job)
        assert (story.status(job), int(story.state.tables.machine.free)) == ("held", 12)
        await assert_kept(story)
        await story.release(job)
        # The next attempt is the second, for policies and reports too.
        assert int(story.state.tables.jobs.attempt[story.run(job).row]) == 2
        await story.advance(95.0)
        assert (story.run(job).attempt, story.run(job).start_s, story.run(job).end_s) == (2, 5.0, 55.0)
        assert_sound(story.state)


async def test_a_resume_does_not_go_to_a_node_that_is_lost_in_the_same_turn() -> None:
    async with live() as story:
        first = await story.submit(processors=4, run_s=5.0)
        job = await story.submit(processors=4, run_s=50.0)
        await story.advance(6.0)
        await story.do(SuspendJob(job, -1, "root"))
        # The first node is idle, and has the first place for it.
        losing = story.core.reactor.post(LoseNodes(["n1"], "root", "a fan"))
        resuming = story.core.reactor.post(ResumeJob(job, -1, "root"))
        await losing
        await resuming
        assert (story.status(first), story.status(job)) == ("completed", "running")
        assert story.run(job).nodes == ((1, 4),)
        await assert_kept(story)
