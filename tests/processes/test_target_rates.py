"""Programs at target rates on two agents with a core each."""

import asyncio
import os
from pathlib import Path

import pytest

from molokini.model.errors import MolokiniError
from molokini.proto.v1.job_service_pb2 import ControlledJob
from tests.kit.real_cluster import Cluster
from tests.kit.target_rates import (
    FIRST,
    KEPT,
    POINTS,
    aimed,
    alone,
    begun,
    busy_loop,
    ended,
    kept,
    processes,
    reached,
    two_cores,
    until_iteration,
)
from tests.kit.waiting import DEADLINE_S

pytestmark = pytest.mark.waits


@pytest.mark.deep
@pytest.mark.dear("a real program of two ranks under six targets, 70 iterations of half a second alone")
async def test_a_program_keeps_its_targets(tmp_path: Path) -> None:
    async with two_cores(tmp_path) as here:
        job = await begun(here)
        before = await alone(here, job)
        print(f"alone {before.full:.3f}/s, with {before.used:.1%} of the core of the busier rank")
        free = await kept(here, job, 50.0, before, 3)
        found = await aimed(here, job, 50.0, before, 33)
        changes = [await aimed(here, job, target, before, 6) for target in (30.0, 60.0, 20.0, 50.0, 40.0)]
        [told] = await here.client.rates([job])
        await ended(here, [job])
    if free.is_judged:
        # Beside other load it may be anything.
        assert free.off > POINTS
    # On both nodes, in 60 ms each.
    assert told.periods > 500
    assert told.misses < told.periods
    settled = found.settled()
    settled.need_cores()
    assert found.responded() <= FIRST
    assert settled.near() >= KEPT
    assert settled.off <= POINTS
    for change in changes:
        change.need_cores()
        assert change.responded() <= FIRST


@pytest.mark.deep
@pytest.mark.dear("two real programs of two ranks on two cores, 25 iterations each")
async def test_two_programs_and_a_busy_loop(tmp_path: Path) -> None:
    async with two_cores(tmp_path) as here:
        jobs = [await begun(here)]
        before = await alone(here, jobs[0])
        await aimed(here, jobs[0], 30.0, before, 2)
        jobs.append(await begun(here))
        await until_iteration(here, jobs[1], 1)
        await aimed(here, jobs[1], 40.0, before, 3)
        ranks = [process for job in jobs for process in processes(here, job)]
        both = await asyncio.gather(
            *(
                kept(here, job, target, before, 10, ranks[2:] if job == jobs[0] else ranks[:2])
                for job, target in zip(jobs, (30.0, 40.0), strict=True)
            )
        )
        async with busy_loop(min(os.sched_getaffinity(0))) as loop:
            beside = await kept(here, jobs[1], 40.0, before, 8, [*ranks[:2], loop])
        assert await refusal(here, jobs[0], "55%") != ""
        assert [one.rate for one in await here.client.rates([jobs[0]])] == ["30%"]
        await ended(here, jobs)
    for found in (*both, beside):
        found.need_cores()
        assert found.off <= POINTS
    assert abs(beside.mean - both[1].mean) <= POINTS


def last_report(found: ControlledJob) -> int:
    """The last iteration of which the server has heard; 0: none."""
    return found.reports[-1].iteration if found.reports else 0


@pytest.mark.deep
@pytest.mark.dear("a real program of two ranks, and a server that is killed beside it")
async def test_a_killed_server_goes_on_controlling(tmp_path: Path) -> None:
    """Nothing is judged by clocks: target, pair and orders are those of before, and reports come again."""
    async with two_cores(tmp_path) as here:
        job = await begun(here)
        await until_iteration(here, job, 1)
        assert await here.client.set_rates([job], "40%", full_rate=1.7, period_s=0.1, step_s=0.01) == [""]
        await until_iteration(here, job, reached(here, job) + 2)
        [before] = await here.client.rates([job])
        await here.server.kill()
        await here.serve_again()
        async with asyncio.timeout(2 * DEADLINE_S):
            while True:
                found = await here.client.rates([job])
                if found and last_report(found[0]) > last_report(before):
                    break
                await asyncio.sleep(0.1)
        [after] = found
        assert (after.rate, after.full_rate, after.target) == ("40%", 1.7, 0.4)
        assert after.orders >= before.orders
        assert after.slice_s == pytest.approx(0.4 * after.period_s)
        assert await here.client.set_rates([job], "60%") == [""]
        [after] = await here.client.rates([job])
        assert after.slice_s == pytest.approx(0.6 * after.period_s)
        await ended(here, [job])


async def refusal(here: Cluster, job: int, rate: str) -> str:
    """Why a rate is refused; empty: it is not."""
    try:
        await here.client.set_rates([job], rate)
    except MolokiniError as error:
        return str(error)
    return ""
