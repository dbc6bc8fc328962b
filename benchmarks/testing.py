"""A cluster inside a test: how soon it is there, how soon a further one, and how soon each has gone."""

import statistics
import subprocess
import sys
from typing import Any

from benchmarks import live

_PROGRAM = """
import time
began = time.perf_counter()
from molokini.testing import cluster
times = []
for _ in range(6):
    with cluster() as one:
        ready = time.perf_counter()
        times.append(ready - began)
        ended = time.perf_counter()
    began = time.perf_counter()
    times.append(began - ended)
print(*times)
"""


def rows() -> list[dict[str, Any]]:
    """Seconds, in a new process."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    times = [float(word) for word in done.stdout.split()]
    return [
        live.row("the first cluster of a process is ready, imports included", times[0], "s", -2),
        live.row("a further one (median)", statistics.median(times[2::2]), "s", -0.3),
        live.row("it has gone (median)", statistics.median(times[1::2]), "s", -0.5),
    ]
