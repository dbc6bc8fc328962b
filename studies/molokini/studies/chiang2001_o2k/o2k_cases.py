"""The months that are made, the logs beside them, and what each run measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from molokini.studies.chiang2001_o2k.o2k_logs import Logged, log_row
from molokini.studies.chiang2001_o2k.o2k_measures import measured
from molokini.studies.log_files import Log
from molokini.studies.replays import jobs_of_model, replay_of
from molokini.studies.study import Point, Row
from molokini.workloads.workload import Workload

JOBS = 9768
"""October 2000."""
_FEWEST = 500
TAU_S = 10.0
"""Of bounded slowdowns."""


@dataclass(frozen=True)
class Month:
    """A month of jobs as the model has them."""


@dataclass(frozen=True)
class Scheduled:
    """The same under backfilling, with the requests of the model or with exact ones."""

    requests: str = "requested"


AnyCase = Month | Scheduled | Logged


def cases_of(logs: Sequence[Log]) -> list[AnyCase]:
    """Every case once."""
    return [Month(), Scheduled(), Scheduled("exact"), *(Logged(log) for log in logs)]


def run(folder: Path | None, point: Point) -> Row:
    """Measure one case; *folder* holds the logs."""
    if isinstance(point.case, Logged):
        assert folder is not None
        return log_row(folder, point.case.log)
    month = _month(point.seed, max(_FEWEST, round(JOBS * point.length)))
    if isinstance(point.case, Month):
        return measured(month)
    assert isinstance(point.case, Scheduled)
    # Jobs end at their requests, so run times are those of both.
    exact = np.minimum(month.run_s, month.estimate_s)
    asked = month.with_estimates(exact) if point.case.requests == "exact" else month
    replay = replay_of(asked, "easy")
    replay.run()
    wait_s = replay.schedule().start_s - asked.submit_s
    run_s = np.maximum(exact, TAU_S)
    return {
        "mean_response_s": float((wait_s + exact).mean()),
        "mean_bounded_slowdown": float(np.maximum(1.0, (wait_s + exact) / run_s).mean()),
    }


@cache
def _month(seed: int, jobs: int) -> Workload:
    return jobs_of_model("o2k", "chiang2001", seed, jobs=jobs)


def prepare() -> None:
    """Compile the policy."""
    replay_of(_month(1, _FEWEST).take(slice(0, 10)), "easy").run()
