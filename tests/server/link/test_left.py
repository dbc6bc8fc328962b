"""What an agent was told to run and no longer is, and who is given up after a pause of the server."""

import time

from molokini.model.facts import NodeLost, ReportsTaken, RowsSet
from molokini.model.slicing import Slicing
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import Requeue
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.slicing import SliceJob
from tests.kit.live import nodes
from tests.kit.live_picture import assert_sound
from tests.kit.voices import Voice, moved, spoken


async def test_what_is_suspended_before_its_old_agent_has_stopped_it_is_launched_and_suspended() -> None:
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
        again = Voice(story)
        await again.joined()
        [order] = await again.hears("order")
        assert (order.kind, order.attempt.attempt) == (wire.Order.KILL, 1)
        again.report(wire.Report.KILLED, moving, 1)
        [launch] = await second.hears("launch")
        assert launch.attempt.attempt == 2
        assert_sound(story.state)
        again.task.cancel()


async def test_what_another_start_has_reported_is_not_acknowledged_to_the_present_one() -> None:
    """It would forget reports of its own that nobody has taken."""
    async with spoken() as (story, voice):
        hub = story.core.hub
        for boot_id, serial in (("another", 7), ("", 0), (voice.boot_id, 3)):
            hub.send_orders(ReportsTaken(voice.name, boot_id, serial), 0.0)
        await voice.hears("acknowledge")
        assert [one.serial for one in voice.of("acknowledge")] == [3]


async def test_what_has_ended_is_left_nowhere() -> None:
    async with moved() as (story, _, _, moving):
        await story.cancel(moving)
        await story.do(LoseNodes(["m1"], "root", "a fan"))
        assert story.status(moving) == "cancelled"
        assert not story.state.left
        assert_sound(story.state)


async def test_what_is_moved_on_waits_for_the_agent_that_was_told_to_run_it() -> None:
    async with moved() as (story, first, second, moving):
        third = Voice(story, "third", "b3")
        await third.joined(nodes("k[1-4]"))
        await story.do(SuspendJob(moving, -1, "root"))
        await story.do(DrainNodes(["m1", "m2", "m3", "m4"], "root", ""))
        await story.do(ResumeJob(moving, -1, "root"))
        assert story.run(moving).left_at == (first.name,)
        first.report(wire.Report.KILLED, moving)
        [launch] = await third.hears("launch")
        assert launch.attempt.job_id == moving
        assert not second.of("launch")
        assert_sound(story.state)
        third.task.cancel()


async def test_attempts_of_an_agent_are_counted_until_they_are_over_or_go_back() -> None:
    async with spoken() as (story, voice):
        jobs = [await story.submit(processors=1) for _ in range(2)]
        await voice.hears("launch", 2)
        await story.do(DrainNodes(["n1", "n2", "n3", "n4"], "root", ""))
        assert [agent.attempts for agent in story.core.hub.agents()] == [2]
        voice.report(wire.Report.ENDED, jobs[0])
        await story.do(Requeue(jobs[1], -1, "root"))
        voice.report(wire.Report.KILLED, jobs[1])
        await story.until(lambda: story.status(jobs[1]) == "waiting")
        assert [agent.attempts for agent in story.core.hub.agents()] == [0]


async def test_what_was_moved_counts_where_it_is_to_run() -> None:
    async with moved() as (story, first, second, _):
        counted = {agent.name: agent.attempts for agent in story.core.hub.agents()}
        assert counted == {first.name: 0, second.name: 1}


async def test_a_server_that_was_paused_gives_those_who_are_away_their_time_anew() -> None:
    async with spoken(lease_s=5.0, margin_s=1.0) as (story, voice):
        await voice.gone()
        hub, slept_s = story.core.hub, 0.0
        hub.monotonic = lambda: time.monotonic() + slept_s
        slept_s = 1000.0
        hub.lose_the_silent()
        await story.settled()
        assert story.journal.facts(NodeLost) == []
        for _ in range(7):
            slept_s += 1.0
            hub.lose_the_silent()
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 4)


async def test_an_agent_hears_nothing_of_what_it_has_not_been_given_yet_and_then_all_of_it() -> None:
    async with moved() as (story, first, second, moving):
        await story.do(SliceJob(moving, -1, "root", Slicing(rows=2, row=(1,), quantum_s=0.2)))
        story.core.hub.send_orders(RowsSet(((moving, -1, 1, 1, "1", 0.0, 0.5),)), story.state.now)
        assert second.of("order") == []
        first.report(wire.Report.KILLED, moving)
        [launch] = await second.hears("launch")
        assert list(launch.slicing.row) == [1]
        assert second.of("order") == []
