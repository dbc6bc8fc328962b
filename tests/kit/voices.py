"""An agent whose every word is the test's, in conversation with a live server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from molokini.proto.v1 import agent_service_pb2 as wire
from tests.kit.live import Story, live, nodes
from tests.kit.waiting import DEADLINE_S


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

    async def gone(self) -> None:
        self.said.put_nowait(None)
        async with asyncio.timeout(DEADLINE_S):
            await self.task


@asynccontextmanager
async def spoken(**settings: Any) -> AsyncIterator[tuple[Story, Voice]]:
    async with live(offers=[], **settings) as story:
        voice = Voice(story)
        await voice.joined()
        await story.settled()
        try:
            yield story, voice
        finally:
            voice.task.cancel()
            await asyncio.wait([voice.task])
