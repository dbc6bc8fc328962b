"""Jobs that are sliced by command: how fast they go on, what ends it, and that nothing of it is lost."""

import pytest

from molokini.model.errors import BadInput, MolokiniError
from molokini.model.facts import NO_INDEX, JobSliced
from molokini.model.slicing import Slicing
from molokini.server.turn.changing import NotNow
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.slicing import SliceJob
from tests.kit.live import Story, again, live
from tests.kit.live_picture import assert_same, assert_sound

QUARTER = Slicing(period_s=0.1, slice_s=0.025)
ROW = Slicing(rows=2, row=(1,), quantum_s=0.2)


async def sliced(story: Story, job: int, slicing: Slicing | None, index: int = NO_INDEX) -> None:
    await story.do(SliceJob(job, index, "root", slicing))


async def test_it_goes_on_at_the_rate_of_its_slices(story: Story) -> None:
    job = await story.submit(run_s=20.0, estimate_s=30.0)
    await story.advance(4.0)
    await sliced(story, job, QUARTER)
    row = story.run(job).row
    assert story.state.tables.jobs.expected_end_s[row] == 4.0 + 26.0 / 0.25
    await story.advance(16.0)
    await sliced(story, job, ROW)
    await story.advance(8.0)
    await sliced(story, job, None)
    assert story.state.sliced == {}
    await story.advance(50.0)
    # 4 s of work by then, 4 s at a quarter, 4 s at a half, and the rest.
    assert (story.status(job), story.run(job).end_s) == ("completed", 36.0)
    assert [fact.by for fact in story.journal.facts(JobSliced)] == ["root"] * 3
    assert_sound(story.state)


async def test_its_limit_counts_work(story: Story) -> None:
    job = await story.submit(run_s=50.0, estimate_s=10.0)
    await sliced(story, job, ROW)
    await story.advance(100.0)
    assert (story.status(job), story.run(job).end_s) == ("timed-out", 20.0)


async def test_a_suspended_job_goes_on_in_its_slices(story: Story) -> None:
    job = await story.submit(run_s=20.0, estimate_s=30.0)
    await sliced(story, job, QUARTER)
    await story.do(SuspendJob(job, NO_INDEX, "root"))
    await story.advance(100.0)
    # Also where it is ordered while the job is suspended.
    await sliced(story, job, ROW)
    assert story.status(job) == "suspended"
    await story.do(ResumeJob(job, NO_INDEX, "root"))
    await story.advance(100.0)
    assert (story.status(job), story.run(job).end_s) == ("completed", 140.0)
    assert_sound(story.state)


async def test_what_is_known_of_it_outlives_the_server(story: Story) -> None:
    job = await story.submit(run_s=20.0, estimate_s=30.0)
    await sliced(story, job, ROW)
    state = await again(story.journal)
    assert state.sliced == {(job, NO_INDEX): ROW}
    assert_same(state, story.state)


@pytest.mark.parametrize("how", ["ends", "is requeued", "is cancelled"])
async def test_it_ends_with_the_attempt(story: Story, how: str) -> None:
    job = await story.submit(run_s=20.0, estimate_s=30.0)
    await sliced(story, job, ROW)
    if how == "is requeued":
        await story.requeue(job)
    elif how == "is cancelled":
        await story.cancel(job)
    await story.advance(1.0 if how != "ends" else 40.0)
    assert story.state.sliced == {}
    if how == "is requeued":
        await story.advance(30.0)
        assert (story.run(job).attempt, story.status(job)) == (2, "completed")
        assert story.run(job).end_s == pytest.approx(20.0)


async def test_elements_of_an_array_are_sliced_one_by_one_or_all(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 3}, estimate_s=50.0, run_s=20.0)
    await sliced(story, job, QUARTER, index=2)
    assert story.state.sliced == {(job, 2): QUARTER}
    await sliced(story, job, ROW)
    assert story.state.sliced == {(job, index): ROW for index in (1, 2, 3)}
    await sliced(story, job, None, index=1)
    await story.advance(100.0)
    assert [story.run(job, index).end_s for index in (1, 2, 3)] == [20.0, 40.0, 40.0]


async def test_orders_that_cannot_be(story: Story) -> None:
    runs = await story.submit(run_s=20.0, processors=16)
    waits = await story.submit(run_s=20.0)
    for number, slicing, text in (
        (99, QUARTER, "no job 99"),
        (waits, QUARTER, f"job {waits} does not run \\(waiting\\)"),
        (runs, Slicing(period_s=0.01, slice_s=0.005), "period_s: 0.01 is not allowed"),
        (runs, Slicing(period_s=0.1, slice_s=0.2), "slice_s: 0.2 is not allowed"),
        (runs, Slicing(rows=2, row=(2,), quantum_s=1.0), "row: \\[2\\] is not allowed"),
    ):
        with pytest.raises(MolokiniError, match=text) as caught:
            await sliced(story, number, slicing)
        assert isinstance(caught.value, BadInput | NotNow)
    assert list(story.journal.facts(JobSliced)) == []


async def test_jobs_that_share_processors_have_their_rate_from_the_policy() -> None:
    async with live("ps") as story:
        job = await story.submit(run_s=20.0)
        with pytest.raises(NotNow, match=f"job {job} shares its processors with others"):
            await sliced(story, job, QUARTER)
