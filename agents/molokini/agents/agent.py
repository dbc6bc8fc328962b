"""The emulated agent: stands for up to 10,000 nodes that only pretend to run jobs."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from math import isfinite
from uuid import uuid4

from molokini.agents.clocks import ScaledClock
from molokini.agents.emulated import EmulatedExecutor
from molokini.agents.failures import Failures
from molokini.agents.offers import LOOK_S, check_name, names_of
from molokini.agents.session import Executor, Session
from molokini.agents.timing import GrantedTime, OwnTime
from molokini.model.errors import BadValue
from molokini.proto.v1.agent_service_pb2 import AgentMessage, NodeOffer, Register, Report, ServerMessage


class EmulatedAgent:
    """One agent, over any number of connections: call ``run`` again after one has ended.

    Its reports are numbered under its name and ``boot_id``, which is another one for every object: an agent
    that was lost and restarted knows nothing, and takes up the attempts that the server's welcome names.
    *identity* is the same for every start of one agent (see ``identity.py``): with it the server lets a new
    start have the name at once, without it when the lease of the one before has run out.

    *follows_clock*: it acts at instants that the server grants; else on time of its own, *rate* seconds of
    the scheduling clock a second of *monotonic*. With *mtbf_s* its nodes fail by themselves, by *seed*, and
    return after *repair_s* in the mean; with *repair_s* alone, nodes that die by a job's script return so.

    Raises BadValue for an offer, a name or a number that cannot be.
    """

    def __init__(
        self,
        name: str,
        offers: Sequence[NodeOffer],
        *,
        seed: int = 0,
        mtbf_s: float = 0.0,
        repair_s: float = 0.0,
        follows_clock: bool,
        monotonic: Callable[[], float],
        rate: float = 1.0,
        look_s: float = LOOK_S,
        identity: str = "",
    ) -> None:
        check_name(name)
        if not (isfinite(rate) and rate > 0):
            raise BadValue("rate", rate, "a positive number")
        failures = Failures(seed, mtbf_s, repair_s)
        node_names = names_of(offers)
        self.name, self.boot_id = name, f"{identity}/{uuid4().hex}" if identity else uuid4().hex

        def make_executor(report: Callable[[Report], None]) -> Executor:
            nodes = EmulatedExecutor(report, node_names, failures)
            if follows_clock:
                return GrantedTime(nodes)
            return OwnTime(nodes, ScaledClock(rate), monotonic, look_s)

        registration = Register(agent=name, boot_id=self.boot_id, nodes=offers, follows_clock=follows_clock)
        self._session = Session(registration, make_executor, monotonic, look_s)

    @property
    def welcomed(self) -> bool:
        """Whether the present connection, or the last one, was accepted."""
        return self._session.welcomed

    @property
    def lease_s(self) -> float:
        """The lease that the server has given last, seconds; infinite: none."""
        return self._session.lease_s

    async def run(
        self, incoming: AsyncIterator[ServerMessage], send: Callable[[AgentMessage], Awaitable[None]]
    ) -> None:
        """Talk to a server until the stream ends or its silence outlasts the lease.

        Raises RegistrationRefused (do not try again), PutOff (later), WireBroken, and what *incoming* and
        *send* raise.
        """
        await self._session.run(incoming, send)

    def stop(self) -> None:
        """It has nothing beside its connections."""
