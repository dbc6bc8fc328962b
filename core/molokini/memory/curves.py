"""Miss-rate curves: which share of a process's references misses when it has x blocks for itself."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadValue

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

MOST_BLOCKS = 10_000_000


@dataclass(frozen=True, eq=False)
class Curve:
    """m(x) at 0, 1, ... blocks, straight in between; it never rises, and stays as it is at its end."""

    rates: Floats

    def __post_init__(self) -> None:
        rates = self.rates
        if not (rates.ndim == 1 and rates.size > 1):
            raise BadValue("curve", rates.size, "rates for 0 blocks and for one at least")
        if not (np.isfinite(rates).all() and rates.min() >= 0 and rates.max() <= 1):
            raise BadValue("curve", "rates outside of 0 to 1", "miss rates from 0 to 1")
        if (np.diff(rates) > 1e-12).any():
            at = int(np.argmax(np.diff(rates) > 1e-12)) + 1
            raise BadValue("curve", f"{rates[at]:g} at {at} blocks", f"no more than at {at - 1}")

    def rate(self, blocks: float) -> float:
        """m at *blocks*."""
        return float(np.interp(blocks, self._at, self.rates))

    @property
    def blocks(self) -> int:
        """The last number of blocks that it knows."""
        return int(self.rates.size - 1)

    @property
    def _at(self) -> Floats:
        return np.arange(self.rates.size, dtype=np.float64)

    @property
    def footprint(self) -> int:
        """The fewest blocks with the least miss rate."""
        return int(np.argmax(self.rates <= self.rates[-1] + 1e-15))

    @cached_property
    def references(self) -> Floats:
        """How many references it takes to fill 0, 1, ... blocks from none: the integral of 1/m."""
        one, two = self.rates[:-1], self.rates[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            # Exact for a straight piece: ln(m0/m1)/(m0 - m1).
            slope = one - two
            steep = np.log(one / two) / slope
            cells = np.where(slope > 1e-9 * one, steep, 1.0 / one)
        # A block that no reference misses for is never filled.
        cells = np.where((two <= 0) | ~np.isfinite(cells), np.inf, cells)
        return np.concatenate([[0.0], np.cumsum(cells)])

    def filled(self, references: float | Floats, start: float = 0.0) -> Floats:
        """How many blocks are filled after so many *references*, from *start* blocks on, without a limit."""
        at = self.references
        known = at[np.isfinite(at)]
        asked = np.asarray(references, dtype=np.float64) + self._time_of(start)
        inside = np.interp(asked, known, np.arange(known.size, dtype=np.float64))
        if known.size < at.size:
            # The last block that it touches is filled ever more slowly, as the rate falls to 0 in it.
            part = -np.expm1(-self.rates[known.size - 1] * np.maximum(0.0, asked - known[-1]))
            filled: Floats = np.maximum(inside + part, start)
            return filled
        last = float(self.rates[-1])
        return np.where(asked > known[-1], known.size - 1 + (asked - known[-1]) * last, inside)

    def _time_of(self, blocks: float) -> float:
        """After how many references from none *blocks* are filled, up to the last that it knows."""
        known = self.references[np.isfinite(self.references)]
        last = known.size - 1
        found = float(np.interp(blocks, np.arange(known.size), known))
        if last < blocks < last + 1 and known.size < self.references.size:
            found -= math.log(last + 1 - blocks) / float(self.rates[last])
        return found

    def hull(self) -> "Curve":
        """The lower convex hull: with it no block hides another behind it that gains more."""
        kept: list[int] = []
        for x in range(self.rates.size):
            while len(kept) > 1 and self._above(kept[-2], kept[-1], x):
                kept.pop()
            kept.append(x)
        return Curve(np.minimum(np.interp(self._at, kept, self.rates[kept]), self.rates))

    def _above(self, a: int, b: int, c: int) -> bool:
        """Whether b lies on or above the line from a to c."""
        m = self.rates
        return bool((m[b] - m[a]) * (c - a) >= (m[c] - m[a]) * (b - a))


def from_counters(counters: Ints, references: int) -> Curve:
    """The curve of a window of *references*, of which ``counters[k]`` hit the k-th most recent block, k from
    1.

    m(0) = 1 and m(k) = m(k-1) - counter[k]/r (Suh et al., equation 1). ``counters[0]`` is not read.
    """
    if references < 1:
        raise BadValue("references", references, "a whole number of 1 or more")
    hits = counters[1:] / references
    if hits.min(initial=0.0) < 0 or hits.sum() > 1 + 1e-9:
        raise BadValue("counters", int(counters[1:].sum()), f"hits, of {references:,} references at most")
    return Curve(np.clip(np.concatenate([[1.0], 1.0 - np.cumsum(hits)]), 0.0, 1.0))


def knee(theta: float, footprint: int, base: float = 0.0) -> Curve:
    """(1 - base) exp(-x/theta) + base below *footprint*, 0 from there on: one knee, as most programs have."""
    _check(footprint, base)
    if not (math.isfinite(theta) and theta > 0):
        raise BadValue("theta", theta, "a number of blocks above 0")
    x = np.arange(footprint + 1, dtype=np.float64)
    rates = (1.0 - base) * np.exp(-x / theta) + base
    rates[-1] = 0.0
    return Curve(rates)


def cliff(at: int, footprint: int, above: float, base: float = 0.0, theta: float = 1.0) -> Curve:
    """A rate that falls (by *theta*) to *above*, stays so up to *at* blocks, and falls to *base* there."""
    _check(footprint, base)
    if not base <= above <= 1:
        raise BadValue("above", above, f"a miss rate from base ({base:g}) to 1")
    if not 0 < at <= footprint:
        raise BadValue("at", at, f"a whole number from 1 to footprint ({footprint:,})")
    x = np.arange(footprint + 1, dtype=np.float64)
    rates = np.where(x < at, (1.0 - above) * np.exp(-x / theta) + above, base)
    rates[-1] = 0.0
    return Curve(np.minimum.accumulate(rates))


def _check(footprint: int, base: float) -> None:
    if not 1 <= footprint <= MOST_BLOCKS:
        raise BadValue("footprint", footprint, f"a whole number of blocks from 1 to {MOST_BLOCKS:,}")
    if not 0 <= base <= 1:
        raise BadValue("base", base, "a miss rate from 0 to 1")
