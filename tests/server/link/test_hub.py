"""The conversation with an agent: its first word, and cancels that meet what it says."""

import asyncio

import pytest

from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import NotNow, Requeue
from tests.kit.live import Story, live
from tests.kit.voices import Voice
from tests.kit.waiting import DEADLINE_S


async def test_the_first_word_must_be_a_registration() -> None:
    async with live(offers=[]) as story:
        voice = Voice(story)
        voice.report(wire.Report.ENDED, 1)
        [refused] = await voice.hears("refused")
        assert "register" in refused.reason
        await asyncio.wait_for(voice.task, DEADLINE_S)
        assert not story.core.hub.sessions


async def test_a_job_that_is_being_cancelled_is_not_run_again(story: Story, voice: Voice) -> None:
    job = await voice.given()
    await story.cancel(job)
    with pytest.raises(NotNow, match="cancelled"):
        await story.do(Requeue(job, -1, "ann"))
    voice.report(wire.Report.KILLED, job)
    await story.until(lambda: story.status(job) == "cancelled")


async def test_an_array_is_not_requeued_while_an_element_is_cancelled(story: Story, voice: Voice) -> None:
    job = await story.submit(processors=1, array={"first": 0, "last": 1, "running_limit": 0})
    await voice.hears("launch", 2)
    await story.cancel(job, 0)
    await voice.hears("order")
    with pytest.raises(NotNow, match="is being cancelled"):
        await story.requeue(job)
    voice.report(wire.Report.KILLED, job, index=0)
    await story.until(lambda: story.status(job, 0) == "cancelled")
    assert story.status(job, 1) == "running"
