"""Agents that are silent or away: how many attempts they have, and when their nodes are given up."""

import asyncio

from molokini.model.actors import Origin
from molokini.model.facts import NodeLost, NodeReturned
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import Requeue
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from tests.kit.live import Story, live, nodes
from tests.kit.voices import HELD_S, Voice, joined, ticking
from tests.kit.waiting import DEADLINE_S


async def test_lease_and_margin_have_to_be_over_by_more_than_nothing() -> None:
    """An agent that has just come again registers at that very instant, and finds its nodes as they were."""
    async with ticking() as (story, watch):
        away, here = Voice(story, "away", "b1"), Voice(story, "here", "b2")
        await away.joined(nodes("n[1-2]"))
        await here.joined(nodes("m[1-2]"))
        await story.settled()
        await away.gone()
        # In one go: the answer to any grant would be a word.
        watch.wait(HELD_S)
        assert set(story.core.hub.sessions) == {"here"}
        watch.wait(1.0)
        assert not story.core.hub.sessions
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 4)
        assert {fact.by for fact in story.journal.facts(NodeLost)} == {Origin.LEASE}
        await story.until(here.task.done)


BEAT = wire.AgentMessage(heartbeat=wire.Heartbeat())


async def test_each_word_of_an_agent_counts_and_those_of_others_do_not() -> None:
    async with ticking() as (story, watch):
        speaks, silent = Voice(story, "speaks", "b1"), Voice(story, "silent", "b2")
        await speaks.joined(nodes("n[1-2]"))
        await silent.joined(nodes("m[1-2]"))
        for _ in range(4):
            watch.wait(10.0)
            known = len(speaks.of("acknowledge"))
            speaks.said.put_nowait(BEAT)
            await speaks.hears("acknowledge", known + 1)
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 2)
        assert {fact.node for fact in story.journal.facts(NodeLost)} == {"m1", "m2"}
        assert set(story.core.hub.sessions) == {"speaks"}


async def test_nodes_are_given_up_once_and_those_that_are_down_already_not_again() -> None:
    async with ticking() as (story, watch):
        voice = await joined(story)
        await voice.gone()
        await story.do(LoseNodes(["n2"], "root", "a fan"))
        posted: list[list[str]] = []
        post = story.core.hub.reactor.post

        def counted(command: object) -> object:
            if isinstance(command, LoseNodes):
                posted.append(list(command.names))
            return post(command)  # type: ignore[arg-type]

        story.core.hub.reactor.post = counted  # type: ignore[method-assign, assignment]
        # It is looked for again before the loss is durable.
        watch.wait(HELD_S + 3.0)
        assert posted == [["n1", "n3", "n4"]]
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 4)
        watch.wait(HELD_S)
        await story.settled()
        assert posted == [["n1", "n3", "n4"]]


async def test_nodes_that_silence_has_cost_come_back_as_they_were_drained_or_not() -> None:
    async with ticking() as (story, watch):
        voice = await joined(story)
        await story.do(DrainNodes(["n2"], "root", "a fan"))
        await voice.gone()
        watch.wait(HELD_S + 1.0)
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 4)
        await joined(story)
        await story.settled()
        nodes_now = {record.name: str(record.status) for record in story.state.machine.nodes}
        assert nodes_now == {"n1": "up", "n2": "draining", "n3": "up", "n4": "up"}
        assert [fact.node for fact in story.journal.facts(NodeReturned)] == ["n1", "n2", "n3", "n4"]


async def test_the_nodes_of_an_agent_that_was_sent_away_are_given_up_as_those_of_one_that_left() -> None:
    async with ticking() as (story, watch):
        voice = await joined(story)
        await story.core.hub.release("hand", "root")
        await voice.gone()
        watch.wait(HELD_S)
        await story.settled()
        assert story.journal.facts(NodeLost) == []
        watch.wait(1.0)
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 4)


async def test_attempts_are_counted_until_they_are_over_or_go_back(story: Story, voice: Voice) -> None:
    jobs = [await story.submit(processors=1) for _ in range(2)]
    await voice.hears("launch", 2)
    await story.do(DrainNodes(["n1", "n2", "n3", "n4"], "root", ""))
    assert [agent.attempts for agent in story.core.hub.agents()] == [2]
    voice.report(wire.Report.ENDED, jobs[0])
    await story.do(Requeue(jobs[1], -1, "root"))
    voice.report(wire.Report.KILLED, jobs[1])
    await story.until(lambda: story.status(jobs[1]) == "waiting")
    assert [agent.attempts for agent in story.core.hub.agents()] == [0]


async def test_an_agent_that_hangs_is_not_waited_for_longer_than_its_lease() -> None:
    async with live(offers=[], lease_s=0.2, margin_s=0.1) as story:
        voice = Voice(story)
        registration = wire.Register(agent="hand", boot_id="b1", nodes=[nodes()], follows_clock=True)
        voice.said.put_nowait(wire.AgentMessage(register=registration))
        await voice.hears("welcome")
        # It never says that it is done with the present instant.
        job = await asyncio.wait_for(story.submit(), DEADLINE_S)
        await asyncio.wait_for(voice.task, DEADLINE_S)
        assert {node.status.value for node in story.state.machine.nodes} == {"down"}
        assert story.status(job) == "waiting"
