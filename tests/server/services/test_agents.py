"""What operators and administrators ask about agents, over the wire."""

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.model.codec import decode
from molokini.model.facts import ReportsTaken
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.security.permissions import NotAllowed
from molokini.server.security.roles import Caller, Role, set_caller
from molokini.server.services.agents import AgentService
from tests.kit.live import live, nodes
from tests.kit.serving import Served, served
from tests.kit.waiting import eventually


async def test_operators_see_agents_and_administrators_release_their_names(one: Served, olga: Client) -> None:
    [agent] = await olga.agents()
    assert (agent.name, agent.connected, agent.nodes, agent.attempts) == ("emulated", True, 4, 0)
    assert agent.peer == "this process"
    assert 0.0 < agent.held_s <= 35.0
    with pytest.raises(errors.NotAllowed):
        await olga.release_agent("emulated")
    async with one.client("ann") as ann:
        with pytest.raises(errors.NotAllowed):
            await ann.agents()
    async with one.client("root", Role.ADMINISTRATOR) as root:
        with pytest.raises(errors.ServerError, match="no agent named 'emulate'; did you mean 'emulated'"):
            await root.release_agent("emulate")
        await root.release_agent("emulated")
    # The server's own comes again by itself.
    await eventually(lambda: "emulated" in one.core.hub.sessions)
    facts = [decode(entry) async for entry in one.core.journal.read(0)]
    boots = [fact.boot_id for fact in facts if isinstance(fact, ReportsTaken)]
    assert boots[-3:] == [boots[-1], "", boots[-1]]


async def test_a_state_that_is_served_again_has_its_emulated_nodes_at_once(tmp_path: Path) -> None:
    for _ in range(2):
        async with served(tmp_path, offers=[nodes("n[1-2]")]) as one:
            await eventually(lambda one=one: "emulated" in one.core.hub.sessions)  # type: ignore[misc]
            assert (
                one.core.state.tables.machine.processors
                == one.core.state.tables.machine.processors_in_all
                > 0
            )
            assert list(one.core.state.machine.by_name) == ["n1", "n2"]


@pytest.mark.parametrize(
    ("who", "trusting", "may"),
    [
        (Caller("n1", Role.NODE), False, True),
        (Caller("n2", Role.NODE), False, False),
        (Caller("n2", Role.NODE), True, False),
        (Caller("*", Role.NODE), False, True),
        (Caller("n1", Role.USER), True, False),
        (Caller("n1", Role.OPERATOR), True, False),
        (Caller("root", Role.ADMINISTRATOR), True, True),
        (Caller("root", Role.ADMINISTRATOR), False, False),
        (Caller("n1", Role.ADMINISTRATOR), False, False),
    ],
)
async def test_an_agent_registers_under_its_callers_name(who: Caller, trusting: bool, may: bool) -> None:
    async with live(offers=[]) as story:
        service = AgentService(story.core.hub, trusting)

        async def says() -> AsyncIterator[wire.AgentMessage]:
            yield wire.AgentMessage(register=wire.Register(agent="n1", boot_id="b", follows_clock=True))

        set_caller(who)
        talk = service.Connect(says(), SimpleNamespace(peer=lambda: "here"))
        if may:
            assert (await anext(talk)).WhichOneof("content") == "welcome"
        else:
            with pytest.raises(NotAllowed, match="may not register as agent 'n1'"):
                await anext(talk)
            assert story.state.taken == {}
        await talk.aclose()  # type: ignore[attr-defined]
