"""How many elements of an array become candidates, and when."""

import sys
from typing import Any

import pytest

from molokini.model.facts import ElementsReady
from molokini.server.turn.changing import Hold, Release
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept


async def test_an_array_uses_all_processors_while_its_elements_end_one_by_one() -> None:
    async with live(offers=[nodes("n[1-25]", 4)]) as story:
        job = await story.submit(array={"first": 0, "last": 999}, run_s=10.0)
        assert story.state.tables.queue.running_count == 100
        # Some end early: what they leave is taken at once, not when the rest have ended, too.
        await story.cancel(job, 3)
        for index in range(40):
            await story.cancel(job, index)
        assert story.state.tables.queue.running_count == 100
        await story.advance(10.0)
        assert story.state.tables.queue.running_count == 100


async def test_a_running_limit_is_never_exceeded_and_always_used(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 20, "step": 2, "running_limit": 3}, run_s=10.0)
    for _ in range(3):
        assert story.state.tables.queue.running_count == 3
        await story.advance(10.0)
    assert story.state.tables.queue.running_count == 1
    await story.advance(10.0)
    assert story.status(job) == "completed"
    starts = sorted((e.start_s, e.index) for e in story.job(job).known_elements())
    assert [index for _, index in starts] == list(range(1, 21, 2))
    assert [at for at, _ in starts] == [0, 0, 0, 10, 10, 10, 20, 20, 20, 30]


async def test_a_large_array_is_one_object_and_few_rows() -> None:
    async with live(offers=[nodes("n[1-8]", 4)]) as story:
        job = await story.submit(array={"first": 0, "last": 99_999}, run_s=10.0)
        size = sys.getsizeof(story.journal.entries[-1].body)
        assert size < 1000
        array = story.job(job).array
        assert array is not None
        for _ in range(5):
            waiting = sum(str(e.status) == "waiting" for e in story.state.by_row.values())
            assert waiting <= max(64, story.state.tables.machine.free)
            assert story.state.tables.queue.running_count == 32
            assert len(array.elements) <= 32 * 6 + 64 * 6
            await story.advance(10.0)
        assert story.state.tables.jobs.state.size <= 1024
        ready = [len(fact.indices) for fact in story.journal.facts(ElementsReady)]
        assert max(ready) <= 64
        await story.cancel(job)
        await story.advance(10.0)
        assert story.status(job) == "cancelled"
        assert not story.state.by_row


@pytest.mark.parametrize(("processors", "rows"), [(40, [64, 40]), (100, [100, 64])])
async def test_a_policy_sees_64_elements_and_what_could_start(processors: int, rows: list[int]) -> None:
    async with live(offers=[nodes("n1", processors)]) as story:
        await story.submit(array={"first": 1, "last": 1000}, run_s=10.0)
        ready = [len(fact.indices) for fact in story.journal.facts(ElementsReady)]
        assert ready[: len(rows)] == rows
        assert story.state.tables.queue.running_count == processors
        assert len(story.state.by_row) == processors + 64


def array(first: int, last: int, limit: int = 0) -> dict[str, Any]:
    return {"first": first, "last": last, "running_limit": limit}


async def hold(story: Story, job: int, index: int) -> None:
    await story.do(Hold(job, "ann", "user", "", index))


async def release(story: Story, job: int, index: int = -1) -> None:
    await story.do(Release(job, "ann", ["user"], index))


def counted(story: Story, job: int) -> dict[str, int]:
    made = story.job(job).array
    assert made is not None
    return {str(status): count for status, count in made.counts.items() if count}


async def test_elements_that_are_held_alone_keep_no_others_back_however_many_they_are(story: Story) -> None:
    job = await story.submit(array=array(0, 299), run_s=1.0)
    for index in range(20, 150):
        await hold(story, job, index)
    await story.advance(30.0)
    assert counted(story, job) == {"completed": 170, "held": 130}
    await release(story, job)
    await story.advance(30.0)
    assert story.status(job) == "completed"
    await assert_kept(story)


def starts(story: Story, job: int) -> dict[int, float | None]:
    return {one.index: one.start_s for one in story.job(job).known_elements()}


async def test_no_element_of_a_held_array_becomes_a_candidate(story: Story) -> None:
    job = await story.submit(array=array(1, 4, limit=1), run_s=10.0)
    await story.hold(job)
    await story.advance(30.0)
    assert starts(story, job) == {1: 0.0}
    await assert_kept(story)
    await story.release(job)
    await story.advance(30.0)
    assert starts(story, job) == {1: 0.0, 2: 30.0, 3: 40.0, 4: 50.0}
