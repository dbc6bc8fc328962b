"""Self-similarity of arrivals: Hurst's parameter in two ways, and counts at five scales.

Variance-time: the variance of means over m neighbours falls as m^(2H - 2). Rescaled range: R/S of blocks of
m grows as m^H. H is 0.5 for a Poisson process; the daily cycle alone raises both, so neither is a proof. The
five scales are those of Feitelson (JSSPP 2001), a factor of 10 apart, the finest 36 s.
"""

import math
from typing import Any

import numpy as np

from molokini.workloads.statistics.tails import slope_of
from molokini.workloads.workload import Floats, Ints

SCALES_S = (36.0, 360.0, 3600.0, 36_000.0, 360_000.0)
SHOWN = 100
"""How many bins in a row a page shows of each scale: those that hold the most jobs."""

_BASE_S = 60.0
_MOST_BINS = 1 << 20
_MOST_RANGED = 1 << 17
_FEWEST_BINS = 128
_LEVELS = 24


def hurst(submit_s: Floats) -> dict[str, Any] | None:
    """H of the arrivals per minute by variance-time and by rescaled range; None for too short a log.

    Bins are longer where there would be more than a million. Both give the points through which the line was
    laid.
    """
    found = _counts(submit_s)
    if found is None:
        return None
    counts, base = found
    return {"bin_s": base, "bins": counts.size, **hurst_of(counts, base)}


def variance_time_h(submit_s: Floats) -> float | None:
    """H by variance-time alone, which is the quicker way; None for too short a log."""
    found = _counts(submit_s)
    if found is None:
        return None
    h: float | None = _variance_time(*found)["h"]
    return h


def _counts(submit_s: Floats) -> tuple[Floats, float] | None:
    """Arrivals in each bin, and its length in seconds."""
    if submit_s.size < 2:
        return None
    span = float(submit_s[-1] - submit_s[0])
    base = _BASE_S
    while span / base > _MOST_BINS:
        base *= 2
    bins = int(span // base)
    if bins < _FEWEST_BINS:
        return None
    counts = np.bincount(((submit_s - submit_s[0]) / base).astype(np.int64), minlength=bins)[:bins]
    return counts.astype(np.float64), base


def hurst_of(counts: Floats, base_s: float = 1.0) -> dict[str, Any]:
    """H of a series in two ways: ``variance_time`` and ``rescaled_range``, each ``h`` and its points."""
    return {
        "variance_time": _variance_time(counts, base_s),
        "rescaled_range": _rescaled_range(counts, base_s),
    }


def _variance_time(counts: Floats, base_s: float) -> dict[str, Any]:
    levels = _levels(1, counts.size // 32)
    upto = np.concatenate([[0.0], np.cumsum(counts)])
    variances = []
    for m in levels:
        edges = upto[: counts.size // m * m + 1 : m]
        variances.append(float((np.diff(edges) / m).var()))
    slope = slope_of(np.array(levels, np.float64), np.array(variances))
    at = [m * base_s for m in levels]
    return {"h": None if slope is None else 1.0 + slope / 2.0, "length_s": at, "variance": variances}


def _rescaled_range(counts: Floats, base_s: float) -> dict[str, Any]:
    # Ranges take a pass over the series for each level, so a long one is first added up in pieces.
    piece = max(1, math.ceil(counts.size / _MOST_RANGED))
    series = counts[: counts.size // piece * piece].reshape(-1, piece).sum(axis=1)
    lengths, ratios = [], []
    for m in _levels(16, series.size // 4):
        blocks = series[: series.size // m * m].reshape(-1, m)
        deviation = blocks.std(axis=1)
        walk = np.cumsum(blocks - blocks.mean(axis=1, keepdims=True), axis=1)
        known = deviation > 0
        if known.any():
            ranges = np.maximum(walk.max(axis=1), 0) - np.minimum(walk.min(axis=1), 0)
            lengths.append(m * piece * base_s)
            ratios.append(float((ranges[known] / deviation[known]).mean()))
    h = slope_of(np.array(lengths), np.array(ratios))
    return {"h": h, "length_s": lengths, "ratio": ratios}


def _levels(first: int, last: int) -> list[int]:
    if last <= first:
        return [first]
    levels: list[int] = np.unique(np.geomspace(first, last, _LEVELS).astype(np.int64)).tolist()
    return levels


def at_scales(submit_s: Floats, processors: Floats) -> list[dict[str, Any]]:
    """Jobs and processors that arrive per 36 s, 6 min, 1 h, 10 h and 100 h.

    Of each scale: how many bins, their mean and largest count, the variance over the mean (1 for a Poisson
    process at every scale), and the counts of the 100 bins in a row with the most jobs (the first such).
    """
    if submit_s.size < 2 or not submit_s[-1] > submit_s[0]:
        return []
    found = []
    for scale in SCALES_S:
        index = ((submit_s - submit_s[0]) / scale).astype(np.int64)
        bins = int(index[-1]) + 1
        used, place = np.unique(index, return_inverse=True)
        jobs = np.bincount(place).astype(np.float64)
        mean = submit_s.size / bins
        variance = float((jobs * jobs).sum() / bins - mean * mean)
        first = _busiest(index, bins)
        inside = (index >= first) & (index < first + SHOWN)
        length = min(SHOWN, bins)
        at = index[inside] - first
        found.append(
            {
                "bin_s": scale,
                "bins": bins,
                "empty": 1.0 - used.size / bins,
                "mean": mean,
                "largest": int(jobs.max()),
                "dispersion": variance / mean,
                "shown_from_s": float(submit_s[0]) + first * scale,
                "jobs": np.bincount(at, minlength=length).tolist(),
                "processors": np.bincount(at, weights=processors[inside], minlength=length).tolist(),
            }
        )
    return found


def _busiest(index: Ints, bins: int) -> int:
    """The first of the ``SHOWN`` bins in a row with the most jobs; *index* has the bin of each, rising."""
    inside = np.searchsorted(index, index + SHOWN) - np.arange(index.size)
    return max(0, min(int(index[np.argmax(inside)]), bins - SHOWN))
