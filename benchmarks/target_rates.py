"""Target rates of real programs on two agents with a core each, and what the slicer keeps of (period, slice).

Ranks print their own clocks: a rate is the part of a core by processor time, over the part that the program
uses alone. Programs of two ranks compute and exchange messages for as long as each other. What the machine
took from the ranks is printed beside: figures of a busy machine say little.
"""

import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from operator import sub
from pathlib import Path
from typing import Any

import pytest

from benchmarks import live, slicer_alone
from molokini.model.slicing import Slicing
from molokini.proto.v1.agent_service_pb2 import Order
from molokini.server.translate import slicing_to_wire
from tests.kit.flooding import flooded
from tests.kit.real_cluster import Cluster
from tests.kit.real_jobs import at_work, launch, until
from tests.kit.target_rates import (
    FIRST,
    KEPT,
    POINTS,
    Alone,
    Kept,
    aimed,
    alone,
    begun,
    busy_loop,
    ended,
    faster,
    kept,
    reached,
    two_cores,
    until_iteration,
)
from tests.kit.waiting import state

MOST_PROGRAMS = 8
TARGETS = (30.0, 60.0, 20.0, 50.0, 40.0)
MOST_FASTER, TRIES = 2.0, 4
"""Percent: at 50% that is a point of the three within which no order is given; iterations vary by another."""
RATIOS = {"5:1": (0.5, 0.1), "1:1": (0.3, 0.3), "1:5": (0.1, 0.5)}
"""Seconds of an iteration alone in which ranks compute, and exchange messages."""


def rows() -> list[dict[str, Any]]:
    """All of them; nothing where there are not two cores and a real-time priority."""
    if len(os.sched_getaffinity(0)) < 2 or os.geteuid() != 0:
        return [live.row("two cores and a real-time priority", 0.0, "", 1.0)]
    return [
        *_measured(_programs),
        *_measured(_ratios),
        *_measured(_many),
        *_measured(_flood),
        *_measured(_left),
        *slicer_alone.rows(),
    ]


def _measured(part: Callable[[], Awaitable[list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    """The rows of a part; one that says why where the machine is too busy for it."""

    async def measured() -> list[dict[str, Any]]:
        return await part()

    try:
        return asyncio.run(measured())
    except pytest.skip.Exception as skipped:
        return [live.row(f"not measured: {skipped}", 0.0, "", None)]


async def _flood() -> list[dict[str, Any]]:
    """Reports of a job 10^5 times a second, beside those of another each 0.3 s."""
    count = 10 if live.QUICK else 100
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        Path(folder).chmod(0o755)
        before, since = time.process_time(), time.monotonic()
        node, rate, _ = await flooded(Path(folder), count)
        took = time.monotonic() - since
        used = 100 * (time.process_time() - before) / took
    heard = [sum(one.attempt.job_id == job for one in node.rated) for job in (1, 2)]
    return [
        live.row("a flood: reports a second of one job", rate, "/s", 50_000),
        live.row("a flood: of these the server hears", heard[0] / took, "/s", -4.0),
        live.row(f"a flood: of {count} reports of another job the server hears", heard[1], "", 0.9 * count),
        live.row("a flood: the agent's part of a core", used, "%", -5.0),
    ]


async def _programs() -> list[dict[str, Any]]:
    """One program under six targets, then two, then a busy loop beside them."""
    count = 10 if live.QUICK else 33
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        async with two_cores(Path(folder)) as here:
            jobs = [await begun(here)]
            before = await alone(here, jobs[0])
            free = await kept(here, jobs[0], 50.0, before, 5)
            told, since = await _told(here, jobs[0]), reached(here, jobs[0])
            half = await aimed(here, jobs[0], 50.0, before, count)
            _, heard = map(sub, await _told(here, jobs[0]), told)
            speed = faster(here, jobs[0], before, since + FIRST, count - FIRST)
            ordered = await _orders(here, jobs[0], before, speed)
            changed = [await aimed(here, jobs[0], target, before, 6) for target in TARGETS]
            await aimed(here, jobs[0], 30.0, before, 2)
            jobs.append(await begun(here))
            await until_iteration(here, jobs[1], 1)
            await aimed(here, jobs[1], 40.0, before, 3)
            both = await asyncio.gather(
                *(kept(here, job, target, before, 10) for job, target in zip(jobs, (30.0, 40.0), strict=True))
            )
            async with busy_loop(min(os.sched_getaffinity(0))):
                beside = await kept(here, jobs[1], 40.0, before, 8)
            await ended(here, jobs)
    settled = half.settled()
    return [
        live.row("a program of two ranks alone uses of a core", 100 * before.used, "%", None),
        _row("without a target: from 50%, mean of 5 iterations", free.off, "points", POINTS, free),
        _row("at 50%: iterations until within 3 points", half.responded(), "", -FIRST, half),
        _row(
            f"at 50%: of {len(settled.rates)} further iterations within 3 points",
            100 * settled.near(),
            "%",
            100 * KEPT,
            settled,
        ),
        _row("at 50%: the mean from the target", settled.off, "points", -POINTS, settled),
        ordered,
        live.row("at 50%: reports an iteration of which the server hears", heard / count, "", -1.1),
        live.row("ranks waited for their cores (most of an iteration)", max(half.lost), "%", None),
        live.row("others had of both cores (mean)", statistics.mean(half.others), "%", None),
        _row(
            "five more targets: iterations until within (most)",
            max(one.responded() for one in changed),
            "",
            -FIRST,
            *changed,
        ),
        _row(
            "two programs, 30% and 40%: means from their targets",
            max(one.off for one in both),
            "points",
            -POINTS,
            *both,
        ),
        _row(
            "two programs: iterations within 3 points (least)",
            100 * min(one.near() for one in both),
            "%",
            100 * KEPT,
            *both,
        ),
        _row(
            "the second beside a busy loop: its mean moves by",
            abs(beside.mean - both[1].mean),
            "points",
            -3,
            beside,
            both[1],
        ),
    ]


def _row(what: str, value: float, unit: str, wanted: float, *found: Kept) -> dict[str, Any]:
    """Judged where the cores were there in most iterations; else the row says that they were not."""
    if all(one.is_judged for one in found):
        return live.row(what, value, unit, wanted)
    count = sum(one.there.count(False) for one in found)
    of = sum(len(one.rates) for one in found)
    why = f"not judged: ranks waited for their cores in {count} of {of}"
    return live.row(f"{what} ({why})", value, unit, None)


async def _orders(here: Cluster, job: int, before: Alone, speed: float) -> dict[str, Any]:
    """Orders an iteration where the full rate that the server was told of is the full rate.

    Cores that other machines share are *speed* percent faster than when the full rate was measured: the
    server is told the present one.
    """
    count = 6 if live.QUICK else 20
    for _ in range(TRIES):
        part = 1 + speed / 100
        before = replace(before, full=before.full * part, work_s=before.work_s / part)
        since, (told, _) = reached(here, job), await _told(here, job)
        found = (await aimed(here, job, 50.0, before, count)).settled()
        # The first one is that of the target itself.
        orders = (await _told(here, job))[0] - told - 1
        speed = faster(here, job, before, since, count)
        if abs(speed) <= MOST_FASTER:
            return _row("at 50%: orders an iteration", max(0, orders) / count, "", -0.1, found)
    what = f"at 50%: orders an iteration (not judged: cores {speed:+.1f}% faster than when last measured)"
    return live.row(what, max(0, orders) / count, "", None)


async def _told(here: Cluster, job: int) -> tuple[int, int]:
    """Orders so far, and reports that the server has had."""
    found = await here.client.rates([job])
    return (found[0].orders, len(found[0].reports)) if found else (0, 0)


async def _ratios() -> list[dict[str, Any]]:
    """Programs one after the other, each alone: how fast they go, and what is left of a core meanwhile."""
    found: dict[str, Alone] = {}
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        async with two_cores(Path(folder)) as here:
            for ratio, (compute_s, exchange_s) in RATIOS.items():
                job = await begun(here, compute_s=compute_s, exchange_s=exchange_s)
                found[ratio] = await alone(here, job)
                await ended(here, [job])
    return alone_rows(found)


def alone_rows(found: dict[str, Alone]) -> list[dict[str, Any]]:
    """The rows of programs by their ratio."""
    made = []
    for ratio, one in found.items():
        made += [
            live.row(f"alone at {ratio}: iterations a second at full speed", one.full, "/s", None),
            live.row(f"alone at {ratio}: a core is idle for", 100 * (1 - one.used), "%", None),
        ]
    return made


async def _many() -> list[dict[str, Any]]:
    """Programs at 10% each, one more at a time: how far means are off, and how much they oscillate."""
    made: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        async with two_cores(Path(folder)) as here:
            jobs = [await begun(here)]
            before: Alone = await alone(here, jobs[0])
            for k in range(1, (3 if live.QUICK else MOST_PROGRAMS) + 1):
                if k > 1:
                    jobs.append(await begun(here))
                    await until_iteration(here, jobs[-1], 1)
                await aimed(here, jobs[-1], 10.0, before, 1)
                if k not in (2, 4, 6, 8):
                    continue
                count = 2 if live.QUICK else 8
                found = await asyncio.gather(*(kept(here, job, 10.0, before, count) for job in jobs))
                spread = max(statistics.pstdev(one.judged or one.rates) for one in found)
                made += [
                    _row(
                        f"{k} programs at 10%: means from it (most)",
                        max(one.off for one in found),
                        "points",
                        -POINTS,
                        *found,
                    ),
                    live.row(f"{k} programs at 10%: deviation of iterations (most)", spread, "points", None),
                ]
            await ended(here, jobs)
    return made


async def _left() -> list[dict[str, Any]]:
    """How long a job stands still whose slicer is killed, or hangs, in the middle of a long period."""
    pair = Slicing(period_s=3600.0, slice_s=0.001, by_deadline=True)
    took: dict[signal.Signals, list[float]] = {signal.SIGKILL: [], signal.SIGSTOP: []}
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        async with at_work(Path(folder) / "spool") as node:
            node.launch(launch(1, sys.executable, "-c", slicer_alone.SPIN, folder=Path(folder)))
            pid = await node.pid(1)
            node.order(1, Order.SLICE, rate=pair.share, slicing=slicing_to_wire(pair))
            for how in (signal.SIGKILL,) * (3 if live.QUICK else 10) + (signal.SIGSTOP,) * 2:
                await until(lambda: bool(node.slicer) and state(pid) == "T")
                slicer, since = node.slicer, time.monotonic()
                os.kill(slicer, how)
                while state(pid) == "T":
                    await asyncio.sleep(0.001)
                took[how].append(time.monotonic() - since)
                await until(lambda slicer=slicer: node.slicer != slicer)  # type: ignore[misc]
            await node.killed(1)
    killed, hung = (max(one) for one in took.values())
    return [
        live.row("its slicer is killed: a job goes on after (most)", 1000 * killed, "ms", -100),
        live.row("its slicer hangs: a job goes on after (most)", hung, "s", -1.1),
    ]


if __name__ == "__main__":
    for one in rows():
        print(json.dumps(one))
