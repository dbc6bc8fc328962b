"""The conversation with an agent: its first word, its silence, and cancels that meet what it says."""

import asyncio
import time

import pytest

from molokini.model.facts import NodeLost
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import NotNow, Requeue
from tests.kit.live import Story, live
from tests.kit.voices import Voice, spoken
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


async def test_without_leases_silence_costs_no_node() -> None:
    async with spoken(lease_s=0.0, margin_s=1.0) as (story, _):
        hub, passed_s = story.core.hub, 0.0
        hub.monotonic = lambda: time.monotonic() + passed_s
        for _ in range(20):
            passed_s += 1.0
            hub.lose_the_silent()
        await story.settled()
        assert story.journal.facts(NodeLost) == []


@pytest.mark.parametrize("away", [False, True])
async def test_a_server_that_was_paused_gives_no_agent_up_for_its_own_pause(away: bool) -> None:
    async with spoken(lease_s=5.0, margin_s=1.0) as (story, voice):
        if away:
            await voice.gone()
        hub, slept_s = story.core.hub, 0.0
        hub.monotonic = lambda: time.monotonic() + slept_s
        slept_s = 1000.0
        hub.lose_the_silent()
        await story.settled()
        assert story.journal.facts(NodeLost) == []
        # Awake and looking, it gives up agents that are silent from then on.
        for _ in range(7):
            slept_s += 1.0
            hub.lose_the_silent()
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 4)
        assert voice.heard
