"""All agents: their connections from the first word to the last, their names, and their leases.

Messages to them are in ``telling``, messages from them in ``hearing``, how they come in ``welcoming``; these
share the table in ``sessions``.
"""

import asyncio
from collections.abc import AsyncIterator

from molokini.model.actors import Origin
from molokini.model.errors import BadInput, MolokiniError
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.caller_errors import text_for_caller
from molokini.server.link.holders import NameInUse
from molokini.server.link.orders import OrderSender
from molokini.server.link.registration import Registration
from molokini.server.link.session import Session
from molokini.server.link.sessions import log
from molokini.server.state.node_names import NodeStatus
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import NoteCommand
from molokini.server.turn.reporting import AcknowledgeReports

SLEPT_S = 2.0
"""The silent are looked for twice a second; after a longer break it was the server that did not listen."""
RETRY_S = 5.0
"""What an agent waits that is refused for the server's own trouble (a full disk)."""


class Hub(OrderSender, Registration):
    """The executors of a live server: node agents over streams."""

    async def converse(
        self, incoming: AsyncIterator[wire.AgentMessage], peer: str = "this process"
    ) -> AsyncIterator[wire.ServerMessage]:
        """One connection of an agent, from its first message to its end; what is to be sent to it.

        *peer*, where it comes from, is for the log.
        """
        try:
            first = await anext(incoming)
        except StopAsyncIteration:
            return
        try:
            session = await self._welcome(first, peer)
        except MolokiniError as error:
            log.warning("agent %.80r from %s is refused: %s", first.register.agent, peer, error)
            yield wire.ServerMessage(
                refused=wire.Refused(reason=text_for_caller(error), retry_s=_retry_s(error))
            )
            return
        reader = asyncio.create_task(self._read(session, incoming))
        try:
            while (message := await session.outgoing.get()) is not None:
                yield message
        finally:
            reader.cancel()
            self._gone(session)

    async def _read(self, session: Session, incoming: AsyncIterator[wire.AgentMessage]) -> None:
        try:
            async for message in incoming:
                self._read_message(session, message)
        except BadInput as error:
            log.warning("agent %s: %s", session.name, error)
            session.send(refused=wire.Refused(reason=text_for_caller(error)))
        finally:
            session.outgoing.put_nowait(None)

    async def release(self, name: str, by: str) -> None:
        """Whichever agent comes next may be called *name*; one that is connected under it is sent away.

        The durable word of *by* that what the agent ran has ended, or may be run by another beside it.
        """
        await self.reactor.post(NoteCommand(by, "release agent", {"agent": name}))
        await self.forget(name)
        if (session := self.sessions.get(name)) is not None:
            self._send_away(session, f"{by} has released the name {name} for another agent")

    async def forget(self, name: str) -> None:
        """Free *name*: the agent that had it has ended."""
        if self.holders.of(name, self.reactor.state):
            await self.reactor.post(AcknowledgeReports(name, "", 0))

    def _send_away(self, session: Session, reason: str) -> None:
        """End the connection of *session* for good: its agent is not to come again by itself."""
        log.warning("disconnecting agent %s from %s: %s", session.name, session.peer, reason)
        session.send(refused=wire.Refused(reason=reason))
        session.outgoing.put_nowait(None)
        self._gone(session)

    # Leases, on the monotonic clock.

    def lose_the_silent(self) -> None:
        """Nodes of agents that were silent for longer than lease and margin are lost; never where it is 0."""
        if self.lease_s == 0:
            return
        now_s, state = self.monotonic(), self.reactor.state
        slept, self._looked_s = now_s - self._looked_s > SLEPT_S, now_s
        if slept:
            self._forgive(now_s)
        silent = {
            name
            for name, heard_s in {**self.heard_s, **{n: s.heard_s for n, s in self.sessions.items()}}.items()
            if now_s - heard_s > self.lease_s + self.margin_s
        }
        if not silent:
            return
        for name in silent & self.sessions.keys():
            # No turn waits for it any longer; if it sends again, it has to register again.
            log.warning("agent %s is silent: closing its connection", name)
            self.sessions[name].outgoing.put_nowait(None)
            self._gone(self.sessions[name])
        lost = [r.name for r in state.machine.nodes if r.agent in silent and r.status is not NodeStatus.DOWN]
        if lost and (self._losing is None or self._losing.done()):
            reason = f"{Origin.LEASE}: no message from the agent for {self.lease_s + self.margin_s:g} s"
            log.warning("%d nodes are lost: %s", len(lost), reason)
            self._losing = self.reactor.post(LoseNodes(lost, Origin.LEASE, reason))
            self._losing.add_done_callback(lambda future: future.exception())

    def _forgive(self, now_s: float) -> None:
        """The server was paused: what agents sent may be unread, so all silences start again at 0."""
        for session in self.sessions.values():
            session.heard_s = now_s
        self.heard_s.update(dict.fromkeys(self.heard_s, now_s))


def _retry_s(error: MolokiniError) -> float:
    """After how long a registration that met *error* may be tried again; 0: it would meet the same."""
    if isinstance(error, NameInUse):
        return error.retry_s
    return 0.0 if isinstance(error, BadInput) else RETRY_S
