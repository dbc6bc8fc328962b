"""What the slicer keeps of (period, slice), by itself: busy loops on one core, without server and agent."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import live
from molokini.processes.helpers import start_helper
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import RUNNING

MS = 1_000_000
PERIODS = (10, 20, 50, 200)
SHARES = (10, 30, 50, 80)
TOGETHER = (80, 90, 95, 98)
"""Percent of the core that several loops have together ..."""
LOOPS = (2, 3, 5)
"""... so many of them, in periods of:"""
TOGETHER_MS = 50
USABLE = 90
"""Up to so much together (percent) few slices may be missed: real-time tasks have 95% in all."""


def rows() -> list[dict[str, Any]]:
    """All of them."""
    return [*_plane(), *_changes(), *_together(), *_ordinary()]


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
        self.ordered = set[int]()
        """Loops that it slices."""

    def spin(self) -> int:
        """Another busy loop; its number."""
        name = len(self.spinning)
        with (self.folder / f"gaps{name}").open("wb") as gaps:
            self.spinning.append(subprocess.Popen([sys.executable, "-c", SPIN], stdout=gaps))
        (self.folder / f"procs{name}").write_text(f"{self.spinning[-1].pid}\n")
        (self.folder / f"state{name}").write_bytes(RUNNING + b"0")
        return name

    def order(self, name: int, period: int, slice_: int, real_time: bool = True) -> None:
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
            "fifo": real_time,
            "cores": [self.core],
        }
        os.write(self.writes, json.dumps(said).encode() + b"\n")
        self.ordered.add(name)

    def figures(self, name: int) -> dict[str, Any]:
        """What it tells of a loop now."""
        return self.all_figures()[name]

    def all_figures(self) -> dict[int, dict[str, Any]]:
        """What it tells of every loop now; all answers are read, or the next question would get them."""
        os.write(self.writes, b'{"do": "tell"}\n')
        found: dict[int, dict[str, Any]] = {}
        until = time.monotonic() + 10.0
        while time.monotonic() < until:
            try:
                self.text += os.read(self.reads, 65536)
            except BlockingIOError:
                time.sleep(0.001)
            *lines, self.text = self.text.split(b"\n")
            for line in lines:
                said: dict[str, Any] = json.loads(line)
                if "figures" in said:
                    found[int(said["job"])] = dict(said["figures"])
            if len(found) == len(self.ordered):
                return found
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
    found: list[dict[str, Any]] = []
    for period_ms in PERIODS:
        with _helper() as helper:
            made += _over_shares(helper, period_ms)
            found.append(helper.figures(0))
    return [*made, missing(found)]


def _over_shares(helper: Helper, period_ms: int) -> list[dict[str, Any]]:
    """One period and all slices."""
    for_s = 0.5 if live.QUICK else 2.0
    name = helper.spin()
    pid = helper.spinning[name].pid
    errors: list[float] = []
    helped = 0.0
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
    of = f"{period_ms} ms, slices of {', '.join(map(str, SHARES))}%"
    off, missed = max(map(abs, errors)), 100 * found["misses"] / max(1, found["periods"])
    made = [
        live.row(f"{of}: share from the intended (most)", off, "points", -1.0 if period_ms >= 20 else None),
        live.row(f"{of}: misses", missed, "%", None),
        live.row(f"{of}: jitter, 99 of 100", 1000 * (found["jitter_s"] or [0, 0])[1], "ms", None),
    ]
    if period_ms == 50:
        made.append(live.row("the slicer's part of a core at 50 ms", helped, "%", -2.0))
    return made


def missing(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How much is missing of a slice that is missed: the longest of the 99th percentiles."""
    missed, periods = (sum(one[what] for one in found) for what in ("misses", "periods"))
    most = max((one["missed_s"][1] for one in found if one["missed_s"]), default=0.0)
    what = f"all periods and slices: missing time of {missed} misses in {periods} periods, 99 of 100"
    return live.row(what, 1000 * most, "ms", -2.0 if missed else None)


def _together() -> list[dict[str, Any]]:
    """Several loops on the core, up to nearly all of it: misses, shares, and what the slicer takes."""
    made, helped = [], 0.0
    with _helper() as helper:
        for loops in LOOPS:
            for share in TOGETHER:
                found = _shared(helper, loops, share)
                helped = max(helped, found.helped)
                made += found.rows(f"{loops} loops", judged=True)
    made.append(live.row("the slicer's part of a core with several loops (most)", helped, "%", None))
    return made


def _ordinary() -> list[dict[str, Any]]:
    """The same without a real-time priority: only an idle machine leaves them their slices."""
    made = []
    with _helper() as helper:
        for share in (USABLE, TOGETHER[-1]):
            found = _shared(helper, LOOPS[0], share, real_time=False)
            made += found.rows(f"{LOOPS[0]} loops of ordinary priority", judged=False)
    return made


@dataclass(frozen=True)
class Shared:
    """What became of loops that share a core."""

    share: int
    """Percent of the core together: intended."""
    missed: float
    """Percent of their periods."""
    off: float
    """By how many points their shares together are not the intended."""
    helped: float
    """What the slicer took, percent of the core."""

    def rows(self, loops: str, judged: bool) -> list[dict[str, Any]]:
        """Its rows."""
        what = f"{loops} have {self.share}% of a core, in periods of {TOGETHER_MS} ms"
        wanted = -1.0 if judged and self.share <= USABLE else None
        return [
            live.row(f"{what}: misses", self.missed, "%", wanted),
            live.row(f"{what}: together from the intended", abs(self.off), "points", None),
        ]


def _shared(helper: Helper, loops: int, share: int, real_time: bool = True) -> Shared:
    """Give so many loops *share* percent together, alike, and follow them."""
    period = TOGETHER_MS * MS
    while len(helper.spinning) < loops:
        # Those that are there give up of theirs first: together they never have more than the core.
        for name in helper.ordered:
            helper.order(name, period, period * TOGETHER[0] // (100 * loops), real_time)
        helper.order(helper.spin(), period, period * TOGETHER[0] // (100 * loops), real_time)
    for name in range(loops):
        helper.order(name, period, period * share // (100 * loops), real_time)
    time.sleep(0.3)
    pids = [helper.spinning[name].pid for name in range(loops)]
    before, since = helper.all_figures(), time.monotonic()
    ran, own = sum(map(helper.cpu_s, pids)), helper.cpu_s(helper.pid)
    _sleep_periods(since, TOGETHER_MS, 0.5 if live.QUICK else 3.0)
    took = time.monotonic() - since
    more, helped = sum(map(helper.cpu_s, pids)) - ran, helper.cpu_s(helper.pid) - own
    after = helper.all_figures()
    missed, periods = (
        sum(after[name][what] - before[name][what] for name in range(loops)) for what in ("misses", "periods")
    )
    return Shared(share, 100 * missed / max(1, periods), 100 * more / took - share, 100 * helped / took)


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
