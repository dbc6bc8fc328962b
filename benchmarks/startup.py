"""What a user waits for beside the replay: starting, compiling cold, reading; and memory.

Each figure is of a process of its own, as a shell would start it.
"""

import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.replays import LOGS

KTH, CURIE = LOGS / "KTH-SP2-1996-2.1-cln.swf.gz", LOGS / "CEA-Curie-2011-2.1-cln.swf.gz"
COMMAND = [sys.executable, "-m", "molokini.clients.command"]
EXAMPLE = Path(__file__).parents[1] / "examples" / "kth-sp2-month.swf.gz"


def start_up() -> list[dict[str, Any]]:
    """Wall seconds from the shell, the median of several."""
    log = KTH if KTH.exists() else EXAMPLE
    simulate = [*COMMAND, "simulate", str(log), "--policy", "easy"]
    _seconds(simulate)
    rows = [
        _row("molokini --help", _median([*COMMAND, "--help"], 9), 0.2),
        _row(f"molokini simulate {log.name} --policy easy, warm cache", _median(simulate, 5), 2.5),
        _row("engine and easy compiled cold", _cold("easy"), 10.0),
        _row("engine and fcfs compiled cold", _cold("fcfs"), 10.0),
        _row("engine and conservative compiled cold", _cold("conservative"), 10.0),
    ]
    if CURIE.exists():
        command = [*COMMAND, "simulate", str(CURIE), "--policy", "easy"]
        rows.append(
            _row("molokini simulate CEA-Curie --policy easy, reading included", _seconds(command), 10.0)
        )
    return [*rows, *asking()]


def asking() -> list[dict[str, Any]]:
    """CPU seconds, user and system together, of commands against a running server: the least of several."""
    with tempfile.TemporaryDirectory() as folder, _up(Path(folder)):
        submit = [*COMMAND, "submit", "--processors", "1", "--estimate", "60", "--", "true"]
        return [
            _row(f"molokini {name}, CPU against a running server", _least_cpu(command, folder), 0.25)
            for name, command in (("submit", submit), ("jobs", [*COMMAND, "jobs"]))
        ]


@contextlib.contextmanager
def _up(folder: Path) -> Iterator[None]:
    """A cluster of emulated nodes whose state is in *folder*."""
    command = [*COMMAND, "up", "--nodes", "4", "--clock", "stepped"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            if server.stdout is None or not server.stdout.readline():  # its ready line
                raise RuntimeError("the server did not start")
            yield
        finally:
            server.terminate()


def _least_cpu(command: list[str], folder: str, times: int = 9) -> float:
    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(times))


def memory() -> list[dict[str, Any]]:
    """Peak resident memory of whole processes, in MB, and a job's share above the start."""
    few, many = (int(_number_of("memory", n)) for n in (1_000, 1_000_000))
    a_job = (many - few) * 1024 / 999_000
    rows = [
        {
            "what": "EASY, 1,000,000 jobs at load 0.85",
            "peak_mb": round(many / 1024),
            "bytes_a_job": round(a_job),
            "wanted": "below 1,000 bytes a job",
            "reached": a_job < 1000,
        }
    ]
    if CURIE.exists():
        peak = int(_number_of("log", CURIE))
        rows.append(
            {
                "what": "CEA-Curie under EASY",
                "peak_mb": round(peak / 1024),
                "bytes_a_job": None,
                "wanted": "below 1,024 MB",
                "reached": peak < 1024 * 1024,
            }
        )
    return rows


def _row(what: str, seconds: float, wanted_s: float) -> dict[str, Any]:
    return {
        "what": what,
        "seconds": round(seconds, 3),
        "wanted": f"{wanted_s:g} s",
        "reached": seconds <= wanted_s,
    }


def _seconds(command: list[str], environment: dict[str, str] | None = None) -> float:
    before = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - before


def _median(command: list[str], times: int) -> float:
    return statistics.median(_seconds(command) for _ in range(times))


def _cold(policy: str) -> float:
    """Seconds that a command compiles when nothing is on disk."""
    with tempfile.TemporaryDirectory() as folder:
        return _number_of("cold", policy, {"MOLOKINI_CACHE_DIR": folder})


def _number_of(what: str, value: object, environment: dict[str, str] | None = None) -> float:
    """What a process of ``startup_processes`` prints."""
    command = [sys.executable, "-m", "benchmarks.startup_processes", what, str(value)]
    env = os.environ | (environment or {})
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)
