"""Every statistic of a log as one value."""

from typing import Any

import numpy as np

from molokini.workloads.statistics.mass import mass_count
from molokini.workloads.statistics.people import (
    correlations,
    estimate_quality,
    memory,
    run_by_size,
    top_users,
)
from molokini.workloads.statistics.rhythm import (
    gaps_without_downtime,
    hours_of_week,
    queue_against_load,
    running_means,
    weeks,
)
from molokini.workloads.statistics.selfsimilar import at_scales, hurst
from molokini.workloads.statistics.tails import tail
from molokini.workloads.workload import Workload


def statistics(workload: Workload) -> dict[str, Any]:
    """Tails, masses, self-similarity, rhythm, users, estimates, correlations, memory; ready for JSON."""
    work = workload.processors * workload.run_s
    return {
        "tails": {
            "run_s": tail(workload.run_s),
            "work_processor_s": tail(work),
            "interarrival_s": tail(np.diff(workload.submit_s)),
        },
        "mass": {"run_s": mass_count(workload.run_s), "work_processor_s": mass_count(work)},
        "hurst": hurst(workload.submit_s),
        "arrivals_at_scales": at_scales(workload.submit_s, workload.processors.astype(np.float64)),
        "hours_of_week": hours_of_week(workload),
        "gaps": gaps_without_downtime(workload),
        "weeks": weeks(workload),
        "run_by_size": run_by_size(workload),
        "estimates": estimate_quality(workload),
        "users": top_users(workload),
        "correlations": correlations(workload),
        "memory": memory(workload),
        "running_means": running_means(workload),
        "queue_against_load": queue_against_load(workload),
    }
