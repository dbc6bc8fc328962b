"""Interruptions of jobs: suspensions, requeues and checkpoints, and the work that was lost."""

import numpy as np

from molokini.metrics.timelines import occupation
from molokini.sim.schedule import Interruptions, Schedule
from molokini.workloads.workload import Floats


def suspended_s(schedule: Schedule) -> Floats:
    """Seconds between a job's first start and its end in which it held no processors; NaN before its end.

    The job was suspended then, or back in the queue.
    """
    off_s = np.where(schedule.finished, 0.0, np.nan)
    if not schedule.trace.time_s.size:
        return off_s
    held = occupation(schedule)
    same = held.job[1:] == held.job[:-1]
    without = same & (held.occupied[:-1] == 0)
    np.add.at(off_s, held.job[:-1][without], np.diff(held.time_s)[without])
    return off_s


def interruptions_of(schedule: Schedule) -> Interruptions:
    """The interruptions that the schedule counted, or none."""
    if schedule.interruptions is not None:
        return schedule.interruptions
    none = np.zeros(len(schedule.workload), dtype=np.int64)
    return Interruptions(none, none, none, none.astype(np.float64))


def interruption_measures(schedule: Schedule) -> dict[str, float | int]:
    """Sums over all jobs that count, unfinished ones included; 0 where none was interrupted."""
    counts, counted = interruptions_of(schedule), schedule.counted
    suspensions, requeues = counts.suspensions[counted], counts.requeues[counted]
    return {
        "suspensions": int(suspensions.sum()),
        "suspended_jobs": int(np.count_nonzero(suspensions)),
        "requeues": int(requeues.sum()),
        "requeued_jobs": int(np.count_nonzero(requeues)),
        "checkpoints": int(counts.checkpoints[counted].sum()),
        "lost_work_processor_s": float(
            np.sum(counts.lost_s[counted] * schedule.workload.processors[counted])
        ),
    }
