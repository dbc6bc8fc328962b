"""Wait, response and slowdowns of each finished job, as arrays.

Definitions after Feitelson, "Metrics for parallel job scheduling and their convergence" (JSSPP 2001),
section 4. Only jobs that ran to their end count; the run time is that of the run that happened, so a job
that was killed at its estimate counts with its estimate.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import numpy as np

from molokini.model.errors import BadValue, UnknownName
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Ints, Rows

DEFAULT_TAU_S = 10.0
"""The threshold of the bounded slowdowns, in seconds (Feitelson, JSSPP 2001)."""


@dataclass(frozen=True)
class JobTimes:
    """The finished jobs of one schedule, one element a job, in order of their rows; seconds."""

    row: Ints
    submit_s: Floats
    wait_s: Floats
    """Start minus submit: the time to the first start, even if the job was suspended later."""
    response_s: Floats
    """End minus submit."""
    run_s: Floats
    """Work done at rate 1: the run time that happened."""
    processors: Ints
    end_s: Floats

    def __len__(self) -> int:
        return int(self.row.size)

    def take(self, rows: Rows) -> "JobTimes":
        """These jobs only, in the order of *rows*."""
        return JobTimes(**{part.name: getattr(self, part.name)[rows] for part in fields(self)})

    def ran(self) -> "JobTimes":
        """Without the jobs of run time 0, whose slowdown is not defined."""
        return self.take(self.run_s > 0)

    def slowdown(self) -> Floats:
        """Response over run time; infinite for a run time of 0 (leave those out with ``ran``)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.run_s > 0, self.response_s / self.run_s, np.inf)

    def bounded_slowdown(self, tau_s: float = DEFAULT_TAU_S) -> Floats:
        """max(1, response / max(run, tau)), jobs of run time 0 included."""
        return np.maximum(1.0, self.response_s / np.maximum(self.run_s, tau_s))

    def per_processor_slowdown(self, tau_s: float = DEFAULT_TAU_S) -> Floats:
        """max(1, response / (processors * max(run, tau))): Zotkin and Keleher's, by Feitelson's name."""
        return np.maximum(1.0, self.response_s / (self.processors * np.maximum(self.run_s, tau_s)))


def job_times(schedule: Schedule) -> JobTimes:
    """The times of each finished job of *schedule* that counts."""
    workload = schedule.workload
    row = np.flatnonzero(schedule.finished & schedule.counted)
    submit_s = workload.submit_s[row]
    end_s = schedule.end_s[row]
    return JobTimes(
        row=row.astype(np.int64, copy=False),
        submit_s=submit_s,
        wait_s=schedule.start_s[row] - submit_s,
        response_s=end_s - submit_s,
        run_s=schedule.run_s[row],
        processors=workload.processors[row],
        end_s=end_s,
    )


JOB_METRICS: Mapping[str, Callable[[JobTimes, float], Floats]] = {
    "wait_s": lambda times, tau_s: times.wait_s,
    "response_s": lambda times, tau_s: times.response_s,
    "slowdown": lambda times, tau_s: times.slowdown(),
    "bounded_slowdown": lambda times, tau_s: times.bounded_slowdown(tau_s),
    "per_processor_slowdown": lambda times, tau_s: times.per_processor_slowdown(tau_s),
}
"""The metrics that have a value for each job, by name; lower is better for each."""


def job_values(times: JobTimes, metric: str, tau_s: float = DEFAULT_TAU_S) -> tuple[JobTimes, Floats]:
    """The jobs that *metric* is defined for, and its value for each.

    *metric* is a name of ``JOB_METRICS``; ``slowdown`` leaves out jobs of run time 0.
    """
    if metric not in JOB_METRICS:
        raise UnknownName("job metric", metric, JOB_METRICS)
    checked_tau(tau_s)
    kept = times.ran() if metric == "slowdown" else times
    return kept, JOB_METRICS[metric](kept, tau_s)


def checked_tau(tau_s: float) -> float:
    """*tau_s* if it is a positive number of seconds; BadValue otherwise."""
    if not (math.isfinite(tau_s) and tau_s > 0):
        raise BadValue("tau", tau_s, "a positive number of seconds")
    return tau_s
