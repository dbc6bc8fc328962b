"""What agents say of their nodes: nodes that come, and nodes that are drained or lost and return."""

import asyncio
from collections.abc import Sequence

from molokini.model.codec import Entry
from molokini.model.errors import BadValue
from molokini.model.facts import NodeReturned
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.reporting import AddNodes, ReturnNodes
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, again, live, nodes, spec_of
from tests.kit.live_picture import assert_sound
from tests.kit.voices import Voice


def status(story: Story, name: str = "n1") -> tuple[str, str]:
    node = story.state.machine.node(name)
    return str(node.status), node.reason


async def test_a_drained_node_that_is_lost_returns_drained(story: Story, voice: Voice) -> None:
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


async def test_a_node_that_is_drained_while_it_is_down_returns_drained(story: Story, voice: Voice) -> None:
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


async def test_what_an_administrator_resumes_is_up_whatever_it_was(story: Story) -> None:
    await story.do(DrainNodes(["n1"], "root", ""))
    await story.do(LoseNodes(["n1"], "root", ""))
    await story.do(ReturnNodes(["n1"], "root"))
    assert status(story) == ("up", "")
    # And what was is forgotten.
    await story.do(LoseNodes(["n1"], "root", ""))
    await story.do(ReturnNodes(["n1"], "emulated", keep_drained=True))
    assert status(story) == ("up", "")
    assert_sound(story.state)


async def test_nodes_and_jobs_that_come_together() -> None:
    async with live(offers=[]) as story:
        offer = story.core.hub._offer("hand", nodes("n1", 4))
        come = story.core.reactor.post(AddNodes([offer]))
        ask = story.core.reactor.post(Submit("ann", [spec_of(processors=8), spec_of(processors=4)], Limits()))
        await story.settled()
        await come
        too_wide, number = await ask
        assert isinstance(too_wide, BadValue)
        assert story.status(number) == "running"


async def test_a_job_that_comes_with_more_nodes_is_kept_with_them() -> None:
    kept: list[list[str]] = []

    def seen(entries: Sequence[Entry]) -> None:
        kept.append([entry.kind for entry in entries])

    async with live() as story:
        story.journal.fails = seen
        offer = story.core.hub._offer("hand", nodes("m1", 4))
        come = story.core.reactor.post(AddNodes([offer]))
        ask = story.core.reactor.post(Submit("ann", [spec_of(processors=4)], Limits()))
        await story.settled()
        await asyncio.gather(come, ask)
    # Only for the first nodes, before which the machine is not known, a submission waits a turn.
    assert kept[0] == ["NodesAdded", "JobsSubmitted"]
