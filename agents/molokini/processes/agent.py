"""The agent of one machine that really runs its jobs."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from uuid import uuid4

from molokini.agents.clocks import ScaledClock
from molokini.agents.offers import LOOK_S, check_name, names_of
from molokini.agents.offset import ClockOffset
from molokini.agents.session import Session
from molokini.processes.capacity import processors
from molokini.processes.ending import end_all
from molokini.processes.executor import ProcessExecutor
from molokini.processes.identity import folder_of
from molokini.processes.launch_records import Rules
from molokini.processes.local_scheduler import Decider
from molokini.processes.slicing_report import wired
from molokini.processes.spool import Spool
from molokini.proto.clock_names import clock_name
from molokini.proto.v1.agent_service_pb2 import AgentMessage, NodeOffer, Register, Report, ServerMessage
from molokini.supervisor.cgroups import bounds_memory, remove_bases


class ProcessAgent:
    """One agent, over any number of connections, as ``EmulatedAgent``; its one node is this machine.

    *spool* is its own, and says which agent it is: two agents cannot share one. *former* is the identity that
    earlier releases, which did not go by the spool, would have given it; it counts only where the spool is
    of such a release. Time is the server's real clock. Raises BadValue.
    """

    def __init__(
        self,
        name: str,
        offer: NodeOffer,
        spool: Spool,
        rules: Rules,
        *,
        monotonic: Callable[[], float],
        look_s: float = LOOK_S,
        former: str = "",
    ) -> None:
        check_name(name)
        names_of([offer])
        offer.real, offer.memory_not_enforced = True, not bounds_memory(rules.groups)
        if not offer.HasField("slices"):
            offer.slices.CopyFrom(wired(None, rules.enforce))
        if (cores := processors()) < offer.processors:
            offer.cores = cores
        self.name, self.boot_id = name, f"{spool.identity}/{uuid4().hex}"
        self._executors: list[ProcessExecutor] = []
        self._spool, self._groups = spool, rules.groups

        offset = ClockOffset(clock_name() if monotonic is time.monotonic else "")

        def make_executor(report: Callable[[Report], None]) -> ProcessExecutor:
            made = ProcessExecutor(report, spool, rules, ScaledClock(), monotonic, offer.names, offset)
            made.slicer.tell = lambda sliced: self._session.tell(sliced)
            made.rates.tell = lambda rated: self._session.tell(rated)
            self._executors.append(made)
            return made

        offers: Sequence[NodeOffer] = [offer]
        registration = Register(agent=name, boot_id=self.boot_id, nodes=offers)
        if spool.older:
            registration.former_identity = former
        self._session = Session(registration, make_executor, monotonic, look_s, offset)

    def coschedule(self, decider: Decider, slice_s: float) -> None:
        """Let *decider* coschedule its jobs by their messages, its timer every *slice_s* seconds."""
        for executor in self._executors:
            executor.coschedule(decider, slice_s)

    @property
    def bounds_memory(self) -> bool:
        """Whether memory that a job has asked for is the most that it gets."""
        return bounds_memory(self._groups)

    @property
    def welcomed(self) -> bool:
        """Whether the present connection, or the last one, was accepted."""
        return self._session.welcomed

    @property
    def lease_s(self) -> float:
        """The lease that the server has given last, seconds; infinite: none."""
        return self._session.lease_s

    def follows(self, boot_id: str) -> bool:
        """Whether what the start *boot_id* of an agent of this name has left can be in its spool alone.

        For an agent in the process of its server, whatever machine or start of it that was.
        """
        if self._spool.older:
            return not folder_of(boot_id)
        return folder_of(boot_id) == folder_of(self.boot_id)

    async def run(
        self, incoming: AsyncIterator[ServerMessage], send: Callable[[AgentMessage], Awaitable[None]]
    ) -> None:
        """Talk to a server, as ``EmulatedAgent.run`` does."""
        await self._session.run(incoming, send)

    def stop(self) -> None:
        """The agent goes; its jobs stay."""
        for executor in self._executors:
            executor.stop()

    def end_jobs(self) -> None:
        """End its jobs at once, and return when they are gone: for an agent that has stopped for good."""
        end_all(self._spool, self._groups)
        remove_bases(self._groups)
