"""A sweep by one process, two, and two workers of Dask, in one run; what a point costs beside its replay."""

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.replays import LOGS

_POINTS = 1_500
_FEW, _MANY = 5_000, 10_000  # seeds of a sweep are at most so many
_SHORT = "examples/kth-sp2-month.swf.gz"
_LOG = "KTH-SP2-1996-2.1-cln.swf.gz"
_WANTED = {"two processes": 0.9, "two workers of Dask": 0.8}
_MS, _GROWTH_MB = 5.0, 10.0

RUN = """
import json, resource, sys
from molokini.experiments import Dask, InProcess, Processes, sweep

if __name__ == "__main__":
    log, jobs, points, where, folder = sys.argv[1:]
    places = {"here": InProcess, "processes": lambda: Processes(2), "dask": lambda: Dask("local", 2)}
    given = {"policies": "easy", "seeds": int(points), "jobs": int(jobs) or None, "output": folder}
    found = sweep(log, executor=places[where](), **given)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**found.document["run"], "peak_mb": peak}))
"""


def rows() -> list[dict[str, Any]]:
    """Speed beside twice that of one process, cost of a point, growth of the coordinator's memory."""
    log = LOGS / _LOG if (LOGS / _LOG).exists() else Path("examples/kth-sp2-month.swf.gz")
    one = _run(str(log), 0, _POINTS, "here")
    found = [_row(f"{_POINTS:,} points of {log.name}, one process", one["points_per_s"], None, True)]
    for name, where in (("two processes", "processes"), ("two workers of Dask", "dask")):
        run = _run(str(log), 0, _POINTS, where)
        ratio = run["points_per_s"] / (2 * one["points_per_s"])
        found.append(_row(f"the same, {name}: share of twice one", round(ratio, 2), _WANTED[name], True))
        above_ms = (run["elapsed_s"] * run["workers"] - run["simulated_s"]) / _POINTS * 1000
        found.append(_row(f"{name}: ms a point beside its replay", round(above_ms, 2), _MS, False))
    few, many = (_run(_SHORT, 20, points, "processes") for points in (_FEW, _MANY))
    growth = many["peak_mb"] - few["peak_mb"]
    found.append(_row(f"coordinator's MB, {_FEW:,} points", round(few["peak_mb"], 1), None, True))
    found.append(_row(f"more MB for {_MANY:,} points", round(growth, 1), _GROWTH_MB, False))
    return found


def _run(log: str, jobs: int, points: int, where: str) -> dict[str, Any]:
    """A run in an interpreter of its own: a peak of memory is one of a process."""
    with TemporaryDirectory() as folder:
        script = Path(folder) / "run.py"
        script.write_text(RUN)
        words = [sys.executable, str(script), log, str(jobs), str(points), where, str(Path(folder) / "out")]
        before = time.perf_counter()
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        run: dict[str, Any] = json.loads(done.stdout)
        return {**run, "points_per_s": points / run["elapsed_s"], "whole_s": time.perf_counter() - before}


def _row(what: str, value: float, wanted: float | None, more: bool) -> dict[str, Any]:
    reached = None if wanted is None else value >= wanted if more else value <= wanted
    return {"what": what, "value": round(value, 2), "wanted": wanted, "reached": reached}
