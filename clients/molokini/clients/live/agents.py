"""``molokini agents``."""

from collections.abc import Sequence

from molokini.client.client import Client
from molokini.clients.arguments.cluster import AgentsArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import plain
from molokini.clients.show.lines import Column, show_json, show_things
from molokini.model.errors import BadInput, UnknownName
from molokini.proto.v1.agent_service_pb2 import Agent


def _silent(one: Agent) -> str:
    return f"{one.silent_s:.1f}" if one.HasField("silent_s") else ""


COLUMNS = (
    Column("agent", of=lambda one: one.name),
    Column("connected", of=lambda one: "yes" if one.connected else "no"),
    Column("nodes", figures=True, of=lambda one: str(one.nodes)),
    Column("attempts", figures=True, of=lambda one: str(one.attempts)),
    Column(
        "silent_s", figures=True, of=lambda one: f"{one.silent_s:.1f}" if one.HasField("silent_s") else ""
    ),
    Column("held_s", figures=True, of=lambda one: f"{one.held_s:.1f}"),
    Column("peer", cut=True, of=lambda one: one.peer),
)


def agents(arguments: AgentsArguments) -> int:
    """List agents, or release the names of some."""
    if arguments.release:
        return _release(arguments.names)

    async def work(client: Client) -> list[Agent]:
        return await client.agents()

    found = with_client(work)
    known = [one.name for one in found]
    for name in arguments.names:
        if name not in known:
            raise UnknownName("agent", name, known)
    shown = [one for one in found if not arguments.names or one.name in arguments.names]
    if arguments.json:
        show_json("molokini.agents/1", {"agents": [_document(one) for one in shown]}, rows="agents")
    else:
        show_things(COLUMNS, shown)
    return 0


def _release(names: Sequence[str]) -> int:
    if not names:
        raise BadInput("--release: give the names of the agents to release")

    async def work(client: Client) -> None:
        for name in names:
            await client.release_agent(name)

    with_client(work)
    return 0


def _document(one: Agent) -> dict[str, object]:
    document = plain(one)
    document["agent"] = document.pop("name")
    return {**document, "silent_s": one.silent_s if one.HasField("silent_s") else None}
