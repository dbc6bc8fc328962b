"""Commands of PBS, LSF and Slurm from the shell and back, against one emulated cluster on this machine.

A server of ``molokini up`` is a process of its own, its clock real. Jobs are submitted as scripts call them:
a process each, everything included.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import live
from molokini.client import BlockingClient, job_spec
from molokini.clients.live.shim_files import write_shims
from molokini.compat.table import commands

ROUNDS, CLIENTS, EACH = 40, 8, 25
WAITING = 10_000
_SUBMIT: Mapping[str, Sequence[str]] = {"sbatch": ["--wrap", "true"], "qsub": ["-"], "bsub": ["true"]}
_HELP = {"sbatch": "--help", "qsub": "--help", "bsub": "-h"}
_LIST: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "squeue": ([], ["-j", "{}"]),
    "qstat": ([], ["{}"]),
    "bjobs": (["-u", "all"], ["{}"]),
    "showq": ([], []),
}
"""Everything, and one job of it; without words there is no such question."""


def rows() -> list[dict[str, Any]]:
    """Milliseconds of each command, submissions a second, and seconds of listings."""
    rounds = 10 if live.QUICK else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _up(folder) as known:
            found = [
                live.row(
                    f"{command} {_HELP[command]} (median)",
                    _ms([command, _HELP[command]], folder, rounds),
                    "ms",
                    -50,
                )
                for command in _SUBMIT
                if command in known
            ]
            for command, words in _SUBMIT.items():
                if command in known:
                    took = _ms([command, *words], folder, rounds)
                    found.append(live.row(f"{command}, a submission (median)", took, "ms", -45))
                    found.append(
                        live.row(f"{command}, {CLIENTS} at a time", _rate(command, folder), "/s", 50)
                    )
            last = _fill(folder)
            for command, (everything, of_one) in _LIST.items():
                if command in known:
                    found += _listing(command, everything, [word.format(last) for word in of_one], folder)
            return found


def _listing(
    command: str, everything: Sequence[str], of_one: Sequence[str], folder: Path
) -> list[dict[str, Any]]:
    all_s = _ms([command, *everything], folder, 5) / 1000
    found = [live.row(f"{command} of {WAITING:,} jobs (median)", all_s, "s", -0.35)]
    if of_one:
        one_ms = _ms([command, *of_one], folder, 10)
        found.append(live.row(f"{command} of one of them (median)", one_ms, "ms", -90))
    return found


@contextmanager
def _up(folder: Path) -> Iterator[set[str]]:
    known = {name: names for name, names in commands().items() if names}
    write_shims(folder / "bin", known, str(folder / "state"))
    given = (
        "up",
        "--nodes",
        "1",
        "--procs-per-node",
        "1",
        "--policy",
        "fcfs",
        "--state",
        str(folder / "state"),
    )
    server = subprocess.Popen(
        [sys.executable, "-m", "molokini.clients.command", *given],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    try:
        server.stdout.readline()
        yield {name for names in known.values() for name in names}
    finally:
        server.terminate()
        server.wait(30)


def _ran(words: Sequence[str], folder: Path) -> None:
    subprocess.run(
        [str(folder / "bin" / words[0]), *words[1:]],
        cwd=folder,
        input=b"#!/bin/sh\ntrue\n",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        env={**os.environ, "MOLOKINI_TIMEOUT_S": "60"},
    )


def _ms(words: Sequence[str], folder: Path, rounds: int) -> float:
    took = []
    for _ in range(rounds + 2):
        began = time.perf_counter()
        _ran(words, folder)
        took.append(time.perf_counter() - began)
    # The first ones read files that are not in the cache of the machine.
    return 1000 * statistics.median(took[2:])


def _rate(command: str, folder: Path) -> float:
    words = [command, *_SUBMIT[command]]
    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda _: _ran(words, folder), range(CLIENTS * EACH)))
    return CLIENTS * EACH / (time.perf_counter() - began)


def _fill(folder: Path) -> int:
    """Let so many jobs wait; the number of the last one."""
    target = (folder / "state" / "endpoint").read_text().strip()
    token = (folder / "state" / "token").read_text().strip()
    with BlockingClient.connect(target, token) as client:
        taken = client.submit_many(
            [
                job_spec({"argv": ["true"], "processors": 1, "estimate_s": 1e6, "name": f"job-{k}"})
                for k in range(WAITING)
            ]
        )
    return max(one for one in taken if isinstance(one, int))
