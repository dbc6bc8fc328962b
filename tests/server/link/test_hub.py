"""What agents say, late, twice or wrong, and what they are told when they come again."""

import asyncio
from typing import Any

import pytest

from molokini.model.facts import JobEnded, NodesAdded
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.time.clock import ClockKind
from molokini.server.translate import job_to_wire
from molokini.server.turn.changing import Cancel, NotNow, Requeue
from tests.kit.live import live, nodes
from tests.kit.live_picture import assert_sound
from tests.kit.voices import Voice, spoken
from tests.kit.waiting import DEADLINE_S


async def test_a_start_is_told_once_and_its_end_is_acknowledged() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=6)
        [launch] = await voice.hears("launch")
        assert (launch.attempt.job_id, launch.attempt.attempt) == (job, 1)
        assert sum(part.processors for part in launch.allocation) == 6
        voice.report(wire.Report.ENDED, job, exit_code=3, memory_kb=77)
        [acknowledged] = await voice.hears("acknowledge")
        assert acknowledged.serial == 1
        assert story.status(job) == "failed"
        assert (story.run(job).exit_code, story.run(job).memory_kb) == (3, 77)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"cpu_s": 1.5, "read_kb": 2, "written_kb": 3}, (1.5, 2, 3)),
        ({}, (0.0, 0, 0)),
        ({"cpu_s": float("nan"), "read_kb": -1, "written_kb": 2**60}, (0.0, 0, 0)),
        ({"cpu_s": float("inf"), "read_kb": 2**53 - 1}, (0.0, 2**53 - 1, 0)),
        ({"cpu_s": -1.0, "written_kb": 3}, (0.0, 0, 3)),
    ],
)
async def test_what_a_job_has_used_is_kept_where_it_can_be_true(
    said: dict[str, Any], kept: tuple[float, int, int]
) -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=6)
        await voice.hears("launch")
        voice.report(wire.Report.ENDED, job, **said)
        await voice.hears("acknowledge")
        assert (story.status(job), story.run(job).usage[:3]) == ("completed", kept)
        made = job_to_wire(story.job(job), story.run(job), story.state)
        assert (made.cpu_s, made.read_kb, made.written_kb) == kept
        [fact] = story.journal.facts(JobEnded)
        assert (fact.cpu_s, fact.read_kb, fact.written_kb) == kept


async def test_what_is_acknowledged_takes_no_memory_any_more() -> None:
    async with spoken() as (story, voice):
        jobs = [await story.submit(processors=1) for _ in range(3)]
        await voice.hears("launch", 3)
        for job in jobs:
            voice.report(wire.Report.ENDED, job)
        await story.until(lambda: story.state.taken["hand"] == ("b1", 3))
        await story.settled()
        assert story.core.hub.sessions["hand"].reports == {}


async def test_repeated_reordered_and_late_reports_change_nothing() -> None:
    async with spoken() as (story, voice):
        jobs = [await story.submit(processors=1) for _ in range(4)]
        await voice.hears("launch", 4)
        # The last first, each twice; acknowledged only as far as there is no gap.
        for serial, job in reversed(list(enumerate(jobs, 1))):
            for _ in range(2):
                voice.report(wire.Report.ENDED, job, serial=serial)
        await story.until(lambda: [a.serial for a in voice.of("acknowledge")][-1:] == [4])
        before = story.journal.last_serial
        for serial, job in enumerate(jobs, 1):
            voice.report(wire.Report.ENDED, job, serial=serial, exit_code=9)
        for serial, job in enumerate(jobs, 5):
            voice.report(wire.Report.ENDED, job, serial=serial, exit_code=9)
        await story.until(lambda: [a.serial for a in voice.of("acknowledge")][-1:] == [8])
        ends = [fact for fact in story.journal.facts(JobEnded) if fact.job in jobs]
        assert sorted(fact.job for fact in ends) == jobs
        assert all(story.status(job) == "completed" for job in jobs)
        assert all(e.kind == "ReportsTaken" for e in story.journal.entries[before:])
        assert_sound(story.state)


async def test_a_report_of_an_earlier_attempt_does_not_end_the_present_one() -> None:
    async with spoken() as (story, voice):
        job = await story.submit()
        await voice.hears("launch")
        await story.requeue(job)
        await voice.hears("order")
        voice.report(wire.Report.KILLED, job, 1)
        await voice.hears("launch", 2)
        assert story.run(job).attempt == 2
        for kind in (wire.Report.ENDED, wire.Report.KILLED, wire.Report.NOT_STARTED):
            voice.report(kind, job, 1)
        await story.until(lambda: [a.serial for a in voice.of("acknowledge")][-1:] == [4])
        assert story.status(job) == "running"
        voice.report(wire.Report.ENDED, job, 2)
        await story.until(lambda: story.status(job) == "completed")


async def test_an_agent_that_comes_again_is_told_once_more_to_stop_what_was_cancelled() -> None:
    async with spoken() as (story, voice):
        job, other = await story.submit(), await story.submit()
        await voice.hears("launch", 2)
        await voice.gone()
        await story.cancel(job)
        assert story.status(job) == "running"
        again = Voice(story)
        await again.joined()
        [welcome] = again.of("welcome")
        assert [launch.attempt.job_id for launch in welcome.attempts] == [job, other]
        [order] = await again.hears("order")
        assert (order.kind, order.attempt.job_id) == (wire.Order.KILL, job)
        again.serial = 0
        again.report(wire.Report.KILLED, job)
        await story.until(lambda: story.status(job) == "cancelled")
        assert story.status(other) == "running"
        await again.gone()


async def test_a_job_that_is_being_cancelled_is_not_run_again() -> None:
    async with spoken() as (story, voice):
        job = await story.submit()
        await voice.hears("launch")
        await story.cancel(job)
        with pytest.raises(NotNow, match="cancelled"):
            await story.do(Requeue(job, -1, "ann"))
        voice.report(wire.Report.KILLED, job)
        await story.until(lambda: story.status(job) == "cancelled")


async def test_a_cancel_that_meets_the_end_leaves_one_terminal_state() -> None:
    async with spoken() as (story, voice):
        for trial in range(300):
            job = await story.submit()
            await voice.hears("launch", trial + 1)
            answer = None
            if trial % 3 != 0:
                answer = story.core.reactor.post(Cancel(job, -1, "ann"))
            voice.report(wire.Report.ENDED, job)
            if trial % 3 == 0:
                await asyncio.sleep(0)
                answer = story.core.reactor.post(Cancel(job, -1, "ann"))
            assert answer is not None
            await answer
            if trial % 2:
                voice.report(wire.Report.KILLED, job)
            await story.until(lambda job=job: story.run(job).over)  # type: ignore[misc]
        await story.until(lambda: [a.serial for a in voice.of("acknowledge")][-1:] == [voice.serial])
        ended = [fact.job for fact in story.journal.facts(JobEnded)]
        assert sorted(ended) == list(range(1, 301))
        assert {story.status(job) for job in ended} <= {"completed", "cancelled"}
        assert_sound(story.state)


@pytest.mark.parametrize("at_s", [float("nan"), float("inf"), float("-inf")])
async def test_a_report_with_no_instant_is_refused_and_the_server_goes_on(at_s: float) -> None:
    async with spoken() as (story, voice):
        job = await story.submit()
        await voice.hears("launch")
        voice.report(wire.Report.ENDED, job, at_s=at_s)
        [refused] = await voice.hears("refused")
        assert "at_s" in refused.reason
        assert story.status(job) == "running"
        assert await story.submit() == job + 1


async def test_an_end_lies_between_the_start_and_now() -> None:
    async with spoken() as (story, voice):
        await story.advance(50.0)
        early, late = await story.submit(), await story.submit()
        await voice.hears("launch", 2)
        await story.advance(10.0)
        voice.report(wire.Report.ENDED, early, at_s=-1e9)
        voice.report(wire.Report.ENDED, late, at_s=1e9)
        await story.until(lambda: story.run(early).over and story.run(late).over)
        assert (story.run(early).end_s, story.run(late).end_s) == (50.0, 60.0)


@pytest.mark.parametrize(
    ("offer", "field"),
    [
        ({"generic": {f"g{k}": 1 for k in range(5)}}, "generic"),
        ({"features": [f"f{k}" for k in range(63)]}, "features"),
        ({"features": ["queue:default"]}, "features"),
        ({"features": ["x\x1b[31m"]}, "features"),
        ({"processors": 0}, "processors"),
        ({"processors": -1}, "processors"),
        ({"memory_kb": -1}, "memory_kb"),
        ({"names": "n[1-10001]"}, "names"),
        ({"names": ""}, "names"),
    ],
)
async def test_nodes_that_the_tables_cannot_hold_are_refused_and_nothing_is_journalled(
    offer: dict[str, Any], field: str
) -> None:
    async with spoken() as (story, _):
        stranger = Voice(story, "stranger")
        before = story.journal.last_serial
        stranger.register(nodes(**{"names": "x[1-2]", **offer}))
        [refused] = await stranger.hears("refused")
        assert field in refused.reason
        assert story.journal.last_serial == before
        assert await story.submit() == 1
        await asyncio.wait_for(stranger.task, DEADLINE_S)


async def test_two_agents_that_come_with_the_same_node_at_once_do_not_both_get_it() -> None:
    async with live(offers=[]) as story:
        voices = [Voice(story, name) for name in ("one", "two")]
        for voice in voices:
            voice.register(nodes("n[1-2]"))
        await story.until(lambda: all(len(voice.heard) >= 1 for voice in voices))
        kinds = sorted(str(voice.heard[0].WhichOneof("content")) for voice in voices)
        assert kinds == ["refused", "welcome"]
        assert len(story.state.machine.nodes) == 2
        for voice in voices:
            voice.task.cancel()
        await asyncio.wait([voice.task for voice in voices])


async def test_a_node_that_is_offered_twice_is_one_node() -> None:
    async with live(offers=[]) as story:
        voice = Voice(story)
        await voice.joined(nodes("n[1-2]"), nodes("n[2-3]"))
        assert [fact.names for fact in story.journal.facts(NodesAdded)] == [("n1", "n2"), ("n3",)]
        voice.task.cancel()
        await asyncio.wait([voice.task])


async def test_the_first_word_must_be_a_registration() -> None:
    async with live(offers=[]) as story:
        voice = Voice(story)
        voice.report(wire.Report.ENDED, 1)
        [refused] = await voice.hears("refused")
        assert "register" in refused.reason
        await asyncio.wait_for(voice.task, DEADLINE_S)
        assert not story.core.hub.sessions


async def test_a_cancelled_job_keeps_the_instant_of_its_cancel() -> None:
    async with spoken() as (story, _):
        job = await story.submit(held=True)
        await story.advance(40.0)
        await story.cancel(job)
        assert story.run(job).end_s == 40.0


async def test_an_agent_that_hangs_is_not_waited_for_longer_than_its_lease() -> None:
    async with live(offers=[], lease_s=0.2, margin_s=0.1) as story:
        voice = Voice(story)
        registration = wire.Register(agent="hand", boot_id="b1", nodes=[nodes()], follows_clock=True)
        voice.said.put_nowait(wire.AgentMessage(register=registration))
        await voice.hears("welcome")
        # It never says that it is done with the present instant.
        job = await asyncio.wait_for(story.submit(), DEADLINE_S)
        await asyncio.wait_for(voice.task, DEADLINE_S)
        assert {node.status.value for node in story.state.machine.nodes} == {"down"}
        assert story.status(job) == "waiting"


async def test_an_agent_with_a_clock_of_its_own_is_refused_where_the_clock_is_turned() -> None:
    async with live(offers=[]) as story:
        voice = Voice(story, follows_clock=False)
        voice.register(nodes())
        [refused] = await voice.hears("refused")
        assert "the clock of this server is stepped" in refused.reason
        assert "--follow-clock" in refused.reason
        assert not story.state.machine.nodes
    async with live(offers=[], clock=ClockKind.REAL) as story:
        voice = Voice(story, follows_clock=False)
        voice.register(nodes())
        await voice.hears("welcome")
        await voice.gone()


async def test_an_array_is_not_requeued_while_one_of_its_elements_is_being_cancelled() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=1, array={"first": 0, "last": 1, "running_limit": 0})
        await voice.hears("launch", 2)
        await story.cancel(job, 0)
        await voice.hears("order")
        with pytest.raises(NotNow, match="is being cancelled"):
            await story.requeue(job)
        voice.report(wire.Report.KILLED, job, index=0)
        await story.until(lambda: story.status(job, 0) == "cancelled")
        assert story.status(job, 1) == "running"
