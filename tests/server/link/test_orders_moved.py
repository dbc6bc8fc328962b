"""A job that has gone to another agent runs there once the first is known to have let it go."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from molokini.model.facts import AttemptGone, RowsSet
from molokini.model.slicing import Slicing
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import Cancel
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.slicing import SliceJob
from tests.kit.live import Story, nodes
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.preempting import wide_first
from tests.kit.voices import Voice, joined, moved, spoken

pytestmark = pytest.mark.usefixtures("interpreted")


async def test_a_job_resumed_at_another_agent_is_launched_there_once_the_first_has_stopped_it() -> None:
    async with spoken() as (story, first):
        second = await joined(story, "other", offers=[nodes("m[1-4]")])
        await story.settled()
        moving = await story.submit(processors=16)
        [launch] = await first.hears("launch")
        await story.do(SuspendJob(moving, -1, "root"))
        blocking = await story.submit(processors=16)
        await story.until(lambda: len(first.of("launch") + second.of("launch")) == 2)
        if second.of("launch"):
            # The blocker took the other agent's nodes: let it go, and block the first agent's with another.
            second.report(wire.Report.ENDED, blocking)
            await story.until(lambda: story.status(blocking) == "completed")
            blocking = await story.submit(processors=16)
            await story.until(lambda: len(first.of("launch") + second.of("launch")) == 3)
        place, other = (first, second) if len(first.of("launch")) == 2 else (second, first)
        await story.do(ResumeJob(moving, -1, "root"))
        if other is first:
            assert [one.kind for one in first.of("order")][-1] == wire.Order.RESUME
            return
        await story.settled()
        # The old agent obeys first: until then it may still run what the new one would run, too.
        assert moving not in [one.attempt.job_id for one in second.of("launch")]
        first.report(wire.Report.KILLED, moving)
        await story.until(lambda: moving in [one.attempt.job_id for one in second.of("launch")])
        again = [one for one in second.of("launch") if one.attempt.job_id == moving][-1]
        assert again.attempt.attempt == launch.attempt.attempt
        assert again.start_s == again.updated_s
        assert [one.kind for one in first.of("order")] == [wire.Order.SUSPEND, wire.Order.KILL]
        # It is no longer the one whose word counts.
        first.report(wire.Report.KILLED, moving)
        await first.hears("acknowledge", 2)
        assert story.status(moving) == "running"
        second.report(wire.Report.ENDED, moving)
        await story.until(lambda: story.status(moving) == "completed")
        assert place is first


async def test_an_agent_that_comes_again_is_told_again_to_stop_what_was_taken_from_it() -> None:
    async with moved() as (story, first, second, moving):
        await first.gone()
        again = await joined(story)
        [order] = await again.hears("order")
        assert (order.kind, order.attempt.job_id) == (wire.Order.KILL, moving)
        assert not second.of("launch")
        again.report(wire.Report.KILLED, moving, order.attempt.attempt)
        await second.hears("launch")


async def test_an_agent_that_comes_again_gets_nothing_that_another_may_still_run() -> None:
    async with moved() as (story, first, second, moving):
        await second.gone()
        again = await joined(story, "other", "b2", offers=[nodes("m[1-4]")])
        assert not again.of("welcome")[0].attempts
        first.report(wire.Report.KILLED, moving)
        [launch] = await again.hears("launch")
        assert launch.attempt.job_id == moving


async def test_a_moved_job_that_is_cancelled_before_the_first_has_stopped_it_is_launched_nowhere() -> None:
    async with moved() as (story, first, second, moving):
        await story.cancel(moving)
        first.report(wire.Report.KILLED, moving)
        await story.until(lambda: bool(story.journal.facts(AttemptGone)))
        await story.settled()
        assert not second.of("launch")


async def test_a_moved_job_that_is_suspended_is_launched_and_suspended_after_the_first_has_stopped() -> None:
    async with moved() as (story, first, second, moving):
        await story.do(SuspendJob(moving, -1, "root"))
        first.report(wire.Report.KILLED, moving)
        [launch] = await second.hears("launch")
        [order] = await second.hears("order")
        assert launch.suspended
        assert (order.kind, order.attempt.job_id) == (wire.Order.SUSPEND, moving)
        assert_sound(story.state)


async def test_an_agent_is_told_to_stop_the_attempt_that_it_had_and_not_the_present_one() -> None:
    async with moved() as (story, first, second, moving):
        # The job begins anew at the second agent, which must wait for the first one's word all the same.
        await story.do(LoseNodes(["m1"], "root", "a fan"))
        await story.do(ReturnNodes(["m1"], "root"))
        await story.until(lambda: story.run(moving).attempt == 2)
        assert story.run(moving).left_at == (first.name,)
        await first.gone()
        again = await joined(story)
        [order] = await again.hears("order")
        assert (order.kind, order.attempt.attempt) == (wire.Order.KILL, 1)
        again.report(wire.Report.KILLED, moving, 1)
        [launch] = await second.hears("launch")
        assert launch.attempt.attempt == 2
        assert_sound(story.state)


async def test_a_moved_job_that_has_ended_is_left_at_no_agent() -> None:
    async with moved() as (story, _, _, moving):
        await story.cancel(moving)
        await story.do(LoseNodes(["m1"], "root", "a fan"))
        assert story.status(moving) == "cancelled"
        assert not story.state.left
        assert_sound(story.state)


async def test_a_job_that_is_moved_once_more_waits_for_the_agent_that_was_told_to_run_it() -> None:
    async with moved() as (story, first, second, moving):
        third = await joined(story, "third", "b3", offers=[nodes("k[1-4]")])
        await story.do(SuspendJob(moving, -1, "root"))
        await story.do(DrainNodes(["m1", "m2", "m3", "m4"], "root", ""))
        await story.do(ResumeJob(moving, -1, "root"))
        assert story.run(moving).left_at == (first.name,)
        first.report(wire.Report.KILLED, moving)
        [launch] = await third.hears("launch")
        assert launch.attempt.job_id == moving
        assert not second.of("launch")
        assert_sound(story.state)


async def test_a_moved_job_counts_as_an_attempt_of_the_agent_that_is_to_run_it() -> None:
    async with moved() as (story, first, second, _):
        counted = {agent.name: agent.attempts for agent in story.core.hub.agents()}
        assert counted == {first.name: 0, second.name: 1}


async def test_an_agent_hears_nothing_of_what_it_has_not_been_given_yet_and_then_all_of_it() -> None:
    async with moved() as (story, first, second, moving):
        await story.do(SliceJob(moving, -1, "root", Slicing(rows=2, row=(1,), quantum_s=0.2)))
        story.core.hub.send_orders(RowsSet(((moving, -1, 1, 1, "1", 0.0, 0.5),)), story.state.now)
        assert second.of("order") == []
        first.report(wire.Report.KILLED, moving)
        [launch] = await second.hears("launch")
        assert list(launch.slicing.row) == [1]
        assert second.of("order") == []


# Taken off by a policy.


@asynccontextmanager
async def given_up(folder: Path, away: bool = True) -> AsyncIterator[tuple[Story, Voice, Voice, int]]:
    """A job of the agent *first* gives way to a wider one there, and starts again at the agent *second*."""
    async with spoken(policy=wide_first(folder, "requeue"), lease_s=5.0, margin_s=1.0) as (story, first):
        narrow = await first.given(processors=2)
        if away:
            await first.gone()
        wide = await story.submit(processors=16)
        assert (story.status(narrow), story.status(wide)) == ("waiting", "running")
        second = await joined(story, "second", offers=[nodes("m[1-4]")])
        await story.until(lambda: story.status(narrow) == "running")
        await story.settled()
        assert story.run(narrow).attempt == 2
        yield story, first, second, narrow


def told_to_run(voice: Voice, job: int) -> list[int]:
    """Attempts of *job* that an agent was told to run."""
    return [one.attempt.attempt for one in voice.of("launch") if one.attempt.job_id == job]


async def test_while_the_first_agent_is_away_no_other_is_told_to_run_the_job(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, first, second, narrow):
        assert told_to_run(second, narrow) == []
        # It comes again, has to kill what it has, and says so.
        back = await joined(story, first.name, f"{first.boot_id}/again")
        [order] = await back.hears("order")
        assert (order.kind, order.attempt.job_id, order.attempt.attempt) == (wire.Order.KILL, narrow, 1)
        assert narrow not in [one.attempt.job_id for one in back.of("welcome")[0].attempts]
        assert told_to_run(second, narrow) == []
        back.report(wire.Report.KILLED, narrow, 1)
        await story.until(lambda: told_to_run(second, narrow) == [2])
        assert story.journal.facts(AttemptGone) == [AttemptGone(narrow, -1, "hand")]
        assert_sound(story.state)


async def test_the_job_may_run_elsewhere_when_the_lease_of_the_first_agent_is_over(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, _, second, narrow):
        hub, slept_s = story.core.hub, 0.0
        hub.monotonic = lambda: time.monotonic() + slept_s
        for _ in range(8):
            assert told_to_run(second, narrow) == []
            slept_s += 1.0
            hub.sessions["second"].heard_s = hub.monotonic()
            hub.lose_the_silent()
        await story.until(lambda: told_to_run(second, narrow) == [2])
        # What was given up in favour of it is lost with the nodes of its agent.
        assert_sound(story.state)


async def test_an_agent_that_listens_is_waited_for_too(tmp_path: Path) -> None:
    async with given_up(tmp_path, away=False) as (story, first, second, narrow):
        assert told_to_run(second, narrow) == []
        # A word about another attempt, or of somebody else, is not the word that is waited for.
        first.report(wire.Report.KILLED, narrow, 2)
        second.report(wire.Report.KILLED, narrow, 1)
        await second.hears("acknowledge")
        await first.hears("acknowledge")
        assert told_to_run(second, narrow) == []
        first.report(wire.Report.KILLED, narrow, 1)
        await story.until(lambda: told_to_run(second, narrow) == [2])
        # Said once more it is old news.
        first.report(wire.Report.KILLED, narrow, 1)
        await first.hears("acknowledge", 3)
        assert (story.status(narrow), told_to_run(second, narrow)) == ("running", [2])


async def test_an_agent_that_comes_again_is_not_told_either_and_a_recovery_knows_it(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, _, second, narrow):
        await assert_kept(story)
        assert [(one.left_at, one.left_attempt) for one in story.state.left.values()] == [(("hand",), 1)]
        await second.gone()
        late = await joined(story, "second", offers=[nodes("m[1-4]")])
        assert [one.attempt.job_id for one in late.of("welcome")[0].attempts] == []
        await story.do(LoseNodes(["n1", "n2", "n3", "n4"], "root", "power"))
        await story.until(lambda: told_to_run(late, narrow) == [2])


async def test_a_job_that_waits_for_the_word_of_its_first_agent_can_be_cancelled(tmp_path: Path) -> None:
    async with given_up(tmp_path) as (story, _, second, narrow):
        await story.do(Cancel(narrow, -1, "ann"))
        [order] = await second.hears("order")
        assert (order.kind, order.attempt.attempt) == (wire.Order.KILL, 2)
        second.report(wire.Report.KILLED, narrow, 2)
        await story.until(lambda: story.status(narrow) == "cancelled")
        assert story.state.left == {}
        assert told_to_run(second, narrow) == []
