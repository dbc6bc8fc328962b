"""Nodes that are drained, lost and back again."""

from molokini.model.facts import NodeReturned, NodesAdded
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.reporting import AddNodes, ReturnNodes
from tests.kit.live import Story, again, live
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.voices import spoken


def status(story: Story, name: str = "n1") -> tuple[str, str]:
    node = story.state.machine.node(name)
    return str(node.status), node.reason


async def test_a_drained_node_that_is_lost_returns_drained() -> None:
    async with spoken() as (story, voice):
        await story.do(DrainNodes(["n1"], "root", "new memory"))
        voice.report(wire.Report.NODE_LOST, node="n1", reason="it has failed")
        await story.until(lambda: status(story)[0] == "down")
        voice.report(wire.Report.NODE_RETURNED, node="n1")
        await story.until(lambda: status(story)[0] != "down")
        assert status(story) == ("draining", "new memory")
        assert_sound(story.state)
        wide = await story.submit(processors=13)
        assert story.status(wide) == "waiting"
        # A report that comes twice resumes nothing either.
        voice.report(wire.Report.NODE_RETURNED, node="n1")
        await voice.hears("acknowledge", 3)
        assert status(story)[0] == "draining"
        assert len(story.journal.facts(NodeReturned)) == 1
        await story.do(ReturnNodes(["n1"], "root"))
        assert story.status(wide) == "running"
        assert_sound(story.state)


async def test_a_node_that_is_drained_while_it_is_down_returns_drained() -> None:
    async with spoken() as (story, voice):
        voice.report(wire.Report.NODE_LOST, node="n1", reason="it has failed")
        await story.until(lambda: status(story)[0] == "down")
        await story.do(DrainNodes(["n1"], "root", "look at it first"))
        assert status(story) == ("down", "it has failed")
        # Once is enough: who drained it first, and why, stays.
        await story.do(DrainNodes(["n1"], "olga", "for fun"))
        recovered = await again(story.journal)
        assert recovered.machine.node("n1").drained == ("root", "look at it first")
        voice.report(wire.Report.NODE_RETURNED, node="n1")
        await story.until(lambda: status(story)[0] != "down")
        assert status(story) == ("draining", "look at it first")
        assert_sound(story.state)


async def test_what_an_administrator_resumes_is_up_whatever_it_was() -> None:
    async with live() as story:
        await story.do(DrainNodes(["n1"], "root", ""))
        await story.do(LoseNodes(["n1"], "root", ""))
        await story.do(ReturnNodes(["n1"], "root"))
        assert status(story) == ("up", "")
        # And what was is forgotten.
        await story.do(LoseNodes(["n1"], "root", ""))
        await story.do(ReturnNodes(["n1"], "emulated", keep_drained=True))
        assert status(story) == ("up", "")
        assert_sound(story.state)


async def test_a_recovery_gives_generic_resources_the_columns_that_they_had() -> None:
    """An agent says them in any order, and a journal has them in one."""
    async with live(offers=[]) as story:
        for name, order in (("a1", ("z", "b")), ("a2", ("y", "a"))):
            generic = dict.fromkeys(order, 2)
            await story.do(AddNodes([NodesAdded("agent", (name,), 4, generic=generic)]))
        await assert_kept(story)
