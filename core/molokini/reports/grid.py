"""``showgrid``: ended jobs by their size and wall clock limit, with one figure in each cell."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.structs import Floats, Ints
from molokini.model.errors import BadValue
from molokini.reports.snapshot import ClusterSnapshot, Finished, ReportRequest, finite

_HOUR_S = 3600.0
_SHORTEST_S, _LONGEST_S = 15 * 60.0, 2.0**20 * 60.0
"""Bounds of columns double from the first of these; limits longer than the second share the last column."""
_Values = Callable[[Finished], Floats]


def _expansion(done: Finished) -> Floats:
    wait_s = done.start_s - done.submit_s
    return np.divide(
        wait_s + done.estimate_s, done.estimate_s, out=np.ones(wait_s.size), where=done.estimate_s > 0
    )


def _accuracy(done: Finished) -> Floats:
    run_s = done.end_s - done.start_s
    share = np.divide(run_s, done.estimate_s, out=np.ones(run_s.size), where=done.estimate_s > 0)
    return np.minimum(100.0, 100.0 * share)


_STATISTICS: dict[str, tuple[_Values, str]] = {
    "AVGXFACTOR": (_expansion, "mean"),
    "MAXXFACTOR": (_expansion, "max"),
    "AVGQTIME": (lambda done: (done.start_s - done.submit_s) / _HOUR_S, "mean"),
    "JOBCOUNT": (lambda done: np.ones(done.end_s.size), "sum"),
    "PHREQUEST": (lambda done: done.processors * done.estimate_s / _HOUR_S, "sum"),
    "PHRUN": (lambda done: done.processors * (done.end_s - done.start_s) / _HOUR_S, "sum"),
    "WCACCURACY": (_accuracy, "mean"),
}
"""What a cell may hold, in Maui's words: its value for each job, and how a cell combines values."""


def grid(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Rows are powers of two of processors, columns doubled limits; *by* is the figure. Raises BadValue.

    A job is in the first row and column whose bound is not below it. Jobs that never started are left out.
    """
    name = asked.by.upper() or "AVGXFACTOR"
    if name not in _STATISTICS:
        raise BadValue("by", asked.by, "one of " + ", ".join(_STATISTICS))
    done, (values_of, how) = p.finished, _STATISTICS[name]
    ran = ~np.isnan(done.start_s)
    values = values_of(done)[ran]
    sizes, size = _doubled(done.processors[ran].astype(np.float64), 1.0, 2.0**53)
    lengths, length = _doubled(done.estimate_s[ran], _SHORTEST_S, _LONGEST_S)
    cells = []
    for row, most in enumerate(sizes):
        inside = [(size == row) & (length == column) for column in range(len(lengths))]
        line = [_cell(values[which], how) for which in inside]
        cells.append({"processors": int(most), "cells": line, "total": _cell(values[size == row], how)})
    return {
        "statistic": name,
        "wall_times_s": [finite(one) for one in lengths],
        "rows": cells,
        "totals": [_cell(values[length == column], how) for column in range(len(lengths))],
        "total": _cell(values, how),
        "weighted": _weighted(done, ran, values),
    }


def _weighted(done: Finished, ran: NDArray[np.bool_], values: Floats) -> dict[str, float | None]:
    """Means of the *values* of jobs, by what each job counts: as one, its processors, or its work."""
    width = done.processors[ran].astype(np.float64)
    counts = {
        "jobs": np.ones(values.size),
        "processors": width,
        "processor_seconds": width * (done.end_s - done.start_s)[ran],
    }
    return {
        name: finite(float(values @ count / count.sum())) if count.sum() > 0.0 else None
        for name, count in counts.items()
    }


def _doubled(values: Floats, first: float, last: float) -> tuple[list[float], Ints]:
    """Bounds from *first* on, each twice the one before, that the *values* need; and where each value is."""
    bound = np.maximum(0, np.ceil(np.log2(np.clip(values, first, last) / first))).astype(np.int64)
    lowest, highest = (int(bound.min()), int(bound.max())) if bound.size else (0, -1)
    return [first * 2.0**step for step in range(lowest, highest + 1)], bound - lowest


def _cell(values: Floats, how: str) -> dict[str, Any]:
    if not values.size:
        return {"value": None, "jobs": 0}
    made = float(values.max() if how == "max" else values.sum())
    return {"value": finite(made / values.size if how == "mean" else made), "jobs": int(values.size)}
