"""Periods of a log with a wished mean utilization.

A window of the wished length is moved over the log in steps; the windows whose utilization is nearest come
first, and none overlaps one that came before it. Utilization is what the log says ran: processors times the
run time inside the window over what the machine could do; where the log tells no waits, it is the work
submitted in the window over that, and the result says so.
"""

import math
from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.tools.notes import counted, noted
from molokini.workloads.tools.whole import WholeLog
from molokini.workloads.workload import Floats

_MOST_WINDOWS = 2_000_000
_STEPS = 20
"""Steps in the length of a window."""


@dataclass(frozen=True)
class Period:
    """A window of a log: from *start_s* for *length_s*, and how busy the machine was in it."""

    start_s: float
    length_s: float
    utilization: float
    jobs: int


@dataclass(frozen=True)
class Selected:
    """Periods, the nearest first, and how utilization was taken."""

    periods: tuple[Period, ...]
    by: str


def select(
    log: WholeLog,
    utilization: float,
    length_s: float,
    *,
    processors: int | None = None,
    tolerance: float = 0.05,
    most: int = 1,
) -> Selected:
    """Up to *most* periods of *length_s* whose utilization is within *tolerance* of the one wished.

    Raises BadValue for what is no share or no length, BadInput where the log is too short or has no such
    period: then the text tells what utilizations it has.
    """
    _check(utilization, length_s, tolerance, most)
    machine = processors or log.machine
    if machine is None:
        raise BadInput(f"{log.name}: the header does not give the size of the machine; give --processors")
    begin_s, end_s, width, submit_s, by = _work(log)
    first, last = float(submit_s.min()), float(submit_s.max())
    if length_s > last - first:
        raise BadInput(
            f"{log.name} spans {(last - first) / 86400:.4g} days, the window {length_s / 86400:.4g}"
        )
    if (last - first) / length_s * _STEPS > _MOST_WINDOWS:
        raise BadValue("--length", length_s, f"more: {log.name} has over {_MOST_WINDOWS:,} such windows")
    starts = np.arange(first, last - length_s + 1e-9, length_s / _STEPS)
    if by == "waits":
        done = _done(begin_s, end_s, width, starts + length_s) - _done(begin_s, end_s, width, starts)
    else:
        order = np.argsort(submit_s, kind="stable")
        upto = np.concatenate([[0.0], np.cumsum(((end_s - begin_s) * width)[order])])
        at = np.searchsorted(submit_s[order], np.stack([starts, starts + length_s]))
        done = upto[at[1]] - upto[at[0]]
    use = done / (length_s * machine)
    rows = _apart(starts, np.abs(use - utilization), length_s, tolerance, most)
    if not rows:
        raise BadInput(
            f"{log.name}: no window of {length_s / 86400:.4g} days has a utilization within {tolerance:g} of "
            f"{utilization:g}; they go from {use.min():.3f} to {use.max():.3f}"
        )
    found = []
    for row in rows:
        inside = (submit_s >= starts[row]) & (submit_s < starts[row] + length_s)
        found.append(Period(float(starts[row]), length_s, float(use[row]), int(inside.sum())))
    return Selected(tuple(found), by)


def cut(log: WholeLog, period: Period, by: str) -> WholeLog:
    """The records submitted in *period*, under a header that tells it; clocks and numbers stay."""
    submit_s = log.column("submit_s")
    rows = (submit_s >= period.start_s) & (submit_s < period.start_s + period.length_s)
    part = log.take(rows)
    note = (
        f"selected by molokini from {log.name}: {period.length_s / 86400:.4g} days from second "
        f"{period.start_s:.15g}, utilization {period.utilization:.4f} (by {by})"
    )
    return WholeLog(log.name, part.records, noted(counted(log.header, len(part)), note))


def _check(utilization: float, length_s: float, tolerance: float, most: int) -> None:
    if not 0 < utilization <= 1:
        raise BadValue("--utilization", utilization, "above 0 and at most 1")
    if not (math.isfinite(length_s) and length_s > 0):
        raise BadValue("--length", length_s, "above 0")
    if not 0 < tolerance < 1:
        raise BadValue("--tolerance", tolerance, "above 0 and below 1")
    if most < 1:
        raise BadValue("--count", most, "a whole number of 1 or more")


def _work(log: WholeLog) -> tuple[Floats, Floats, Floats, Floats, str]:
    """From when to when each job ran on how many processors, and when it was submitted."""
    jobs = log.jobs()
    wait = jobs.records[:, 2]
    given = jobs.records[:, 4]
    width = np.where(given > 0, given, jobs.processors)
    by = "waits" if (wait >= 0).mean() > 0.5 else "submits"
    begin_s = jobs.submit_s + (np.maximum(wait, 0.0) if by == "waits" else 0.0)
    return begin_s, begin_s + jobs.run_s, width, jobs.submit_s, by


def _done(begin_s: Floats, end_s: Floats, width: Floats, at: Floats) -> Floats:
    """The processor-seconds that had run by each instant *at*."""
    return _until(begin_s, width, at) - _until(end_s, width, at)


def _until(instant_s: Floats, width: Floats, at: Floats) -> Floats:
    """The sum over jobs of width times the time since their instant, at each of *at*."""
    order = np.argsort(instant_s, kind="stable")
    wide = np.concatenate([[0.0], np.cumsum(width[order])])
    moment = np.concatenate([[0.0], np.cumsum((width * instant_s)[order])])
    place = np.searchsorted(instant_s[order], at, side="right")
    found: Floats = wide[place] * at - moment[place]
    return found


def _apart(starts: Floats, distance: Floats, length_s: float, tolerance: float, most: int) -> list[int]:
    """Rows within *tolerance*, the nearest first, whose windows do not overlap."""
    taken: list[int] = []
    for row in np.argsort(distance, kind="stable").tolist():
        if distance[row] > tolerance or len(taken) == most:
            break
        if all(abs(starts[row] - starts[other]) >= length_s - 1e-6 for other in taken):
            taken.append(row)
    return taken
