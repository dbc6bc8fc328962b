"""Jobs, and elements of arrays, in each state that they can be in: ``STATES``."""

from collections.abc import Awaitable, Callable

from molokini.model.facts import NO_INDEX
from molokini.server.turn.changing import Hold
from molokini.server.turn.preempting import SuspendJob
from tests.kit.live import Story, after

Subject = tuple[int, int]
"""A job, and the index of an element of it."""
Make = Callable[[Story], Awaitable[Subject]]


async def _held(story: Story) -> int:
    return await story.submit(run_s=50.0, held=True)


async def _waiting(story: Story) -> int:
    await story.submit(processors=16, run_s=50.0)
    return await story.submit(run_s=50.0)


async def _dependent(story: Story) -> int:
    return await story.submit(run_s=50.0, dependencies=after("AFTER_OK", await story.submit(run_s=50.0)))


async def _later(story: Story) -> int:
    return await story.submit(run_s=50.0, begin_at_s=500.0)


async def _running(story: Story) -> int:
    return await story.submit(run_s=50.0)


async def _only_once(story: Story) -> int:
    return await story.submit(run_s=50.0, requeue=False)


async def _suspended(story: Story) -> int:
    job = await story.submit(run_s=50.0)
    await story.do(SuspendJob(job, -1, "ann"))
    return job


async def _suspended_without_room(story: Story) -> int:
    job = await _suspended(story)
    await story.submit(processors=16, run_s=50.0)
    return job


async def _being_cancelled(story: Story) -> int:
    job = await story.submit(run_s=50.0)
    await story.leave()
    await story.cancel(job)
    return job


async def _being_requeued(story: Story) -> int:
    job = await story.submit(run_s=50.0)
    await story.leave()
    await story.requeue(job)
    return job


async def _completed(story: Story) -> int:
    job = await story.submit(run_s=0.0)
    await story.advance(1.0)
    return job


async def _cancelled(story: Story) -> int:
    job = await _held(story)
    await story.cancel(job)
    return job


async def _unknown(story: Story) -> int:
    return 77


def whole(make: Callable[[Story], Awaitable[int]]) -> Make:
    async def made(story: Story) -> Subject:
        return await make(story), NO_INDEX

    return made


async def _array(story: Story) -> int:
    """Of 200 elements, in tens up to 2,000: 20 has ended, 30 runs, 40 waits, 50 is held alone."""
    job = await story.submit(processors=8, run_s=50.0, array={"first": 10, "last": 2000, "step": 10})
    await story.cancel(job, 20)
    await story.do(Hold(job, "ann", "user", "", 50))
    return job


def element(index: int) -> Make:
    async def made(story: Story) -> Subject:
        return await _array(story), index

    return made


STATES: dict[str, Make] = {
    "held": whole(_held),
    "waiting": whole(_waiting),
    "dependent": whole(_dependent),
    "later": whole(_later),
    "running": whole(_running),
    "only once": whole(_only_once),
    "suspended": whole(_suspended),
    "no room": whole(_suspended_without_room),
    "being cancelled": whole(_being_cancelled),
    "being requeued": whole(_being_requeued),
    "completed": whole(_completed),
    "cancelled": whole(_cancelled),
    "unknown": whole(_unknown),
    "array": element(NO_INDEX),
    "first": element(10),
    "ended": element(20),
    "active": element(30),
    "next": element(40),
    "apart": element(50),
    "new": element(1000),
    "none": element(1005),
}
