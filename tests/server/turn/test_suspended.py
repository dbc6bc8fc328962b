"""Suspended jobs in a live cluster, and what an administrator changes of them meanwhile."""

import asyncio

from molokini.server.turn.changing import Alter
from tests.kit.live import Story, live
from tests.kit.live_picture import assert_sound


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
        assert [story.standing(job) for job in jobs] == ["suspended", "suspended", "running"]
        await shortened(story, [first, second], 5.0)
        assert story.core.reactor.policy_failures == 0
        await story.advance(400.0)
        assert story.core.reactor.policy_failures == 0
        assert story.core.reactor.thinker.policy.name == "srpt"
        assert [story.standing(job) for job in jobs] == ["timed-out", "timed-out", "completed"]
        assert_sound(story.state)
