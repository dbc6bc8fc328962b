"""AgentService: the stream of every node agent, handed on to the hub."""

from collections.abc import AsyncIterator
from typing import Any

from molokini.model.errors import UnknownName
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.hub import Hub
from molokini.server.security.permissions import NotAllowed
from molokini.server.security.roles import Caller, Role, caller


class AgentService:
    """The servicer."""

    def __init__(self, hub: Hub, trusting: bool = False) -> None:
        self.hub, self.trusting = hub, trusting

    async def Connect(
        self, messages: AsyncIterator[wire.AgentMessage], context: Any
    ) -> AsyncIterator[wire.ServerMessage]:
        """The conversation with one agent."""
        async for answer in self.hub.converse(self._own(messages, caller()), context.peer()):
            yield answer

    async def ListAgents(self, request: wire.ListAgentsRequest, context: Any) -> wire.ListAgentsResponse:
        """Every agent, sorted by name."""
        return wire.ListAgentsResponse(agents=self.hub.agents())

    async def ReleaseAgent(
        self, request: wire.ReleaseAgentRequest, context: Any
    ) -> wire.ReleaseAgentResponse:
        """Let another agent have a name."""
        known = [one.name for one in self.hub.agents()]
        if request.name not in known:
            raise UnknownName("agent", request.name[:80], known)
        await self.hub.release(request.name, caller().name)
        return wire.ReleaseAgentResponse()

    async def _own(
        self, messages: AsyncIterator[wire.AgentMessage], who: Caller
    ) -> AsyncIterator[wire.AgentMessage]:
        """Let through what the caller may say: an agent registers under its own name."""
        async for message in messages:
            if message.WhichOneof("content") == "register" and not self._may(who, message.register.agent):
                raise NotAllowed(f"{who.name} may not register as agent {message.register.agent!r:.80}")
            yield message

    def _may(self, who: Caller, agent: str) -> bool:
        return who.speaks_for(agent) or (self.trusting and who.role is Role.ADMINISTRATOR)
