"""Programs at target rates on two agents with a core each, judged by what ranks say of their own clocks."""

import asyncio
import os
import shutil
import signal
import socket
import statistics
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.model.errors import MolokiniError
from tests.kit.real_cluster import Cluster, cluster
from tests.kit.waiting import DEADLINE_S

pytestmark = pytest.mark.waits

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "rates" / "bsp.py"
HALF_S = 0.3
"""Computing in an iteration, and exchanging."""
RULES: dict[str, Any] = {"period_s": 0.1, "step_s": 0.002, "threshold": 3.0}
POINTS = 3.0
BUSY_POINTS = 8.0
"""Of the mean. Other tests run beside: clocks of agents are then known to some milliseconds, and slices of
two nodes meet in part. How many iterations are within the threshold is printed, and not judged here."""


@asynccontextmanager
async def two_cores(folder: Path) -> AsyncIterator[Cluster]:
    """A cluster with an agent on each of two cores; skipped without them, or a real-time priority."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2 or not shutil.which("taskset"):
        pytest.skip("needs two processors and taskset")
    if os.geteuid() != 0:
        pytest.skip("needs a real-time priority")
    async with cluster(folder) as here:
        for name, core in zip(("one", "two"), cores, strict=False):
            await here.agent(name, processors=8, inside=("taskset", "-c", str(core)))
        yield here


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


async def begun(here: Cluster, iterations: int = 1000) -> int:
    """The program on both agents."""
    words = ["--iterations", iterations, "--compute", HALF_S, "--exchange", HALF_S, "--port", free_port()]
    return await here.client.submit(
        argv=[sys.executable, str(PROGRAM), *map(str, words)],
        nodes=2,
        processors_per_node=1,
        estimate_s=3600.0,
        working_directory=str(here.folder),
    )


def lines(here: Cluster, job: int) -> list[list[tuple[int, float, float]]]:
    """Of each rank: iterations, their ends on the monotonic clock, processor time so far."""
    found = []
    for path in sorted(here.folder.glob(f"molokini-{job}.out*")):
        rows = [line.split() for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
        found.append([(int(a), float(b), float(c)) for a, b, c in (row for row in rows if len(row) == 3)])
    return found


async def until_iteration(here: Cluster, job: int, wanted: int) -> None:
    """Wait until both ranks have ended iteration *wanted*."""
    async with asyncio.timeout(DEADLINE_S + 60.0):
        while min((len(rank) for rank in lines(here, job)), default=0) < wanted or len(lines(here, job)) < 2:
            await asyncio.sleep(0.05)


def reached(here: Cluster, job: int) -> int:
    return min(len(rank) for rank in lines(here, job))


async def full_rate(here: Cluster, job: int) -> float:
    """Iterations a second alone, by processor time, so that load beside it counts for nothing."""
    await until_iteration(here, job, 5)
    spent = [(rank[4][2] - rank[0][2]) / 4 for rank in lines(here, job)]
    return 1.0 / max(spent)


def rates(here: Cluster, job: int, full: float, since: int) -> list[float]:
    """Percent of the full rate, of each iteration behind iteration *since*, by the clock of rank 0."""
    first = lines(here, job)[0]
    ends = [at for _, at, _ in first]
    return [100.0 / full / (ends[k] - ends[k - 1]) for k in range(since, len(ends))]


def shares(here: Cluster, job: int, since: int) -> list[float]:
    """Percent of its core that each rank had."""
    return [
        100 * (rank[-1][2] - rank[since - 1][2]) / (rank[-1][1] - rank[since - 1][1])
        for rank in lines(here, job)
    ]


def responded(found: Sequence[float], target: float) -> int:
    """Iterations until the first within the threshold, which counts; 99: none."""
    return next((k + 1 for k, rate in enumerate(found) if abs(rate - target) <= POINTS), 99)


def within(found: Sequence[float], target: float) -> float:
    return sum(abs(rate - target) <= POINTS for rate in found) / len(found)


def assert_kept(found: Sequence[float], target: float) -> None:
    """The mean is near the target."""
    print(f"within {POINTS:g} points of {target:g}%: {within(found, target):.0%} of {len(found)} iterations")
    assert abs(statistics.mean(found) - target) < BUSY_POINTS


async def aimed(here: Cluster, job: int, target: float, full: float, count: int) -> list[float]:
    """Set the target, and the rates of *count* iterations from then on."""
    assert await here.client.set_rates([job], f"{target:g}%", full_rate=full, **RULES) == [""]
    since = reached(here, job)
    await until_iteration(here, job, since + count)
    return rates(here, job, full, since)[:count]


@pytest.mark.deep
@pytest.mark.dear("a real program of two ranks under six targets, 80 iterations of half a second alone")
async def test_a_program_keeps_its_targets(tmp_path: Path) -> None:
    async with two_cores(tmp_path) as here:
        job = await begun(here)
        full = await full_rate(here, job)
        free = rates(here, job, full, reached(here, job) - 3)
        found = await aimed(here, job, 50.0, full, 33)
        print(f"full {full:.3f}/s, without control {free}, at 50%: {[round(rate, 1) for rate in found]}")
        print(f"shares of the cores {shares(here, job, reached(here, job) - 20)}")
        first = responded(found, 50.0)
        assert first <= 10
        assert_kept(found[first - 1 :], 50.0)
        for target in (30.0, 60.0, 20.0, 50.0, 40.0):
            found = await aimed(here, job, target, full, 6)
            print(f"at {target:g}%: {[round(rate, 1) for rate in found]}")
            assert responded(found, target) <= 3 or abs(found[-1] - target) < BUSY_POINTS
        await here.client.cancel([job])


@pytest.mark.deep
@pytest.mark.dear("two real programs of two ranks on two cores, 25 iterations each")
async def test_two_programs_and_a_busy_loop(tmp_path: Path) -> None:
    async with two_cores(tmp_path) as here:
        jobs = [await begun(here)]
        full = await full_rate(here, jobs[0])
        await aimed(here, jobs[0], 30.0, full, 2)
        jobs.append(await begun(here))
        await until_iteration(here, jobs[1], 2)
        await aimed(here, jobs[1], 40.0, full, 12)
        for job, target in zip(jobs, (30.0, 40.0), strict=True):
            found = rates(here, job, full, reached(here, job) - 10)
            print(f"at {target:g}%: {[round(rate, 1) for rate in found]}")
            assert_kept(found, target)
        before = statistics.mean(rates(here, jobs[1], full, reached(here, jobs[1]) - 8))
        # Ends by itself, whatever becomes of the test.
        loop = await asyncio.create_subprocess_exec(
            "taskset",
            "-c",
            str(min(os.sched_getaffinity(0))),
            "timeout",
            "60",
            "sh",
            "-c",
            "while :; do :; done",
        )
        try:
            since = reached(here, jobs[1])
            await until_iteration(here, jobs[1], since + 8)
            after = statistics.mean(rates(here, jobs[1], full, since)[:8])
        finally:
            loop.send_signal(signal.SIGTERM)
            await loop.wait()
        print(f"beside a busy loop {after:.1f}%, {before:.1f}% before")
        assert abs(after - before) < BUSY_POINTS
        assert await refusal(here, jobs[0], "55%") != ""
        assert [one.rate for one in await here.client.rates([jobs[0]])] == ["30%"]
        await here.client.cancel(jobs)


async def refusal(here: Cluster, job: int, rate: str) -> str:
    """Why a rate is refused; empty: it is not."""
    try:
        await here.client.set_rates([job], rate)
    except MolokiniError as error:
        return str(error)
    return ""
