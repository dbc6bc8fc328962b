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
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from operator import sub
from pathlib import Path
from typing import Any

import pytest

from benchmarks import live
from molokini.model.slicing import Slicing
from molokini.processes.helpers import start_helper
from molokini.proto.v1.agent_service_pb2 import Order
from molokini.server.translate import slicing_to_wire
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import RUNNING
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
    kept,
    two_cores,
    until_iteration,
)
from tests.kit.waiting import state

MS = 1_000_000
PERIODS = (10, 20, 50, 200)
SHARES = (10, 30, 50, 80)
MOST_PROGRAMS = 8
SPIN = """
import os, time
last = time.monotonic_ns()
while True:
    now = time.monotonic_ns()
    if now - last > 500_000:
        os.write(1, b"%d\\n" % now)
    last = now
"""
"""A busy loop that notes when it goes on after each gap."""
TARGETS = (30.0, 60.0, 20.0, 50.0, 40.0)


def rows() -> list[dict[str, Any]]:
    """All of them; nothing where there are not two cores and a real-time priority."""
    if len(os.sched_getaffinity(0)) < 2 or os.geteuid() != 0:
        return [live.row("two cores and a real-time priority", 0.0, "", 1.0)]
    return [
        *_measured(_programs),
        *_measured(_many),
        *_measured(_flood),
        *_measured(_left),
        *_plane(),
        *_changes(),
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
            told = await _told(here, jobs[0])
            half = await aimed(here, jobs[0], 50.0, before, count)
            orders, heard = map(sub, await _told(here, jobs[0]), told)
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
        live.row("a program of two ranks alone uses of the core of rank 0", 100 * before.used, "%", None),
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
        _row("at 50%: orders an iteration", max(0, orders - 1) / count, "", -0.1, settled),
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


async def _told(here: Cluster, job: int) -> tuple[int, int]:
    """Orders so far, and reports that the server has had."""
    found = await here.client.rates([job])
    return (found[0].orders, len(found[0].reports)) if found else (0, 0)


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
            node.launch(launch(1, sys.executable, "-c", SPIN, folder=Path(folder)))
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


class Helper:
    """A slicer of its own, with busy loops, on one core; the agent's side of its pipes."""

    def __init__(self, folder: Path, core: int) -> None:
        self.folder, self.core, self.spinning = folder, core, list[subprocess.Popen[bytes]]()
        LeaseFile(str(folder / "beat"), writes=True).ends_s = time.monotonic()
        own = os.sched_getaffinity(0)
        os.sched_setaffinity(0, [core])
        try:
            self.pid, self.writes, self.reads = start_helper("molokini.slicing.helper", str(folder / "beat"))
        finally:
            os.sched_setaffinity(0, own)
        self.text = b""

    def spin(self) -> int:
        """Another busy loop; its number."""
        name = len(self.spinning)
        with (self.folder / f"gaps{name}").open("wb") as gaps:
            self.spinning.append(subprocess.Popen([sys.executable, "-c", SPIN], stdout=gaps))
        (self.folder / f"procs{name}").write_text(f"{self.spinning[-1].pid}\n")
        (self.folder / f"state{name}").write_bytes(RUNNING + b"0")
        return name

    def order(self, name: int, period: int, slice_: int) -> None:
        """Slice a loop by deadline."""
        said = {
            "do": "slice",
            "job": str(name),
            "state": str(self.folder / f"state{name}"),
            "supervisor": 0,
            "procs": str(self.folder / f"procs{name}"),
            "period": period,
            "windows": [[0, slice_]],
            "origin": time.monotonic_ns(),
            "corrects": True,
            "fifo": True,
            "cores": [self.core],
        }
        os.write(self.writes, json.dumps(said).encode() + b"\n")

    def figures(self, name: int) -> dict[str, Any]:
        """What it tells of a loop now."""
        os.write(self.writes, b'{"do": "tell"}\n')
        until = time.monotonic() + 10.0
        while time.monotonic() < until:
            try:
                self.text += os.read(self.reads, 65536)
            except BlockingIOError:
                time.sleep(0.001)
            *lines, self.text = self.text.split(b"\n")
            for line in lines:
                said: dict[str, Any] = json.loads(line)
                if said.get("job") == str(name) and "figures" in said:
                    return dict(said["figures"])
        raise TimeoutError("the slicer says nothing")

    def gaps(self, name: int) -> list[int]:
        """When a loop has gone on, nanoseconds of the monotonic clock."""
        return [int(line) for line in (self.folder / f"gaps{name}").read_bytes().split(b"\n")[:-1]]

    def cpu_s(self, pid: int) -> float:
        """Processor time of a process."""
        return time.clock_gettime((~pid << 3) | 2)

    def close(self) -> None:
        """End it all."""
        os.close(self.writes)
        os.waitpid(self.pid, 0)
        os.close(self.reads)
        for one in self.spinning:
            one.kill()
            one.wait()


@contextmanager
def _helper() -> Iterator[Helper]:
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        made = Helper(Path(folder), max(os.sched_getaffinity(0)))
        try:
            yield made
        finally:
            made.close()


def _plane() -> list[dict[str, Any]]:
    """A busy loop over periods and slices: shares, misses, jitter; and what the slicer takes at 50 ms."""
    made: list[dict[str, Any]] = []
    for_s = 0.5 if live.QUICK else 2.0
    with _helper() as helper:
        name = helper.spin()
        pid = helper.spinning[name].pid
        for period_ms in PERIODS:
            errors: list[float] = []
            helped = 0.0
            before: dict[str, Any] = helper.figures(name) if made else {"misses": 0, "periods": 0}
            for share in SHARES:
                helper.order(name, period_ms * MS, period_ms * MS * share // 100)
                # The present period mixes two pairs, and the correction is learned in the next ones.
                time.sleep(max(0.3, 2 * period_ms / 1000))
                ran, own, since = helper.cpu_s(pid), helper.cpu_s(helper.pid), time.monotonic()
                _sleep_periods(since, period_ms, for_s)
                took = time.monotonic() - since
                errors.append(100 * (helper.cpu_s(pid) - ran) / took - share)
                helped = max(helped, 100 * (helper.cpu_s(helper.pid) - own) / took)
            found = helper.figures(name)
            missed = found["misses"] - before["misses"]
            of = f"{period_ms} ms, slices of {', '.join(map(str, SHARES))}%"
            most = max(errors, key=abs)
            made += [
                live.row(
                    f"{of}: share from the intended (most)",
                    abs(most),
                    "points",
                    -1.0 if period_ms >= 20 else None,
                ),
                live.row(
                    f"{of}: misses", 100 * missed / max(1, found["periods"] - before["periods"]), "%", None
                ),
                live.row(f"{of}: jitter, 99 of 100", 1000 * (found["jitter_s"] or [0, 0])[1], "ms", None),
            ]
            if period_ms == 50:
                made.append(live.row("the slicer's part of a core at 50 ms", helped, "%", -2.0))
    return made


def _sleep_periods(since: float, period_ms: int, for_s: float) -> None:
    """Sleep for whole periods."""
    period_s = period_ms / 1000
    time.sleep(max(0.0, since + max(2, round(for_s / period_s)) * period_s - time.monotonic()))


def _changes() -> list[dict[str, Any]]:
    """From the order of another pair to the instant at which the loop goes on under it, by its own clock."""
    ordered: list[int] = []
    with _helper() as helper:
        name = helper.spin()
        stat = Path(f"/proc/{helper.spinning[name].pid}/stat")
        helper.order(name, 1000 * MS, 5 * MS)
        # Between the instant and the order nothing else takes this process's core.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        try:
            for k in range(20 if live.QUICK else 200):
                _until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
                # The slicer looks at figures after a stop.
                time.sleep(0.005)
                ordered.append(time.monotonic_ns())
                helper.order(name, (1000 + k) * MS, 5 * MS)
                _until(lambda: max(helper.gaps(name), default=0) > ordered[-1])
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        gaps = helper.gaps(name)
    took = sorted((min(gap for gap in gaps if gap > at) - at) / 1e6 for at in ordered)
    last = took[round(0.99 * (len(took) - 1))]
    return [
        live.row("another pair in force, median", statistics.median(took), "ms", None),
        live.row(f"another pair in force, 99th percentile of {len(took)}", last, "ms", -1.0),
    ]


def _until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 10.0
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("the slicer does not do what was ordered")
        time.sleep(0.0005)


if __name__ == "__main__":
    for one in rows():
        print(json.dumps(one))
