"""The tools for logs on real logs, as commands: each in a process of its own, written files included.

``python -m benchmarks.log_tools`` measures these rows alone. Without the logs beside the repository there is
nothing to measure, and one row says so.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.live import row
from benchmarks.replays import LOGS

CURIE, BLUE = "CEA-Curie-2011-2.1-cln.swf.gz", "SDSC-BLUE-2000-4.2-cln.swf.gz"
INFO_S, FIT_S = 6.0, 20.0
_ROUNDS = 3


def rows() -> list[dict[str, Any]]:
    """``workload info`` with all statistics and pictures, ``fit``, and the other tools on the same logs."""
    curie, blue = LOGS / CURIE, LOGS / BLUE
    if not (curie.exists() and blue.exists()):
        return [row(f"skipped: {CURIE} and {BLUE} are not in {LOGS}", 0.0, "s", None)]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        picture, site = ["--plot", made / "log.png", "--json", made / "log.json"], made / "site.toml"
        return [
            _row("workload info of CEA-Curie, all statistics and pictures", -INFO_S, "info", curie, *picture),
            _row("workload fit of SDSC-BLUE", -FIT_S, "fit", blue, "--output", site),
            _row(
                "the same with its picture", None, "fit", blue, "--output", site, "--plot", made / "fit.png"
            ),
            _row(
                "workload clean of CEA-Curie by its header's filters, written",
                None,
                *("clean", curie, "--filters-of", curie, "--output", made / "clean.swf.gz"),
            ),
            _row(
                "workload split of CEA-Curie by week, written", None, "split", curie, "--into", made / "parts"
            ),
        ]


def _row(what: str, wanted: float | None, *command: object) -> dict[str, Any]:
    """The best of three, in seconds."""
    arguments = [sys.executable, "-m", "molokini.clients.command", "workload", *map(str, command)]
    best = float("inf")
    for _ in range(_ROUNDS):
        before = time.perf_counter()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - before)
    return row(what, best, "s", wanted)


def main() -> None:
    """Print the rows as JSON."""
    print(json.dumps({"cores": os.cpu_count(), "rows": rows()}, indent=1))


if __name__ == "__main__":
    main()
