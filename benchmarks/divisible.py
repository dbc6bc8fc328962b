"""Divisible loads: 10,000,000 time units of the base setting at load 1.0, as ``molokini study`` runs them."""

import time
from typing import Any

from molokini.sim.divisible import run

WANTED_S = 0.05


def base_setting(rounds: int = 5) -> list[dict[str, Any]]:
    """CPU seconds of one run, making the jobs included; the best of *rounds* seeds."""
    rows: list[dict[str, Any]] = []
    for policy in ("edf-opr-mn", "edf-opr-an", "edf-epr-mn", "mwf-opr-mn"):
        run({"policy": policy, "time": 1000}, 0)
        taken, jobs = [], 0
        for seed in range(1, rounds + 1):
            # A load of its own for each policy: workloads are kept, and making them is to be measured.
            load = 1.0 + 1e-9 * len(rows)
            before = time.process_time()
            jobs = run({"policy": policy, "load": load}, seed).jobs
            taken.append(time.process_time() - before)
        best = min(taken)
        rows.append(
            {
                "policy": policy,
                "jobs": jobs,
                "seconds": round(best, 4),
                "wanted": WANTED_S,
                "reached": best <= WANTED_S,
            }
        )
    return rows
