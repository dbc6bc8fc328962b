"""Speedup of parallel jobs: Downey (1997), from average parallelism A and variance sigma; Sevcik (1994).

A job that may choose its processors is described by its work and these two numbers.
"""

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.workload import Floats


def speedup(processors: Floats, parallelism: Floats, sigma: Floats) -> Floats:
    """S(n): how many times as fast as one processor *processors* are, element by element.

    *parallelism* is A, 1 or more; *sigma* its coefficient of variance, 0 or more. S(1) = 1 and S never
    exceeds A. Raises BadValue.
    """
    n, a, s = (np.asarray(one, dtype=np.float64) for one in (processors, parallelism, sigma))
    for name, value, least in (("processors", n, 1.0), ("parallelism", a, 1.0), ("sigma", s, 0.0)):
        if value.size and not (np.isfinite(value).all() and value.min() >= least):
            raise BadValue(name, float(value.min()), f"finite and {least:g} or more")
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(
            n <= a,
            a * n / (a + s * (n - 1.0) / 2.0),
            np.where(n <= 2.0 * a - 1.0, a * n / (s * (a - 0.5) + n * (1.0 - s / 2.0)), a),
        )
        high = np.where(n <= a + a * s - s, n * a * (s + 1.0) / (s * (n + a - 1.0) + a), a)
    return np.asarray(np.where(s <= 1.0, low, high))


def most_useful(parallelism: Floats, sigma: Floats) -> Floats:
    """The processors beyond which there is no further speedup."""
    a, s = np.asarray(parallelism, dtype=np.float64), np.asarray(sigma, dtype=np.float64)
    return np.asarray(np.ceil(np.where(s <= 1.0, 2.0 * a - 1.0, a + a * s - s)))


def sevcik_s(
    processors: Floats, work_s: Floats, phi: float = 1.02, alpha_s: float = 0.05, beta_s: float = 0.0
) -> Floats:
    """T(n) = phi W/n + alpha + beta n; the defaults are the paper's first workload, W of mean 1000.

    Its second has phi 1.3 and alpha and beta 25.
    """
    return np.asarray(phi * np.asarray(work_s) / processors + alpha_s + beta_s * np.asarray(processors))
