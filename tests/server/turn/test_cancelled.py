"""Whatever a job waits for, once it is cancelled nothing of it is left that could come again."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter, Hold, Release
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetQueue
from tests.kit.live import Story, live
from tests.kit.live_picture import assert_kept, assert_sound


async def _begins_later(story: Story) -> int:
    return await story.submit(run_s=1.0, begin_at_s=100.0)


async def _is_put_off(story: Story) -> int:
    job = await story.submit(run_s=1.0, held=True)
    await story.do(Alter(job, "ann", {"begin_at_s": 100.0}, Limits(), False))
    return job


async def _is_held(story: Story) -> int:
    return await story.submit(run_s=1.0, held=True)


async def _waits_for_another(story: Story) -> int:
    first = await story.submit(run_s=50.0)
    return await story.submit(run_s=1.0, dependencies=[{"kind": "AFTER_OK", "job_id": first}])


async def _waits_for_a_place(story: Story) -> int:
    await story.do(SetQueue(Queue("default", max_running_per_user=1), "root"))
    await story.submit(run_s=50.0)
    return await story.submit(run_s=1.0)


async def _is_moved_while_it_waits_for_a_place(story: Story) -> int:
    job = await _waits_for_a_place(story)
    await story.do(SetQueue(Queue("other", started=False), "root"))
    await story.do(Alter(job, "ann", {"queue": "other"}, Limits(), False))
    return job


async def _has_elements_apart(story: Story) -> int:
    job = await story.submit(run_s=30.0, array={"first": 1, "last": 90, "running_limit": 1})
    for index in (3, 4, 80):
        await story.do(Hold(job, "ann", "user", "", index))
    await story.do(Release(job, "ann", ["user"], 4))
    return job


async def _has_an_element_apart_in_an_array_that_is_held(story: Story) -> int:
    job = await story.submit(run_s=30.0, held=True, array={"first": 1, "last": 3})
    await story.do(Hold(job, "ann", "user", "", 2))
    await story.do(Release(job, "ann", ["user"], 2))
    return job


@pytest.mark.parametrize(
    "submit",
    [
        _begins_later,
        _is_put_off,
        _is_held,
        _waits_for_another,
        _waits_for_a_place,
        _is_moved_while_it_waits_for_a_place,
        _has_elements_apart,
        _has_an_element_apart_in_an_array_that_is_held,
    ],
)
async def test_a_cancelled_job_is_gone(submit: Callable[[Story], Coroutine[Any, Any, int]]) -> None:
    async with live() as story:
        job = await submit(story)
        await story.settled()
        assert_sound(story.state)
        await story.cancel(job)
        await story.advance(5.0)
        await assert_kept(story)
        await story.advance(200.0)
        assert story.job(job).over
        assert "cancelled" in {one.status.value for one in story.job(job).known_elements()}
        assert_sound(story.state)


async def test_elements_that_are_cancelled_one_by_one_are_gone() -> None:
    async with live() as story:
        job = await _has_elements_apart(story)
        for index in (3, 4, 80, 81):
            await story.cancel(job, index)
        await assert_kept(story)
