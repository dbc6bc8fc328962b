"""Which processors a job is drawn on.

Processors are interchangeable and a schedule names none, so that a drawing must choose: the lowest
hole that is wide enough, else the widest holes until all of the job has a place. The choice depends
on the schedule alone.
"""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from molokini.metrics.timelines import occupation
from molokini.sim.schedule import Bools, Schedule, Trace
from molokini.workloads.workload import Floats, Ints

AWAY = -1
"""In the place of a job: an outage."""
_FUZZ = 1e-6  # shared processors are fractions, and their sums are not exact


@dataclass(frozen=True)
class Pieces:
    """Rectangles of jobs: from ``start_s`` to ``end_s``, processors ``low`` up to ``high``."""

    job: Ints
    start_s: Floats
    end_s: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return int(self.job.size)

    def of(self, kept: Bools) -> "Pieces":
        """Some of them."""
        return Pieces(self.job[kept], self.start_s[kept], self.end_s[kept], self.low[kept], self.high[kept])

    def within(self, start_s: float, stop_s: float) -> "Pieces":
        """The parts of them that lie between two instants."""
        seen = (self.end_s > start_s) & (self.start_s < stop_s)
        return Pieces(
            self.job[seen],
            np.maximum(self.start_s[seen], start_s),
            np.minimum(self.end_s[seen], stop_s),
            self.low[seen],
            self.high[seen],
        )


def segments(schedule: Schedule, horizon_s: float) -> tuple[Ints, Floats, Floats, Floats]:
    """Job, start, end and processors of every stretch in which a job holds the same number of them.

    A suspended job has a gap between two stretches; a job that never ended holds to *horizon_s*.
    Sorted by start, then by job.
    """
    held = occupation(schedule)
    same_job = held.job[1:] == held.job[:-1]
    # Entries that change nothing (a trace that repeats, another rate of the same width) begin no stretch.
    told = np.ones(held.job.size, dtype=np.bool_)
    told[1:] = ~(same_job & (held.occupied[1:] == held.occupied[:-1]))
    job, start_s, width = held.job[told], held.time_s[told], held.occupied[told]
    end_s = np.full(job.size, horizon_s)
    follows = job[1:] == job[:-1]
    end_s[:-1][follows] = start_s[1:][follows]
    seen = (width > 0) & (end_s > start_s)
    job, start_s, end_s, width = job[seen], start_s[seen], end_s[seen], width[seen]
    order = np.lexsort((job, start_s))
    return job[order], start_s[order], end_s[order], width[order]


def place(schedule: Schedule, horizon_s: float) -> Pieces:
    """Every stretch of every job on processors of its own; one stretch may be several pieces.

    Processors that outages have taken are pieces of the job ``AWAY``, on the highest that are free.
    """
    job, start_s, end_s, width = _with_outages(schedule, horizon_s)
    count = job.size
    instants = np.concatenate([end_s, start_s])
    # Ends before starts at one instant, and of these outages first; others in order of their jobs.
    rank = np.concatenate([np.zeros(count), np.where(job == AWAY, 1, 2)])
    order = np.lexsort((np.tile(np.arange(count), 2), rank, instants))
    machine = _Machine(float(schedule.processors))
    widths, outages = width.tolist(), (job == AWAY).tolist()
    holdings: list[list[tuple[float, float]]] = [[]] * count
    for event in order.tolist():
        if event >= count:
            at = event - count
            holdings[at] = machine.take_highest(widths[at]) if outages[at] else machine.take(widths[at])
        else:
            machine.give(holdings[event])
    owner = np.repeat(np.arange(count), [len(held) for held in holdings])
    bounds = np.array([piece for held in holdings for piece in held], dtype=np.float64).reshape(-1, 2)
    return Pieces(job[owner], start_s[owner], end_s[owner], bounds[:, 0], bounds[:, 1])


def cut_by_home(pieces: Pieces, trace: Trace, row: int) -> tuple[Pieces, Bools]:
    """*pieces* of a row of the matrix, cut where it becomes or ceases to be a job's home row.

    And which of them are copies: the row is not the job's home row then.
    """
    # Instants as ranks: job and rank are one whole number, by which all changes of all jobs are in order.
    instants = np.unique(np.concatenate([trace.time_s, pieces.start_s, pieces.end_s]))

    def key(job: Ints, at_s: Floats) -> Ints:
        return job * instants.size + np.searchsorted(instants, at_s)

    keys = key(trace.job, trace.time_s)
    order = np.argsort(keys, kind="stable")
    last = np.append(keys[order][1:] != keys[order][:-1], True)  # of several entries at an instant
    order = order[last]
    at_home = trace.home[order] == row
    told = np.append(True, (at_home[1:] != at_home[:-1]) | (trace.job[order][1:] != trace.job[order][:-1]))
    order, at_home = order[told], at_home[told]
    keys = keys[order]
    first = np.searchsorted(keys, key(pieces.job, pieces.start_s), side="right") - 1
    stop = np.searchsorted(keys, key(pieces.job, pieces.end_s), side="left")
    parts = np.maximum(stop - first, 1)
    of = np.repeat(np.arange(len(pieces)), parts)
    change = first[of] + np.arange(of.size) - np.repeat(np.cumsum(parts) - parts, parts)
    begins = np.append(True, of[1:] != of[:-1])
    start_s = np.where(begins, pieces.start_s[of], trace.time_s[order][change])
    end_s = np.where(np.append(begins[1:], True), pieces.end_s[of], np.append(start_s[1:], 0.0))
    cut = Pieces(pieces.job[of], start_s, end_s, pieces.low[of], pieces.high[of])
    return cut, ~at_home[change]


def _with_outages(schedule: Schedule, horizon_s: float) -> tuple[Ints, Floats, Floats, Floats]:
    """The segments of the jobs, and the outages behind them."""
    found = segments(schedule, horizon_s)
    seen = [one for one in schedule.outages if one.start_s < min(one.end_s, horizon_s)]
    if not seen:
        return found
    job, start_s, end_s, width = found
    return (
        np.concatenate([job, np.full(len(seen), AWAY)]),
        np.concatenate([start_s, [one.start_s for one in seen]]),
        np.concatenate([end_s, [min(one.end_s, horizon_s) for one in seen]]),
        np.concatenate([width, [float(one.processors) for one in seen]]),
    )


class _Machine:
    """The free processors as holes [low, high), in order and never touching."""

    def __init__(self, processors: float) -> None:
        self._low = [0.0]
        self._high = [processors]

    def take(self, width: float) -> list[tuple[float, float]]:
        """Processors for a job of *width*, in one piece if any hole is wide enough."""
        lows, highs = self._low, self._high
        for at, low in enumerate(lows):
            if highs[at] - low >= width - _FUZZ:
                top = min(low + width, highs[at])
                self._cut(at, top)
                return [(low, top)]
        pieces = []
        for at in sorted(range(len(lows)), key=lambda hole: lows[hole] - highs[hole]):
            top = min(lows[at] + width, highs[at])
            pieces.append((lows[at], top))
            lows[at] = top
            width -= top - pieces[-1][0]
            if width <= _FUZZ:
                break
        holes = [(low, high) for low, high in zip(lows, highs, strict=True) if high - low > _FUZZ]
        self._low = [low for low, _ in holes]
        self._high = [high for _, high in holes]
        return pieces

    def take_highest(self, width: float) -> list[tuple[float, float]]:
        """The highest free processors, in as many pieces as it takes."""
        pieces = []
        while width > _FUZZ and self._low:
            low = max(self._low[-1], self._high[-1] - width)
            pieces.append((low, self._high[-1]))
            width -= self._high[-1] - low
            if low - self._low[-1] > _FUZZ:
                self._high[-1] = low
            else:
                del self._low[-1], self._high[-1]
        return pieces

    def give(self, pieces: list[tuple[float, float]]) -> None:
        """Take back the pieces that ``take`` gave."""
        for low, high in pieces:
            at = bisect_left(self._low, low)
            joins_next = at < len(self._low) and self._low[at] - high <= _FUZZ
            if at > 0 and low - self._high[at - 1] <= _FUZZ:
                self._high[at - 1] = high
                if joins_next:
                    self._high[at - 1] = self._high.pop(at)
                    del self._low[at]
            elif joins_next:
                self._low[at] = low
            else:
                self._low.insert(at, low)
                self._high.insert(at, high)

    def _cut(self, at: int, top: float) -> None:
        if self._high[at] - top > _FUZZ:
            self._low[at] = top
        else:
            del self._low[at], self._high[at]
