"""Scheduling paused by command, iteration by iteration, and resumed; statistics that begin anew."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.queries.explanations import explain
from molokini.server.queries.state_snapshot import picture_of
from molokini.server.security.roles import Role
from molokini.server.turn.scheduling import ResetStatistics, SetScheduling
from tests.kit.live import MemoryJournal, Story, again, live
from tests.kit.live_picture import picture
from tests.kit.serving import Served, served

ROOT, OLGA = ("root", Role.ADMINISTRATOR), ("olga", Role.OPERATOR)
STATE = jobs_pb2.JobState


@asynccontextmanager
async def cluster(folder: Path) -> AsyncIterator[tuple[Served, Client]]:
    async with served(folder, "maui") as one, one.client(*ROOT) as root:
        yield one, root


async def states(root: Client, jobs: list[int]) -> list[Any]:
    return [(await root.job(job)).state for job in jobs]


async def scheduler(root: Client) -> dict[str, Any]:
    return await root.report("scheduler")


async def test_no_job_starts_while_it_is_paused_and_running_ones_end(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (_, root):
        runs = await root.submit(processors=4, estimate_s=100, outcome={"run_s": 10})
        assert (await root.pause_scheduling(reason="maintenance")).paused
        waits = await root.submit(processors=4, estimate_s=100)
        await root.advance(20)
        assert await states(root, [runs, waits]) == [STATE.COMPLETED, STATE.WAITING]
        told = await root.explain(waits)
        assert told.text == "scheduling is paused (maintenance)"
        assert list(told.what_would_help) == ["resuming scheduling"]
        found = await scheduler(root)
        assert (found["paused"], found["iterations_left"]) == (True, 0)
        assert found["warnings"] == ["scheduling is paused, and no job starts: maintenance"]
        assert not (await root.resume_scheduling()).paused
        await root.advance(0)
        assert await states(root, [waits]) == [STATE.RUNNING]
        found = await scheduler(root)
        assert (found["paused"], found["iterations_left"], found["warnings"]) == (False, None, [])


async def test_what_keeps_a_job_anyway_is_told_besides(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (_, root):
        await root.submit(processors=16, estimate_s=100)
        waits = await root.submit(processors=4, estimate_s=100)
        await root.pause_scheduling()
        told = await root.explain(waits)
        assert told.text.startswith("scheduling is paused; besides, it has a reservation at 100 s")
        assert told.what_would_help[0] == "resuming scheduling"
        assert len(told.what_would_help) > 1


async def test_so_many_iterations_are_made_at_once_and_no_more(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (one, root):
        await root.pause_scheduling()
        first = await root.submit(processors=4, estimate_s=1000)
        made = one.core.reactor.passes
        assert (await root.pause_scheduling(3, at_once=True)).paused
        await root.advance(0)
        assert one.core.reactor.passes == made + 3
        second = await root.submit(processors=4, estimate_s=1000)
        await root.advance(200)
        assert await states(root, [first, second]) == [STATE.RUNNING, STATE.WAITING]
        assert one.core.reactor.passes == made + 3


async def test_it_goes_on_as_things_happen_until_so_many_were_made(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (one, root):
        jobs = []
        made = one.core.reactor.passes
        assert (await root.pause_scheduling(2)).passes_left == 2
        for _ in range(4):
            jobs.append(await root.submit(processors=1, estimate_s=1000))
            await root.job(jobs[-1])
        assert one.core.reactor.passes == made + 2
        assert await states(root, jobs) == [STATE.RUNNING] * 2 + [STATE.WAITING] * 2


async def test_an_iteration_that_is_asked_for_is_made_although_it_is_paused(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (_, root):
        await root.pause_scheduling()
        job = await root.submit(processors=4, estimate_s=1000)
        await root.trace_iteration(dry_run=True)
        await root.advance(0)
        assert await states(root, [job]) == [STATE.WAITING]
        await root.trace_iteration()
        await root.advance(0)
        assert await states(root, [job]) == [STATE.RUNNING]
        other = await root.submit(processors=4, estimate_s=1000)
        await root.advance(0)
        assert await states(root, [other]) == [STATE.WAITING]


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (wire.ChangeSchedulingRequest(), "pause_after or resume"),
        (wire.ChangeSchedulingRequest(pause_after=-1), "from 0 to 1,000,000 passes"),
        (wire.ChangeSchedulingRequest(resume=True, reason="x" * 1001), "at most 1,000 characters"),
    ],
)
async def test_requests_refused(tmp_path: Path, request_: wire.ChangeSchedulingRequest, text: str) -> None:
    async with cluster(tmp_path) as (one, root):
        with pytest.raises(errors.Refused, match=text):
            await root._caller.call(root._cluster_service.ChangeScheduling, request_)
        assert not one.core.state.paused


async def test_who_may(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (one, root), one.client() as ann, one.client(*OLGA) as olga:
        full = await root.submit(processors=16, estimate_s=100)
        job = await ann.submit(processors=4, estimate_s=100)
        for caller in (ann, olga):
            with pytest.raises(errors.NotAllowed):
                await caller.pause_scheduling()
            with pytest.raises(errors.NotAllowed):
                await caller.reset_statistics()
        with pytest.raises(errors.NotAllowed):
            await ann.start([job])
        await root.suspend([full])
        await root.pause_scheduling()
        other = await ann.submit(processors=1, estimate_s=100)
        await olga.start([other])
        assert await states(root, [other]) == [STATE.RUNNING]


async def test_it_is_paused_after_a_restart_and_the_iterations_left_are_gone() -> None:
    journal = MemoryJournal()
    async with live("easy", journal=journal) as story:
        await story.do(SetScheduling(True, "root", "maintenance"))
        assert picture(await again(journal)) == picture(story.state)
    async with live("easy", journal=journal) as story:
        job = await story.submit(processors=1, run_s=10.0)
        assert (story.state.paused, story.status(job)) == (True, "waiting")
        assert (
            explain(story.core, story.job(job), story.run(job)).text == "scheduling is paused (maintenance)"
        )
        await resumed(story)
        assert story.status(job) == "running"


async def resumed(story: Story) -> None:
    await story.do(SetScheduling(False, "root"))
    story.core.reactor.allow_passes(0, False)
    await story.until(lambda: story.core.reactor.wake_s != -float("inf"))


async def test_statistics_are_of_what_has_ended_since(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (_, root):
        await root.submit(processors=4, estimate_s=100, outcome={"run_s": 10})
        await root.advance(20)
        before = (await root.report("statistics"))["totals"]
        assert (before["since_s"], before["jobs_completed"]) == (0.0, 1)
        assert await root.reset_statistics() == 20.0
        found = (await root.report("statistics"))["totals"]
        assert (found["since_s"], found["jobs_completed"]) == (20.0, 0)
        assert (await root.report("grid", by="JOBCOUNT"))["total"]["jobs"] == 0
        await root.submit(processors=2, estimate_s=100, outcome={"run_s": 10})
        await root.advance(20)
        found = (await root.report("statistics", by="user"))["totals"]
        assert (found["since_s"], found["jobs_completed"]) == (20.0, 1)


async def test_a_reset_is_there_after_a_recovery() -> None:
    async with live("easy") as story:
        await story.advance(30.0)
        assert await story.do(ResetStatistics("root")) == 30.0
        assert (await again(story.journal)).statistics_since_s == 30.0


async def test_statistics_count_what_ends_after_their_reset_and_not_what_ended_at_that_instant() -> None:
    async with live("easy") as story:
        for run_s in (10.0, 30.0, 31.0):
            await story.submit(run_s=run_s)
        await story.advance(30.0)
        assert picture_of(story.core).finished.end_s.tolist() == [10.0, 30.0]
        await story.do(ResetStatistics("root"))
        await story.advance(5.0)
        assert picture_of(story.core).finished.end_s.tolist() == [31.0]
