"""Plans of a live cluster when nodes are drained, and when they are up again."""

import pytest

from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import live
from tests.kit.live_picture import assert_kept, assert_sound


@pytest.mark.parametrize("policy", ["easy", "easy-depth", "conservative", "conservative-worstfit", "maui"])
async def test_a_drained_node_makes_way_for_a_job_behind_one_that_needs_the_node(policy: str) -> None:
    async with live(policy) as story:
        await story.submit(processors=16, run_s=10.0, estimate_s=10.0)
        wide = await story.submit(processors=16, run_s=10.0, estimate_s=10.0)
        small = await story.submit(processors=4, run_s=5.0, estimate_s=5.0)
        await story.advance(3.0)
        await story.do(DrainNodes(["n1"], "root", "new memory"))
        await story.advance(8.0)
        assert (story.status(wide), story.run(small).start_s) == ("waiting", 10.0)
        await assert_kept(story)
        await story.do(ReturnNodes(["n1"], "root"))
        await story.advance(4.0)
        assert story.run(wide).start_s == 15.0
        assert_sound(story.state)
        assert story.core.reactor.policy_failures == 0


@pytest.mark.parametrize("policy", ["easy", "conservative", "maui"])
async def test_a_node_that_is_up_again_before_its_job_ends_is_planned_with(policy: str) -> None:
    async with live(policy) as story:
        await story.do(DrainNodes(["n1"], "root", "new memory"))
        await story.submit(processors=12, run_s=10.0, estimate_s=10.0)
        wide = await story.submit(processors=16, run_s=10.0, estimate_s=10.0)
        await story.advance(3.0)
        await story.do(ReturnNodes(["n1"], "root"))
        # It would end behind the three others, at which the wide job is to start.
        long = await story.submit(processors=4, run_s=20.0, estimate_s=20.0)
        short = await story.submit(processors=4, run_s=7.0, estimate_s=7.0)
        assert (story.status(long), story.run(short).start_s) == ("waiting", 3.0)
        await story.advance(40.0)
        assert (story.run(wide).start_s, story.run(long).start_s) == (10.0, 20.0)
        assert_sound(story.state)
