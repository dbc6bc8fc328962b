"""What is measured of the jobs, and of a schedule of them."""

import numpy as np

from molokini.metrics.job_measures import DEFAULT_TAU_S, job_times
from molokini.metrics.measures import loss_of_capacity
from molokini.sim.schedule import Schedule
from molokini.studies.study import Row
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import Floats, Workload

LARGE = 32
"""A job on more processors is large."""


def described(workload: Workload, processors: int) -> Row:
    """Figures of the jobs themselves (section 2.2 and figure 1)."""
    large, work = workload.processors > LARGE, workload.processors * workload.run_s
    share = np.sort(workload.run_s / workload.estimate_s)
    return {
        "load": offered_load(workload, processors),
        "large_jobs": float(large.mean()),
        "large_work": float(work[large].sum() / work.sum()),
        "largest": int(workload.processors.max()),
        "mean_size": float(workload.processors.mean()),
        "median_run_s": float(np.median(workload.run_s)),
        "mean_run_s": float(workload.run_s.mean()),
        "exact_jobs": float((share > 1.0 - 1e-9).mean()),
        "phi_distance": _distance(share[share < 1.0 - 1e-9]),
    }


def _distance(values: Floats) -> float:
    """Kolmogorov's distance of sorted *values* from the uniform distribution on (0, 1)."""
    upto = np.arange(values.size + 1) / values.size
    return float(max(np.abs(values - upto[:-1]).max(), np.abs(values - upto[1:]).max()))


def measured(schedule: Schedule) -> Row:
    """Metrics of section 2.3: rho, kappa; waits and slowdowns of all jobs and of groups.

    Classes by estimates are those of section 3: 9 ran for more than nine tenths of it, 0 for a tenth at most.
    """
    workload, times = schedule.workload, job_times(schedule)
    slowdown = times.bounded_slowdown(DEFAULT_TAU_S)
    last_s = float(schedule.end_s.max()) - float(workload.submit_s[0])
    ran = workload.run_s / workload.estimate_s
    groups = {
        "": np.ones(len(times), dtype=bool),
        "_small": workload.processors <= LARGE,
        "_large": workload.processors > LARGE,
        "_short": workload.run_s <= np.median(workload.run_s),
        "_long": workload.run_s > np.median(workload.run_s),
        "_class_0": ran <= 0.1,
        "_class_9": ran > 0.9,
    }
    capacity = schedule.processors * last_s
    found: dict[str, float | int | None] = {
        "rho": float(workload.processors @ workload.run_s) / capacity,
        "kappa": loss_of_capacity(schedule),
        "migration_loss": float(workload.processors[schedule.trace.job] @ schedule.trace.stall_s) / capacity
        if schedule.trace.stall_s.size
        else 0.0,
        "wait_std_s": float(times.wait_s.std()),
        "slowdown_std": float(slowdown.std()),
    }
    for name, members in groups.items():
        if members.any():
            found[f"wait{name}_s"] = float(times.wait_s[members].mean())
            found[f"slowdown{name}"] = float(slowdown[members].mean())
    return found
