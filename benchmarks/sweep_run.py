"""One sweep in an interpreter of its own, and what it took: ``python -m benchmarks.sweep_run ASKED``.

ASKED is a ``Run`` as JSON. Figures are printed as JSON: of the whole run, and of the part of it in which the
workers have long been there (from a tenth of the points to the last), where starting up does not count.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from unittest.mock import patch

from molokini.experiments import Dask, InProcess, Processes, sweep
from molokini.experiments.sweeps.journal import Journal
from molokini.experiments.sweeps.measuring import Rows
from molokini.parallel.executors import Executor

WORKERS = 2
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_PLACES: Mapping[str, Callable[[], Executor]] = {
    "here": InProcess,
    "processes": lambda: Processes(WORKERS),
    "dask": lambda: Dask("local", WORKERS),
}


@dataclass(frozen=True)
class Run:
    """A log under EASY, many times with resampled arrivals."""

    log: str
    points: int
    where: str
    """``here``, ``processes`` or ``dask``."""
    folder: str
    jobs: int | None = None
    """How many of the log; None: all."""
    killed_at: int | None = None
    """Once so many rows are there, a worker of Dask is killed."""


@dataclass(frozen=True)
class Took:
    """What a run took."""

    points: int
    elapsed_s: float
    start_s: float
    """Until the first rows were there, without the time that their replays took."""
    point_s: float
    """A point, once the workers are there."""
    cpu_s: float
    """The same in processor seconds of all processes."""
    replay_s: float
    """A replay on its worker, over the whole run."""
    peak_mb: float
    """Of this process, which hands out the points."""
    killed: int
    """Workers that were killed."""


@dataclass
class Watched:
    """What is seen of a sweep as its rows come."""

    asked: Run
    marks: list[tuple[int, float, float]] = field(default_factory=list)
    """Rows that are there, the time, processor seconds of all processes until then."""
    first_rows: int = 0
    killed: int = 0

    def note(self, rows: Rows, count: int) -> None:
        """*rows* have come, and there are *count* now."""
        self.first_rows = self.first_rows or len(rows)
        asked, tenth = self.asked, self.asked.points // 10
        if count == asked.points or (count >= tenth and len(self.marks) < 2) or not self.marks:
            self.marks.append((count, time.perf_counter(), _cpu_s()))
        if asked.killed_at is not None and count >= asked.killed_at and not self.killed:
            os.kill(next(pid for pid in _children() if b"spawn_main" in _words(pid)), signal.SIGKILL)
            self.killed = 1


def run(asked: Run) -> Took:
    """Sweep, and look on."""
    seen = Watched(asked)
    add = Journal.add

    def watched(journal: Journal, rows: Rows) -> None:
        add(journal, rows)
        seen.note(rows, journal.count)

    began = time.perf_counter()
    with patch.object(Journal, "add", watched):
        found = sweep(
            asked.log,
            policies="easy",
            seeds=asked.points,
            jobs=asked.jobs,
            output=asked.folder,
            executor=_PLACES[asked.where](),
        )
    elapsed_s = time.perf_counter() - began
    replay_s = found.document["run"]["simulated_s"] / asked.points
    first, early, last = seen.marks[0], seen.marks[1], seen.marks[-1]
    points = last[0] - early[0]
    return Took(
        points=found.document["points"],
        elapsed_s=elapsed_s,
        start_s=first[1] - began - seen.first_rows * replay_s,
        point_s=(last[1] - early[1]) / points,
        cpu_s=(last[2] - early[2]) / points,
        replay_s=replay_s,
        peak_mb=_peak_mb(),
        killed=seen.killed,
    )


def _cpu_s() -> float:
    """Processor seconds of this process and its children, ended ones too."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = time.process_time() + ended.ru_utime + ended.ru_stime
    for pid in _children():
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        found += (int(words[11]) + int(words[12])) * _TICK_S
    return found


def _children() -> list[int]:
    tasks = Path("/proc/self/task").iterdir()
    return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]


def _words(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _peak_mb() -> float:
    """What ``getrusage`` says counts what the parent held before this program was loaded; this does not."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    print(json.dumps(asdict(run(Run(**json.loads(sys.argv[1]))))))
