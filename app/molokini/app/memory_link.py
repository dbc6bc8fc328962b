"""An agent and a server in one process, joined without a socket."""

import asyncio
from collections.abc import AsyncIterator

from molokini.agents.session import Agent
from molokini.proto.v1.agent_service_pb2 import AgentMessage, ServerMessage
from molokini.server.link.hub import Hub


async def join(agent: Agent, hub: Hub) -> None:
    """Let *agent* talk to *hub* until either ends the conversation."""
    said: asyncio.Queue[AgentMessage | None] = asyncio.Queue()

    async def incoming() -> AsyncIterator[AgentMessage]:
        while (message := await said.get()) is not None:
            yield message

    async def send(message: AgentMessage) -> None:
        said.put_nowait(message)

    answers: AsyncIterator[ServerMessage] = hub.converse(incoming())
    try:
        await agent.run(answers, send)
    finally:
        said.put_nowait(None)
        await answers.aclose()  # type: ignore[attr-defined]
