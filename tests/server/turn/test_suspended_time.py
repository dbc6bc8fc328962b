"""How long an attempt was suspended is counted, whoever has suspended it, and kept with the job."""

from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept


async def suspend(story: Story, job: int) -> None:
    await story.do(SuspendJob(job, -1, "root"))


async def resume(story: Story, job: int) -> None:
    await story.do(ResumeJob(job, -1, "root"))


def times(story: Story, job: int) -> tuple[float, float]:
    """Up to now, and up to the last resumption or the end."""
    run = story.run(job)
    return run.suspended_by(story.state.present_s()), run.suspended_s


async def test_suspensions_of_an_attempt_add_up_to_its_end() -> None:
    async with live(offers=[nodes("n1", processors=1)]) as story:
        job = await story.submit(run_s=100.0)
        await story.advance(10.0)
        await suspend(story, job)
        await story.advance(20.0)
        assert times(story, job) == (20.0, 0.0)
        await assert_kept(story, by_snapshot=True)
        await resume(story, job)
        await story.advance(5.0)
        assert times(story, job) == (20.0, 20.0)
        await suspend(story, job)
        await story.advance(3.0)
        await resume(story, job)
        await story.advance(200.0)
        assert (story.status(job), story.run(job).end_s) == ("completed", 123.0)
        assert times(story, job) == (23.0, 23.0)
        await assert_kept(story, by_snapshot=True)


async def test_one_that_ends_while_it_is_suspended_was_so_up_to_its_end() -> None:
    async with live(offers=[nodes("n1", processors=1)]) as story:
        job = await story.submit(run_s=100.0)
        await suspend(story, job)
        await story.advance(7.0)
        await story.cancel(job)
        await story.advance(50.0)
        assert (story.status(job), *times(story, job)) == ("cancelled", 7.0, 7.0)


async def test_another_attempt_begins_anew() -> None:
    async with live(offers=[nodes("n1", processors=1)]) as story:
        job = await story.submit(run_s=100.0)
        await suspend(story, job)
        await story.advance(7.0)
        await story.requeue(job)
        await story.advance(4.0)
        assert (story.status(job), story.run(job).attempt, *times(story, job)) == ("running", 2, 0.0, 0.0)
