"""Jobs that have ended, from any source (a log, Maui's trace, a schedule), and their statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadValue
from molokini.workloads.workload import Floats, Ints

_HOUR_S = 3600.0
KINDS = ("user", "group", "account", "class", "qos", "day")
"""The kinds of names by which there are statistics."""
NOBODY = ""
"""The name of a user, group, ... that is not known."""


@dataclass(frozen=True)
class EndedJobs:
    """One element a job in each array; seconds."""

    wait_s: Floats
    """From the submission to the start of the attempt that ended; NaN: not known."""
    run_s: Floats
    """NaN: it never started."""
    processors: Ints
    estimate_s: Floats
    well: NDArray[np.bool_] | None = None
    """Which ended by themselves, with success; None: not known."""
    backfilled: NDArray[np.bool_] | None = None
    """Which backfill has started; None: not known."""
    names: Mapping[str, NDArray[np.object_]] = field(default_factory=dict)
    """The name of each job's user, group, ..., and day, by kind; kinds that are not known are left out."""
    calendar: str = ""
    """By which clock days are counted: a time zone, or "seconds of the log"."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Records that are about no job that has ended, by reason."""

    def __len__(self) -> int:
        return int(self.run_s.size)

    def take(self, rows: NDArray[np.intp]) -> "EndedJobs":
        """These jobs alone, without their names."""
        return EndedJobs(
            self.wait_s[rows],
            self.run_s[rows],
            self.processors[rows],
            self.estimate_s[rows],
            None if self.well is None else self.well[rows],
            None if self.backfilled is None else self.backfilled[rows],
        )


def ended_statistics(jobs: EndedJobs) -> dict[str, Any]:
    """What ``showstats`` says about them: counts, hours and means; null where nothing is known."""
    started = ~np.isnan(jobs.run_s)
    run_s, wait_s = jobs.run_s[started], jobs.wait_s[started]
    width, estimate_s = jobs.processors[started], jobs.estimate_s[started]
    waited = ~np.isnan(wait_s)
    timed = waited & (run_s > 0.0)
    ratio = (wait_s[timed] + run_s[timed]) / run_s[timed]
    accuracy = np.minimum(1.0, run_s[estimate_s > 0.0] / estimate_s[estimate_s > 0.0])
    return {
        "jobs_completed": len(jobs),
        "jobs_successful": None if jobs.well is None else int(jobs.well.sum()),
        "mean_queue_hours": _mean(wait_s[waited] / _HOUR_S),
        "max_queue_hours": _most(wait_s[waited] / _HOUR_S),
        "mean_expansion_factor": _mean(ratio),
        "max_expansion_factor": _most(ratio),
        "dedicated_processor_hours": float((width * run_s).sum() / _HOUR_S),
        "requested_processor_hours": float((width * np.nan_to_num(estimate_s, posinf=0.0)).sum() / _HOUR_S),
        "mean_estimate_accuracy": _mean(accuracy),
    }


def profile(jobs: EndedJobs, by: Sequence[str]) -> dict[str, Any]:
    """Totals, and a line for each name of each kind in *by*: the most work first, days in their order.

    Raises BadValue for a kind that *jobs* do not have.
    """
    for kind in by:
        if kind not in jobs.names:
            raise BadValue("--by", kind, f"something that this file tells of: {', '.join(jobs.names)}")
    whole = _line(jobs, float(jobs.processors @ np.nan_to_num(jobs.run_s)))
    return {"totals": whole, "by": {kind: _by(jobs, kind) for kind in by}}


def _by(jobs: EndedJobs, kind: str) -> list[dict[str, Any]]:
    work_s = float(jobs.processors @ np.nan_to_num(jobs.run_s))
    names, member = np.unique(jobs.names[kind].astype(str), return_inverse=True)
    order = np.argsort(member, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(member, minlength=len(names)))[:-1])
    lines = [
        {"name": str(name), **_line(jobs.take(rows), work_s)} for name, rows in zip(names, parts, strict=True)
    ]
    if kind == "day":
        first = {str(name): int(rows[0]) for name, rows in zip(names, parts, strict=True)}
        return sorted(lines, key=lambda line: _day_order(line["name"], first))
    return sorted(lines, key=lambda line: (-line["dedicated_processor_hours"], line["name"]))


def _day_order(name: str, first: Mapping[str, int]) -> tuple[int, str]:
    """Days by the calendar sort as they are written; those of a log by their number."""
    number = name.removeprefix("day ")
    return (int(number), "") if number.lstrip("-").isdecimal() else (0, name)


def _line(jobs: EndedJobs, work_s: float) -> dict[str, Any]:
    found = ended_statistics(jobs)
    share = found["dedicated_processor_hours"] * _HOUR_S / work_s if work_s else None
    flags = jobs.backfilled
    return {
        **found,
        "share_of_processor_hours": share,
        "backfilled_share": None if flags is None or not len(jobs) else float(flags.mean()),
    }


def _mean(values: Floats) -> float | None:
    return _finite(values.mean()) if len(values) else None


def _most(values: Floats) -> float | None:
    return _finite(values.max()) if len(values) else None


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
