"""What a policy takes off in a live cluster: journalled, told to the agent, equal to the simulator."""

import asyncio
from pathlib import Path

import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.model.actors import Origin
from molokini.model.decisions import Decision
from molokini.model.facts import NO_INDEX, JobEnded, JobRequeued
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.state.effects.table import MAKERS
from molokini.server.turn.changing import Alter
from tests.kit.live import Story, live
from tests.kit.live_picture import assert_kept, assert_sound, picture, through_a_snapshot
from tests.kit.preempting import wide_first
from tests.kit.schedules import random_workload
from tests.kit.voices import spoken


async def test_a_requeued_job_runs_again_and_a_second_attempt_is_counted(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "requeue")) as story:
        narrow = await story.submit(processors=2, run_s=10.0)
        await story.advance(3.0)
        wide = await story.submit(processors=16, run_s=5.0)
        assert (story.status(narrow), story.status(wide)) == ("waiting", "running")
        assert [(fact.job, fact.attempt, fact.by) for fact in story.journal.facts(JobRequeued)] == [
            (narrow, 1, Origin.POLICY)
        ]
        await assert_kept(story)
        await story.advance(100.0)
        assert (story.status(narrow), story.run(narrow).attempt, story.run(narrow).end_s) == (
            "completed",
            2,
            18.0,
        )


async def checkpointed(story: Story) -> tuple[int, int]:
    """A job of 10 s, 3 s of which are done when another has it give way for 5 s."""
    narrow = await story.submit(processors=2, run_s=10.0)
    await story.advance(3.0)
    return narrow, await story.submit(processors=16, run_s=5.0)


async def test_a_checkpointed_job_goes_on_with_the_work_that_it_has_done(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "checkpoint")) as story:
        narrow, wide = await checkpointed(story)
        assert (story.status(narrow), story.status(wide)) == ("waiting", "running")
        assert [(fact.job, fact.kept_s) for fact in story.journal.facts(JobRequeued)] == [(narrow, 3.0)]
        await assert_kept(story)
        await story.advance(100.0)
        assert (story.run(narrow).attempt, story.run(narrow).end_s) == (2, 15.0)
        assert_sound(story.state)
        assert story.state.kept_work == {}


async def test_its_work_is_kept_over_holds_changes_and_a_second_server(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "checkpoint")) as story:
        narrow, _ = await checkpointed(story)
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


async def test_work_that_is_kept_is_lost_with_its_node_or_by_command(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "checkpoint")) as story:
        narrow, _ = await checkpointed(story)
        await story.advance(6.0)
        assert story.run(narrow).start_s == 8.0
        await story.requeue(narrow)
        await story.advance(100.0)
        assert story.run(narrow).end_s == 9.0 + 10.0


@pytest.mark.parametrize("verb", ["requeue", "cancel"])
async def test_the_agent_ends_the_old_before_it_begins_the_new(tmp_path: Path, verb: str) -> None:
    async with spoken(policy=wide_first(tmp_path, verb)) as (story, voice):
        narrow = await story.submit(processors=2)
        await voice.hears("launch")
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


async def test_what_must_not_run_again_is_over(tmp_path: Path) -> None:
    async with live(wide_first(tmp_path, "requeue")) as story:
        once = await story.submit(processors=2, run_s=10.0, requeue=False)
        await story.submit(processors=16, run_s=5.0)
        assert story.status(once) == "cancelled"
        [ended] = story.journal.facts(JobEnded)
        assert (ended.by, ended.reason) == (Origin.POLICY, "it gave way to others")


@pytest.mark.parametrize("verb", ["requeue", "cancel", "checkpoint"])
def test_live_and_simulated_are_equal(tmp_path: Path, verb: str) -> None:
    policy, work = wide_first(tmp_path, verb), random_workload(60, 16, seed=4)
    asyncio.run(live_run(work, 16, policy, tmp_path / "state"))
    live_one = asyncio.run(history_of(tmp_path / "state", len(work)))
    differences = live_one.differences(simulated_history(work, 16, policy))
    assert set(differences.values()) == {0.0}, differences


async def test_a_policy_that_decides_twice_about_a_job_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "twice.py"
    path.write_text(
        """
from molokini.model.policy import Policy
from molokini.cycle.verbs import requeue, start, suspend
POLICY = Policy(name="twice", summary="twice", promise="none", source="a test")
def schedule(view, now):
    for k in range(view.queue.running_count):
        suspend(view, view.queue.running[k])
        requeue(view, view.queue.running[k])
    for k in range(view.queue.head, view.queue.tail):
        start(view, view.queue.waiting[k])
"""
    )
    async with live(str(path)) as story:
        first = await story.submit()
        await story.submit()
        assert "asked twice" in story.core.reactor.last_policy_error
        # After three failures in a row another policy has taken over, and nothing is broken.
        assert story.status(first) == "running"
        assert_sound(story.state)


async def test_what_only_the_simulator_can_do_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(MAKERS, Decision.REQUEUE)
    async with live(wide_first(tmp_path, "requeue")) as story:
        narrow = await story.submit(processors=2)
        wide = await story.submit(processors=16)
        assert "decided to requeue, which a live cluster cannot do" in story.core.reactor.last_policy_error
        # Nothing of that pass was done, and another policy has taken over.
        assert (story.status(narrow), story.status(wide)) == ("running", "waiting")
        assert_sound(story.state)
