"""The end of an attempt, as its agent reports it: when it counts, and what becomes of the job."""

from typing import Any

import pytest

from molokini.model.facts import NO_INDEX, Ending, JobEnded, JobStarted, PartEnded
from molokini.server.turn.changing import Cancel, Requeue
from molokini.server.turn.ending import ReportEnd
from tests.kit.live import Story
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.voices import Voice


@pytest.mark.parametrize(
    ("told_s", "end_s"),
    [(-1e9, 100.0), (97.0, 100.0), (100.0, 100.0), (100.5, 100.5), (107.0, 101.0), (1e9, 101.0)],
)
async def test_a_job_ends_between_its_start_and_now(story: Story, told_s: float, end_s: float) -> None:
    await story.advance(100.0)
    job = await story.submit(run_s=50.0)
    await story.leave()
    await story.advance(1.0)
    assert await story.do(ReportEnd(PartEnded(job, NO_INDEX, 1, "", Ending.COMPLETED, told_s)))
    assert (story.run(job).start_s, story.run(job).end_s) == (100.0, end_s)
    assert_sound(story.state)


@pytest.mark.parametrize(
    ("end", "status", "attempt"),
    [(Ending.FAILED, "failed", 1), (Ending.CANCELLED, "running", 2), (Ending.NOT_STARTED, "running", 2)],
)
async def test_requeued_unless_it_ended(story: Story, end: Ending, status: str, attempt: int) -> None:
    job = await story.submit()
    await story.leave()
    await story.do(Requeue(job, -1, "ann"))
    assert await story.do(ReportEnd(PartEnded(job, NO_INDEX, 1, "", end, 0.0)))
    assert (story.status(job), story.run(job).attempt) == (status, attempt)


def _ended(job: int, index: int) -> Any:
    return ReportEnd(PartEnded(job, index, 1, "", Ending.COMPLETED, 0.0))


async def test_an_array_of_which_the_rest_was_cancelled_has_not_ended_well(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 1000, "running_limit": 1}, run_s=10.0)
    follower = await story.submit(dependencies=[{"kind": "AFTER_OK", "job_id": job}], name="x", run_s=1.0)
    await story.leave()
    await story.cancel(job)
    assert story.status(job) == "running"
    # Its one element ends well before it hears of the cancel.
    await story.do(_ended(job, 1))
    assert story.status(job, 1) == "completed"
    assert story.status(job) == "cancelled"
    assert story.status(follower) == "cancelled"


async def test_elements_that_end_together_end_in_one_turn(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 48}, run_s=5.0)
    passes = story.core.reactor.passes
    await story.advance(5.0)
    # Sixteen at a time: all of the first have ended before the pass that starts the next.
    happened = [type(fact) for fact in story.journal.facts(JobEnded, JobStarted)]
    assert happened == [JobStarted] * 16 + [JobEnded] * 16 + [JobStarted] * 16
    assert story.core.reactor.passes - passes <= 2
    await story.advance(10.0)
    assert story.counted(job) == {"completed": 48}
    await assert_kept(story)


async def test_an_end_that_is_told_twice_in_a_turn_counts_once(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 2}, run_s=50.0)
    first, again, second = (
        ReportEnd(PartEnded(job, index, 1, "", Ending.COMPLETED, 0.0)) for index in (1, 1, 2)
    )
    answers = [story.core.reactor.post(one) for one in (first, again, second)]
    assert [await one for one in answers] == [True, False, True]
    assert [fact.index for fact in story.journal.facts(JobEnded)] == [1, 2]
    await assert_kept(story)


async def test_an_array_that_is_cancelled_as_elements_end_is_cancelled_after_them(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 40}, run_s=50.0)
    ends = [
        story.core.reactor.post(ReportEnd(PartEnded(job, index, 1, "", Ending.COMPLETED, 0.0)))
        for index in (1, 2)
    ]
    cancelled = story.core.reactor.post(Cancel(job, NO_INDEX, "ann"))
    assert [await one for one in ends] == [True, True]
    await cancelled
    await story.advance(1.0)
    assert story.counted(job) == {"completed": 2, "cancelled": 38}
    await assert_kept(story)


async def test_a_cancelled_job_keeps_the_instant_of_its_cancel(story: Story, voice: Voice) -> None:
    job = await story.submit(held=True)
    await story.advance(40.0)
    await story.cancel(job)
    assert story.run(job).end_s == 40.0
