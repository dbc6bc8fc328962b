"""Jobs that end or go back to the queue: what they give back, and which work is kept."""

import asyncio
from pathlib import Path

import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.model.actors import Origin
from molokini.model.facts import NO_INDEX, JobEnded, JobRequeued
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import Alter, HasEnded, NotNow, Requeue
from molokini.server.turn.preempting import SuspendJob
from molokini.server.turn.retiring import Retire
from tests.kit.live import Story, live
from tests.kit.live_picture import assert_kept, assert_sound, picture, through_a_snapshot
from tests.kit.preempting import wide_first
from tests.kit.schedules import random_workload
from tests.kit.voices import spoken

ELEMENTS = {"first": 0, "last": 3, "step": 1, "running_limit": 0}


async def test_a_requeued_job_keeps_its_submit_time_and_begins_a_new_attempt(story: Story) -> None:
    await story.advance(5.0)
    job = await story.submit(processors=16, run_s=20.0)
    other = await story.submit(processors=16, run_s=20.0)
    await story.advance(10.0)
    await story.requeue(job)
    element = story.run(job)
    assert (element.attempt, element.first_start_s, element.start_s) == (2, 5.0, 15.0)
    assert story.job(job).submitted_s == 5.0
    assert story.status(other) == "waiting"
    await story.advance(100.0)
    assert (element.end_s, story.run(other).start_s) == (35.0, 35.0)


@pytest.mark.parametrize("suspended", [False, True])
async def test_what_is_requeued_gives_back_what_it_has_and_no_more(story: Story, suspended: bool) -> None:
    await story.submit(processors=4, run_s=90.0)
    job = await story.submit(processors=10, run_s=50.0)
    await story.advance(5.0)
    if suspended:
        await story.do(SuspendJob(job, NO_INDEX, "root"))
    await story.hold(job)
    await story.requeue(job)
    assert (story.status(job), int(story.state.tables.machine.free)) == ("held", 12)
    await assert_kept(story)
    await story.release(job)
    # The next attempt is the second, for policies and reports too.
    assert int(story.state.tables.jobs.attempt[story.run(job).row]) == 2
    await story.advance(95.0)
    assert (story.run(job).attempt, story.run(job).start_s, story.run(job).end_s) == (2, 5.0, 55.0)
    assert_sound(story.state)


# What was over, and is not.


@pytest.mark.parametrize("held", [False, True])
async def test_a_job_that_has_ended_goes_back_to_the_queue(story: Story, held: bool) -> None:
    job = await story.submit(processors=4, run_s=10.0)
    await story.advance(15.0)
    assert (story.status(job), story.run(job).attempt) == ("completed", 1)
    await story.do(Requeue(job, NO_INDEX, "ann", "again", ended=True, hold="user" if held else ""))
    assert job in story.state.open_jobs
    assert not story.state.finished
    assert story.state.open_counts["", "ann"] == 1
    await assert_kept(story)
    if held:
        assert (story.status(job), story.run(job).end_s) == ("held", None)
        await story.advance(5.0)
        await story.release(job)
    await story.advance(100.0)
    start_s = 20.0 if held else 15.0
    element = story.run(job)
    assert (element.status, element.attempt, element.start_s) == ("completed", 2, start_s)
    assert (element.end_s, element.first_start_s, story.state.open_counts["", "ann"]) == (
        start_s + 10.0,
        0.0,
        0,
    )
    assert_sound(story.state)


async def test_elements_that_have_ended_go_back_alone_or_together(story: Story) -> None:
    job = await story.submit(processors=4, run_s=10.0, array=dict(ELEMENTS))
    await story.advance(15.0)
    await story.do(Requeue(job, 2, "ann", ended=True))
    assert not story.job(job).over
    await assert_kept(story)
    await story.advance(15.0)
    assert [one.attempt for one in story.job(job).known_elements()] == [1, 1, 2, 1]
    await story.do(Requeue(job, NO_INDEX, "ann", ended=True, hold="user"))
    assert {one.status for one in story.job(job).known_elements()} == {"held"}
    await assert_kept(story)
    await story.release(job)
    await story.advance(30.0)
    assert [one.attempt for one in story.job(job).known_elements()] == [2, 2, 3, 2]
    assert story.job(job).over
    assert_sound(story.state)


async def test_what_must_not_run_again_stays_over(story: Story) -> None:
    job = await story.submit(processors=4, run_s=10.0, requeue=False)
    await story.advance(15.0)
    with pytest.raises(NotNow, match="must not run again"):
        await story.do(Requeue(job, NO_INDEX, "ann", ended=True))
    with pytest.raises(HasEnded):
        await story.do(Requeue(job, NO_INDEX, "ann"))


async def test_a_job_that_was_opened_again_is_not_let_go(story: Story) -> None:
    job = await story.submit(processors=4, run_s=10.0)
    await story.advance(15.0)
    version = story.job(job).version
    await story.do(Requeue(job, NO_INDEX, "ann", ended=True))
    await story.advance(15.0)
    await story.do(Retire([job], {job: version}))
    assert job in story.state.jobs
    await story.do(Retire([job], {job: story.job(job).version}))
    assert job not in story.state.jobs


# What a policy takes off.

plain = pytest.mark.usefixtures("interpreted")


async def interrupted(story: Story) -> tuple[int, int]:
    """A job of 10 s, 3 s of which are done when another has it give way for 5 s."""
    narrow = await story.submit(processors=2, run_s=10.0)
    await story.advance(3.0)
    return narrow, await story.submit(processors=16, run_s=5.0)


@plain
@pytest.mark.parametrize(("verb", "kept_s", "end_s"), [("requeue", 0.0, 18.0), ("checkpoint", 3.0, 15.0)])
async def test_a_job_that_gives_way_runs_again(
    tmp_path: Path, verb: str, kept_s: float, end_s: float
) -> None:
    async with live(wide_first(tmp_path, verb)) as story:
        narrow, wide = await interrupted(story)
        assert (story.status(narrow), story.status(wide)) == ("waiting", "running")
        [fact] = story.journal.facts(JobRequeued)
        assert (fact.job, fact.attempt, fact.by, fact.kept_s) == (narrow, 1, Origin.POLICY, kept_s)
        await assert_kept(story)
        await story.advance(100.0)
        ended = story.run(narrow)
        assert (ended.status, ended.attempt, ended.end_s) == ("completed", 2, end_s)
        assert_sound(story.state)
        assert story.state.kept_work == {}


@plain
async def test_work_of_a_checkpointed_job_outlives_holds_changes_and_the_server(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "checkpoint")) as story:
        narrow, _ = await interrupted(story)
        await story.hold(narrow)
        await story.advance(100.0)
        await story.do(Alter(narrow, "ann", {"estimate_s": 50.0}, story.limits, operator=False))
        state = through_a_snapshot(story.state)
        assert picture(state) == picture(story.state)
        assert state.kept_work == {(narrow, NO_INDEX): 3.0}
        journal = story.journal
    async with live(wide_first(tmp_path, "checkpoint"), journal=journal) as story:
        await story.release(narrow)
        assert story.status(narrow) == "running"
        await story.advance(100.0)
        assert story.run(narrow).end_s == 103.0 + 7.0


@plain
async def test_work_that_is_kept_is_lost_with_its_node_or_by_command(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "checkpoint")) as story:
        narrow, _ = await interrupted(story)
        await story.advance(6.0)
        assert story.run(narrow).start_s == 8.0
        await story.requeue(narrow)
        await story.advance(100.0)
        assert story.run(narrow).end_s == 9.0 + 10.0


@plain
@pytest.mark.parametrize("verb", ["requeue", "cancel"])
async def test_the_agent_ends_the_old_before_it_begins_the_new(tmp_path: Path, verb: str) -> None:
    async with spoken(policy=wide_first(tmp_path, verb)) as (story, voice):
        narrow = await voice.given(processors=2)
        wide = await story.submit(processors=16)
        await voice.hears("launch", 2)
        told = [m for m in voice.heard if m.WhichOneof("content") in ("order", "launch")][1:]
        assert [(m.order.kind, m.order.attempt.job_id) for m in told[:1]] == [(wire.Order.KILL, narrow)]
        assert told[1].launch.attempt.job_id == wide
        # What the agent says of it then is old news.
        voice.report(wire.Report.KILLED, narrow)
        await voice.hears("acknowledge")
        assert story.status(narrow) == ("waiting" if verb == "requeue" else "cancelled")
        assert_sound(story.state)


@plain
async def test_a_job_that_must_not_run_again_is_over_when_it_gives_way(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "requeue")) as story:
        once = await story.submit(processors=2, run_s=10.0, requeue=False)
        await story.submit(processors=16, run_s=5.0)
        assert story.status(once) == "cancelled"
        [ended] = story.journal.facts(JobEnded)
        assert (ended.by, ended.reason) == (Origin.POLICY, "it gave way to others")


@pytest.mark.deep
@pytest.mark.parametrize("verb", ["requeue", "cancel", "checkpoint"])
def test_live_and_simulated_are_equal(tmp_path: Path, verb: str) -> None:
    policy, work = wide_first(tmp_path, verb), random_workload(60, 16, seed=4)
    asyncio.run(live_run(work, 16, policy, tmp_path / "state"))
    live_one = asyncio.run(history_of(tmp_path / "state", len(work)))
    differences = live_one.differences(simulated_history(work, 16, policy))
    assert set(differences.values()) == {0.0}, differences
