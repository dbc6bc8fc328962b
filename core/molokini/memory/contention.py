"""How often processes miss that share a memory, in time and in space: the analytical model.

Suh, Rudolph and Devadas (JSSPP 2001, section 3.3), equations 2 to 8. LRU replacement; what a process finds at
the beginning of its quantum is in another paper of theirs, and is ours here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from molokini.memory.curves import Curve, Floats
from molokini.model.errors import BadValue

_ROUNDS, _DAMPING, _CLOSE = 100, 0.5, 1e-6
_POINTS = 6000
_NEARLY_ALL = 30.0
"""The last block of a process is filled to e to the power of minus this."""


@dataclass(frozen=True)
class Quantum:
    """One process's quantum in the steady state."""

    before: float
    """Blocks that it finds."""
    after: float
    misses: float


def combined(curves: Sequence[Curve], shares: Sequence[float], blocks: int) -> Curve:
    """The curve of processes that run at once, as one process, up to *blocks* (equations 5 to 7).

    *shares* are their parts of the references. Shared data are a process of their own among them.
    """
    if len(curves) != len(shares) or not curves or min(shares) <= 0:
        raise BadValue("shares", list(shares), "a number above 0 for each process")
    parts = np.array(shares) / sum(shares)
    times = np.geomspace(1e-3, _longest(curves, parts, blocks), _POINTS)
    held = np.array([curve.filled(part * times) for curve, part in zip(curves, parts, strict=True)])
    total = held.sum(axis=0)
    x = np.arange(blocks + 1, dtype=np.float64)
    # At each size the time at which they fill it together, then what each has by then.
    at = np.interp(x, total, times, right=np.inf)
    rates = np.zeros(blocks + 1)
    for curve, part in zip(curves, parts, strict=True):
        inside = np.isfinite(at)
        rates[inside] += part * _rates(curve, curve.filled(part * at[inside]))
    rates[0] = float(parts @ [curve.rate(0.0) for curve in curves])
    return Curve(np.clip(np.minimum.accumulate(rates), 0.0, 1.0))


def _rates(curve: Curve, at: Floats) -> Floats:
    return np.asarray(np.interp(at, np.arange(curve.rates.size), curve.rates))


def _longest(curves: Sequence[Curve], parts: Floats, blocks: int) -> float:
    """A time after which either *blocks* are filled or nothing more is missed."""
    longest = 1.0
    for curve, part in zip(curves, parts, strict=True):
        finite = curve.references[np.isfinite(curve.references)]
        last = curve.rates[-1]
        more = blocks / last if last > 0 else _NEARLY_ALL / curve.rates[finite.size - 1]
        longest = max(longest, (float(finite[-1]) + more) / float(part))
    return 1.01 * longest


def split_of(curves: Sequence[Curve], shares: Sequence[float], blocks: float) -> tuple[float, Floats, Floats]:
    """Of *blocks* that processes fill together: after how many references, each one's part, and miss rate."""
    parts = np.array(shares) / sum(shares)
    low, high = 1e-6, _longest(curves, parts, int(blocks) + 1)
    for _ in range(200):
        # Times span many powers of ten: the interval is halved by ratio.
        middle = math.sqrt(low * high)
        total = sum(float(curve.filled(part * middle)) for curve, part in zip(curves, parts, strict=True))
        low, high = (middle, high) if total < blocks else (low, middle)
    held = np.array([float(curve.filled(part * high)) for curve, part in zip(curves, parts, strict=True)])
    return high, held, np.array([curve.rate(x) for curve, x in zip(curves, held, strict=True)])


def during(curve: Curve, before: float, references: float, blocks: float) -> Quantum:
    """A quantum of *references* from *before* blocks on, in a memory of *blocks* (equations 2, 3)."""
    start = min(before, blocks)
    after = min(float(curve.filled(references, start)), blocks)
    if after < blocks:
        return Quantum(start, after, after - start)
    known = curve.references
    reach = float(np.interp(min(blocks, curve.blocks), np.arange(known.size), known))
    begun = float(np.interp(min(start, curve.blocks), np.arange(known.size), known))
    if blocks > curve.blocks and curve.rates[-1] > 0:
        reach += (blocks - max(curve.blocks, start)) / float(curve.rates[-1])
    left = max(0.0, references - max(0.0, reach - begun))
    return Quantum(start, after, blocks - start + left * curve.rate(blocks))


def time_shared(curves: Sequence[Curve], quanta: Sequence[float], blocks: int) -> list[Quantum]:
    """The quanta of processes that take turns, in the steady state of a memory of *blocks*.

    **Ours:** of what a process has at the end of its quantum as much survives as the others leave room for:
    ``min(x_i(T), C - sum of the others' x_j(T))``, from nothing to a fixed point.
    """
    if blocks < 1:
        raise BadValue("blocks", blocks, "a whole number of 1 or more")
    before = np.zeros(len(curves))
    for _ in range(_ROUNDS):
        after = np.array(
            [during(c, b, q, blocks).after for c, b, q in zip(curves, before, quanta, strict=True)]
        )
        room = np.maximum(0.0, blocks - (after.sum() - after))
        new = np.minimum(after, room)
        if np.abs(new - before).max() < _CLOSE * blocks:
            break
        before = _DAMPING * before + (1.0 - _DAMPING) * new
    return [during(c, float(b), q, blocks) for c, b, q in zip(curves, before, quanta, strict=True)]


def miss_rate(
    slices: Sequence[Sequence[Curve]],
    shares: Sequence[Sequence[float]],
    blocks: int,
    quantum: float | None = None,
) -> float:
    """The overall miss rate of slices of processes that run at once (equations 4 and 7).

    *shares* are each process's references in its slice, relative; *quantum* is the length of a slice in
    references of all its processes together, None: so long that a switch costs nothing.
    """
    curves = [combined(c, s, blocks) for c, s in zip(slices, shares, strict=True)]
    weights = np.array([sum(one) for one in shares])
    if quantum is None:
        rates = np.array([curve.rate(blocks) for curve in curves])
        return float(weights @ rates / weights.sum())
    quanta = (weights / weights.mean() * quantum).tolist()
    found = time_shared(curves, quanta, blocks)
    return float(sum(one.misses for one in found) / sum(quanta))


@dataclass(frozen=True)
class Idle:
    """The idle time of processors as a share of the time."""

    as_printed: float
    """Equation 8 as it is written: of several processors it may exceed 1."""
    per_processor: float


def idle(
    misses: float, latency: float, processes: Sequence[int], lengths: Sequence[float], processors: int
) -> Idle:
    """Idle time by *misses* in all, each of *latency*, and by processors without a process (equation 8).

    *processes* and *lengths*: of each slice; *latency* is in the unit of the lengths.
    """
    if max(processes, default=0) > processors:
        raise BadValue("processes", max(processes), f"at most as many as processors ({processors})")
    empty = sum((processors - count) * length for count, length in zip(processes, lengths, strict=True))
    printed = (misses * latency + empty) / sum(lengths)
    return Idle(printed, printed / processors)
