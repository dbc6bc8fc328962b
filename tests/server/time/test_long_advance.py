"""A clock that is turned past very many instants: agents are asked where they have something to do, and
whoever calls meanwhile is served.
"""

import asyncio
from pathlib import Path

import pytest

from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.submitting import Submit
from tests.kit.live import live, nodes, spec_of
from tests.kit.voices import spoken
from tests.kit.waiting import DEADLINE_S

POLLING = """
from molokini.model.policy import Policy
from molokini.cycle.verbs import start, wake_at

POLICY = Policy(name="polling", summary="looks each second", promise="none", source="a test")


def schedule(view, now):
    for k in range(view.queue.head, view.queue.tail):
        if view.jobs.width[view.queue.waiting[k]] > view.machine.idle:
            break
        start(view, view.queue.waiting[k])
    wake_at(view, now + 1.0)
"""


def polling(folder: Path) -> str:
    path = folder / "polling.py"
    path.write_text(POLLING)
    return str(path)


@pytest.mark.dear("a policy from a file is compiled")
@pytest.mark.deep
async def test_an_agent_is_asked_where_it_has_something_to_do_and_at_the_end(tmp_path: Path) -> None:
    async with spoken(policy=polling(tmp_path)) as (story, voice):
        before = len(voice.of("grant"))
        await story.advance(50.0)
        assert [one.now_s for one in voice.of("grant")[before:]] == [50.0]
        number = await voice.given(processors=16, run_s=7.0)
        before = len(voice.of("grant"))
        await story.advance(20.0)
        # It has not said when the job will end, so nothing is due before the end of the advance.
        assert {one.now_s for one in voice.of("grant")[before:]} == {70.0}
        voice.report(wire.Report.ENDED, number, at_s=57.0)
        await story.until(lambda: story.status(number) == "completed")
    async with live(polling(tmp_path), [nodes("n1", 1)]) as story:
        ends = [await story.submit(run_s=run_s) for run_s in (3.0, 4.5, 10.0)]
        await story.advance(100.0)
        assert [story.run(number).end_s for number in ends] == [3.0, 7.5, 17.5]
        assert story.core.reactor.passes > 100


@pytest.mark.dear("turns of a long advance beside a caller")
async def test_who_calls_during_a_long_advance_is_served(tmp_path: Path) -> None:
    async with live(polling(tmp_path), [nodes("n1", 1)]) as story:
        story.core.clock.advance(1e9)
        story.core.reactor.arrived.set()
        await story.until(lambda: story.core.clock.now() > 100)
        async with asyncio.timeout(DEADLINE_S):
            [number] = await story.core.reactor.post(Submit("ann", [spec_of(run_s=5.0)], story.limits))
            await story.until(lambda: story.status(number) == "completed")
        # It has ended on the way.
        assert story.core.clock.now() < 1e9
