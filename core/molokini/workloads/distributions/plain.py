"""Exponential, gamma, Weibull and lognormal distributions."""

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.distributions.base import Distribution, above_zero
from molokini.workloads.distributions.fitting import fittable, gamma_shape
from molokini.workloads.workload import Floats


@dataclass(frozen=True)
class Exponential(Distribution):
    """The exponential distribution of mean ``scale``."""

    NAME: ClassVar[str] = "exponential"
    scale: float

    def __post_init__(self) -> None:
        above_zero(scale=self.scale)

    def moment(self, k: float) -> float:
        """E[X^k]; infinite for k of -1 or less."""
        return math.inf if k <= -1.0 else self.scale**k * math.gamma(1.0 + k)

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        return np.asarray(-np.expm1(-np.maximum(x, 0.0) / self.scale))

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        return np.asarray(np.exp(-np.maximum(x, 0.0) / self.scale))

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        return np.where(x < 0.0, -np.inf, -np.asarray(x) / self.scale - math.log(self.scale))

    def quantiles(self, p: Floats) -> Floats:
        """In closed form."""
        with np.errstate(divide="ignore"):
            return np.asarray(-self.scale * np.log1p(-p))

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        return generator.exponential(self.scale, count)

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By the mean, which has the greatest likelihood."""
        return cls(float(fittable(cls.NAME, data).mean()))


@dataclass(frozen=True)
class Gamma(Distribution):
    """The gamma distribution; mean ``shape * scale``."""

    NAME: ClassVar[str] = "gamma"
    shape: float
    scale: float

    def __post_init__(self) -> None:
        above_zero(shape=self.shape, scale=self.scale)

    def moment(self, k: float) -> float:
        """E[X^k]; infinite for k of -shape or less."""
        if k <= -self.shape:
            return math.inf
        return float(self.scale**k) * math.exp(math.lgamma(self.shape + k) - math.lgamma(self.shape))

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        from scipy.special import gammainc

        return np.asarray(gammainc(self.shape, np.maximum(x, 0.0) / self.scale), dtype=np.float64)

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        from scipy.special import gammaincc

        return np.asarray(gammaincc(self.shape, np.maximum(x, 0.0) / self.scale), dtype=np.float64)

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        constant = math.lgamma(self.shape) + self.shape * math.log(self.scale)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = (self.shape - 1.0) * np.log(x) - np.asarray(x) / self.scale - constant
        return np.where(np.asarray(x) < 0.0, -np.inf, inside)

    def quantiles(self, p: Floats) -> Floats:
        """By the inverse of the incomplete gamma function."""
        from scipy.special import gammaincinv

        return np.asarray(gammaincinv(self.shape, p) * self.scale, dtype=np.float64)

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        return np.asarray(generator.standard_gamma(self.shape, count) * self.scale)

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood."""
        values = fittable(cls.NAME, data)
        mean = float(values.mean())
        shape = gamma_shape(math.log(mean), float(np.log(values).mean()))
        return cls(shape, mean / shape)


@dataclass(frozen=True)
class Weibull(Distribution):
    """P[X > x] = exp(-(x/scale)^shape)."""

    NAME: ClassVar[str] = "weibull"
    shape: float
    scale: float

    def __post_init__(self) -> None:
        above_zero(shape=self.shape, scale=self.scale)

    def moment(self, k: float) -> float:
        """E[X^k]; infinite for k of -shape or less."""
        power = 1.0 + k / self.shape
        if power <= 0.0:
            return math.inf
        logarithm = k * math.log(self.scale) + math.lgamma(power)
        return math.exp(logarithm) if logarithm < 709.0 else math.inf

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        return np.asarray(-np.expm1(-((np.maximum(x, 0.0) / self.scale) ** self.shape)))

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        return np.asarray(np.exp(-((np.maximum(x, 0.0) / self.scale) ** self.shape)))

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(np.asarray(x) / self.scale)
            inside = math.log(self.shape / self.scale) + (self.shape - 1.0) * log - np.exp(self.shape * log)
        return np.where(np.asarray(x) < 0.0, -np.inf, inside)

    def quantiles(self, p: Floats) -> Floats:
        """scale (-ln(1-p))^(1/shape)."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.scale * (-np.log1p(-p)) ** (1.0 / self.shape))

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        return np.asarray(self.scale * generator.standard_exponential(count) ** (1.0 / self.shape))

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood."""
        from scipy.optimize import brentq

        values = fittable(cls.NAME, data)
        logs = np.log(values)
        middle, centred = float(logs.mean()), logs - logs.max()

        def error(shape: float) -> float:
            powers = np.exp(shape * centred)
            return float(powers @ logs / powers.sum()) - 1.0 / shape - middle

        low, high = 1e-3, 1.0
        while error(high) < 0.0 and high < 1e6:
            high *= 2.0
        shape = float(brentq(error, low, high, xtol=1e-13, rtol=1e-13))
        scale = math.exp(float(logs.max()) + math.log(float(np.exp(shape * centred).mean())) / shape)
        return cls(shape, scale)


@dataclass(frozen=True)
class LogNormal(Distribution):
    """The logarithm of X is normal with mean ``mu`` and deviation ``sigma``."""

    NAME: ClassVar[str] = "lognormal"
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        above_zero(sigma=self.sigma)
        if not math.isfinite(self.mu):
            raise BadValue("mu", self.mu, "a finite number")

    def moment(self, k: float) -> float:
        """E[X^k], which always exists."""
        logarithm = k * self.mu + (k * self.sigma) ** 2 / 2.0
        return math.exp(logarithm) if logarithm < 709.0 else math.inf

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        from scipy.special import ndtr

        return np.asarray(ndtr(self._standard(x)), dtype=np.float64)

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        from scipy.special import ndtr

        return np.asarray(ndtr(-self._standard(x)), dtype=np.float64)

    def _standard(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray((np.log(np.maximum(x, 0.0)) - self.mu) / self.sigma)

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        x = np.asarray(x, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            constant = math.log(self.sigma * math.sqrt(2.0 * math.pi))
            inside = -np.log(x) - constant - self._standard(x) ** 2 / 2.0
        return np.where(x <= 0.0, -np.inf, inside)

    def quantiles(self, p: Floats) -> Floats:
        """By the normal quantile."""
        from scipy.special import ndtri

        return np.asarray(np.exp(self.mu + self.sigma * ndtri(p)), dtype=np.float64)

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        return np.asarray(np.exp(self.mu + self.sigma * generator.standard_normal(count)))

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood."""
        logs = np.log(fittable(cls.NAME, data))
        return cls(float(logs.mean()), float(logs.std()))
