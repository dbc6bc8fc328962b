"""Outcomes of several scenarios side by side: figures with a band over draws, curves, winners and losers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from molokini.compiled.structs import Floats, Ints
from molokini.metrics.breakdown import size_class, size_class_name
from molokini.whatif.present import Present
from molokini.whatif.scenarios import Outcome

TAU_S = 10.0
POINTS = 145
"""Instants of a curve: every ten minutes of a day."""
FIGURES = (
    "started_jobs",
    "ended_jobs",
    "waiting_jobs",
    "mean_wait_s",
    "mean_bounded_slowdown",
    "utilization",
)
BY = ("user", "group", "queue", "size")


@dataclass(frozen=True)
class Band:
    """One figure over the draws."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """Something over time: its median over the draws, and the lowest and the highest."""

    middle: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Change:
    """How the waits of some jobs differ from those of the first scenario."""

    by: str
    name: str
    jobs: float
    """How many they are, on average over the draws."""
    mean_wait_s: float
    mean_change_s: float
    """Of the wait: above 0 they wait longer. Jobs that do not start by the end count as starting then."""
    sooner: float
    later: float
    """Jobs that start sooner, or later, on average over the draws."""


@dataclass(frozen=True)
class Moved:
    """One job that is there now and whose start differs, by the middle of the draws."""

    job: str
    processors: int
    user: str
    change_s: float


@dataclass(frozen=True)
class Judged:
    """One scenario."""

    name: str
    figures: Mapping[str, Band]
    waiting: Curve
    busy: Curve
    """Busy processors."""
    changes: tuple[Change, ...]
    """Against the first scenario, largest first; none for that itself."""
    moved: tuple[Moved, ...]
    refused_jobs: float


def judged(
    present: Present,
    names: Sequence[str],
    outcomes: Sequence[Sequence[Outcome]],
    until_s: float,
) -> list[Judged]:
    """What is to be said of the *outcomes*, one list a scenario with one element a draw.

    The same place in each list is the same draw, so that scenarios are compared job by job.
    """
    instants = np.linspace(present.now_s, until_s, POINTS)
    found = []
    for at, (name, mine) in enumerate(zip(names, outcomes, strict=True)):
        figures = [_figures(present, one, until_s) for one in mine]
        curves = [_curves(present, one, instants) for one in mine]
        against = list(zip(outcomes[0], mine, strict=True)) if at else []
        found.append(
            Judged(
                name,
                {key: _band([one[key] for one in figures]) for key in FIGURES},
                _curve([waiting for waiting, _ in curves]),
                _curve([busy for _, busy in curves]),
                _changes(present, against, until_s),
                _moved(present, against, until_s),
                float(np.mean([one.refused.size for one in mine])),
            )
        )
    return found


def moved_before(first: Sequence[Outcome], other: Sequence[Outcome], at_s: float) -> float:
    """Jobs whose start differs and, in one of both, is before *at_s*; on average over the draws."""
    found = []
    for one, two in zip(first, other, strict=True):
        starts_s = np.nan_to_num(np.array([one.start_s, two.start_s]), nan=np.inf)[:, one.waited]
        found.append(((starts_s[0] != starts_s[1]) & (starts_s.min(axis=0) < at_s)).sum())
    return float(np.mean(found))


def _band(values: Sequence[float]) -> Band:
    return Band(float(np.median(values)), float(min(values)), float(max(values)))


def _curve(values: Sequence[Floats]) -> Curve:
    table = np.array(values)
    return Curve(np.median(table, axis=0), table.min(axis=0), table.max(axis=0))


def _waits_s(one: Outcome, until_s: float) -> Floats:
    """Waits up to the end of what was run."""
    start_s = np.where(np.isfinite(one.start_s), one.start_s, until_s)
    return np.maximum(start_s - one.submit_s, 0.0)


def _figures(present: Present, one: Outcome, until_s: float) -> dict[str, float]:
    rows = np.setdiff1d(one.waited, one.refused)
    waits_s, run_s = _waits_s(one, until_s)[rows], one.run_s[rows]
    bounded = np.maximum(1.0, (waits_s + run_s) / np.maximum(run_s, TAU_S))
    start_s = np.maximum(one.start_s, present.now_s)
    end_s = np.where(np.isfinite(one.end_s), one.end_s, until_s)
    busy_s = np.nansum(np.clip(np.minimum(end_s, until_s) - start_s, 0.0, None) * one.processors)
    whole_s = max(one.capacity, 1) * max(until_s - present.now_s, 1e-9)
    return {
        "started_jobs": float(np.isfinite(one.start_s[rows]).sum()),
        "ended_jobs": float((one.end_s <= until_s).sum()),
        "waiting_jobs": float(np.isnan(one.start_s[rows]).sum()),
        "mean_wait_s": float(waits_s.mean()) if rows.size else 0.0,
        "mean_bounded_slowdown": float(bounded.mean()) if rows.size else 1.0,
        "utilization": float(busy_s / whole_s),
    }


def _curves(present: Present, one: Outcome, instants: Floats) -> tuple[Floats, Floats]:
    rows = np.setdiff1d(one.waited, one.refused)
    start_s = np.where(np.isfinite(one.start_s), one.start_s, np.inf)
    end_s = np.where(np.isfinite(one.end_s), one.end_s, np.inf)
    waiting = _count(instants, one.submit_s[rows], 1.0) - _count(instants, start_s[rows], 1.0)
    width = one.processors.astype(np.float64)
    return waiting, _count(instants, start_s, width) - _count(instants, end_s, width)


def _count(instants: Floats, at_s: Floats, weight: Floats | float) -> Floats:
    """The weight of what has happened by each instant."""
    order = np.argsort(at_s, kind="stable")
    summed = np.concatenate([[0.0], np.cumsum(np.broadcast_to(weight, at_s.shape)[order])])
    found: Floats = summed[np.searchsorted(at_s[order], instants, side="right")]
    return found


def _changes(
    present: Present, against: Sequence[tuple[Outcome, Outcome]], until_s: float
) -> tuple[Change, ...]:
    found = []
    for by in BY:
        parts: dict[str, list[tuple[float, float]]] = {}
        for first, other in against:
            rows = np.setdiff1d(first.waited, np.union1d(first.refused, other.refused))
            waits_s = _waits_s(other, until_s)[rows]
            change_s = waits_s - _waits_s(first, until_s)[rows]
            labels = _labels(present, other, rows, by)
            for name, wait_s, changed_s in zip(labels, waits_s.tolist(), change_s.tolist(), strict=True):
                parts.setdefault(name, []).append((wait_s, changed_s))
        for name, pairs in parts.items():
            table = np.array(pairs)
            draws = len(against)
            found.append(
                Change(
                    by,
                    name,
                    len(pairs) / draws,
                    float(table[:, 0].mean()),
                    float(table[:, 1].mean()),
                    float((table[:, 1] < 0).sum() / draws),
                    float((table[:, 1] > 0).sum() / draws),
                )
            )
    return tuple(sorted(found, key=lambda one: (BY.index(one.by), -abs(one.mean_change_s), one.name)))


def _labels(present: Present, one: Outcome, rows: Ints, by: str) -> list[str]:
    if by == "size":
        return [size_class_name(int(index)) for index in size_class(one.processors[rows])]
    numbers = getattr(one, by)[rows].tolist()
    return [_name(present, number) for number in numbers]


def _name(present: Present, number: int) -> str:
    if number < 0:
        return "none"
    return present.names[number] if number < len(present.names) else str(number)


def _moved(present: Present, against: Sequence[tuple[Outcome, Outcome]], until_s: float) -> tuple[Moved, ...]:
    if not against:
        return ()
    count = present.waiting
    change_s = np.median(
        [_waits_s(other, until_s)[:count] - _waits_s(first, until_s)[:count] for first, other in against],
        axis=0,
    )
    user = against[0][0].user
    found = [
        Moved(
            present.jobs[row],
            int(against[0][0].processors[row]),
            _name(present, int(user[row])),
            float(change_s[row]),
        )
        for row in np.flatnonzero(change_s).tolist()
    ]
    return tuple(sorted(found, key=lambda one: (-abs(one.change_s), one.job)))
