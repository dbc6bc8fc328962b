"""An agent whose every word is the test's, in conversation with a live server."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from math import ceil
from typing import Any

from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import MemoryJournal, Story, live, nodes
from tests.kit.waiting import DEADLINE_S

LEASE_S, MARGIN_S, HEARTBEAT_S = 30.0, 5.0, 4.0
HELD_S = LEASE_S + MARGIN_S


class Voice:
    """The agent: it says what the test has it say, and keeps what it hears."""

    def __init__(
        self, story: Story, name: str = "hand", boot_id: str = "b1", follows_clock: bool = True
    ) -> None:
        self.story, self.name, self.boot_id, self.follows_clock = story, name, boot_id, follows_clock
        self.said: asyncio.Queue[wire.AgentMessage | None] = asyncio.Queue()
        self.heard: list[wire.ServerMessage] = []
        self.serial = 0
        self.former = ""
        self.task = asyncio.ensure_future(self._listen())
        story.voices.append(self.task)

    async def _words(self) -> AsyncIterator[wire.AgentMessage]:
        while (message := await self.said.get()) is not None:
            yield message

    async def _listen(self) -> None:
        async for message in self.story.core.hub.converse(self._words()):
            self.heard.append(message)
            if message.WhichOneof("content") == "grant":
                # What it has to say the test says for it, whenever it likes.
                self.said.put_nowait(wire.AgentMessage(done=wire.Done(turn=message.grant.turn)))

    def of(self, content: str) -> list[Any]:
        return [getattr(m, content) for m in self.heard if m.WhichOneof("content") == content]

    def register(self, *offers: wire.NodeOffer) -> None:
        registration = wire.Register(
            agent=self.name,
            boot_id=self.boot_id,
            nodes=offers,
            follows_clock=self.follows_clock,
            former_identity=self.former,
        )
        self.said.put_nowait(wire.AgentMessage(register=registration))

    async def joined(self, *offers: wire.NodeOffer) -> None:
        self.register(*(offers or (nodes(),)))
        await self.hears("welcome")

    async def hears(self, content: str, count: int = 1) -> list[Any]:
        await self.story.until(lambda: len(self.of(content)) >= count or self.task.done())
        assert len(self.of(content)) >= count, self.heard
        return self.of(content)

    def report(self, kind: wire.Report.Kind, job: int = 0, attempt: int = 1, **more: Any) -> wire.Report:
        """Say it under the next serial, unless another is given."""
        if "serial" not in more:
            self.serial += 1
            more["serial"] = self.serial
        index = more.pop("index", -1)
        ref = wire.AttemptRef(job_id=job, array_index=index, attempt=attempt)
        report = wire.Report(kind=kind, attempt=ref, **more)
        self.said.put_nowait(wire.AgentMessage(report=report))
        return report

    async def given(self, **spec: Any) -> int:
        """A job that this agent has been told to run."""
        heard = len(self.of("launch"))
        job = await self.story.submit(**spec)
        await self.hears("launch", heard + 1)
        return job

    async def gone(self) -> None:
        self.said.put_nowait(None)
        async with asyncio.timeout(DEADLINE_S):
            await self.task


async def joined(story: Story, *given: Any, offers: Sequence[wire.NodeOffer] = (), **more: Any) -> Voice:
    """A voice that was welcomed."""
    voice = Voice(story, *given, **more)
    await voice.joined(*offers)
    return voice


@asynccontextmanager
async def spoken(**settings: Any) -> AsyncIterator[tuple[Story, Voice]]:
    async with live(offers=[], **settings) as story:
        voice = Voice(story)
        await voice.joined()
        await story.settled()
        yield story, voice


@asynccontextmanager
async def moved() -> AsyncIterator[tuple[Story, Voice, Voice, int]]:
    """A job that was resumed at the second agent, while the first has not said that it stopped it."""
    async with spoken() as (story, first):
        second = Voice(story, "other", "b2")
        await second.joined(nodes("m[1-4]"))
        moving = await story.submit(processors=16)
        await first.hears("launch")
        await story.do(SuspendJob(moving, -1, "root"))
        await story.do(DrainNodes(["n1", "n2", "n3", "n4"], "root", ""))
        await story.do(ResumeJob(moving, -1, "root"))
        await first.hears("order", 2)
        assert story.run(moving).left_at == (first.name,)
        yield story, first, second, moving


class Watch:
    """The monotonic clock of a server, turned by hand."""

    def __init__(self, story: Story) -> None:
        hub = story.core.hub
        # From the instant at which the server began: what it remembers of its agents is of that clock.
        # In eighths, so that differences are exact wherever the machine's clock stands.
        self.now_s, self.story = ceil(8 * hub.monotonic()) / 8, story
        hub.monotonic = lambda: self.now_s
        hub._looked_s = self.now_s

    def wait(self, seconds: float) -> None:
        """Let time go by, in which the server looks around as often as it does."""
        for _ in range(round(seconds)):
            self.now_s += seconds / round(seconds)
            self.story.core.hub.lose_the_silent()


@asynccontextmanager
async def ticking(journal: MemoryJournal | None = None) -> AsyncIterator[tuple[Story, Watch]]:
    """A server with leases, whose clock for silence the test turns."""
    settings: dict[str, Any] = {"lease_s": LEASE_S, "margin_s": MARGIN_S, "heartbeat_s": HEARTBEAT_S}
    async with live(offers=[], journal=journal, **settings) as story:
        yield story, Watch(story)
