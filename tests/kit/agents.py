"""The server's side of an agent's stream, played by hand over two queues; and words to play it with."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any

import pytest

from molokini.agents.agent import EmulatedAgent
from molokini.proto.v1.agent_service_pb2 import (
    Acknowledge,
    AgentMessage,
    AttemptRef,
    Done,
    Grant,
    Launch,
    NodeOffer,
    Order,
    Refused,
    Register,
    Report,
    ServerMessage,
    Welcome,
)
from molokini.proto.v1.jobs_pb2 import Allocation, JobSpec, Outcome
from tests.kit.waiting import DEADLINE_S


class Hands:
    """A clock that is turned by hand."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def ref(job: int, attempt: int = 1, index: int = -1) -> AttemptRef:
    return AttemptRef(job_id=job, array_index=index, attempt=attempt)


def launch(
    job: int,
    start_s: float,
    run_s: float | None = None,
    *,
    estimate_s: float = 1000.0,
    limit_s: float = 0.0,
    rate: float = 1.0,
    attempt: int = 1,
    index: int = -1,
    nodes: Sequence[str] = (),
    outcome: Outcome | None = None,
) -> Launch:
    """A launch as the server sends it; *run_s* is the scripted run time."""
    spec = JobSpec(estimate_s=estimate_s, outcome=outcome)
    if run_s is not None:
        spec.outcome.run_s = run_s
    return Launch(
        attempt=ref(job, attempt, index),
        spec=spec,
        allocation=[Allocation(node=node, processors=1) for node in nodes],
        start_s=start_s,
        limit_s=limit_s,
        rate=rate,
    )


def resumed(
    first: Launch, work_s: float, updated_s: float, rate: float = 1.0, suspended: bool = False
) -> Launch:
    """*first*, as a welcome names it later."""
    now = Launch()
    now.CopyFrom(first)
    now.work_s, now.updated_s, now.rate, now.suspended = work_s, updated_s, rate, suspended
    return now


def order(
    kind: Order.Kind,
    job: int,
    at_s: float,
    *,
    rate: float = 0.0,
    signal: int = 0,
    attempt: int = 1,
    limit_s: float = 0.0,
    nodes: Sequence[str] = (),
) -> Order:
    return Order(
        kind=kind,
        attempt=ref(job, attempt),
        at_s=at_s,
        rate=rate,
        signal=signal,
        limit_s=limit_s,
        allocation=[Allocation(node=node, processors=1) for node in nodes],
    )


def agent(
    clock: Hands | None = None,
    *,
    nodes: str = "node[1-8]",
    follows_clock: bool = True,
    seed: int = 0,
    mtbf_s: float = 0.0,
    repair_s: float = 0.0,
) -> EmulatedAgent:
    """An agent that looks at *clock* every few milliseconds."""
    return EmulatedAgent(
        "a",
        [NodeOffer(names=nodes, processors=4)],
        seed=seed,
        mtbf_s=mtbf_s,
        repair_s=repair_s,
        follows_clock=follows_clock,
        monotonic=clock or Hands(),
        look_s=0.002,
    )


class ServerSide:
    """One connection of *agent*, whose other end the test holds."""

    def __init__(self, agent: EmulatedAgent) -> None:
        self._agent = agent
        self._to_agent: asyncio.Queue[ServerMessage | None] = asyncio.Queue()
        self._from_agent: asyncio.Queue[AgentMessage] = asyncio.Queue()
        self._turn = 0
        self.heartbeats = 0
        self.task = asyncio.ensure_future(agent.run(self._incoming(), self._from_agent.put))

    async def _incoming(self) -> AsyncIterator[ServerMessage]:
        while (message := await self._to_agent.get()) is not None:
            yield message

    def send(self, *contents: Welcome | Launch | Order | Acknowledge | Grant | Refused) -> None:
        for content in contents:
            message = ServerMessage()
            getattr(message, type(content).__name__.lower()).CopyFrom(content)
            # Through bytes, as everything that comes over a wire.
            self.send_raw(ServerMessage.FromString(message.SerializeToString()))

    def send_raw(self, message: ServerMessage) -> None:
        self._to_agent.put_nowait(message)

    async def heard(self) -> None:
        """Return when the agent has acted on all that was sent."""
        async with asyncio.timeout(DEADLINE_S):
            while not self._to_agent.empty():
                await asyncio.sleep(0)

    async def next(self) -> AgentMessage:
        """The agent's next word that is no heartbeat; fails after a while, or when the agent has failed."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                message = await self._from_agent.get()
                if message.WhichOneof("content") != "heartbeat":
                    return message
                self.heartbeats += 1

    async def registered(self) -> Register:
        message = await self.next()
        assert message.WhichOneof("content") == "register", message
        return message.register

    async def welcomed(
        self,
        now_s: float = 0.0,
        attempts: Sequence[Launch] = (),
        heartbeat_s: float = 0.0,
        lease_s: float = 0.0,
    ) -> Register:
        """Take the registration and answer it."""
        registration = await self.registered()
        self.send(Welcome(now_s=now_s, attempts=attempts, heartbeat_s=heartbeat_s, lease_s=lease_s))
        return registration

    async def report(self) -> Report:
        message = await self.next()
        assert message.WhichOneof("content") == "report", message
        return message.report

    async def granted(self, now_s: float) -> tuple[list[Report], Done]:
        """Grant an instant; the reports that came since the last word, and the answer."""
        self._turn += 1
        self.send(Grant(now_s=now_s, turn=self._turn))
        reports = []
        while (message := await self.next()).WhichOneof("content") == "report":
            reports.append(message.report)
        assert message.WhichOneof("content") == "done", message
        assert message.done.turn == self._turn
        return reports, message.done

    async def only(self) -> Report:
        """The only report until all has ended."""
        (report,) = await self.run_to_end()
        return report

    async def run_to_end(self, until_s: float = inf) -> list[Report]:
        """Grant one next instant after the other; all that is reported."""
        reports, done = await self.granted(0.0)
        while done.HasField("next_s") and done.next_s <= until_s:
            more, done = await self.granted(done.next_s)
            reports += more
        return reports

    async def close(self) -> None:
        """End the stream in peace."""
        self._to_agent.put_nowait(None)
        async with asyncio.timeout(DEADLINE_S):
            await self.task

    async def kill(self) -> None:
        """The agent dies in the middle of whatever it does."""
        self.task.cancel()
        await asyncio.wait([self.task])


async def welcomed(agent: EmulatedAgent, *said: Any, **more: Any) -> ServerSide:
    """A connection of *agent* that was welcomed."""
    server = ServerSide(agent)
    await server.welcomed(*said, **more)
    return server


@pytest.fixture
async def server() -> AsyncIterator[ServerSide]:
    """A server that has welcomed an agent, and that ends the stream in peace."""
    made = await welcomed(agent())
    yield made
    if not made.task.done():
        await made.close()


@contextmanager
def nothing_more(server: ServerSide) -> Iterator[None]:
    """Nothing but heartbeats is waiting to be read when the block ends."""
    yield
    while not server._from_agent.empty():
        message = server._from_agent.get_nowait()
        assert message.WhichOneof("content") == "heartbeat", message


def said(report: Report) -> tuple[str, int, float]:
    """The heart of a report: kind, job, instant."""
    return Report.Kind.Name(report.kind), report.attempt.job_id, report.at_s
