"""The fake server's agents: two, of which one is away."""

from typing import Any

import grpc

from molokini.proto.v1.agent_service_pb2 import (
    Agent,
    ListAgentsRequest,
    ListAgentsResponse,
    ReleaseAgentRequest,
    ReleaseAgentResponse,
)
from molokini.proto.v1.agent_service_pb2_grpc import AgentServiceServicer


class FakeAgentService(AgentServiceServicer):
    """AgentService, but for the agents' own method."""

    def __init__(self) -> None:
        here = Agent(
            name="one",
            connected=True,
            peer="ipv4:10.0.0.1:5",
            nodes=4,
            attempts=2,
            silent_s=0.25,
            held_s=34.75,
        )
        self.agents = [here, Agent(name="two", nodes=1)]
        self.released: list[str] = []

    async def ListAgents(  # noqa: N802
        self, request: ListAgentsRequest, context: Any
    ) -> ListAgentsResponse:
        return ListAgentsResponse(agents=self.agents)

    async def ReleaseAgent(  # noqa: N802
        self, request: ReleaseAgentRequest, context: Any
    ) -> ReleaseAgentResponse:
        if request.name not in [one.name for one in self.agents]:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"no agent named {request.name!r}")
        self.released.append(request.name)
        return ReleaseAgentResponse()
