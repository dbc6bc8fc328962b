"""Divisible loads: 10,000,000 time units of the base setting at load 1.0, and the whole study of them."""

import time
from typing import Any

from molokini.metrics.divisible_runs import run
from molokini.studies.catalogue import study_of

WANTED_S = 0.05
STUDY, CORES, STUDY_WANTED_MIN = "lin2006-divisible", 2, 15.0
_BLOCKS, _BLOCK = 24, 8
"""Of the study's runs so many blocks of so many neighbours, who may share their jobs, stand for all."""


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


def whole_study() -> list[dict[str, Any]]:
    """Minutes on two cores of all runs of the study, reckoned from blocks of them spread evenly over it."""
    study = study_of(STUDY)
    points = study.points(study.full)
    study.prepare()
    step = max(_BLOCK, len(points) // _BLOCKS)
    sample = [point for first in range(0, len(points), step) for point in points[first : first + _BLOCK]]
    before = time.process_time()
    for point in sample:
        study.run(point)
    spent_s = time.process_time() - before
    minutes = spent_s / len(sample) * len(points) / CORES / 60.0
    return [
        {
            "study": STUDY,
            "runs": len(points),
            "measured": len(sample),
            "cpu_s": round(spent_s, 2),
            "minutes": round(minutes, 2),
            "wanted": STUDY_WANTED_MIN,
            "reached": minutes <= STUDY_WANTED_MIN,
        }
    ]
