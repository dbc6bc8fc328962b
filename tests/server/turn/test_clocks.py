"""Ends as an agent tells them whose clock is not that of the server."""

import pytest

from molokini.model.facts import NO_INDEX
from molokini.server.turn.ending import AttemptEnd, ReportEnd
from tests.kit.live import live
from tests.kit.live_picture import assert_sound


@pytest.mark.parametrize(("told_s", "end_s"), [(97.0, 100.0), (100.0, 100.0), (100.5, 100.5), (107.0, 101.0)])
async def test_a_job_ends_neither_before_its_start_nor_later_than_now(told_s: float, end_s: float) -> None:
    async with live() as story:
        await story.advance(100.0)
        job = await story.submit(run_s=50.0)
        await story.leave()
        await story.advance(1.0)
        assert await story.do(ReportEnd(AttemptEnd(job, NO_INDEX, 1, told_s)))
        assert (story.run(job).start_s, story.run(job).end_s) == (100.0, end_s)
        assert_sound(story.state)
