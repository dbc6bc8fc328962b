"""Time lines: how many jobs wait and how many processors are held, at every instant of a schedule.

Each is a step function. All changes of one instant are one step, so a job that starts when another
ends does not overlap with it, and a job that starts on arrival never waits.
"""

from typing import NamedTuple

import numpy as np

from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Ints

_DIGITS = 6  # shared processors are fractions: without rounding, sums of them end at 1e-12, not at 0


class Steps(NamedTuple):
    """A step function: ``values[k]`` holds from ``times[k]`` until ``times[k + 1]``; 0 before the first."""

    times: Floats
    values: Floats


class Occupation(NamedTuple):
    """How many processors jobs hold: from ``time_s[k]`` on, job ``job[k]`` holds ``occupied[k]``.

    Sorted by job, then time; a job's last line is its end (0), if it ended.
    """

    job: Ints
    time_s: Floats
    occupied: Floats


def queue_length(schedule: Schedule) -> Steps:
    """Jobs waiting: submitted, not yet started, not refused."""
    return _waiting(schedule, np.ones(len(schedule.workload)))


def waiting_processors(schedule: Schedule) -> Steps:
    """Processors that the waiting jobs ask for."""
    return _waiting(schedule, schedule.workload.processors.astype(np.float64))


def held_processors(schedule: Schedule) -> Ints:
    """Processors of each job from its start on: those that it asks for, or more where nodes give it more."""
    asked, places = schedule.workload.processors, schedule.places
    if places is None or places.first.size != len(asked):
        return asked
    before = np.concatenate([[0], np.cumsum(places.processors)])
    there = np.where(places.count > 0, before[places.first + places.count] - before[places.first], 0)
    return np.maximum(asked, there)


def busy_processors(schedule: Schedule) -> Steps:
    """Processors held by jobs; a suspended job holds none, and shared ones count by their share."""
    if not schedule.trace.time_s.size:
        width = held_processors(schedule)
        started = np.isfinite(schedule.start_s)
        ended = schedule.finished
        return _steps(
            np.concatenate([schedule.start_s[started], schedule.end_s[ended]]),
            np.concatenate([width[started], -width[ended]]),
        )
    held = occupation(schedule)
    before = np.zeros_like(held.occupied)
    same_job = held.job[1:] == held.job[:-1]
    before[1:][same_job] = held.occupied[:-1][same_job]
    return _steps(held.time_s, held.occupied - before)


def away_processors(schedule: Schedule) -> Steps:
    """Processors that outages had taken, at every instant."""
    outages = [one for one in schedule.outages if not one.drain]
    lost = np.array([one.processors for one in outages], dtype=np.int64)
    times = np.array([one.start_s for one in outages] + [one.end_s for one in outages], dtype=np.float64)
    changes = np.concatenate([lost, -lost])
    ends = np.isfinite(times)
    return _steps(times[ends], changes[ends])


def idle_processors(schedule: Schedule, busy: Steps, start_s: float) -> Steps:
    """Processors that are there and not *busy*, from *start_s* on."""
    away = away_processors(schedule)
    times = np.union1d(np.union1d(busy.times, away.times), [start_s])
    taken = value_at(busy, times) + value_at(away, times)
    return Steps(times, np.maximum(schedule.processors - taken, 0.0))


def occupation(schedule: Schedule) -> Occupation:
    """Every change of what a job holds: its start, its trace, its end."""
    trace = schedule.trace
    started = np.flatnonzero(np.isfinite(schedule.start_s))
    ended = np.flatnonzero(schedule.finished)
    # A trace may repeat the start and the end: the rank puts it after the start and before the end.
    inside = (trace.time_s >= schedule.start_s[trace.job]) & ~(trace.time_s > schedule.end_s[trace.job])
    job = np.concatenate([started, trace.job[inside], ended]).astype(np.int64, copy=False)
    time_s = np.concatenate([schedule.start_s[started], trace.time_s[inside], schedule.end_s[ended]])
    width = held_processors(schedule)[started].astype(np.float64)
    occupied = np.concatenate([width, trace.occupied[inside], np.zeros(ended.size)])
    rank = np.repeat([0, 1, 2], [started.size, int(inside.sum()), ended.size])
    order = np.lexsort((rank, time_s, job))
    return Occupation(job[order], time_s[order], occupied[order])


def span(schedule: Schedule) -> tuple[float, float] | None:
    """First submit (refused jobs apart) and last end, or None where no job finished.

    Where only a part of the time counts, the part of the span that lies in it.
    """
    ends = schedule.end_s[schedule.finished]
    if not np.any(schedule.finished & schedule.counted):
        return None
    first, last = schedule.counted_s
    start = max(float(schedule.workload.submit_s[~schedule.refused_rows].min()), first)
    return start, max(start, min(float(ends.max()), last))


def value_at(steps: Steps, times: Floats) -> Floats:
    """The value that holds from each of *times* on."""
    if not steps.times.size:
        return np.zeros(len(times))
    at = np.searchsorted(steps.times, times, side="right") - 1
    return np.where(at >= 0, steps.values[np.maximum(at, 0)], 0.0)


def within(steps: Steps, start_s: float, stop_s: float) -> Steps:
    """The same function on [start, stop) only: the first step is at *start_s*."""
    inside = (steps.times > start_s) & (steps.times < stop_s)
    first = np.array([start_s])
    return Steps(
        np.concatenate([first, steps.times[inside]]),
        np.concatenate([value_at(steps, first), steps.values[inside]]),
    )


def integral(steps: Steps, start_s: float, stop_s: float) -> float:
    """The area under the function from *start_s* to *stop_s* (value times seconds)."""
    if stop_s <= start_s:
        return 0.0
    times, values = within(steps, start_s, stop_s)
    # Not the product of two vectors: BLAS makes that with as many threads as there are cores, whose number is
    # in the last digits then, and which wait for one another where other processes use the cores.
    return float(np.sum(values * np.diff(times, append=stop_s)))


def product(one: Steps, other: Steps) -> Steps:
    """The product of two step functions, on the instants of both."""
    times = np.union1d(one.times, other.times)
    return Steps(times, value_at(one, times) * value_at(other, times))


def resample(steps: Steps, edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Time-weighted mean, minimum and maximum of the function between each two of *edges*.

    *edges* increase strictly. Nothing is sampled: the mean keeps every area, and a peak of any
    length inside a bin is in its maximum.
    """
    times = np.concatenate([edges, steps.times[(steps.times > edges[0]) & (steps.times < edges[-1])]])
    times = np.unique(times)
    values = value_at(steps, times)
    area = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(times))])
    cut = np.searchsorted(times, edges)
    mean = np.diff(area[cut]) / np.diff(edges)
    first = cut[:-1]
    inner = values[:-1]
    low, high = np.minimum.reduceat(inner, first), np.maximum.reduceat(inner, first)
    return np.clip(mean, low, high), low, high


def _waiting(schedule: Schedule, weight: Floats) -> Steps:
    accepted = ~schedule.refused_rows
    started = accepted & np.isfinite(schedule.start_s)
    return _steps(
        np.concatenate([schedule.workload.submit_s[accepted], schedule.start_s[started]]),
        np.concatenate([weight[accepted], -weight[started]]),
    )


def _steps(times: Floats, changes: Floats | Ints) -> Steps:
    """The running sum of *changes*, with one step for each instant."""
    if not times.size:
        return Steps(np.zeros(0), np.zeros(0))
    order = np.argsort(times, kind="stable")
    times = times[order]
    values = np.round(np.cumsum(changes[order].astype(np.float64)), _DIGITS)
    last = np.append(times[1:] != times[:-1], True)
    # Adding 0 turns the -0.0 that rounding may leave into 0.0.
    return Steps(times[last], values[last] + 0.0)
