"""Whether more work came than the policy could get done: then means depend on the length of the log."""

import numpy as np

from molokini.metrics.timelines import Steps, busy_processors, integral, product, value_at
from molokini.sim.schedule import Bools, Schedule


def overload_measures(schedule: Schedule) -> dict[str, float | int | None]:
    """The load offered from first to last submission, and the load served while jobs lacked processors.

    Where the first is more than the second, jobs were never too few to use the machine: it is overloaded.
    None where no time passes between submissions, or no job ever lacks processors.
    """
    workload, accepted = schedule.workload, _startable(schedule)
    submit_s = workload.submit_s[accepted]
    if submit_s.size < 2 or submit_s[-1] <= submit_s[0] or schedule.processors <= 0:
        return {"offered_load": None, "served_load": None, "overloaded": False}
    first_s, last_s = float(submit_s[0]), float(submit_s[-1])
    # The mean gap follows the last job, too.
    length_s = (last_s - first_s) * submit_s.size / (submit_s.size - 1)
    limited_s = np.minimum(workload.run_s, workload.estimate_s)
    run_s = np.where(np.isfinite(schedule.run_s), schedule.run_s, limited_s)
    offered = float((run_s * workload.processors)[accepted].sum()) / (length_s * schedule.processors)
    busy = busy_processors(schedule)
    lacking = _lacking(schedule, busy, accepted)
    lacking_s = integral(lacking, first_s, last_s)
    if lacking_s <= 0:
        return {"offered_load": offered, "served_load": None, "overloaded": False}
    served = integral(product(busy, lacking), first_s, last_s) / (lacking_s * schedule.processors)
    return {"offered_load": offered, "served_load": served, "overloaded": bool(offered > served)}


def _startable(schedule: Schedule) -> Bools:
    """The jobs that were not refused, and that more processors would have helped.

    What still waits when all that started has ended waits for something else: a limit of its queue, a hold,
    nodes that are gone. In a replay that was stopped before, jobs may wait for processors alone.
    """
    started = np.isfinite(schedule.start_s)
    accepted = ~schedule.refused_rows
    return accepted if bool((started & ~schedule.finished).any()) else accepted & started


def _lacking(schedule: Schedule, busy: Steps, accepted: Bools) -> Steps:
    """1 while one of the jobs *accepted* was submitted, has not ended, and holds less than it asks for."""
    workload, ended = schedule.workload, schedule.finished
    times = np.concatenate([workload.submit_s[accepted], schedule.end_s[ended]])
    widths = workload.processors.astype(np.float64)
    changes = np.concatenate([widths[accepted], -widths[ended]])
    order = np.argsort(times, kind="stable")
    times, asked = times[order], np.cumsum(changes[order])
    last = np.append(times[1:] != times[:-1], True)
    present = Steps(times[last], asked[last])
    every = np.union1d(present.times, busy.times)
    less = value_at(present, every) - value_at(busy, every) > 1e-6
    return Steps(every, less.astype(np.float64))
