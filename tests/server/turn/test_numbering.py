"""Numbers of elements of arrays: from the counter of jobs, when an element comes apart from its array."""

import pytest

from molokini.model.facts import NO_INDEX, ElementsNumbered
from molokini.server.turn.changing import Requeue
from tests.kit.live import MemoryJournal, Story, live
from tests.kit.live_picture import assert_kept


async def test_an_element_gets_a_number_when_it_starts_and_the_last_keeps_that_of_the_array(
    story: Story,
) -> None:
    array = await story.submit(
        run_s=10.0, array={"first": 5, "last": 8, "running_limit": 2, "own_numbers": True}
    )
    await story.advance(0.0)
    assert [story.run(array, index).number for index in (5, 6)] == [2, 3]
    assert await story.submit(run_s=1.0) == 4
    await story.advance(15.0)
    assert [story.run(array, index).number for index in (7, 8)] == [5, 1]
    assert [story.state.numbers.get(number) for number in (1, 2, 3, 4, 5, 6)] == [
        None,
        (1, 5),
        (1, 6),
        None,
        (1, 7),
        None,
    ]
    assert story.state.next_id == 6
    await assert_kept(story, by_snapshot=True)


async def test_numbers_are_journalled_before_what_they_are_for(story: Story) -> None:
    array = await story.submit(run_s=10.0, array={"first": 0, "last": 99, "own_numbers": True})
    await story.advance(0.0)
    [fact, *_] = story.journal.facts(ElementsNumbered)
    assert (fact.job, fact.first_number, fact.indices) == (array, 2, tuple(range(16)))


async def test_an_element_that_is_held_or_cancelled_alone_gets_one(story: Story) -> None:
    await story.submit(processors=16, run_s=50.0)
    array = await story.submit(run_s=10.0, array={"first": 0, "last": 999, "own_numbers": True})
    await story.cancel(array, 900)
    await story.requeue(1)
    assert story.run(array, 900).number == 3
    await story.cancel(array)
    assert story.run(array, 3).number in (0, *range(4, 40))
    await assert_kept(story, by_snapshot=True)


async def test_a_requeued_element_keeps_its_number(story: Story) -> None:
    array = await story.submit(run_s=10.0, array={"first": 0, "last": 1, "own_numbers": True})
    await story.advance(1.0)
    number = story.run(array, 0).number
    await story.requeue(array, 0)
    await story.advance(5.0)
    assert story.run(array, 0).attempt == 2
    assert story.run(array, 0).number == number == 2


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("policy", ["easy", "bgs", "mbgs"])
async def test_elements_and_what_waits_for_them_come_back_from_the_journal(policy: str) -> None:
    """Also where jobs take turns: in a snapshot, after a restart, and as they end."""
    listed = {"first": 0, "last": 3, "step": 1, "running_limit": 2, "own_numbers": True}
    async with live(policy) as story:
        array = await story.submit(processors=10, run_s=10.0, array=dict(listed))
        each = [{"kind": "AFTER_OK", "job_id": array, "elementwise": True}]
        pairs = await story.submit(processors=2, run_s=5.0, array=dict(listed), dependencies=each)
        second = [{"kind": "AFTER_ANY", "job_id": array, "array_index": 1}]
        waits = await story.submit(run_s=5.0, dependencies=second)
        last = await story.submit(run_s=5.0, dependencies=[{"kind": "AFTER_ANY", "job_id": pairs}])
        for _ in range(6):
            await story.advance(4.0)
            await assert_kept(story, by_snapshot=True)
        await story.cancel(array, 3)
        await assert_kept(story, by_snapshot=True)
        at_s, entries = story.state.now, len(story.journal.entries)
        await story.advance(400.0)
        expected = _ended(story, array, pairs, waits, last)
        assert all(end_s is not None for _, end_s in expected)
        await story.do(Requeue(waits, NO_INDEX, "ann", ended=True))
        await assert_kept(story, by_snapshot=True)
        journal = MemoryJournal(story.journal.entries[:entries], 2)
    async with live(policy, journal=journal) as other:
        assert other.state.now <= at_s
        await assert_kept(other)
        await other.advance(400.0)
        assert [status for status, _ in _ended(other, array, pairs, waits, last)] == [
            status for status, _ in expected
        ]


def _ended(story: Story, *jobs: int) -> list[tuple[str, float | None]]:
    """Where each run of *jobs* stands, and when it has ended."""
    return [
        (str(one.status), one.end_s)
        for job in jobs
        for one in sorted(story.job(job).known_elements(), key=lambda one: one.index)
    ]
