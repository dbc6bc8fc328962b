"""Holds, releases and alterations, of jobs and of single elements of arrays."""

from typing import Any

import pytest

from molokini.model.facts import NO_INDEX, JobHeld, JobReleased, JobStarted
from molokini.server.queries.explanations import explain
from molokini.server.state.jobs import JobStatus
from molokini.server.translate import counts_of
from molokini.server.turn.changing import DEFERRAL, Alter, Cancel, Hold, NoSuchJob, NotNow, Release, Requeue
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import LoseNodes
from tests.kit.live import Story, by_maui, live
from tests.kit.live_picture import assert_kept, assert_sound

# Jobs.


async def test_all_holds_must_go_before_a_job_starts(story: Story) -> None:
    job = await story.submit(held=True)
    await story.hold(job, "operator")
    await story.hold(job, "system")
    for hold in ("user", "system", "operator"):
        assert story.status(job) == "held"
        await story.release(job, hold)
    assert story.status(job) == "running"


async def test_a_hold_takes_a_waiting_job_out_and_a_release_puts_it_at_its_place(story: Story) -> None:
    wide = await story.submit(processors=16, run_s=10.0)
    first, second = await story.submit(processors=16, run_s=10.0), await story.submit(processors=16)
    await story.hold(first)
    await story.release(first)
    await story.advance(10.0)
    assert story.run(first).start_s == 10.0
    assert story.status(second) == "waiting"
    assert story.status(wide) == "completed"


async def test_a_job_that_is_held_while_it_runs_is_held_when_it_is_requeued(story: Story) -> None:
    job = await story.submit(run_s=50.0)
    await story.hold(job)
    assert story.status(job) == "running"
    await story.do(LoseNodes(["n1"], "root", ""))
    assert story.status(job) == "held"
    await story.advance(60.0)
    assert story.run(job).attempt == 1
    await story.release(job)
    assert (story.status(job), story.run(job).attempt) == ("running", 2)


async def test_a_job_that_was_altered_while_held_stays_held(story: Story) -> None:
    wide = await story.submit(processors=16, run_s=10.0)
    job = await story.submit(processors=16)
    await story.hold(job)
    await story.do(Alter(job, "ann", {"resources": {"processors": 2}}, Limits(), False))
    assert story.status(job) == "held"
    await story.advance(10.0)
    assert story.status(wide) == "completed"
    await story.release(job)
    assert dict(story.run(job).nodes) == {0: 2}


async def test_a_held_array_is_held_as_a_whole_and_goes_on(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 100}, run_s=10.0)
    await story.do(Hold(job, "ann", "user"))
    await story.advance(10.0)
    assert story.state.tables.queue.running_count == 0
    assert story.status(job) == "held"
    await story.do(Release(job, "ann", ["user"]))
    await story.advance(100.0)
    assert story.status(job) == "completed"
    assert len(story.journal.facts(JobStarted)) == 100


@pytest.mark.parametrize("array", [None, {"first": 1, "last": 3}])
async def test_of_two_holds_one_is_left_and_the_reason_of_the_other_is_gone(story: Story, array: Any) -> None:
    await story.submit(processors=16)
    job = await story.submit(**({"array": array} if array else {}))
    index = 1 if array else NO_INDEX
    await story.do(Hold(job, "ann", "user", "mine"))
    await story.do(Hold(job, "root", "operator", "look"))
    await story.do(Release(job, "ann", ["user"]))
    run = story.run(job, index)
    assert (run.status, run.reason) == ("held", "")
    assert explain(story.core, story.job(job), run).text == "held by operator"
    await assert_kept(story)
    await story.do(Release(job, "root", ["operator"]))
    assert story.status(job, index) == "waiting"


# Elements of arrays, before and after they became candidates.


def array_of(first: int, last: int, limit: int = 0) -> dict[str, Any]:
    return {"first": first, "last": last, "running_limit": limit}


def starts(story: Story, job: int) -> dict[int, float | None]:
    return {one.index: one.start_s for one in story.job(job).known_elements()}


async def test_an_element_that_was_never_a_candidate_is_cancelled_alone(story: Story) -> None:
    job = await story.submit(array=array_of(1, 200, 1), run_s=1.0)
    assert story.job(job).element_of(150) is None
    await story.cancel(job, 150)
    await story.cancel(job, 2)
    assert story.status(job, 150) == "cancelled"
    await assert_kept(story)
    await story.cancel(job, 150)
    await story.advance(300.0)
    # The one that was next is passed over, and all the others have run one by one.
    assert starts(story, job)[3] == 1.0
    assert starts(story, job)[200] == 197.0
    assert (story.status(job), story.job(job).over) == ("cancelled", True)
    assert story.counted(job) == {"completed": 198, "cancelled": 2}
    await assert_kept(story)


async def hold(story: Story, job: int, index: int) -> None:
    await story.do(Hold(job, "ann", "user", "", index))


async def test_the_last_elements_may_be_cancelled_before_they_are_candidates(story: Story) -> None:
    job = await story.submit(array=array_of(1, 3, 1), run_s=5.0)
    for index in (3, 2):
        await story.cancel(job, index)
    assert not story.job(job).over
    await story.advance(5.0)
    assert story.job(job).over
    with pytest.raises(NotNow, match=r"1\[2\] has ended"):
        await hold(story, job, 2)
    await assert_kept(story)


async def release(story: Story, job: int, index: int = -1) -> None:
    await story.do(Release(job, "ann", ["user"], index))


@pytest.mark.parametrize("index", [2, 3, 6])
async def test_a_held_element_lets_its_array_go_on_and_runs_when_released(story: Story, index: int) -> None:
    job = await story.submit(array=array_of(1, 6, 2), run_s=10.0)
    await hold(story, job, index) if index > 2 else None
    if index == 2:
        # It runs: nothing happens before it would have to start again.
        await hold(story, job, index)
        assert story.status(job, 2) == "running"
        await story.do(Requeue(job, 2, "ann"))
    assert story.status(job, index) == "held"
    await assert_kept(story)
    await story.advance(100.0)
    assert (story.status(job, index), story.status(job)) == ("held", "held")
    others = [one for one in story.job(job).known_elements() if one.index != index]
    assert len(others) == 5
    assert all(one.over for one in others)
    await release(story, job, index)
    assert story.status(job, index) == "running"
    await story.advance(10.0)
    assert story.status(job) == "completed"
    await assert_kept(story)


async def test_what_is_released_goes_first_and_keeps_to_the_limit(story: Story) -> None:
    job = await story.submit(array=array_of(1, 6, 2), run_s=10.0)
    for index in (3, 4):
        await hold(story, job, index)
    await story.advance(10.0)
    assert {k for k, at in starts(story, job).items() if at == 10.0} == {5, 6}
    for index in (4, 3):
        await release(story, job, index)
    # Two run, as many as may: those that were released wait, and no row is lost by it.
    assert [story.status(job, index) for index in (3, 4)] == ["waiting", "waiting"]
    await assert_kept(story)
    await story.advance(10.0)
    assert [starts(story, job)[index] for index in (3, 4)] == [20.0, 20.0]


async def test_an_element_of_a_held_array_has_a_hold_of_its_own(story: Story) -> None:
    job = await story.submit(array=array_of(1, 3), run_s=1.0, held=True)
    await story.do(Hold(job, "root", "operator", "look", 2))
    await release(story, job)
    assert story.status(job, 2) == "held"
    await story.advance(5.0)
    assert [story.status(job, k) for k in (1, 2, 3)] == ["completed", "held", "completed"]
    await story.do(Release(job, "root", ["operator"], 2))
    await story.advance(5.0)
    assert story.status(job) == "completed"
    await assert_kept(story)


async def test_an_element_that_is_released_waits_for_the_release_of_its_array(story: Story) -> None:
    job = await story.submit(array=array_of(1, 100, 1), run_s=1.0)
    await hold(story, job, 50)
    await story.hold(job, "operator")
    await release(story, job, 50)
    assert story.status(job, 50) == "held"
    await assert_kept(story)
    await story.release(job, "operator")
    assert story.status(job, 50) == "waiting"
    await assert_kept(story)
    await story.advance(100.0)
    assert story.status(job) == "completed"
    assert starts(story, job)[50] == 1.0


async def test_an_array_that_is_cancelled_takes_what_was_held_alone_with_it(story: Story) -> None:
    job = await story.submit(array=array_of(1, 100, 1), run_s=1.0)
    for index in (7, 60):
        await hold(story, job, index)
    await release(story, job, 60)
    await story.do(Cancel(job, -1, "ann"))
    await story.advance(5.0)
    assert story.job(job).over
    await assert_kept(story)


async def test_an_index_that_the_array_does_not_have_is_refused(story: Story) -> None:
    job = await story.submit(array=array_of(1, 3), run_s=1.0)
    for make in (Cancel(job, 4, "ann"), Hold(job, "ann", "user", "", 4), Release(job, "ann", ["user"], 4)):
        with pytest.raises(NoSuchJob, match=r"1\[4\]"):
            await story.do(make)


async def test_of_a_cancelled_array_each_element_is_counted_where_it_stands(story: Story) -> None:
    # More than become rows at a time.
    job = await story.submit(processors=16, run_s=10.0, array={"first": 1, "last": 100})
    await story.advance(25.0)
    await story.cancel(job)
    assert counts_of(story.job(job)) == {JobStatus.COMPLETED: 2, JobStatus.CANCELLED: 98}
    assert len(story.job(job).known_elements()) < 100
    assert_sound(story.state)


async def test_an_element_of_a_held_array_may_be_held_besides(story: Story) -> None:
    job = await story.submit(array=array_of(1, 3), run_s=5.0, held=True)
    await hold(story, job, 2)
    await release(story, job, index=3)
    await story.do(Release(job, "ann", ["user"]))
    await story.advance(10.0)
    # To release the array releases its elements, too; and nothing else is left of the holds.
    assert starts(story, job) == {1: 0.0, 2: 0.0, 3: 0.0}
    await assert_kept(story)
    facts = story.journal.facts(JobHeld)
    assert [(fact.index, fact.hold) for fact in facts] == [(2, "user")]


async def test_elements_that_have_ended_stay_so_where_the_rest_is_held_and_altered(story: Story) -> None:
    job = await story.submit(array=array_of(1, 4, limit=2), processors=4, estimate_s=20.0, run_s=10.0)
    await story.hold(job)
    await story.advance(10.0)
    before = story.counted(job)
    assert before["completed"] == 2
    await story.do(Alter(job, "ann", {"estimate_s": 15.0}, Limits(), False))
    assert story.counted(job) == before
    await assert_kept(story)
    await story.release(job)
    await story.advance(40.0)
    assert story.counted(job) == {"completed": 4}
    assert sorted((fact.index, fact.attempt) for fact in story.journal.facts(JobStarted)) == [
        (index, 1) for index in range(1, 5)
    ]


@pytest.mark.parametrize("index", [-3, 1, 2, 4, 9])
async def test_an_index_between_the_steps_or_beyond_the_ends_is_refused(story: Story, index: int) -> None:
    job = await story.submit(array={"first": 3, "last": 7, "step": 2}, run_s=1.0)
    for make in (Cancel(job, index, "ann"), Hold(job, "ann", "user", "", index)):
        with pytest.raises(NoSuchJob):
            await story.do(make)
    assert sorted(starts(story, job)) == [3, 5, 7]


async def test_an_operators_release_ends_a_deferral_and_a_users_does_not() -> None:
    rules = "AMCFG[bank] TYPE=FILE\nACCOUNTCFG[physics] ALLOCATION=120\nDEFERTIME 100\nDEFERCOUNT 2\n"
    async with live(**by_maui(rules)) as story:
        await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
        # The account cannot pay for a second one until the first gives back.
        job = await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
        await story.advance(15.0)
        await story.hold(job)
        await story.release(job)
        assert story.status(job) == "waiting"
        await story.do(Release(job, "root", ["operator", DEFERRAL]))
        assert story.journal.facts(JobReleased)[-1].holds == (DEFERRAL,)
        assert story.status(job) == "running"
        await assert_kept(story, by_snapshot=True)
