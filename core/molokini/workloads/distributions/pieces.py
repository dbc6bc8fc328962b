"""The log-uniform distribution in pieces."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.distributions.base import Distribution
from molokini.workloads.distributions.fitting import fittable
from molokini.workloads.workload import Floats


@dataclass(frozen=True)
class LogUniform(Distribution):
    """The logarithm of X is uniform between neighbouring ``bounds``; each piece holds its share.

    ``LogUniform((a, b))`` is the plain one. ``bounds`` rise and are one more than ``shares``, which add up
    to 1.
    """

    NAME: ClassVar[str] = "log-uniform"
    bounds: tuple[float, ...]
    shares: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        rises = all(low < high for low, high in pairwise(self.bounds))
        if len(self.bounds) < 2 or not rises or self.bounds[0] <= 0.0 or not math.isfinite(self.bounds[-1]):
            raise BadValue("bounds", self.bounds, "two or more rising numbers above 0")
        if len(self.shares) != len(self.bounds) - 1:
            raise BadValue("shares", self.shares, f"{len(self.bounds) - 1} numbers, one for each piece")
        if not (min(self.shares) >= 0.0 and abs(sum(self.shares) - 1.0) < 1e-9):
            raise BadValue("shares", self.shares, "numbers of 0 or more that add up to 1")

    def moment(self, k: float) -> float:
        """E[X^k]."""
        pieces = zip(pairwise(self.bounds), self.shares, strict=True)
        return sum(share * self._piece(k, low, high) for (low, high), share in pieces)

    @staticmethod
    def _piece(k: float, low: float, high: float) -> float:
        span = math.log(high / low)
        return 1.0 if k == 0.0 else low**k * math.expm1(k * span) / (k * span)

    @property
    def support(self) -> tuple[float, float]:
        """From the first bound to the last."""
        return self.bounds[0], self.bounds[-1]

    @property
    def free(self) -> int:
        """The shares but one, and the bounds."""
        return len(self.bounds) + len(self.shares) - 1

    def _knots(self) -> Floats:
        """P[X <= bound] of every bound."""
        knots = np.concatenate([[0.0], np.cumsum(self.shares)])
        knots[-1] = 1.0
        return knots

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.interp(np.log(np.maximum(x, 0.0)), np.log(self.bounds), self._knots()))

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        x, bounds = np.asarray(x, dtype=np.float64), np.asarray(self.bounds)
        piece = np.clip(np.searchsorted(bounds, x, side="right") - 1, 0, len(self.shares) - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            heights = np.log(self.shares) - np.log(np.diff(np.log(bounds)))
            inside = heights[piece] - np.log(x)
        return np.where((x < bounds[0]) | (x > bounds[-1]), -np.inf, inside)

    def quantiles(self, p: Floats) -> Floats:
        """Linear in the logarithm inside each piece."""
        return np.asarray(np.exp(np.interp(p, self._knots(), np.log(self.bounds))))

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        return self.quantiles(generator.random(count))

    @classmethod
    def fit(cls, data: Floats, pieces: int = 1) -> Self:
        """*pieces* pieces of equal shares; fewer where many values are equal."""
        if pieces < 1:
            raise BadValue("pieces", pieces, "a whole number of 1 or more")
        values = fittable(cls.NAME, data)
        bounds = np.unique(np.quantile(values, np.linspace(0.0, 1.0, pieces + 1)))
        upto = np.array([float((values <= bound).mean()) for bound in bounds[1:].tolist()])
        return cls(tuple(bounds.tolist()), tuple(np.diff(upto, prepend=0.0).tolist()))
