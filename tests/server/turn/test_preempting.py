"""Jobs that are suspended and resumed by command."""

import asyncio
from typing import Any

import pytest

from molokini.model.job_specs import JobSpec
from molokini.server.turn.changing import Alter, NotNow
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept, assert_sound


async def shortened(story: Story, jobs: list[int], estimate_s: float) -> None:
    """Cut the estimates of all *jobs* in one turn."""
    changes: JobSpec = {"estimate_s": estimate_s}
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


@pytest.mark.parametrize("asked", [{"nodes": 1, "processors_per_node": 3}, {"processors": 3}])
async def test_a_resume_goes_on_on_the_nodes_of_the_job_and_on_no_others(asked: dict[str, Any]) -> None:
    """One task of three processors needs them all, and so do three tasks of one."""
    async with live(offers=[nodes("n[1-2]", real=True)]) as story:
        job = await story.submit(**asked, run_s=50.0)
        await story.do(SuspendJob(job, -1, "root"))
        blocking = await story.submit(nodes=1, processors_per_node=2, run_s=5.0)
        assert (story.run(job).nodes, story.run(blocking).nodes) == (((0, 3),), ((0, 2),))
        with pytest.raises(NotNow, match="no room on node n1 now, and real processes stay where they are"):
            await story.do(ResumeJob(job, -1, "root"))
        await story.advance(6.0)
        elsewhere = await story.submit(nodes=1, processors_per_node=1, run_s=50.0)
        assert story.run(elsewhere).nodes == ((0, 1),)
        await story.do(ResumeJob(job, -1, "root"))
        assert (story.status(job), story.run(job).nodes) == ("running", ((0, 3),))
        await assert_kept(story)


async def test_a_resume_finds_its_place_where_processors_were_counted() -> None:
    async with live(offers=[nodes("n[1-2]", real=True)]) as story:
        job = await story.submit(processors=6, run_s=50.0)
        assert story.run(job).nodes == ((0, 4), (1, 2))
        await story.do(SuspendJob(job, -1, "root"))
        await story.do(ResumeJob(job, -1, "root"))
        assert (story.status(job), story.run(job).nodes) == ("running", ((0, 4), (1, 2)))
        assert_sound(story.state)
