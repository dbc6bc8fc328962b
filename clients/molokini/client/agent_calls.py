"""What operators and administrators ask of node agents: which there are, and to release a name."""

from molokini.client.calls import Caller
from molokini.proto.v1 import agent_service_pb2 as wire


class AgentCalls:
    """The calls of AgentService that are not the agents' own."""

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._agent_service = caller.methods("AgentService")

    async def agents(self) -> list[wire.Agent]:
        """Every agent that has nodes or is connected, by name."""
        found: wire.ListAgentsResponse = await self._caller.call(
            self._agent_service.ListAgents, wire.ListAgentsRequest()
        )
        return list(found.agents)

    async def release_agent(self, name: str) -> None:
        """Let another agent have *name* at once; the one that is connected under it is sent away for good.

        What the first still runs may be run a second time: make sure that it has ended. Not repeated after a
        lost answer.
        """
        request = wire.ReleaseAgentRequest(name=name)
        await self._caller.call(self._agent_service.ReleaseAgent, request)
