"""What a schedule in rows of a matrix used, and what it lost to overheads.

Zhang, Franke, Moreira, Sivasubramaniam, JSSPP 2001, equation 3: a context switch loses a part of every slice
on all processors that are occupied, whatever runs there before and after it (with ``switch=changed`` only
where another job ran before). A job occupies its width in each of its rows. Slices are counted on average
here: between two events a row has its share of the time. Where rows have the processors in turn, ``grid``
counts them one by one.
"""

from dataclasses import replace

import numpy as np

from molokini.metrics.grid_losses import occupied_s, on_grid
from molokini.metrics.timelines import Steps, busy_processors, integral, product, within
from molokini.sim.schedule import ALL_TIME, Schedule


def in_rows(schedule: Schedule) -> bool:
    """Whether jobs stood in rows."""
    return bool(schedule.trace.rows.any())


def slots(schedule: Schedule, occupied: Steps) -> Steps:
    """How many rows take turns, at every instant, where only those in use do; 0 while no job runs."""
    trace = schedule.trace
    # The last record of an instant: all jobs of a pass have the same number in theirs.
    last = np.append(np.flatnonzero(np.diff(trace.time_s) > 0), trace.time_s.size - 1)
    found = Steps(trace.time_s[last], trace.turns[last].astype(np.float64))
    return product(found, Steps(occupied.times, (occupied.values > 0).astype(np.float64)))


def without_switches(schedule: Schedule, busy: Steps) -> Steps:
    """Processors that jobs occupy, less the part of them that context switches take."""
    if schedule.switch == 0:
        return busy
    if not schedule.switch_changed:
        return Steps(busy.times, busy.values * (1.0 - schedule.switch))
    trace = schedule.trace
    at_work = trace.rate * schedule.workload.processors[trace.job]
    return busy_processors(replace(schedule, trace=replace(trace, occupied=at_work)))


def useful_processors(schedule: Schedule, ends: tuple[float, float], busy: Steps) -> float | None:
    """Processors that did work of jobs, on average between *ends*; *busy* is ``without_switches``.

    Of a whole schedule it is the work of the jobs that ended; of a part of one what migrations lose is taken
    off when they begin.
    """
    length_s = ends[1] - ends[0]
    if length_s <= 0:
        return None
    if schedule.counted_s == ALL_TIME and bool((schedule.finished | np.isnan(schedule.start_s)).all()):
        done = schedule.finished
        return float(schedule.workload.processors[done] @ schedule.run_s[done]) / length_s
    return (integral(busy, *ends) - _migrated_s(schedule, ends)) / length_s


def row_measures(schedule: Schedule, ends: tuple[float, float], occupied: Steps) -> dict[str, float | None]:
    """Shares of the machine: what jobs occupied, overheads included, and what migrations lost."""
    capacity = schedule.processors * (ends[1] - ends[0])
    if not in_rows(schedule):
        return {}
    if capacity <= 0:
        return {"occupied": None, "loss_by_migration": None}
    return {
        "occupied": _occupied_s(schedule, ends, occupied) / capacity,
        "loss_by_migration": _migrated_s(schedule, ends) / capacity,
        **_slot_measures(schedule, ends, occupied),
    }


def _occupied_s(schedule: Schedule, ends: tuple[float, float], occupied: Steps) -> float:
    return occupied_s(schedule, ends) if on_grid(schedule) else integral(occupied, *ends)


def _slot_measures(schedule: Schedule, ends: tuple[float, float], occupied: Steps) -> dict[str, float | None]:
    """The mean number of slots, idle time counted (Zhou, Brent, section 3), and the largest."""
    if not schedule.trace.turns.any():
        return {}
    found = slots(schedule, occupied)
    return {
        "mean_slots": integral(found, *ends) / (ends[1] - ends[0]),
        "max_slots": float(within(found, *ends).values.max()),
    }


def _migrated_s(schedule: Schedule, ends: tuple[float, float]) -> float:
    """Processor-seconds of slices that migrations took."""
    trace = schedule.trace
    inside = (trace.time_s >= ends[0]) & (trace.time_s < ends[1])
    return float(schedule.workload.processors[trace.job[inside]] @ trace.stall_s[inside])
