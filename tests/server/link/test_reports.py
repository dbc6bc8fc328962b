"""What agents report, late, twice or wrong: what is believed, kept and acknowledged."""

import asyncio
from typing import Any

import pytest

from molokini.model.facts import JobEnded, JobRequeued, NodeLost, NodeReturned, ReportsTaken
from molokini.model.run_results import RunResult
from molokini.model.slicing import Slicing
from molokini.proto.clock_names import clock_name
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.link.latest_reports import MOST_HEARD
from molokini.server.services.slicing_service import fill_pace, sliced_jobs
from molokini.server.state.node_names import NodeStatus
from molokini.server.translate import job_to_wire
from molokini.server.turn.changing import Cancel
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.slicing import SliceJob
from tests.kit.live import Story, nodes
from tests.kit.live_picture import assert_sound
from tests.kit.voices import Voice, joined, ticking


async def test_a_start_is_told_once_and_its_end_is_acknowledged(story: Story, voice: Voice) -> None:
    job = await story.submit(processors=6)
    [launch] = await voice.hears("launch")
    assert (launch.attempt.job_id, launch.attempt.attempt) == (job, 1)
    assert sum(part.processors for part in launch.allocation) == 6
    voice.report(wire.Report.ENDED, job, exit_code=3, memory_kb=77)
    [acknowledged] = await voice.hears("acknowledge")
    assert acknowledged.serial == 1
    assert story.status(job) == "failed"
    assert story.run(job).result == RunResult(exit_code=3, memory_kb=77)


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
async def test_usage_is_kept_where_it_can_be_true(
    story: Story, voice: Voice, said: dict[str, Any], kept: tuple[float, int, int]
) -> None:
    job = await voice.given(processors=6)
    voice.report(wire.Report.ENDED, job, **said)
    await voice.hears("acknowledge")
    assert story.status(job) == "completed"
    made = job_to_wire(story.job(job), story.run(job), story.state)
    assert (made.cpu_s, made.read_kb, made.written_kb) == kept
    [fact] = story.journal.facts(JobEnded)
    expected = RunResult(cpu_s=kept[0], read_kb=kept[1], written_kb=kept[2])
    assert fact.result == story.run(job).result == expected


async def test_what_is_acknowledged_takes_no_memory_any_more(story: Story, voice: Voice) -> None:
    jobs = [await story.submit(processors=1) for _ in range(3)]
    await voice.hears("launch", 3)
    for job in jobs:
        voice.report(wire.Report.ENDED, job)
    await story.until(lambda: story.state.taken["hand"] == ("b1", 3))
    await story.settled()
    assert story.core.hub.sessions["hand"].reports == {}


async def test_repeated_reordered_and_late_reports_change_nothing(story: Story, voice: Voice) -> None:
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


async def test_a_report_of_an_earlier_attempt_does_not_end_the_present(story: Story, voice: Voice) -> None:
    job = await voice.given()
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


@pytest.mark.parametrize("at_s", [float("nan"), float("inf"), float("-inf")])
async def test_a_report_without_an_instant_is_refused(story: Story, voice: Voice, at_s: float) -> None:
    job = await voice.given()
    voice.report(wire.Report.ENDED, job, at_s=at_s)
    [refused] = await voice.hears("refused")
    assert "at_s" in refused.reason
    assert story.status(job) == "running"
    assert await story.submit() == job + 1


async def test_a_cancel_that_meets_the_end_leaves_one_terminal_state(story: Story, voice: Voice) -> None:
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


async def test_a_heartbeat_is_answered_with_what_is_durable(voice: Voice) -> None:
    job = await voice.given()
    voice.report(wire.Report.ENDED, job)
    await voice.hears("acknowledge")
    voice.said.put_nowait(wire.AgentMessage(heartbeat=wire.Heartbeat()))
    assert [one.serial for one in await voice.hears("acknowledge", 2)] == [1, 1]


async def test_reports_are_acknowledged_only_as_far_as_all_were_looked_at(story: Story, voice: Voice) -> None:
    jobs = [await story.submit(processors=1) for _ in range(2)]
    await voice.hears("launch", 2)
    # Both say something of the same jobs in one turn, so some of it has to wait for the next.
    voice.report(wire.Report.ENDED, jobs[0])
    voice.report(wire.Report.NODE_LOST, node="n1")
    voice.report(wire.Report.ENDED, jobs[1])
    await story.until(lambda: story.state.taken["hand"][1] == 3)
    ended = {story.status(job) for job in jobs}
    assert ended <= {"completed", "waiting", "running"}
    serials = [one.serial for one in voice.of("acknowledge")]
    assert serials == sorted(serials)


async def test_reports_that_settle_nothing_leave_no_trace() -> None:
    async with ticking() as (story, _):
        voice = await joined(story, boot_id="here/1")
        for serial in range(20, 10, -1):
            # Number 1 is missing, so none of these can be acknowledged.
            voice.report(wire.Report.LAUNCHED, serial=serial)
            await story.settled()
        assert story.journal.facts(ReportsTaken) == [ReportsTaken("hand", "here/1", 0)]
        for serial in range(1, 11):
            voice.report(wire.Report.LAUNCHED, serial=serial)
        await story.until(lambda: story.state.taken["hand"] == ("here/1", 20))


async def test_reports_of_another_start_are_not_acknowledged(story: Story, voice: Voice) -> None:
    """It would forget reports of its own that nobody has taken."""
    hub = story.core.hub
    for boot_id, serial in (("another", 7), ("", 0), (voice.boot_id, 3)):
        hub.send_orders(ReportsTaken(voice.name, boot_id, serial), 0.0)
    await voice.hears("acknowledge")
    assert [one.serial for one in voice.of("acknowledge")] == [3]


async def test_what_a_lease_has_ended_runs_again_or_is_lost_with_its_node(story: Story, voice: Voice) -> None:
    again = await story.submit(processors=1)
    once = await story.submit(processors=1, requeue=False)
    await voice.hears("launch", 2)
    for job in (again, once):
        voice.report(wire.Report.KILLED, job, reason="its lease ran out")
    await story.until(lambda: story.status(once) == "node-lost")
    assert [fact.job for fact in story.journal.facts(JobRequeued)] == [again]
    assert [fact.job for fact in story.journal.facts(JobEnded)] == [once]


async def test_an_agent_is_not_believed_about_the_jobs_of_another(story: Story, voice: Voice) -> None:
    job = await voice.given(processors=1)
    other = await joined(story, "other", offers=[nodes("m[1-4]")])
    other.report(wire.Report.ENDED, job, exit_code=99)
    other.report(wire.Report.NODE_LOST, node="n1")
    await story.until(lambda: [one.serial for one in other.of("acknowledge")][-1:] == [2])
    assert story.status(job) == "running"
    assert story.journal.facts(NodeLost) == []


async def test_news_of_a_node_that_is_not_there_changes_nothing(story: Story, voice: Voice) -> None:
    voice.report(wire.Report.NODE_LOST, node="n99")
    voice.report(wire.Report.NODE_RETURNED, node="n99")
    await story.until(lambda: [one.serial for one in voice.of("acknowledge")][-1:] == [2])
    assert story.journal.facts(NodeLost) == []
    # The agent is heard as before.
    voice.report(wire.Report.NODE_LOST, node="n1")
    await story.until(lambda: len(story.journal.facts(NodeLost)) == 1)


async def test_a_node_that_its_agent_says_is_back_stays_drained_if_it_was(story: Story, voice: Voice) -> None:
    await story.do(DrainNodes(["n1", "n2"], "root", "a fan"))
    for node in ("n1", "n3"):
        voice.report(wire.Report.NODE_LOST, node=node)
    for node in ("n1", "n2", "n3", "n4"):
        # Two of them were never lost: an agent repeats what it knows.
        voice.report(wire.Report.NODE_RETURNED, node=node)
    await story.until(lambda: story.state.taken["hand"][1] == 6)
    await story.settled()
    nodes_now = {record.name: record.status for record in story.state.machine.nodes}
    up, draining = NodeStatus.UP, NodeStatus.DRAINING
    assert nodes_now == {"n1": draining, "n2": draining, "n3": up, "n4": up}
    assert {fact.node for fact in story.journal.facts(NodeReturned)} == {"n1", "n3"}


# Slices: what was achieved, and what programs say of themselves.


async def heartbeat(voice: Voice, sent_s: float = 0.0) -> wire.Acknowledge:
    """The answer to a heartbeat: what was said before it has been heard by then."""
    known = len(voice.of("acknowledge"))
    voice.said.put_nowait(wire.AgentMessage(heartbeat=wire.Heartbeat(sent_s=sent_s)))
    answer: wire.Acknowledge = (await voice.hears("acknowledge", known + 1))[-1]
    return answer


async def test_heartbeats_are_answered_with_the_clock_on_request(story: Story, voice: Voice) -> None:
    before = story.core.hub.monotonic()
    plain, timed = await heartbeat(voice), await heartbeat(voice, 77.5)
    assert (plain.sent_s, plain.server_s, plain.clock) == (0.0, 0.0, "")
    assert (timed.sent_s, timed.clock) == (77.5, clock_name())
    assert before <= timed.server_s <= story.core.hub.monotonic()


ROW = Slicing(rows=2, row=(1,), quantum_s=0.2, origin_s=3.0)


async def test_what_was_achieved_is_there_to_be_asked_for(story: Story, voice: Voice) -> None:
    job = await story.submit(processors=1)
    await voice.hears("launch", 1)
    await story.do(SliceJob(job, -1, "root", ROW))
    attempt = wire.AttemptRef(job_id=job, array_index=-1, attempt=1)
    [line] = sliced_jobs(story.core).jobs
    assert (line.job.id, line.attempt, line.slicing.rows, dict(line.achieved)) == (job, 1, 2, {})

    async def says(sliced: jobs_pb2.Sliced, ref: wire.AttemptRef = attempt) -> None:
        voice.said.put_nowait(wire.AgentMessage(sliced=wire.SlicedAttempt(attempt=ref, sliced=sliced)))
        await heartbeat(voice)

    await says(jobs_pb2.Sliced(periods=5, on_s=1.0))
    await says(jobs_pb2.Sliced(trouble="t" * 2000))
    # Of another attempt, and of jobs that the agent does not run: the server keeps nothing.
    await says(jobs_pb2.Sliced(periods=7), wire.AttemptRef(job_id=job, array_index=-1, attempt=2))
    await says(jobs_pb2.Sliced(periods=7), wire.AttemptRef(job_id=99, array_index=-1, attempt=1))
    [line] = sliced_jobs(story.core).jobs
    [(agent, found)] = line.achieved.items()
    assert (agent, found.periods, found.on_s, len(found.trouble)) == (voice.name, 5, 1.0, 1000)
    for number in range(MOST_HEARD):
        story.core.hub.achieved.take((1000 + number, -1), 1, "other", jobs_pb2.Sliced())
    await says(jobs_pb2.Sliced(periods=9))
    assert len(story.core.hub.achieved) == MOST_HEARD
    assert sliced_jobs(story.core).jobs[0].achieved[voice.name].periods == 9


async def test_what_a_program_says_of_itself_is_there_to_be_asked_for(story: Story, voice: Voice) -> None:
    job = await story.submit(processors=1)
    await voice.hears("launch", 1)
    await story.do(SliceJob(job, -1, "root", ROW))

    async def says(iteration: int, attempt: int = 1, number: int = job, per_s: float = 2.5) -> None:
        ref = wire.AttemptRef(job_id=number, array_index=-1, attempt=attempt)
        rate = jobs_pb2.Rate(iteration=iteration, per_s=per_s, at_s=7.0)
        voice.said.put_nowait(wire.AgentMessage(rated=wire.RatedAttempt(attempt=ref, rate=rate)))
        await heartbeat(voice)

    def shown() -> jobs_pb2.Job:
        made, element = jobs_pb2.Job(), story.state.jobs[job].element
        assert element is not None
        fill_pace(story.core, made, element)
        return made

    await says(3)
    await says(4)
    await says(9, attempt=2)
    await says(9, number=99)
    await says(9, per_s=float("nan"))
    ref = wire.AttemptRef(job_id=job, array_index=-1, attempt=1)
    sliced = wire.SlicedAttempt(attempt=ref, sliced=jobs_pb2.Sliced(periods=5))
    voice.said.put_nowait(wire.AgentMessage(sliced=sliced))
    await heartbeat(voice)
    found = shown()
    [(agent, rate)] = found.rates.items()
    assert (agent, rate.iteration, rate.per_s, rate.at_s) == (voice.name, 4, 2.5, 7.0)
    assert (list(found.slicing.row), found.achieved[voice.name].periods) == ([1], 5)
    await story.do(SliceJob(job, -1, "root", None))
    assert not shown().HasField("slicing")
