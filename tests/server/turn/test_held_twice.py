"""Two holds of one job, and two alterations: what is left of the first when the second has come."""

from typing import Any

import pytest

from molokini.model.facts import NO_INDEX
from molokini.server.queries.explanations import explain
from molokini.server.turn.changing import Alter, Hold, Release
from tests.kit.live import live
from tests.kit.live_picture import assert_kept


@pytest.mark.parametrize("array", [None, {"first": 1, "last": 3}])
async def test_of_two_holds_the_one_that_is_left_keeps_the_job_and_what_was_said_of_the_other_is_gone(
    array: Any,
) -> None:
    async with live() as story:
        await story.submit(processors=16)
        job = await story.submit(**({"array": array} if array else {}))
        index = 1 if array else NO_INDEX
        await story.do(Hold(job, "ann", "user", "mine"))
        await story.do(Hold(job, "root", "operator", "look"))
        await story.do(Release(job, "ann", ["user"]))
        run = story.run(job, index)
        assert (run.status, run.reason) == ("held", "")
        assert explain(story.core, story.job(job), run).text == "held by operator"
        await assert_kept(story)
        await story.do(Release(job, "root", ["operator"]))
        assert story.status(job, index) == "waiting"


async def test_a_plan_follows_a_running_job_whose_estimate_is_lengthened() -> None:
    async with live("conservative") as story:
        runs = await story.submit(processors=16, estimate_s=100.0)
        waits = await story.submit(processors=16, estimate_s=100.0)
        assert story.run(waits).reserved_s == 100.0
        await story.do(Alter(runs, "root", {"estimate_s": 150.0}, story.limits, True))
        assert story.run(waits).reserved_s == 150.0
        await assert_kept(story)
