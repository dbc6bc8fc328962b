"""A sweep by one process, two, and two workers of Dask, in one run; what a point costs beside its replay."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.replays import LOGS
from benchmarks.sweep_run import WORKERS, Run, Took

_POINTS = 1_000
_KILLED = 10_000
_HEAD = 2_000
"""Jobs of a point where 10,000 points are replayed, twice."""
_FEW, _MANY, _TINY = 2_000, 10_000, 20
_SHORT = "examples/kth-sp2-month.swf.gz"
_LOG = "KTH-SP2-1996-2.1-cln.swf.gz"
_PLACES = (("processes", "two processes", 0.9), ("dask", "two workers of Dask", 0.8))
_MS, _GROWTH_MB = 5.0, 10.0


def rows() -> list[dict[str, Any]]:
    """Speed beside twice that of one process, cost of a point, a killed worker, the coordinator's memory."""
    log = str(LOGS / _LOG if (LOGS / _LOG).exists() else _SHORT)
    return [*_speeds(log), *_killed(log), *_memory()]


def _speeds(log: str) -> list[dict[str, Any]]:
    """Each between a tenth of its points and the last; starting up is a figure of its own."""
    one = _alone(log, _POINTS, "here")
    what = f"{_POINTS:,} points of {Path(log).name}"
    found = [
        _row(f"{what}, one process: a point", 1000 * one.point_s, "ms"),
        _row("the same: starting up", one.start_s, "s"),
    ]
    with ThreadPoolExecutor(WORKERS) as pool:
        both = list(pool.map(lambda _: _alone(log, _POINTS // WORKERS, "here"), range(WORKERS)))
    share = sum(1.0 / each.point_s for each in both) * one.point_s / WORKERS
    found.append(_row("two such processes side by side: share of twice one (the machine's limit)", share, ""))
    for where, name, least in _PLACES:
        took = _alone(log, _POINTS, where)
        found += [
            _row(f"{name}: share of twice one", one.point_s / (WORKERS * took.point_s), "", least=least),
            _row("the same in processor seconds", one.cpu_s / took.cpu_s, ""),
            _row("the same: a point beside its replay", 1000 * _beside(took), "ms", most=_MS),
            _row("the same: starting up", took.start_s, "s"),
        ]
    return found


def _beside(took: Took) -> float:
    """What a point costs the workers beside its replay, without starting up."""
    return (took.elapsed_s - took.start_s) * WORKERS / took.points - took.replay_s


def _killed(log: str) -> list[dict[str, Any]]:
    """A sweep of which a worker is killed in the middle, beside one that ran here."""
    with TemporaryDirectory() as folder:
        here, dask = Path(folder) / "here", Path(folder) / "dask"
        _run(Run(log, _KILLED, "here", str(here), _HEAD))
        took = _run(Run(log, _KILLED, "dask", str(dask), _HEAD, _KILLED // 3))
        same = all(_digest(here / name) == _digest(dask / name) for name in ("rows.parquet", "report.html"))
        once = _distinct(dask / "rows.parquet") if took.killed else 0
    what = f"{_KILLED:,} points of its first {_HEAD:,} jobs, two workers of Dask, one killed"
    return [
        _row(f"{what}: points there, each once", once, "", least=_KILLED),
        _row("the same: files of the same bytes as from one process (1: yes)", float(same), "", least=1.0),
        _row("the same: it takes", took.elapsed_s, "s"),
        _row("the same: a point beside its replay", 1000 * _beside(took), "ms", most=_MS),
    ]


def _memory() -> list[dict[str, Any]]:
    found = []
    for where, name, _ in _PLACES:
        few, many = (_alone(_SHORT, points, where, _TINY).peak_mb for points in (_FEW, _MANY))
        found += [
            _row(f"coordinator of {name}: peak at {_FEW:,} points", few, "MB"),
            _row(f"the same at {_MANY:,} points", many, "MB", most=few + _GROWTH_MB),
        ]
    return found


def _alone(log: str, points: int, where: str, jobs: int | None = None) -> Took:
    with TemporaryDirectory() as folder:
        return _run(Run(log, points, where, str(Path(folder) / "out"), jobs))


def _run(asked: Run) -> Took:
    """A run in an interpreter of its own: a peak of memory is one of a process."""
    words = [sys.executable, "-m", "benchmarks.sweep_run", json.dumps(asdict(asked))]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return Took(**json.loads(done.stdout))


def _distinct(file: Path) -> int:
    from pyarrow import parquet

    keys = parquet.read_table(file, columns=["key"])["key"].to_pylist()
    return len(set(keys)) if len(set(keys)) == len(keys) else 0


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _row(
    what: str, value: float, unit: str, *, least: float | None = None, most: float | None = None
) -> dict[str, Any]:
    wanted, reached = "", None
    if least is not None:
        wanted, reached = f"at least {least:,g}", value >= least
    if most is not None:
        wanted, reached = f"at most {most:,.4g} {unit}", value <= most
    return {"what": what, "value": round(value, 2), "unit": unit, "wanted": wanted, "reached": reached}


if __name__ == "__main__":
    print(json.dumps(rows(), indent=1))
