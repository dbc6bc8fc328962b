"""Time slices of real jobs on this machine: which share is achieved, how evenly, and what it costs.

The server of ``up --mode process`` is a process of its own; the job is a loop that never waits. Its share is
taken twice: from the processor time of its process, between two of its stops, and from the slicer's record.
"""

import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import live
from benchmarks.real_jobs import field, up
from molokini.client import Client
from molokini.model.slicing import Slicing

ORDERS = ((0.02, 0.005), (0.02, 0.01), (0.05, 0.025), (0.2, 0.06))
SPIN = ("python3", "-c", "while True: pass")
SHARE = 0.25
MOST_POINTS = 1.0


def rows() -> list[dict[str, Any]]:
    """Figures of one sliced job."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_rows(Path(folder)))


async def _rows(folder: Path) -> list[dict[str, Any]]:
    for_s = 2.0 if live.QUICK else 8.0
    made = []
    async with up(folder) as (client, server):
        job = await client.submit(
            argv=list(SPIN), processors=1, estimate_s=3600.0, working_directory=str(folder)
        )
        pid = await _pid(folder, job)
        late_ms = jitter_ms = busy = 0.0
        for period_s, slice_s in ORDERS:
            ordered = Slicing(period_s=period_s, slice_s=slice_s, real_time=True)
            await client.slice([job], ordered)
            await _beyond(client, job, 0.0)
            slicer = _slicer(server)
            before, ran_before, since = await _at_stop(pid), _cpu_s(slicer), time.monotonic()
            found = await _beyond(client, job, for_s)
            after = await _at_stop(pid)
            busy = max(busy, (_cpu_s(slicer) - ran_before) / (time.monotonic() - since))
            achieved = (after[1] - before[1]) / (after[0] - before[0])
            name = f"{1000 * slice_s:g} of {1000 * period_s:g} ms: share, error"
            error = 100 * abs(achieved - ordered.share)
            own = 100 * abs(found.ran_s / found.elapsed_s - ordered.share)
            made += [
                live.row(f"{name} by the processor time", error, "points", -MOST_POINTS),
                live.row(f"{name} by the slicer's record", own, "points", -MOST_POINTS),
            ]
            late_ms, jitter_ms = (
                max(late_ms, 1000 * found.late_s[1]),
                max(jitter_ms, 1000 * found.jitter_s[1]),
            )
        memory_mb = field(Path(f"/proc/{slicer}/status"), "VmRSS:") / 1000
        await client.cancel([job])
        await client.wait([job])
    more, less = await _quota(for_s)
    return [
        *made,
        live.row("continued late, 99 of 100 slices at most (worst of these)", late_ms, "ms", None),
        live.row("from one beginning to the next, not the period by (99 of 100)", jitter_ms, "ms", None),
        live.row("the slicer's part of a processor (most)", 100 * busy, "%", None),
        live.row("the slicer, resident", memory_mb, "MB", None),
        live.row("a share of 0.25 by quota (four jobs of ps): more than it by", max(0.0, more), "points", -1),
        live.row("the same, less than it by (what else runs takes its part)", max(0.0, less), "points", None),
    ]


async def _pid(folder: Path, job: int) -> int:
    record = folder / "st" / "jobs" / "jobs" / f"{job}-1" / "record"
    while not (record.exists() and "started" in record.read_text()):
        await asyncio.sleep(0.01)
    return int(json.loads(record.read_text().split("\n")[1])["pid"])


async def _beyond(client: Client, job: int, seconds: float) -> Any:
    """The figures of a job after so many seconds of its slices have been measured."""
    began = time.monotonic()
    while True:
        for line in await client.slices():
            for found in line.achieved.values():
                if line.job.id == job and found.elapsed_s > seconds and time.monotonic() - began > seconds:
                    return found
        await asyncio.sleep(0.1)


async def _at_stop(pid: int) -> tuple[float, float]:
    """When it is stopped next, and what it has computed until then: seconds."""
    stat = Path(f"/proc/{pid}/stat")
    for stopped in (False, True):
        while (stat.read_text().rpartition(")")[2].split()[0] == "T") != stopped:
            await asyncio.sleep(0.0002)
    return time.monotonic(), _cpu_s(pid)


def _cpu_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _slicer(server: int) -> int:
    """The slicer among the children of the server's process, which is the agent's."""
    threads = Path(f"/proc/{server}/task").iterdir()
    children = [int(child) for one in threads for child in (one / "children").read_text().split()]
    return next(one for one in children if b"molokini.slicing" in Path(f"/proc/{one}/cmdline").read_bytes())


async def _quota(for_s: float) -> tuple[float, float]:
    """Four jobs under ``ps`` on one processor: how much more, and how much less, than its quarter one had."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        async with up(folder, policy="ps", places=1) as (client, _):
            spec: dict[str, Any] = {"argv": list(SPIN), "processors": 1, "estimate_s": 3600.0}
            jobs = [
                await client.submit(**spec, working_directory=str(folder)) for _ in range(round(1 / SHARE))
            ]
            pids = [await _pid(folder, job) for job in jobs]
            await asyncio.sleep(1.0)
            began, before = time.monotonic(), [_cpu_s(pid) for pid in pids]
            await asyncio.sleep(for_s)
            took_s, after = time.monotonic() - began, [_cpu_s(pid) for pid in pids]
            await client.cancel(jobs)
            await client.wait(jobs)
    shares = [(b - a) / took_s for a, b in zip(before, after, strict=True)]
    return 100 * (max(shares) - SHARE), 100 * (SHARE - min(shares))


if __name__ == "__main__":
    print(json.dumps(rows(), indent=2))
