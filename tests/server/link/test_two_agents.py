"""Several agents: who runs what, whose word counts, and who is given up."""

import time

from molokini.model.facts import AttemptGone, JobEnded, JobRequeued, NodeLost, NodeReturned
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.state.node_names import NodeStatus
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import nodes
from tests.kit.voices import Voice, moved, spoken


async def test_what_is_resumed_at_another_agent_is_launched_there_and_stopped_where_it_was() -> None:
    async with spoken() as (story, first):
        second = Voice(story, "other")
        await second.joined(nodes("m[1-4]"))
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
            second.task.cancel()
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
        second.task.cancel()


async def test_an_agent_that_comes_again_hears_its_welcome_first() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=1)
        await voice.hears("launch")
        voice.report(wire.Report.ENDED, job)
        await voice.hears("acknowledge")
        await voice.gone()
        again = Voice(story, voice.name, voice.boot_id)
        await again.joined()
        await again.hears("acknowledge")
        assert [message.WhichOneof("content") for message in again.heard[:2]] == ["welcome", "acknowledge"]
        again.task.cancel()


async def test_what_a_lease_has_ended_runs_again_or_is_lost_with_its_node() -> None:
    async with spoken() as (story, voice):
        again = await story.submit(processors=1)
        once = await story.submit(processors=1, requeue=False)
        await voice.hears("launch", 2)
        for job in (again, once):
            voice.report(wire.Report.KILLED, job, reason="its lease ran out")
        await story.until(lambda: story.status(once) == "node-lost")
        assert [fact.job for fact in story.journal.facts(JobRequeued)] == [again]
        assert [fact.job for fact in story.journal.facts(JobEnded)] == [once]


async def test_an_agent_that_comes_again_is_told_again_to_stop_what_was_taken_from_it() -> None:
    async with moved() as (story, first, second, moving):
        await first.gone()
        again = Voice(story)
        await again.joined()
        [order] = await again.hears("order")
        assert (order.kind, order.attempt.job_id) == (wire.Order.KILL, moving)
        assert not second.of("launch")
        again.report(wire.Report.KILLED, moving, order.attempt.attempt)
        await second.hears("launch")
        again.task.cancel()


async def test_an_agent_that_comes_again_gets_nothing_that_another_may_still_run() -> None:
    async with moved() as (story, first, second, moving):
        await second.gone()
        again = Voice(story, "other", "b2")
        await again.joined(nodes("m[1-4]"))
        assert not again.of("welcome")[0].attempts
        first.report(wire.Report.KILLED, moving)
        [launch] = await again.hears("launch")
        assert launch.attempt.job_id == moving
        again.task.cancel()


async def test_what_is_cancelled_before_its_old_agent_has_stopped_it_is_launched_nowhere() -> None:
    async with moved() as (story, first, second, moving):
        await story.cancel(moving)
        first.report(wire.Report.KILLED, moving)
        await story.until(lambda: bool(story.journal.facts(AttemptGone)))
        await story.settled()
        assert not second.of("launch")


async def test_a_node_that_died_does_not_return_with_its_agent() -> None:
    async with spoken() as (story, voice):
        voice.report(wire.Report.NODE_LOST, node="n1")
        await voice.hears("acknowledge")
        await voice.gone()
        again = Voice(story)
        await again.joined()
        await story.settled()
        assert story.journal.facts(NodeReturned) == []
        assert story.state.machine.node("n1").status is NodeStatus.DOWN
        again.task.cancel()


async def test_without_leases_silence_costs_no_node() -> None:
    async with spoken(lease_s=0.0, margin_s=1.0) as (story, _):
        hub, passed_s = story.core.hub, 0.0
        hub.monotonic = lambda: time.monotonic() + passed_s
        for _ in range(20):
            passed_s += 1.0
            hub.lose_the_silent()
        await story.settled()
        assert story.journal.facts(NodeLost) == []


async def test_an_agent_is_not_believed_about_the_jobs_of_another() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=1)
        await voice.hears("launch")
        other = Voice(story, "other")
        await other.joined(nodes("m[1-4]"))
        other.report(wire.Report.ENDED, job, exit_code=99)
        other.report(wire.Report.NODE_LOST, node="n1")
        await story.until(lambda: [one.serial for one in other.of("acknowledge")][-1:] == [2])
        assert story.status(job) == "running"
        assert story.journal.facts(NodeLost) == []
        other.task.cancel()


async def test_news_of_a_node_that_is_not_there_changes_nothing() -> None:
    async with spoken() as (story, voice):
        voice.report(wire.Report.NODE_LOST, node="n99")
        voice.report(wire.Report.NODE_RETURNED, node="n99")
        await story.until(lambda: [one.serial for one in voice.of("acknowledge")][-1:] == [2])
        assert story.journal.facts(NodeLost) == []
        # The agent is heard as before.
        voice.report(wire.Report.NODE_LOST, node="n1")
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 1)


async def test_a_server_that_was_paused_gives_nobody_up_for_it() -> None:
    async with spoken(lease_s=5.0, margin_s=1.0) as (story, voice):
        hub, slept_s = story.core.hub, 0.0
        hub.monotonic = lambda: time.monotonic() + slept_s
        slept_s = 1000.0
        hub.lose_the_silent()
        await story.settled()
        assert story.journal.facts(NodeLost) == []
        # Awake and looking, it gives up whoever is silent from then on.
        for _ in range(7):
            slept_s += 1.0
            hub.lose_the_silent()
        await story.until(lambda: len(story.journal.facts(NodeLost)) == 4)
        assert voice.heard


async def test_a_node_that_its_agent_says_is_back_stays_drained_if_it_was() -> None:
    async with spoken() as (story, voice):
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
