"""Target rates of real programs on two agents with a core each, and what the slicer keeps of (period, slice).

Ranks print their own clocks: a rate is the part of a core by processor time, over the part that the program
uses alone. Programs of two ranks compute and exchange messages for as long as each other. What the machine
took from the ranks is printed beside: figures of a busy machine say little.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import live
from molokini.processes.helpers import start_helper
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import RUNNING
from tests.kit.real_cluster import Cluster
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
    kept,
    two_cores,
)

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
    return [*asyncio.run(_programs()), *_many(), *_plane(), *_changes()]


async def _programs() -> list[dict[str, Any]]:
    """One program under six targets, then two, then a busy loop beside them."""
    count = 10 if live.QUICK else 33
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        async with two_cores(Path(folder)) as here:
            jobs = [await begun(here)]
            before = await alone(here, jobs[0])
            free = await kept(here, jobs[0], 50.0, before, 5)
            orders = -(await _told(here, jobs[0]))[0]
            half = await aimed(here, jobs[0], 50.0, before, count)
            orders += (await _told(here, jobs[0]))[0]
            changed = [await aimed(here, jobs[0], target, before, 6) for target in TARGETS]
            await aimed(here, jobs[0], 30.0, before, 2)
            jobs.append(await begun(here))
            await kept(here, jobs[1], 40.0, before, 2)
            await aimed(here, jobs[1], 40.0, before, 3)
            both = [
                await kept(here, job, target, before, 10)
                for job, target in zip(jobs, (30.0, 40.0), strict=True)
            ]
            async with busy_loop(min(os.sched_getaffinity(0))):
                beside = await kept(here, jobs[1], 40.0, before, 8)
            await here.client.cancel(jobs)
    settled = half.rates[FIRST:]
    good = sum(abs(rate - 50.0) <= POINTS for rate in settled) / len(settled)
    return [
        live.row("a program of two ranks alone uses of the core of rank 0", 100 * before.used, "%", None),
        live.row(
            "without a target: from 50%, mean of 5 iterations", abs(_mean(free) - 50.0), "points", POINTS
        ),
        live.row("at 50%: iterations until within 3 points", half.responded(), "", -FIRST),
        live.row(
            f"at 50%: of {len(settled)} further iterations within 3 points", 100 * good, "%", 100 * KEPT
        ),
        live.row("at 50%: the mean from the target", abs(statistics.mean(settled) - 50.0), "points", -POINTS),
        live.row("at 50%: orders an iteration", max(0, orders - 1) / count, "", -0.1),
        live.row("ranks waited for their cores (most of an iteration)", max(half.lost), "%", None),
        live.row("others had of both cores (mean)", statistics.mean(half.others), "%", None),
        live.row(
            "five more targets: iterations until within (most)",
            max(one.responded() for one in changed),
            "",
            -FIRST,
        ),
        live.row(
            "two programs, 30% and 40%: means from their targets", max(map(_off, both)), "points", -POINTS
        ),
        live.row(
            "the second beside a busy loop: its mean moves by",
            abs(_mean(beside) - _mean(both[1])),
            "points",
            -3,
        ),
    ]


def _mean(found: Kept) -> float:
    return statistics.mean(found.rates)


def _off(found: Kept) -> float:
    return abs(_mean(found) - found.target)


async def _told(here: Cluster, job: int) -> tuple[int, int]:
    """Orders so far, and reports that the server has had."""
    found = await here.client.rates([job])
    return (found[0].orders, len(found[0].reports)) if found else (0, 0)


def _many() -> list[dict[str, Any]]:
    return asyncio.run(_many_programs())


async def _many_programs() -> list[dict[str, Any]]:
    """Programs at 10% each, one more at a time: how far means are off, and how much they oscillate."""
    made: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="mk") as folder:
        async with two_cores(Path(folder)) as here:
            jobs = [await begun(here)]
            before: Alone = await alone(here, jobs[0])
            for k in range(1, (3 if live.QUICK else MOST_PROGRAMS) + 1):
                if k > 1:
                    jobs.append(await begun(here))
                    await kept(here, jobs[-1], 10.0, before, 1)
                await aimed(here, jobs[-1], 10.0, before, 1)
                if k not in (2, 4, 6, 8):
                    continue
                count = 2 if live.QUICK else 8
                found = await asyncio.gather(*(kept(here, job, 10.0, before, count) for job in jobs))
                spread = max(statistics.pstdev(one.rates) for one in found)
                made += [
                    live.row(
                        f"{k} programs at 10%: means from it (most)", max(map(_off, found)), "points", -POINTS
                    ),
                    live.row(f"{k} programs at 10%: deviation of iterations (most)", spread, "points", None),
                ]
            await here.client.cancel(jobs)
    return made


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
