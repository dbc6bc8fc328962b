"""Two logs side by side: the same figures of both, and how far their distributions are apart.

Distances between samples: Kolmogorov and Smirnov's (the largest difference of the cumulative distributions),
Wasserstein's of logarithms (the mean factor by which quantiles differ, as a logarithm to base 10), and
Anderson and Darling's of two samples in the form of Scholz and Stephens (1987) without its significance:
jobs are not independent, so no p-value would be true.
"""

from typing import Any

import numpy as np

from molokini.workloads.info import distribution
from molokini.workloads.statistics.mass import mass_count
from molokini.workloads.statistics.selfsimilar import hurst
from molokini.workloads.statistics.tails import llcd
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_ACCURACY = "accuracy"
_LEAST_ACCURACY = 0.001
"""Below it accuracies count as this: all of them are below 1, where other values count as 1."""
_MEMORY = tuple(SWF_FIELDS.index(name) for name in ("requested_memory_kb", "used_memory_kb"))


def attributes(workload: Workload) -> dict[str, Floats]:
    """What is compared of a log, by name: values of the jobs that have them."""
    given = workload.estimated
    ran = given & (workload.run_s > 0)
    asked, used = (workload.records[:, column] for column in _MEMORY)
    memory = np.where(asked > 0, asked, used)
    return {
        "interarrival_s": np.diff(workload.submit_s),
        "processors": workload.processors.astype(np.float64),
        "run_s": workload.run_s,
        "work_processor_s": workload.processors * workload.run_s,
        "estimate_s": workload.estimate_s[given],
        _ACCURACY: np.minimum(workload.run_s[ran] / workload.estimate_s[ran], 1.0),
        "memory_kb": memory[memory > 0],
    }


def compare(one: Workload, other: Workload) -> dict[str, Any]:
    """Figures of both logs and distances between them, attribute by attribute; ready for JSON."""
    first, second = attributes(one), attributes(other)
    return {
        "jobs": [len(one), len(other)],
        "hurst": [_h(one), _h(other)],
        "attributes": {name: _compared(name, first[name], second[name]) for name in first},
    }


def _h(workload: Workload) -> float | None:
    found = hurst(workload.submit_s)
    return None if found is None else found["variance_time"]["h"]


def _compared(name: str, one: Floats, other: Floats) -> dict[str, Any]:
    both = bool(one.size and other.size)
    least = _LEAST_ACCURACY if name == _ACCURACY else 1.0
    return {
        "figures": [_figures(name, one), _figures(name, other)],
        "ks": kolmogorov(one, other) if both else None,
        "wasserstein_log10": wasserstein_of_logs(one, other, least) if both else None,
        "anderson_darling": anderson(one, other) if both else None,
    }


def _figures(name: str, values: Floats) -> dict[str, Any]:
    mass = mass_count(values) or {}
    above = values[values > 0]
    # What is at most 1 has no tail.
    line = llcd(above) if above.size > 1 and name != _ACCURACY else {"alpha": None}
    return {
        "values": int(values.size),
        **distribution(values),
        "joint_items": mass.get("joint_items"),
        "alpha": line["alpha"],
    }


def kolmogorov(one: Floats, other: Floats) -> float:
    """The largest difference between the cumulative distributions of two samples."""
    x, y = np.sort(one), np.sort(other)
    at = np.concatenate([x, y])
    below = [np.searchsorted(part, at, side="right") / part.size for part in (x, y)]
    return float(np.abs(below[0] - below[1]).max())


def wasserstein_of_logs(one: Floats, other: Floats, least: float = 1.0) -> float | None:
    """The mean distance between quantiles of the same rank, in decades; values below *least* count as it."""
    x, y = (np.sort(np.log10(np.maximum(values, least))) for values in (one, other))
    at = np.sort(np.concatenate([x, y]))
    below = [np.searchsorted(part, at[:-1], side="right") / part.size for part in (x, y)]
    return float((np.abs(below[0] - below[1]) * np.diff(at)).sum())


def anderson(one: Floats, other: Floats) -> float:
    """Anderson and Darling's statistic of two samples over the number of values, so that it is of any size.

    A weighted mean of squared differences of the cumulative distributions, heavier where either is near 0 or
    1.
    """
    x, y = np.sort(one), np.sort(other)
    at, ties = np.unique(np.concatenate([x, y]), return_counts=True)
    count = x.size + y.size
    # Midranks, since whole seconds have many ties (Scholz and Stephens, A^2_akN).
    upto = np.cumsum(ties) - ties / 2.0
    total = 0.0
    for part in (x, y):
        low, high = (np.searchsorted(part, at, side=side) for side in ("left", "right"))
        middle = (low + high) / 2.0
        spread = upto * (count - upto) - count * ties / 4.0
        known = spread > 0
        gap = (count * middle - part.size * upto)[known] ** 2
        total += float((ties[known] / count * gap / spread[known]).sum()) / part.size
    return total * (count - 1) / count / count
