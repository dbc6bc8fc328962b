"""Pareto distributions, bounded and not; Crovella, JSSPP 2001, section 2."""

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.distributions.base import Distribution, above_zero
from molokini.workloads.distributions.fitting import fittable
from molokini.workloads.workload import Floats


@dataclass(frozen=True)
class Pareto(Distribution):
    """P[X > x] = (k/x)^alpha from k on: a power tail."""

    NAME: ClassVar[str] = "pareto"
    k: float
    alpha: float

    def __post_init__(self) -> None:
        above_zero(k=self.k, alpha=self.alpha)

    def moment(self, k: float) -> float:
        """E[X^k]; infinite for k of alpha or more."""
        return math.inf if k >= self.alpha else self.alpha * self.k**k / (self.alpha - k)

    @property
    def support(self) -> tuple[float, float]:
        """From k on."""
        return self.k, math.inf

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        return np.asarray(1.0 - self.survival(x))

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        return np.asarray((self.k / np.maximum(x, self.k)) ** self.alpha)

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        constant = math.log(self.alpha) + self.alpha * math.log(self.k)
        inside = constant - (self.alpha + 1.0) * np.log(np.maximum(x, self.k))
        return np.where(np.asarray(x) < self.k, -np.inf, inside)

    def quantiles(self, p: Floats) -> Floats:
        """k (1-p)^(-1/alpha)."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.k * (1.0 - np.asarray(p)) ** (-1.0 / self.alpha))

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        return np.asarray(self.k * (1.0 - generator.random(count)) ** (-1.0 / self.alpha))

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood: k is the least value."""
        values = fittable(cls.NAME, data)
        k = float(values.min())
        return cls(k, 1.0 / float(np.log(values / k).mean()))


@dataclass(frozen=True)
class BoundedPareto(Distribution):
    """B(k, p, alpha): a power of x between ``k`` and ``p``."""

    NAME: ClassVar[str] = "bounded-pareto"
    k: float
    p: float
    alpha: float

    def __post_init__(self) -> None:
        above_zero(k=self.k, p=self.p, alpha=self.alpha)
        if not self.k < self.p:
            raise BadValue("p", self.p, f"above k ({self.k:.15g})")

    @property
    def _within(self) -> float:
        """P[X <= p] of the distribution without the bound."""
        return -math.expm1(self.alpha * math.log(self.k / self.p))

    def moment(self, k: float) -> float:
        """E[X^k]; always finite."""
        span, gap = math.log(self.p / self.k), k - self.alpha
        # The integral of e^(gap u) over 0..span, without loss where the gap is small.
        integral = span if gap == 0.0 else math.expm1(gap * span) / gap
        return self.alpha * float(self.k**k) * integral / self._within

    @property
    def support(self) -> tuple[float, float]:
        """From k to p."""
        return self.k, self.p

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        inside = np.clip(x, self.k, self.p)
        return np.asarray(-np.expm1(self.alpha * np.log(self.k / inside)) / self._within)

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        inside = np.clip(x, self.k, self.p)
        tail = (self.k / inside) ** self.alpha - (self.k / self.p) ** self.alpha
        return np.asarray(tail / self._within)

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        x = np.asarray(x, dtype=np.float64)
        constant = math.log(self.alpha / self._within) + self.alpha * math.log(self.k)
        inside = constant - (self.alpha + 1.0) * np.log(np.clip(x, self.k, self.p))
        return np.where((x < self.k) | (x > self.p), -np.inf, inside)

    def quantiles(self, p: Floats) -> Floats:
        """k (1 - p c)^(-1/alpha), c the share of the unbounded distribution below ``p``."""
        found = self.k * (1.0 - np.asarray(p) * self._within) ** (-1.0 / self.alpha)
        return np.asarray(np.minimum(found, self.p))

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        return self.quantiles(generator.random(count))

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood (Aban, Meerschaert and Panorska 2006): k and p are the ends of the data."""
        from scipy.optimize import brentq

        values = fittable(cls.NAME, data)
        k, p = float(values.min()), float(values.max())
        span = math.log(p / k)
        place = float(np.log(values / k).mean()) / span
        if place >= 0.5 - 1e-9:
            raise BadInput(
                f"{cls.NAME}: the data lie as high between their ends as log-uniform ones or higher; "
                "no alpha above 0 suits"
            )

        def error(power: float) -> float:
            return 1.0 / power - 1.0 / math.expm1(power) - place

        return cls(k, p, float(brentq(error, 1e-8, min(700.0, 2.0 / place), xtol=1e-13)) / span)
