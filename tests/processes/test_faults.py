"""Agents and servers that are killed, paused and started anew while they run real jobs: none runs twice."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.proto.v1.cluster_service_pb2 import NodeState
from molokini.proto.v1.jobs_pb2 import Job, JobState
from molokini.supervisor.trees import alive
from tests.kit.real_cluster import PROGRAM, Cluster, cluster, counted
from tests.kit.real_jobs import gone, until
from tests.torture.real_kills import good, kills
from tests.torture.real_processes import Process

pytestmark = pytest.mark.waits


@pytest.mark.deep
async def test_kills_in_a_tight_loop(tmp_path: Path) -> None:
    """Faults F9 and F11, briefly: ``make torture`` kills a hundred times."""
    figures = await kills(tmp_path, 12, 6)
    assert good(figures), figures


@pytest.mark.deep
async def test_an_agent_that_is_paused_past_its_lease(tmp_path: Path) -> None:
    """Fault F15: supervisors end the first attempts by their own clocks before the second ones begin."""
    async with cluster(tmp_path, lease_s=2.0) as here:
        agent = await here.agent()
        [job] = await here.submit(1)
        [first] = here.pids()
        agent.pause()
        second = await here.agent("two")
        await until(lambda: len(here.pids()) == 2)
        assert not alive(first), "the first attempt is dead before the second begins"
        agent.resume()
        assert [words[2] for words in here.runs("began")] == ["1", "2"]
        here.end([job])
        waited = await here.client.wait([job], 60.0)
        assert (waited.jobs[0].exit_code, waited.jobs[0].attempt) == (job % 200, 2)
        assert [words[2] for words in here.runs("ended")] == ["2"]
        assert second.alive


@pytest.mark.deep
async def test_a_node_that_is_lost_with_all_that_ran_there(tmp_path: Path) -> None:
    """Fault F13: after the lease, jobs that may run again do so once; the others are failed."""
    async with cluster(tmp_path, lease_s=2.0) as here:
        agent = await here.agent()
        [again] = await here.submit(1)
        once = await here.client.submit(
            argv=["sh", "-c", PROGRAM],
            processors=1,
            estimate_s=600.0,
            requeue=False,
            working_directory=str(tmp_path),
        )
        await until(lambda: len(here.pids()) == 2)
        await agent.kill()
        for pid in here.pids():
            os.kill(pid, signal.SIGKILL)
        await here.agent("two")
        await until(lambda: len(here.pids()) == 3)
        here.end([again])
        waited = await here.client.wait([again, once], 60.0)
        found = {job.id: job for job in waited.jobs}
        assert (found[again].exit_code, found[again].attempt) == (again % 200, 2)
        assert found[once].state != JobState.COMPLETED
        assert sorted(int(words[1]) for words in here.runs("began")) == sorted([again, again, once])


async def _check_ends(here: Cluster, ids: list[int]) -> None:
    """Each ended with its own exit code and ran once."""
    waited = await here.client.wait(ids, 60.0)
    assert waited.all_ended
    assert {job.id: job.exit_code for job in waited.jobs} == {number: number % 200 for number in ids}
    for what in ("began", "ended"):
        assert sorted(int(words[1]) for words in here.runs(what)) == sorted(ids)
    assert {words[2] for words in here.runs("began")} == {"1"}


async def test_the_server_is_killed_while_jobs_run(tmp_path: Path) -> None:
    """They neither notice nor run again."""
    async with cluster(tmp_path) as here:
        await here.agent()
        ids = await here.submit(3)
        await here.server.kill()
        here.end(ids[:1])
        await until(lambda: len(here.runs("ended")) == 1)
        await here.serve_again()
        here.end(ids[1:])
        await _check_ends(here, ids)


# Jobs over the nodes of several agents.


@asynccontextmanager
async def two_nodes(folder: Path, lease_s: float = 60.0) -> AsyncIterator[tuple[Cluster, Process, Process]]:
    async with cluster(folder, lease_s) as here:
        yield here, await here.agent("one"), await here.agent("two")


async def submit(here: Cluster, program: str = PROGRAM, nodes: int = 2, **more: Any) -> int:
    """A job over so many nodes, all processors of each, whose parts all end by themselves."""
    given = {"estimate_s": 600.0, "keep_going": True, "working_directory": str(here.folder), **more}
    return await here.client.submit(argv=["sh", "-c", program], nodes=nodes, processors_per_node=8, **given)


async def ended(here: Cluster, job: int) -> Job:
    waited = await here.client.wait([job], 60.0)
    assert waited.all_ended
    return waited.jobs[0]


async def clean(here: Cluster) -> None:
    await until(lambda: not [*here.folder.glob("*/jobs/*")])


@pytest.mark.deep
async def test_a_job_runs_on_both_nodes_and_ends_with_the_last(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (here, _, _):
        program = (
            "echo $MOLOKINI_NODE_INDEX $MOLOKINI_FIRST_RANK; "
            "[ $MOLOKINI_NODE_INDEX = 0 ] || while [ ! -e end ]; do sleep 0.02; done"
        )
        job = await submit(here, program)
        first, second = tmp_path / f"molokini-{job}.out", tmp_path / f"molokini-{job}.out.two"
        await until(lambda: first.exists() and second.exists() and len(second.read_text()) == 4)
        await asyncio.sleep(0.3)
        assert (await here.client.job(job)).state == JobState.RUNNING
        (tmp_path / "end").touch()
        found = await ended(here, job)
        assert (found.state, found.exit_code) == (JobState.COMPLETED, 0)
        assert (first.read_text(), second.read_text()) == ("0 0\n", "1 8\n")
        assert found.memory_all_kb > found.memory_used_kb > 0
        await clean(here)


def began(here: Cluster, attempt: int = 1) -> list[list[str]]:
    return [words for words in here.runs("began") if words[2] == str(attempt)]


@pytest.mark.deep
async def test_one_part_fails_and_all_end(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (here, _, _):
        program = PROGRAM.replace("exit $", "exit 3; exit $").replace(
            "end$MOLOKINI_JOB_ID", "end$MOLOKINI_NODE_NAME"
        )
        job = await submit(here, program, keep_going=False)
        await until(lambda: len(began(here)) == 2)
        (tmp_path / "endtwo").touch()
        found = await ended(here, job)
        assert (found.exit_code, found.reason) == (3, "first on the node of agent two")
        await gone(here.pids())
        await clean(here)
        assert len(here.runs("ended")) == 1


async def check(here: Cluster, job: Job, code: int, nodes: int = 2) -> None:
    """Nothing lost, nothing run twice, no process and no folder left."""
    await clean(here)
    counts = counted(here, {job.id: code}, {job.id: job.exit_code}, nodes)
    assert not any(counts.values()), counts


@pytest.mark.deep
async def test_where_it_keeps_going_the_other_part_ends_by_itself(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (here, _, _):
        job = await submit(here, PROGRAM.replace("end$MOLOKINI_JOB_ID", "end$MOLOKINI_NODE_NAME"))
        await until(lambda: len(began(here)) == 2)
        (tmp_path / "endtwo").touch()
        await until(lambda: len(here.runs("ended")) == 1)
        (tmp_path / "endone").touch()
        await check(here, await ended(here, job), job % 200)


@pytest.mark.deep
async def test_cancel_limit_suspend_and_resume_are_of_all_parts(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (here, _, _):
        job = await submit(here)
        await until(lambda: len(began(here)) == 2)
        await here.client.suspend([job])
        here.end([job])
        await asyncio.sleep(0.5)
        assert here.runs("ended") == [], "they stand still"
        await here.client.resume([job])
        await check(here, await ended(here, job), job % 200)
        cancelled = await submit(here)
        await until(lambda: len(began(here)) == 4)
        await here.client.cancel([cancelled])
        assert (await ended(here, cancelled)).state == JobState.CANCELLED
        limited = await submit(here, estimate_s=0.5)
        assert (await ended(here, limited)).state == JobState.TIMED_OUT
        await gone(here.pids())
        await clean(here)


@pytest.mark.deep
async def test_both_agents_are_killed_again_and_again(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (here, one, two):
        job = await submit(here)
        await until(lambda: len(began(here)) == 2)
        pids = here.pids()
        for _ in range(4):
            await one.kill()
            await two.kill()
            one, two = await here.agent("one", ready=False), await here.agent("two")
        await one.kill()
        here.end([job])
        # One part ends without its agent, the other tells at once.
        await until(lambda: len(here.runs("ended")) == 2)
        await here.agent("one")
        found = await ended(here, job)
        assert (here.pids(), found.attempt) == (pids, 1)
        await check(here, found, job % 200)


@pytest.mark.deep
async def test_a_requeue_begins_again_when_all_parts_have_ended(tmp_path: Path) -> None:
    async with two_nodes(tmp_path) as (here, _, _):
        job = await submit(here, f"trap '' TERM; {PROGRAM}")
        await until(lambda: len(began(here)) == 2)
        first = here.pids()
        await here.client.requeue([job])
        await until(lambda: len(began(here, 2)) == 2)
        assert not any(map(alive, first))
        here.end([job])
        found = await ended(here, job)
        assert (found.attempt, found.exit_code) == (2, job % 200)
        await gone(here.pids())
        await clean(here)


@pytest.mark.dear("a server, two agents and real processes, one of which is lost")
async def test_a_lost_node_takes_the_whole_job_and_no_attempts_overlap(tmp_path: Path) -> None:
    """The agent of one part dies for good; the other part is ended before the job starts on other nodes."""
    async with two_nodes(tmp_path, lease_s=2.0) as (here, _, two):
        # Slower than a start: the part on the living agent has to be waited for.
        job = await submit(here, f"trap 'sleep 0.1' TERM; {PROGRAM}")
        await until(lambda: len(began(here)) == 2)
        pids = {words[4]: int(words[3]) for words in began(here)}
        await here.agent("three")
        await two.kill()
        os.kill(pids["two"], signal.SIGKILL)
        await until(lambda: len(began(here, 2)) == 2)
        assert not any(map(alive, pids.values())), "all of the first attempt is dead before the second begins"
        assert sorted(words[4] for words in began(here, 2)) == ["one", "three"]
        here.end([job])
        found = await ended(here, job)
        assert (found.attempt, found.exit_code) == (2, job % 200)
        # It comes back with the end of a part that nobody waits for.
        await here.agent("two")
        await until(lambda: not [*(tmp_path / "two" / "jobs").iterdir()])
        assert (await here.client.job(job)).attempt == 2
        await clean(here)


@pytest.mark.deep
async def test_a_prolog_that_fails_on_one_node_drains_it_and_the_job_runs_elsewhere(tmp_path: Path) -> None:
    prolog = tmp_path / "prolog"
    prolog.write_text("#!/bin/sh\necho no scratch\nexit 9\n")
    prolog.chmod(0o755)
    async with cluster(tmp_path) as here:
        await here.agent("one")
        await here.agent("two", more=("--prolog", prolog))
        job = await submit(here)
        drained: dict[str, str] = {}
        while not drained:
            drained = {
                node.name: node.reason
                async for node in here.client.nodes()
                if node.state == NodeState.DRAINING
            }
        assert drained == {"two": f"prolog {prolog}: exit code 9: no scratch"}
        await here.agent("three")
        await until(lambda: len(began(here, 2)) == 2)
        here.end([job])
        found = await ended(here, job)
        assert (found.attempt, found.exit_code) == (2, job % 200)
        await gone(here.pids())
        await clean(here)
