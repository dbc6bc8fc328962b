"""A program that waits for most of its time is at its target, once it is measured what it uses alone."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from molokini.proto.v1.job_service_pb2 import ControlledJob
from tests.kit.real_cluster import Cluster, cluster
from tests.kit.target_rates import FIRST, POINTS, PROGRAM, Row, outputs
from tests.kit.waiting import DEADLINE_S

pytestmark = pytest.mark.waits

COMPUTE_S, EVERY_S = 0.3, 1.0
MOST_WAITED = 0.03
"""Of its computing, for which it may have waited for its core, where its rate is judged."""


@asynccontextmanager
async def one_core(folder: Path) -> AsyncIterator[Cluster]:
    """A cluster with an agent on one core; skipped without a real-time priority."""
    if not shutil.which("taskset") or os.geteuid() != 0:
        pytest.skip("needs taskset and a real-time priority")
    core = max(os.sched_getaffinity(0))
    async with cluster(folder) as here:
        await here.agent("one", inside=("taskset", "-c", str(core)))
        yield here


def rows(here: Cluster, job: int) -> list[Row]:
    """What it has said at the end of each iteration: its clocks."""
    said = [words for rank in outputs(here, job) for words in rank if len(words) == 4]
    return [Row(float(at), float(ran), float(waited)) for _, at, ran, waited in said]


async def controlled(here: Cluster, job: int) -> ControlledJob:
    """How it goes, once it has an order."""
    async with asyncio.timeout(2 * DEADLINE_S):
        while True:
            found = await here.client.rates([job])
            if found and found[0].orders:
                return found[0]
            await asyncio.sleep(0.1)


async def achieved(here: Cluster, job: int, count: int) -> float:
    """Percent of its full rate over *count* iterations, by its own clocks, once it may have settled."""
    # The one that is under way is not whole.
    since = len(rows(here, job)) + 1 + FIRST
    async with asyncio.timeout(2 * DEADLINE_S):
        while len(rows(here, job)) < since + count:
            await asyncio.sleep(0.1)
    first, last = rows(here, job)[since - 1], rows(here, job)[since + count - 1]
    waited = (last.waited - first.waited) / (last.ran - first.ran)
    found = 100 * EVERY_S * count / (last.at - first.at)
    print(f"{found:.2f}% of its full rate; it waited for its core for {waited:.1%} of its computing")
    if waited > MOST_WAITED:
        pytest.skip("the core was not there")
    return found


@pytest.mark.deep
@pytest.mark.dear("a real program, 24 iterations of a second alone, at half of its rate")
async def test_a_program_that_waits_by_itself_is_held_at_its_target(tmp_path: Path) -> None:
    async with one_core(tmp_path) as here:
        words = ("--compute", str(COMPUTE_S), "--every", str(EVERY_S))
        job = await here.client.submit(
            argv=[sys.executable, str(PROGRAM.with_name("paced.py")), *words],
            processors=1,
            estimate_s=3600.0,
            working_directory=str(tmp_path),
            rate="50%",
            measure_full_use=True,
        )
        before = await controlled(here, job)
        print(f"full rate {before.full_rate:.3f}/s, {before.full_use:.1%} used of the processor")
        measured = await achieved(here, job, 8)
        # With all of the processor as what it uses, its slices are larger than all that it uses alone.
        assert await here.client.set_rates([job], "50%", full_use=1.0) == [""]
        whole = await achieved(here, job, 5)
        await here.client.cancel([job])
    assert before.full_use_from == "measured"
    assert before.full_use == pytest.approx(COMPUTE_S / EVERY_S, abs=0.02)
    assert abs(measured - 50.0) <= POINTS
    assert whole > 50.0 + POINTS
