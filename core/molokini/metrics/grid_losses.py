"""What a schedule on the grid of time slices occupied and lost, slice by slice.

Zhang, Franke, Moreira, Sivasubramaniam, JSSPP 2001, equation 3: between two events the processors that are
empty are those of the row whose turn it is, and each slice that begins loses its context switch on all that
are occupied (``switch=changed``: by jobs that did not run in the slice before). Sums are in closed form: how
long a row has had the processors up to an instant, and how many of its slices have begun before it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from molokini.metrics.timelines import Steps, away_processors, integral, product, value_at
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Ints


class RowSteps(NamedTuple):
    """Columns of each row: ``columns[r, k]`` of row r from ``times[k]`` until ``times[k + 1]``."""

    times: Floats
    columns: Floats


def on_grid(schedule: Schedule) -> bool:
    """Whether rows had the processors in turn, slice by slice."""
    return schedule.grid[0] > 1


def columns_by_row(schedule: Schedule, held: Ints) -> RowSteps:
    """How many columns of each row were occupied, at every instant, by jobs that stand in it by *held*.

    *held* are bits of rows for each record of the trace, as ``trace.rows``.
    """
    trace, ended = schedule.trace, np.flatnonzero(schedule.finished)
    inside = ~(trace.time_s > schedule.end_s[trace.job])
    job = np.concatenate([trace.job[inside], ended])
    time_s = np.concatenate([trace.time_s[inside], schedule.end_s[ended]])
    rows = np.concatenate([held[inside], np.zeros(ended.size, dtype=np.int64)])
    order = np.lexsort((np.repeat([0, 1], [job.size - ended.size, ended.size]), time_s, job))
    job, time_s, rows = job[order], time_s[order], rows[order]
    before = np.zeros_like(rows)
    same_job = job[1:] == job[:-1]
    before[1:][same_job] = rows[:-1][same_job]
    order = np.argsort(time_s, kind="stable")
    times, width = time_s[order], schedule.workload.processors[job[order]]
    last = np.append(np.flatnonzero(np.diff(times) > 0), times.size - 1) if times.size else np.zeros(0, int)
    levels = [
        np.cumsum(((rows[order] >> r & 1) - (before[order] >> r & 1)) * width)[last]
        for r in range(schedule.grid[0])
    ]
    return RowSteps(times[last], np.array(levels, dtype=np.float64))


def occupied_s(schedule: Schedule, ends: tuple[float, float]) -> float:
    """Processor-seconds that jobs occupied between *ends*, context switches included."""
    always = Steps(np.array([ends[0]]), np.ones(1))
    steps = columns_by_row(schedule, schedule.trace.rows)
    return _sum(schedule, steps, ends, always, _had_s)


def lost_s(schedule: Schedule, ends: tuple[float, float], waiting: Steps) -> float:
    """Processor-seconds between *ends* that were empty or lost to switches, while *waiting* is 1."""
    steps = columns_by_row(schedule, schedule.trace.rows)
    waited_s = integral(waiting, *ends)
    away_s = integral(product(away_processors(schedule), waiting), *ends)
    empty_s = schedule.processors * waited_s - away_s - _sum(schedule, steps, ends, waiting, _had_s)
    if schedule.switch == 0:
        return empty_s
    if schedule.switch_changed:
        steps = columns_by_row(schedule, _newly(schedule.trace.rows, schedule.grid[0]))
    begun = _sum(schedule, steps, ends, waiting, _begun_before)
    return empty_s + schedule.grid[1] * schedule.switch * begun


def _newly(rows: Ints, count: int) -> Ints:
    """Of the bits of *rows*, those before which another row comes that is none of them."""
    before = (rows << 1 | rows >> (count - 1)) & ((1 << count) - 1)
    return rows & ~before


def _sum(
    schedule: Schedule,
    steps: RowSteps,
    ends: tuple[float, float],
    waiting: Steps,
    of_rows: Callable[[Floats, tuple[int, float]], Floats],
) -> float:
    """Columns of each row times what *of_rows* grows by, between *ends* while *waiting* is 1."""
    times = np.unique(np.concatenate([steps.times, waiting.times, np.array(ends)]))
    times = times[(times >= ends[0]) & (times <= ends[1])]
    counts = value_at(waiting, times[:-1]) > 0
    columns = np.array([value_at(Steps(steps.times, row), times[:-1]) for row in steps.columns])
    growth = np.diff(of_rows(times, schedule.grid), axis=1)
    return float((columns * growth)[:, counts].sum())


def _had_s(times: Floats, grid: tuple[int, float]) -> Floats:
    """How long each row has had the processors from instant 0 up to each of *times*."""
    count, quantum_s = grid
    cycles, first_s = _cycles(times, grid)
    into_s = times - first_s - quantum_s * np.arange(count)[:, None]
    had_s: Floats = cycles * quantum_s + np.clip(into_s, 0.0, quantum_s)
    return had_s


def _begun_before(times: Floats, grid: tuple[int, float]) -> Floats:
    """How many slices of each row have begun before each of *times*, from instant 0 on."""
    count, quantum_s = grid
    cycles, first_s = _cycles(times, grid)
    begun: Floats = cycles + (times - first_s > quantum_s * np.arange(count)[:, None])
    return begun


def _cycles(times: Floats, grid: tuple[int, float]) -> tuple[Floats, Floats]:
    """Whole cycles before each of *times*, and when the present one has begun."""
    cycle_s = grid[0] * grid[1]
    cycles = np.floor(times / cycle_s)
    return cycles, cycles * cycle_s
