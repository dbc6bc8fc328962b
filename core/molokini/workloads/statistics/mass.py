"""Mass-count disparity: which share of the jobs brings which share of the work.

Source: Crovella, Performance Evaluation with Heavy Tailed Distributions (JSSPP 2001), section 4.1, for the
mass-weighted distribution F_w; the figures taken from it (joint ratio, N1/2, W1/2, mm-distance, Gini) are
usual in the field.
"""

import math
from typing import Any

import numpy as np

from molokini.workloads.distributions import Distribution, Exponential, Pareto
from molokini.workloads.workload import Floats

_POINTS = 150


def mass_count(values: Floats) -> dict[str, Any] | None:
    """The disparity of *values* (0 or more); None where there is none or all are 0.

    ``joint_items`` of the items, the largest, hold ``joint_mass`` of the mass, and the two add up to 1;
    ``n_half``: the share of the items, the largest, that hold half of the mass; ``w_half``: the mass of the
    smaller half of the items; ``mm_distance``: median of the mass over median of the items; ``top_1``: the
    mass of the largest hundredth.
    """
    x = np.sort(values[values >= 0])
    total = float(x.sum())
    if not x.size or not total > 0 or not math.isfinite(total):
        return None
    count = np.arange(1, x.size + 1) / x.size
    mass = np.cumsum(x) / total
    # Between items both run straight: the figures depend smoothly on the values.
    count0, mass0 = np.concatenate([[0.0], count]), np.concatenate([[0.0], mass])
    joint = float(np.interp(1.0, count0 + mass0, count0))
    median = float(np.median(x))
    half = float(x[min(int(np.searchsorted(mass, 0.5)), x.size - 1)])
    at = np.unique(np.linspace(0, x.size - 1, _POINTS).astype(np.int64))
    # The largest items are few and hold much, so the curve has points of its own for them.
    last = np.unique(x.size - np.geomspace(1, x.size, _POINTS).astype(np.int64))
    rows = np.union1d(at, last)
    return {
        "items": int(x.size),
        "joint_items": 1.0 - joint,
        "joint_mass": joint,
        "n_half": 1.0 - float(np.interp(0.5, mass0, count0)),
        "w_half": float(np.interp(0.5, count0, mass0)),
        "mm_distance": half / median if median > 0 else None,
        "gini": max(0.0, 1.0 - 2.0 * float(np.trapezoid(mass0, count0))),
        "top_1": 1.0 - float(np.interp(0.99, count0, mass0)),
        "x": x[rows].tolist(),
        "count_below": count[rows].tolist(),
        "mass_below": mass[rows].tolist(),
    }


def mass_count_of(distribution: Distribution) -> dict[str, float]:
    """The same figures of a distribution with a finite mean.

    By Lorenz's curve L(p), the mass of the smallest share p of the items: in closed form for Pareto and
    exponential ones, else by sums over 400,000 quantiles.
    """
    from scipy.optimize import brentq

    lorenz = _lorenz(distribution)
    joint = float(brentq(lambda p: p + lorenz(p) - 1.0, 0.0, 1.0, xtol=1e-15))
    half = float(brentq(lambda p: lorenz(p) - 0.5, 0.0, 1.0, xtol=1e-16, rtol=1e-15))
    return {
        "joint_items": 1.0 - joint,
        "joint_mass": joint,
        "n_half": 1.0 - half,
        "w_half": lorenz(0.5),
        "mm_distance": distribution.quantile(half) / distribution.quantile(0.5),
        "gini": _gini(distribution, lorenz),
        "top_1": 1.0 - lorenz(0.99),
    }


def _lorenz(distribution: Distribution) -> Any:
    if isinstance(distribution, Pareto) and distribution.alpha > 1:
        power = 1.0 - 1.0 / distribution.alpha
        return lambda p: 1.0 - (1.0 - p) ** power
    if isinstance(distribution, Exponential):
        return lambda p: p + (1.0 - p) * math.log1p(-p) if p < 1.0 else 1.0
    # Cells of equal ratio of P[X > x]: the largest values are few, and hold much.
    above = np.geomspace(1.0, 1e-15, 400_001)
    values = distribution.quantiles(1.0 - np.sqrt(above[1:] * above[:-1]))
    held = values * -np.diff(above)
    upto = np.concatenate([[0.0], np.cumsum(held)]) / held.sum()
    at = 1.0 - above
    return lambda p: float(np.interp(p, at, upto))


def _gini(distribution: Distribution, lorenz: Any) -> float:
    if isinstance(distribution, Pareto):
        return 1.0 / (2.0 * distribution.alpha - 1.0)
    if isinstance(distribution, Exponential):
        return 0.5
    at = np.linspace(0.0, 1.0, 100_001)
    return 1.0 - 2.0 * float(np.trapezoid(np.array([lorenz(p) for p in at.tolist()]), at))
