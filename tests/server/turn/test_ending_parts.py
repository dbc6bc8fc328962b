"""Attempts on the nodes of several agents: each runs its own part, and the attempt ends with the last."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from molokini.model.facts import AttemptGone, JobEnded, JobRequeued, NodeDrained, PartEnded
from molokini.model.run_results import RunResult
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.translate import job_to_wire
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept
from tests.kit.voices import Voice, joined, spoken


@asynccontextmanager
async def wide(**spec: Any) -> AsyncIterator[tuple[Story, Voice, Voice, int]]:
    """A job on all nodes of two agents, n1 and n2 of *hand* and m1 and m2 of *other*."""
    async with spoken() as (story, first):
        await story.do(LoseNodes(["n3", "n4"], "root", "not in this story"))
        second = await joined(story, "other", "b2", offers=[nodes("m[1-2]")])
        job = await first.given(nodes=4, processors_per_node=4, **spec)
        await second.hears("launch")
        yield story, first, second, job


def kinds(voice: Voice) -> list[int]:
    return [one.kind for one in voice.of("order")]


async def test_each_agent_is_told_of_the_whole_and_the_last_one_ends_it() -> None:
    async with wide() as (story, first, second, job):
        for voice in (first, second):
            [launch] = voice.of("launch")
            assert [part.node for part in launch.allocation] == ["n1", "n2", "m1", "m2"]
        assert [agent.attempts for agent in story.core.hub.agents()] == [1, 1]
        first.report(wire.Report.ENDED, job, cpu_s=1.5, memory_kb=70, read_kb=1, written_kb=2)
        await first.hears("acknowledge")
        assert story.status(job) == "running"
        await assert_kept(story)
        second.report(wire.Report.ENDED, job, cpu_s=2.0, memory_kb=50, read_kb=10, written_kb=20)
        await story.until(lambda: story.status(job) == "completed")
        run = story.run(job)
        assert run.result == RunResult(memory_kb=70, memory_all_kb=120, cpu_s=3.5, read_kb=11, written_kb=22)
        shown = job_to_wire(story.job(job), run, story.state)
        assert (shown.memory_used_kb, shown.memory_all_kb) == (70, 120)
        assert kinds(first) == kinds(second) == []
        await assert_kept(story)


KILL = wire.Order.KILL


async def test_with_one_part_that_fails_all_end_and_its_exit_code_is_the_jobs() -> None:
    async with wide() as (story, first, second, job):
        await story.advance(7.0)
        second.report(wire.Report.ENDED, job, at_s=6.0, exit_code=3, reason="too cold")
        [order] = await first.hears("order")
        assert (order.kind, order.attempt.job_id, kinds(second)) == (KILL, job, [])
        first.report(wire.Report.KILLED, job, at_s=7.0)
        await story.until(lambda: story.status(job) == "failed")
        run = story.run(job)
        assert (run.result.exit_code, run.end_s) == (3, 7.0)
        assert run.reason == "first on the node of agent other: too cold"
        await assert_kept(story)


async def test_where_it_is_to_keep_going_the_others_do() -> None:
    async with wide(keep_going=True) as (story, first, second, job):
        await story.advance(7.0)
        second.report(wire.Report.ENDED, job, at_s=6.0, signal=11)
        await second.hears("acknowledge")
        assert (story.status(job), kinds(first)) == ("running", [])
        first.report(wire.Report.ENDED, job, at_s=5.0, exit_code=2)
        await story.until(lambda: story.status(job) == "failed")
        # The first that failed, not the first that said so.
        assert (story.run(job).result.exit_code, story.run(job).result.signal) == (2, 0)


async def test_a_part_that_cannot_begin_ends_the_others_in_any_case() -> None:
    async with wide(keep_going=True) as (story, first, second, job):
        second.report(wire.Report.NOT_STARTED, job, reason="no such program")
        assert [one.kind for one in await first.hears("order")] == [KILL]
        first.report(wire.Report.KILLED, job)
        await story.until(lambda: story.status(job) == "not-started")


async def test_both_fail_at_one_instant_and_the_first_node_counts() -> None:
    async with wide(keep_going=True) as (story, first, second, job):
        second.report(wire.Report.ENDED, job, exit_code=8)
        await second.hears("acknowledge")
        first.report(wire.Report.ENDED, job, exit_code=9)
        await story.until(lambda: story.status(job) == "failed")
        assert story.run(job).result.exit_code == 9


async def test_ends_of_one_instant_are_one_turn_and_one_pass() -> None:
    async with wide() as (story, first, second, job):
        passes = story.core.reactor.passes
        first.report(wire.Report.ENDED, job, cpu_s=5.0)
        second.report(wire.Report.ENDED, job, cpu_s=7.0)
        await story.until(lambda: story.status(job) == "completed")
        assert story.core.reactor.passes == passes + 1
        assert story.run(job).result.cpu_s == 12.0


async def test_the_last_part_does_not_hide_one_that_failed_in_the_same_turn() -> None:
    async with wide() as (story, first, second, job):
        first.report(wire.Report.ENDED, job, exit_code=1, cpu_s=5.0)
        second.report(wire.Report.ENDED, job, cpu_s=7.0)
        await story.until(lambda: story.status(job) not in ("running", "waiting"))
        run = story.run(job)
        assert (story.status(job), run.result.exit_code, run.result.cpu_s) == ("failed", 1, 12.0)
        await assert_kept(story)


@pytest.mark.parametrize("how", ["cancelled", "waiting"])
async def test_a_job_that_is_stopped_is_so_when_all_have_stopped(how: str) -> None:
    async with wide() as (story, first, second, job):
        await (story.cancel(job) if how == "cancelled" else story.requeue(job))
        for voice in (first, second):
            assert [one.kind for one in await voice.hears("order")] == [KILL]
        first.report(wire.Report.KILLED, job)
        await first.hears("acknowledge")
        assert story.status(job) == "running"
        second.report(wire.Report.KILLED, job)
        wanted = "cancelled" if how == "cancelled" else "running"
        await story.until(lambda: story.status(job) == wanted)
        await assert_kept(story)
        if how == "waiting":
            assert [one.attempt.attempt for one in await first.hears("launch", 2)] == [1, 2]
            # What is said late of the first attempt is no word about the second.
            second.report(wire.Report.ENDED, job, attempt=1)
            first.report(wire.Report.KILLED, job, attempt=1)
            await second.hears("acknowledge", 2)
            assert (story.status(job), story.state.ended_parts) == ("running", {})


async def test_all_parts_are_suspended_resumed_signalled_and_limited() -> None:
    async with wide() as (story, first, second, job):
        await story.do(SuspendJob(job, -1, "root"))
        await story.do(ResumeJob(job, -1, "root"))
        for voice in (first, second):
            await voice.hears("order", 2)
            assert kinds(voice) == [wire.Order.SUSPEND, wire.Order.RESUME]
        first.report(wire.Report.ENDED, job)
        await first.hears("acknowledge")
        await story.do(SuspendJob(job, -1, "root"))
        await second.hears("order", 3)
        assert len(kinds(first)) == 2, "its part is over"


async def test_a_part_whose_lease_ran_out_takes_the_whole_back_when_the_others_have_let_it_go() -> None:
    async with wide() as (story, first, second, job):
        second.report(wire.Report.KILLED, job, reason="its lease ran out")
        [order] = await first.hears("order")
        assert (order.kind, order.attempt.attempt) == (KILL, 1)
        [requeued] = story.journal.facts(JobRequeued)
        assert requeued.left == ("hand",)
        await story.settled()
        # It starts again, and nowhere before the first agent has ended its part.
        assert (story.run(job).attempt, len(first.of("launch")), len(second.of("launch"))) == (2, 1, 1)
        await assert_kept(story)
        first.report(wire.Report.KILLED, job, attempt=1)
        for voice in (first, second):
            launch = (await voice.hears("launch", 2))[-1]
            assert launch.attempt.attempt == 2
        assert story.journal.facts(AttemptGone) == [AttemptGone(job, -1, "hand")]
        for voice in (first, second):
            voice.report(wire.Report.ENDED, job, attempt=2)
        await story.until(lambda: story.status(job) == "completed")


async def test_a_lost_node_takes_the_whole_back_and_only_living_agents_are_waited_for() -> None:
    async with wide() as (story, first, _, job):
        await story.do(LoseNodes(["m1", "m2"], "root", "a fire"))
        [requeued] = story.journal.facts(JobRequeued)
        assert requeued.left == ("hand",)
        first.report(wire.Report.KILLED, job)
        await story.until(lambda: not story.state.left)
        assert story.status(job) == "waiting"
        await assert_kept(story)


async def test_of_parts_that_were_over_already_nobody_is_waited_for() -> None:
    async with wide() as (story, first, _, job):
        first.report(wire.Report.ENDED, job)
        await first.hears("acknowledge")
        await story.do(LoseNodes(["m1", "m2"], "root", "a fire"))
        assert [fact.left for fact in story.journal.facts(JobRequeued)] == [()]
        assert (story.state.left, story.state.ended_parts) == ({}, {})
        await assert_kept(story)


async def test_an_agent_that_comes_again_has_its_part_unless_that_is_over() -> None:
    async with wide() as (story, first, second, job):
        first.report(wire.Report.ENDED, job)
        await first.hears("acknowledge")
        for old, count in ((first, 0), (second, 1)):
            await old.gone()
            back = await joined(
                story, old.name, old.boot_id, offers=[nodes("n[1-4]" if old is first else "m[1-2]")]
            )
            assert len(back.of("welcome")[0].attempts) == count
        await story.settled()
        await assert_kept(story)


async def test_an_agent_that_was_away_when_another_part_failed_hears_of_it() -> None:
    async with wide() as (story, first, second, job):
        await first.gone()
        second.report(wire.Report.ENDED, job, exit_code=1)
        await second.hears("acknowledge")
        back = await joined(story, first.name, first.boot_id, offers=[nodes("n[1-4]")])
        [order] = await back.hears("order")
        assert (order.kind, order.attempt.job_id) == (KILL, job)
        back.report(wire.Report.KILLED, job)
        await story.until(lambda: story.status(job) == "failed")


async def test_on_the_first_node_alone_one_agent_runs_it() -> None:
    async with spoken() as (story, first):
        second = await joined(story, "other", "b2", offers=[nodes("m[1-4]")])
        job = await first.given(processors=32, first_node_alone=True)
        assert second.of("launch") == []
        second.report(wire.Report.ENDED, job)
        await second.hears("acknowledge")
        assert story.status(job) == "running"
        first.report(wire.Report.ENDED, job)
        await story.until(lambda: story.status(job) == "completed")
        assert story.journal.facts(PartEnded) == []


async def test_a_node_that_is_to_blame_is_drained_and_the_job_goes_back() -> None:
    async with wide() as (story, first, second, job):
        reason = "prolog /etc/p: exit code 1"
        second.report(wire.Report.NOT_STARTED, job, reason=reason, node="m1", drain_reason=reason)
        [order] = await first.hears("order")
        assert order.kind == KILL
        drained = story.journal.facts(NodeDrained)
        assert [(fact.node, fact.reason) for fact in drained] == [("m1", reason)]
        first.report(wire.Report.KILLED, job)
        await story.until(lambda: not story.state.left)
        assert (story.status(job), story.run(job).reason) == ("waiting", reason)
        assert [fact.ending for fact in story.journal.facts(JobEnded)] == []
        await assert_kept(story)


async def test_a_job_that_runs_once_fails_where_the_node_is_to_blame(story: Story, voice: Voice) -> None:
    job = await voice.given(processors=1, requeue=False)
    voice.report(wire.Report.NOT_STARTED, job, reason="prolog", node="n1", drain_reason="prolog")
    await story.until(lambda: story.status(job) == "not-started")
    assert [fact.node for fact in story.journal.facts(NodeDrained)] == ["n1"]


async def test_an_end_that_leaves_processes_behind_drains_the_node_once(story: Story, voice: Voice) -> None:
    jobs = [await story.submit(processors=1) for _ in range(2)]
    await voice.hears("launch", 2)
    for job in jobs:
        why: dict[str, Any] = {"reason": "kill failed", "drain_reason": "kill failed", "node": "n1"}
        voice.report(wire.Report.ENDED, job, signal=9, **why)
    await story.until(lambda: story.status(jobs[1]) == "failed")
    assert [fact.node for fact in story.journal.facts(NodeDrained)] == ["n1"]
    await assert_kept(story)


async def test_a_node_is_drained_whatever_its_attempt_has_become_but_not_that_of_another_agent() -> None:
    async with wide() as (story, first, second, job):
        second.report(wire.Report.ENDED, job, attempt=7, node="m2", drain_reason="epilog")
        second.report(wire.Report.ENDED, job, attempt=7, node="n1", drain_reason="epilog")
        await second.hears("acknowledge")
        await story.until(lambda: len(story.journal.facts(NodeDrained)) == 1)
        await story.settled()
        assert [fact.node for fact in story.journal.facts(NodeDrained)] == ["m2"]
        assert story.status(job) == "running"
        first.report(wire.Report.ENDED, job)


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("policy", ["easy", "srpt", "conservative"])
async def test_two_emulated_agents_run_a_workload_as_one_would(policy: str) -> None:
    """Jobs over both, which end, fail and are suspended, start and end at the very same instants."""
    told = []
    for offers in (["n[1-4]"], ["n[1-2]", "n[3-4]"]):
        draw = Random(7)
        async with live(policy, offers=[nodes(offers[0])]) as story:
            for name, names in zip(("other", "third"), offers[1:], strict=False):
                await story.join_beside([nodes(names)], name)
            ids = []
            for _ in range(40):
                estimate_s = draw.choice([5.0, 20.0, 60.0])
                outcome = {"exit_code": draw.choice([0, 0, 3])}
                run_s = estimate_s * draw.choice([0.2, 0.5, 1.5])
                width = draw.randint(1, 16)
                ids.append(
                    await story.submit(processors=width, estimate_s=estimate_s, run_s=run_s, outcome=outcome)
                )
                await story.advance(draw.choice([0.0, 1.0, 7.0]))
            await story.advance(5000.0)
            runs = [(story.status(job), story.run(job)) for job in ids]
            told.append(
                [(status, run.start_s, run.end_s, run.result.exit_code, run.nodes) for status, run in runs]
            )
            assert (story.state.ended_parts, story.state.left) == ({}, {})
            await assert_kept(story)
            parts = len(story.journal.facts(PartEnded))
            assert bool(parts) == (len(offers) > 1)
    assert told[0] == told[1]
