"""How heavy a tail is: complementary distributions on logarithmic axes, Hill's estimator.

Sources: Crovella, Performance Evaluation with Heavy Tailed Distributions (JSSPP 2001); sums over blocks
after Crovella and Bestavros, as cited by Feitelson (JSSPP 2001). Which points the line is laid through is
ours: from the largest tenth of the values down to the last 15 of them.
"""

import math
from typing import Any

import numpy as np

from molokini.workloads.workload import Floats

BLOCKS = (1, 10, 100, 1000)
"""Neighbours whose values are added up for the aggregated LLCD."""

_POINTS = 150
_TAIL, _LAST = 0.1, 15
_FEWEST = 50
"""Values below which nothing is said of a tail."""


def tail(values: Floats) -> dict[str, Any] | None:
    """LLCD with its slope, the same of sums over blocks, and Hill's estimates; None for few values above 0.

    *values* in the order of the log: sums are of neighbours.
    """
    kept = values[values > 0]
    if kept.size < _FEWEST:
        return None
    return {"values": int(kept.size), "llcd": llcd(kept), "aggregated": _aggregated(kept), "hill": hill(kept)}


def llcd(values: Floats) -> dict[str, Any]:
    """P[X > x] at some x, both to be drawn on logarithmic axes, and a line through its tail.

    ``alpha`` is minus the slope by least squares in log10 of both, from P = 0.1 down to the last 15 values;
    ``decades`` is how far these x reach, ``r_squared`` how straight they lie. Only a line that is straight
    over two or three decades speaks of a heavy tail.
    """
    x, counts = np.unique(values, return_counts=True)
    above = values.size - np.cumsum(counts)
    x, above = x[above > 0], above[above > 0]
    share = above / values.size
    found: dict[str, Any] = {"x": [], "share_above": [], "alpha": None, "r_squared": None, "decades": None}
    if x.size < 2:
        return found
    rows = _spread(np.log10(share))
    found["x"], found["share_above"] = x[rows].tolist(), share[rows].tolist()
    inside = (share <= _TAIL) & (above >= _LAST)
    if inside.sum() >= 5:
        slope, straight = _line(np.log10(x[inside]), np.log10(share[inside]))
        found["alpha"], found["r_squared"] = -slope, straight
        found["decades"] = float(np.log10(x[inside][-1] / x[inside][0]))
    return found


def _aggregated(values: Floats) -> list[dict[str, Any]]:
    found = []
    for block in BLOCKS:
        blocks = values.size // block
        if blocks < _FEWEST:
            break
        sums = values[: blocks * block].reshape(blocks, block).sum(axis=1)
        found.append({"block": block, "blocks": blocks, **llcd(sums)})
    return found


def hill(values: Floats) -> dict[str, list[float]]:
    """Hill's estimate of alpha from the m largest values, for many m: a plateau speaks of a power tail.

    alpha(m) = 1 / mean of ln(X_(i) / X_(m+1)) over the m largest. Places where the m + 1 largest are equal
    are left out.
    """
    logs = np.log(np.sort(values)[::-1])
    m = np.unique(np.geomspace(min(10, logs.size - 1), logs.size - 1, _POINTS).astype(np.int64))
    excess = np.cumsum(logs)[m - 1] / m - logs[m]
    known = excess > 1e-12
    return {"m": m[known].tolist(), "alpha": (1.0 / excess[known]).tolist()}


def _line(x: Floats, y: Floats) -> tuple[float, float | None]:
    """The slope by least squares, and the share of the variation of y that the line explains."""
    dx, dy = x - x.mean(), y - y.mean()
    # Sums of products, not products of vectors: those depend on how many cores there are.
    both, wide, high = (float((one * other).sum()) for one, other in ((dx, dy), (dx, dx), (dy, dy)))
    return both / wide, both**2 / (wide * high) if high else None


def _spread(at: Floats) -> Floats:
    """Rows of falling values *at* that lie about evenly, with the first and the last."""
    wanted = np.linspace(at[0], at[-1], _POINTS)
    return np.unique(np.clip(np.searchsorted(-at, -wanted), 0, at.size - 1))


def slope_of(x: Floats, y: Floats) -> float | None:
    """The slope of log10 *y* against log10 *x* by least squares; None for fewer than three points above 0."""
    known = (x > 0) & (y > 0)
    if known.sum() < 3:
        return None
    slope, _ = _line(np.log10(x[known]), np.log10(y[known]))
    return slope if math.isfinite(slope) else None
