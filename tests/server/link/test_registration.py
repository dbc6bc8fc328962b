"""What agents may offer when they come, what they hear then, and what they find when they come again."""

import asyncio
from typing import Any

import pytest

from molokini.model.facts import NodeReturned, NodesAdded
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.state.node_names import NodeStatus
from molokini.server.time.clock import ClockKind
from molokini.server.turn.command import Command
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import AcknowledgeReports
from tests.kit.live import Story, live, nodes
from tests.kit.voices import Voice, joined, spoken
from tests.kit.waiting import DEADLINE_S


async def test_two_agents_that_come_with_the_same_node_at_once_do_not_both_get_it() -> None:
    async with live(offers=[]) as story:
        voices = [Voice(story, name) for name in ("one", "two")]
        for voice in voices:
            voice.register(nodes("n[1-2]"))
        await story.until(lambda: all(len(voice.heard) >= 1 for voice in voices))
        kinds = sorted(str(voice.heard[0].WhichOneof("content")) for voice in voices)
        assert kinds == ["refused", "welcome"]
        assert len(story.state.machine.nodes) == 2


async def test_a_node_that_is_offered_twice_is_one_node() -> None:
    async with live(offers=[]) as story:
        await joined(story, offers=[nodes("n[1-2]"), nodes("n[2-3]")])
        assert [fact.names for fact in story.journal.facts(NodesAdded)] == [("n1", "n2"), ("n3",)]


async def test_an_agent_with_a_clock_of_its_own_is_refused_where_the_clock_is_turned() -> None:
    async with live(offers=[]) as story:
        voice = Voice(story, follows_clock=False)
        voice.register(nodes())
        [refused] = await voice.hears("refused")
        assert "the clock of this server is stepped" in refused.reason
        assert "--follow-clock" in refused.reason
        assert not story.state.machine.nodes
    async with live(offers=[], clock=ClockKind.REAL) as story:
        voice = Voice(story, follows_clock=False)
        voice.register(nodes())
        await voice.hears("welcome")
        await voice.gone()


async def test_an_agent_that_comes_again_is_told_again_to_stop_a_job(story: Story, voice: Voice) -> None:
    job, other = await story.submit(), await story.submit()
    await voice.hears("launch", 2)
    await voice.gone()
    await story.cancel(job)
    assert story.status(job) == "running"
    again = await joined(story)
    [welcome] = again.of("welcome")
    assert [launch.attempt.job_id for launch in welcome.attempts] == [job, other]
    [order] = await again.hears("order")
    assert (order.kind, order.attempt.job_id) == (wire.Order.KILL, job)
    again.serial = 0
    again.report(wire.Report.KILLED, job)
    await story.until(lambda: story.status(job) == "cancelled")
    assert story.status(other) == "running"
    await again.gone()


@pytest.mark.parametrize(
    ("offer", "field"),
    [
        ({"processors": 1}, ""),
        ({"processors": 2**20}, ""),
        ({"processors": 0}, "processors"),
        ({"processors": -1}, "processors"),
        ({"processors": 2**20 + 1}, "processors"),
        ({"memory_kb": 2**53 - 1}, ""),
        ({"memory_kb": 2**53}, "memory_kb"),
        ({"memory_kb": -1}, "memory_kb"),
        ({"generic": {"gpu": 2**31 - 1}}, ""),
        ({"generic": {"gpu": 2**31}}, "memory_kb"),
        ({"generic": {"gpu": -1}}, "memory_kb"),
        ({"generic": {"g" * 64: 1}}, ""),
        ({"generic": {"g" * 65: 1}}, "features"),
        ({"generic": {f"g{k}": 1 for k in range(5)}}, "generic"),
        ({"features": [f"f{k}" for k in range(63)]}, "features"),
        ({"features": ["queue:default"]}, "features"),
        ({"features": ["x\x1b[31m"]}, "features"),
        ({"names": "n[1-10001]"}, "names"),
        ({"names": ""}, "names"),
        ({"features": ["f" * 64]}, ""),
        ({"features": ["f" * 65]}, "features"),
        ({"features": [""]}, "features"),
        ({"features": ["a:b"]}, "features"),
        ({"features": ["a\tb"]}, "features"),
        ({"cluster": "c" * 64}, ""),
        ({"cluster": "c" * 65}, "cluster"),
        ({"cluster": "a:b"}, "cluster"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_what_may_be_offered(offer: dict[str, Any], field: str) -> None:
    async with live(offers=[]) as story:
        voice, before = Voice(story), story.journal.last_serial
        voice.register(nodes(**{"names": "n1", **offer}))
        await story.until(lambda: bool(voice.heard))
        [first] = voice.heard[:1]
        assert first.WhichOneof("content") == ("refused" if field else "welcome"), first
        assert first.refused.reason.startswith(field)
        # What is refused has changed nothing, the holder of the name included.
        assert len(story.state.machine.nodes) == (0 if field else 1)
        assert ("hand" in story.state.taken) is not bool(field)
        if field:
            assert story.journal.last_serial == before
            await asyncio.wait_for(voice.task, DEADLINE_S)
            # The server goes on.
            assert await story.submit() == 1


@pytest.mark.parametrize(
    ("name", "taken"), [("a" * 255, True), ("a" * 256, False), ("", False), ("a\nb", False)]
)
async def test_what_an_agent_may_be_called(name: str, taken: bool) -> None:
    async with live(offers=[]) as story:
        voice = Voice(story, name)
        voice.register(nodes("n1"))
        await story.until(lambda: bool(voice.heard))
        assert voice.heard[0].WhichOneof("content") == ("welcome" if taken else "refused")


async def test_a_suspended_attempt_is_named_with_its_work_as_suspended(story: Story, voice: Voice) -> None:
    stopped, runs = await story.submit(processors=1), await story.submit(processors=1)
    await voice.hears("launch", 2)
    await story.advance(10.0)
    await story.do(SuspendJob(stopped, -1, "root"))
    await story.advance(5.0)
    await voice.gone()
    again = await joined(story)
    named = {one.attempt.job_id: one for one in again.of("welcome")[0].attempts}
    assert named[stopped].suspended
    assert (named[stopped].work_s, named[stopped].updated_s) == (10.0, 10.0)
    assert not named[runs].suspended
    assert (named[runs].work_s, named[runs].updated_s, named[runs].rate) == (0.0, 0.0, 1.0)
    await again.gone()


async def test_what_starts_while_a_new_agent_is_welcomed_is_launched_and_not_named_as_running() -> None:
    """A real node would say that it knows nothing of it, and the job would count as lost."""
    async with live(offers=[]) as story:
        job = await story.submit(processors=2, requeue=False)
        voice = await joined(story, offers=[nodes("n1")])
        [launch] = await voice.hears("launch")
        assert launch.attempt.job_id == job
        assert list(voice.of("welcome")[0].attempts) == []
        assert [one.WhichOneof("content") for one in voice.heard[:2]] == ["welcome", "launch"]
        voice.report(wire.Report.ENDED, job)
        await story.until(lambda: story.status(job) == "completed")


async def test_what_is_suspended_while_a_new_agent_is_welcomed_is_launched_and_suspended_at_once() -> None:
    async with live(offers=[]) as story:
        job = await story.submit(processors=2)
        reactor = story.core.reactor
        post = reactor.post

        async def suspended_before(command: Command) -> object:
            await story.until(lambda: story.status(job) == "running")
            await post(SuspendJob(job, -1, "root"))
            return await post(command)

        def posted(command: Command) -> asyncio.Future[Any]:
            if type(command) is AcknowledgeReports:
                return asyncio.ensure_future(suspended_before(command))
            return post(command)

        reactor.post = posted  # type: ignore[method-assign]
        voice = await joined(story, offers=[nodes("n1")])
        [order] = await voice.hears("order")
        reactor.post = post  # type: ignore[method-assign]
        assert (order.kind, order.attempt.job_id) == (wire.Order.SUSPEND, job)
        [launch] = voice.of("launch")
        assert launch.suspended
        assert [one.WhichOneof("content") for one in voice.heard[:3]] == ["welcome", "launch", "order"]


async def test_a_server_that_was_started_again_knows_which_agent_is_to_run_what() -> None:
    async with spoken() as (story, _):
        job = await story.submit(processors=1)
        ended = await story.submit(processors=1)
        await story.cancel(ended)
        stopped = await story.submit(processors=1)
        await story.do(SuspendJob(stopped, -1, "root"))
        counted = [(agent.name, agent.attempts) for agent in story.core.hub.agents()]
    async with live(offers=[], journal=story.journal) as story:
        assert [(agent.name, agent.attempts) for agent in story.core.hub.agents()] == counted
        again = await joined(story)
        await story.do(SuspendJob(job, -1, "root"))
        await story.do(ResumeJob(job, -1, "root"))
        await story.do(ResumeJob(stopped, -1, "root"))
        kill, *orders = again.of("order")
        assert (kill.kind, kill.attempt.job_id) == (wire.Order.KILL, ended)
        assert [one.kind for one in orders] == [wire.Order.SUSPEND, wire.Order.RESUME, wire.Order.RESUME]
        # It has both already, by its welcome.
        assert again.of("launch") == []


async def test_an_agent_that_comes_again_hears_its_welcome_first(story: Story, voice: Voice) -> None:
    job = await voice.given(processors=1)
    voice.report(wire.Report.ENDED, job)
    await voice.hears("acknowledge")
    await voice.gone()
    again = await joined(story, voice.name, voice.boot_id)
    await again.hears("acknowledge")
    assert [message.WhichOneof("content") for message in again.heard[:2]] == ["welcome", "acknowledge"]


async def test_a_node_that_died_does_not_return_with_its_agent(story: Story, voice: Voice) -> None:
    voice.report(wire.Report.NODE_LOST, node="n1")
    await voice.hears("acknowledge")
    await voice.gone()
    await joined(story)
    await story.settled()
    assert story.journal.facts(NodeReturned) == []
    assert story.state.machine.node("n1").status is NodeStatus.DOWN
