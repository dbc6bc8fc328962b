"""Programs of two ranks at target rates on two agents with a core each, judged by the CPU clocks of ranks.

A program's rate is the part of its core that its busier rank uses, divided by the part that the busier rank
uses alone: two ranks wait for each other's messages, so that is less than all, and the one on the faster core
waits more, whichever that is at the time. The machine may be busy: an iteration counts where both ranks
had their cores when they could compute (``lost_in``), and a test that finds too few such iterations is
skipped by name; so are machines without two cores or a real-time priority.
"""

import asyncio
import os
import shutil
import signal
import statistics
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from molokini.supervisor.trees import alive
from tests.kit.real_cluster import Cluster, cluster
from tests.kit.real_jobs import gone
from tests.kit.waiting import DEADLINE_S

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "rates" / "bsp.py"
HALF_S = 0.3
"""Computing in an iteration, and exchanging."""
RULES: dict[str, Any] = {"period_s": 0.06, "step_s": 0.001, "threshold": 3.0}
"""An iteration ends in a slice: with ten periods of it alone its length is a point off by that, at most."""
POINTS = 3.0
FIRST = 3
"""Iterations within which a target is reached."""
KEPT = 0.9
"""Of iterations from then on."""
MOST_LOST = 1.5
"""Percent of an iteration for which a rank may have waited for its core."""
LEAST_JUDGED = 0.8
"""Of iterations."""


@dataclass(frozen=True)
class Row:
    """What a rank says at the end of an iteration, seconds: its clocks."""

    at: float
    ran: float
    waited: float


@dataclass(frozen=True)
class Alone:
    """How the ranks iterate alone, without slices, at a real-time priority."""

    full: float
    """Iterations a second."""
    used: float
    """The part of its core that the busier rank uses."""
    work_s: float
    """Processor time of the busier rank in an iteration."""


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
        try:
            yield here
        finally:
            # Whatever ended it, an interrupt too: jobs outlive their agents.
            await killed(here)


async def begun(
    here: Cluster, iterations: int = 1000, compute_s: float = HALF_S, exchange_s: float = HALF_S
) -> int:
    """The program on both agents.

    Its ranks talk by a Unix socket: TCP goes through threads of the kernel that have no real-time priority,
    and wait for milliseconds on a busy core.
    """
    # Relative, as a longer path is none of a socket.
    place = f"ranks{len(list(here.folder.glob('ranks*')))}"
    (here.folder / place).mkdir()
    words = [
        "--iterations",
        iterations,
        "--compute",
        compute_s,
        "--exchange",
        exchange_s,
        "--unix",
        f"{place}/socket",
    ]
    return await here.client.submit(
        argv=[sys.executable, str(PROGRAM), *map(str, words)],
        nodes=2,
        processors_per_node=1,
        estimate_s=3600.0,
        working_directory=str(here.folder),
    )


def outputs(here: Cluster, job: int) -> list[list[list[str]]]:
    """The words of each line that a rank has printed whole, by rank."""
    found = []
    for path in sorted(here.folder.glob(f"molokini-{job}.out*")):
        rows = path.read_text().splitlines(keepends=True)
        found.append([line.split() for line in rows if line.endswith("\n")])
    return found


def rows(here: Cluster, job: int) -> list[list[Row]]:
    """Of each rank: its iterations."""
    return [
        [Row(float(at), float(ran), float(waited)) for _, at, ran, waited in (w for w in rank if len(w) == 4)]
        for rank in outputs(here, job)
    ]


def reached(here: Cluster, job: int) -> int:
    """The iteration that both ranks have ended."""
    found = rows(here, job)
    return min(map(len, found)) if len(found) == 2 else 0


async def until_iteration(here: Cluster, job: int, wanted: int) -> None:
    """Wait until both ranks have ended iteration *wanted*."""
    async with asyncio.timeout(DEADLINE_S + 120.0):
        while reached(here, job) < wanted:
            await asyncio.sleep(0.05)


async def alone(here: Cluster, job: int) -> Alone:
    """Measure it: with a real-time priority, as under slices, so that load beside it counts for nothing."""
    await until_iteration(here, job, 1)
    ranks = processes(here, job)
    for process in ranks:
        os.sched_setscheduler(process, os.SCHED_FIFO, os.sched_param(10))
    since = reached(here, job) + 1
    await until_iteration(here, job, since + 4)
    for process in ranks:
        # Agents have to have time for orders on the same cores.
        os.sched_setscheduler(process, os.SCHED_OTHER, os.sched_param(0))
    found = rows(here, job)
    elapsed = found[0][since + 3].at - found[0][since - 1].at
    lost = max(rank[since + 3].waited - rank[since - 1].waited for rank in found)
    if lost > 0.05 * elapsed:
        pytest.skip(f"the cores were not there: a rank waited for {lost:.2f} of {elapsed:.2f} s alone")
    # The other rank waits for messages of the one that waited for its core.
    own = elapsed - lost
    ran = max(rank[since + 3].ran - rank[since - 1].ran for rank in found)
    return Alone(4.0 / own, ran / own, ran / 4.0)


def rates(here: Cluster, job: int, before: Alone, since: int, count: int) -> list[float]:
    """Percent of the full rate in the *count* iterations behind *since*, by the CPU clock of the busier
    rank."""
    ranks = [rank[since - 1 : since + count] for rank in rows(here, job)]
    used = [[(b.ran - a.ran) / (b.at - a.at) for a, b in pairwise(rank)] for rank in ranks]
    return [100 * max(pair) / before.used for pair in zip(*used, strict=True)]


def faster(here: Cluster, job: int, before: Alone, since: int, count: int) -> float:
    """By how many percent the cores did the work of those iterations faster than that of those alone.

    Machines that share their cores with others, and those whose clocks depend on the load, do that: the
    server, which goes by iterations, is told of a full rate that is none any more.
    """
    ranks = [rank[since - 1 : since + count] for rank in rows(here, job)]
    work_s = max((rank[-1].ran - rank[0].ran) / (len(rank) - 1) for rank in ranks)
    return 100 * (before.work_s / work_s - 1)


def lost_in(here: Cluster, job: int, since: int, count: int) -> list[float]:
    """Percent of the same iterations for which the rank that waited more for its core did so."""
    ranks = [rank[since - 1 : since + count] for rank in rows(here, job)]
    lost = [[100 * (b.waited - a.waited) / (b.at - a.at) for a, b in pairwise(rank)] for rank in ranks]
    return [max(pair) for pair in zip(*lost, strict=True)]


@dataclass(frozen=True)
class Kept:
    """The rates of some iterations, and whether the cores were there in each."""

    target: float
    rates: Sequence[float]
    lost: Sequence[float]
    others: Sequence[float]
    """Percent of both cores that other processes had: shown, and not judged."""

    @property
    def there(self) -> list[bool]:
        """Whether the cores were there."""
        return [lost <= MOST_LOST for lost in self.lost]

    @property
    def judged(self) -> list[float]:
        """Rates of iterations in which the cores were there; all where they never were."""
        found = [rate for rate, there in zip(self.rates, self.there, strict=True) if there]
        return found or list(self.rates)

    @property
    def mean(self) -> float:
        return statistics.mean(self.judged)

    @property
    def off(self) -> float:
        """By how much the mean is not the target."""
        return abs(self.mean - self.target)

    @property
    def is_judged(self) -> bool:
        """Whether enough iterations count."""
        return self.there.count(True) >= LEAST_JUDGED * len(self.rates)

    def responded(self) -> int:
        """Iterations until the first within the threshold, which counts; 99: none."""
        near = (k + 1 for k, rate in enumerate(self.judged) if abs(rate - self.target) <= POINTS)
        return next(near, 99)

    def settled(self) -> "Kept":
        """What is left without the iterations in which the target is to be reached."""
        return Kept(self.target, self.rates[FIRST:], self.lost[FIRST:], self.others[FIRST:])

    def near(self) -> float:
        """The part of the iterations that is within the threshold."""
        return statistics.mean(abs(rate - self.target) <= POINTS for rate in self.judged)

    def show(self) -> None:
        found = zip(self.rates, self.lost, self.others, strict=True)
        shown = " ".join(f"{rate:.1f}({lost:.1f},{others:.0f})" for rate, lost, others in found)
        mean = statistics.mean(self.rates)
        print(f"at {self.target:g}%: mean {mean:.2f}; rate (waited, others), all in percent: {shown}")

    def need_cores(self) -> None:
        """Skip where too much was taken from the ranks to judge."""
        if not self.is_judged:
            pytest.skip(
                f"the cores were not there in {self.there.count(False)} of {len(self.there)} iterations"
            )


async def aimed(
    here: Cluster, job: int, target: float, before: Alone, count: int, beside: Sequence[int] = ()
) -> Kept:
    """Set the target, and follow *count* iterations from then on."""
    assert await here.client.set_rates([job], f"{target:g}%", full_rate=before.full, **RULES) == [""]
    return await kept(here, job, target, before, count, beside)


async def kept(
    here: Cluster, job: int, target: float, before: Alone, count: int, beside: Sequence[int] = ()
) -> Kept:
    """How it goes from now on, *beside* processes that are meant to be there."""
    since = max(1, reached(here, job))
    others = Others([*processes(here, job), *beside])
    async with asyncio.timeout(DEADLINE_S + 120.0):
        while reached(here, job) < since + count:
            try:
                others.look()
            except OSError:
                raise AssertionError(f"a rank has ended:\n{last_words(here)}") from None
            await asyncio.sleep(0.1)
    others.look()
    first = rows(here, job)[0][since - 1 : since + count]
    found = Kept(
        target,
        rates(here, job, before, since, count),
        lost_in(here, job, since, count),
        [others.between(a.at, b.at) for a, b in pairwise(first)],
    )
    found.show()
    return found


def last_words(here: Cluster) -> str:
    """The ends of what ranks, agents and the server have written."""
    files = sorted([*here.folder.glob("molokini-*"), *here.folder.glob("*.log")])
    return "\n".join(f"{path.name}: {path.read_text()[-1000:]}" for path in files)


def processes(here: Cluster, job: int) -> list[int]:
    """Those of both ranks."""
    return [int(rank[0][1]) for rank in outputs(here, job) if rank]


async def ended(here: Cluster, jobs: Sequence[int]) -> None:
    """Cancel them, and wait until their ranks are gone: agents that are killed before end no job."""
    ranks = [process for job in jobs for process in processes(here, job)]
    await here.client.cancel(jobs)
    await gone(ranks)


async def killed(here: Cluster) -> None:
    """Kill the ranks that are left, while agents are there to clear up."""
    ids = {int(path.name.split(".")[0].rpartition("-")[2]) for path in here.folder.glob("molokini-*.out*")}
    left = [process for job in ids for process in processes(here, job) if alive(process)]
    for process in left:
        os.kill(process, signal.SIGKILL)
    await gone(left)


@asynccontextmanager
async def busy_loop(core: int) -> AsyncIterator[int]:
    """An endless loop on *core*, and its process; it ends by itself, whatever becomes of the test."""
    text = "import time\nend = time.monotonic() + 180.0\nwhile time.monotonic() < end: pass"
    loop = await asyncio.create_subprocess_exec("taskset", "-c", str(core), sys.executable, "-c", text)
    try:
        yield loop.pid
    finally:
        loop.send_signal(signal.SIGKILL)
        await loop.wait()


class Others:
    """What other processes have of the two cores: looked at again and again while it is open."""

    def __init__(self, own: Sequence[int]) -> None:
        """*own* are the processes that are not counted."""
        self._own = own
        self._cores = [f"cpu{core}" for core in sorted(os.sched_getaffinity(0))[:2]]
        self._samples: list[tuple[float, float]] = []

    def look(self) -> None:
        """Take a sample."""
        busy = 0.0
        for line in Path("/proc/stat").read_text().splitlines():
            name, *figures = line.split()
            if name in self._cores:
                # All but idle and waiting for disks; the last two are in the first ones.
                busy += sum(map(int, figures[:3] + figures[5:8])) / os.sysconf("SC_CLK_TCK")
        own = sum(time.clock_gettime((~process << 3) | 2) for process in self._own)
        self._samples.append((time.monotonic(), busy - own))

    def between(self, since: float, until: float) -> float:
        """Percent of both cores that others had between the samples around two instants."""
        before = [one for one in self._samples if one[0] <= since][-1:] or self._samples[:1]
        after = [one for one in self._samples if one[0] >= until][:1] or self._samples[-1:]
        took = after[0][0] - before[0][0]
        return 100 * (after[0][1] - before[0][1]) / (2 * took) if took > 0 else 0.0
