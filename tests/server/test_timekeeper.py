"""When an instant of a clock that is turned is over: when all who follow the clock are done with it."""

import asyncio

from molokini.proto.v1 import agent_service_pb2 as wire
from tests.kit.live import live
from tests.kit.voices import Voice
from tests.kit.waiting import DEADLINE_S


class Slow(Voice):
    """An agent that is done with an instant when the test says so."""

    async def _listen(self) -> None:
        self.asked: list[wire.Grant] = []
        async for message in self.story.core.hub.converse(self._words()):
            self.heard.append(message)
            if message.WhichOneof("content") == "grant":
                self.asked.append(message.grant)

    def done(self) -> None:
        for grant in self.asked:
            self.said.put_nowait(wire.AgentMessage(done=wire.Done(turn=grant.turn)))
        self.asked.clear()


async def test_an_advance_is_over_when_the_last_agent_is_done_with_its_instant() -> None:
    async with live(offers=[]) as story:
        voice = Slow(story)
        await voice.joined()
        core = story.core
        core.clock.advance(5.0)
        reached = asyncio.ensure_future(core.timekeeper.reached(5.0))
        while not any(grant.now_s == 5.0 for grant in voice.asked):
            voice.done()
            await story.until(lambda: bool(voice.asked))
        # It looks some times whether the instant is over.
        await asyncio.sleep(0.02)
        assert core.clock.now() == 5.0
        assert not reached.done()
        voice.done()
        await asyncio.wait_for(reached, DEADLINE_S)
