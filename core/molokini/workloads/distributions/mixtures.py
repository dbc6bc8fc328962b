"""Mixtures of gamma distributions: hyper-exponential ones, hyper-gamma ones, and of logarithms."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.distributions.base import Distribution, a_share, above_zero
from molokini.workloads.distributions.fitting import fittable, mixed
from molokini.workloads.distributions.plain import Gamma
from molokini.workloads.workload import Floats


class GammaMixture(Distribution):
    """Each draw comes from one of some gamma distributions, the *i*-th with its share."""

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple[float, Gamma], ...]:
        """(share, distribution) of each; shares add up to 1."""

    def moment(self, k: float) -> float:
        """E[X^k]."""
        return sum(share * part.moment(k) for share, part in self.parts if share > 0.0)

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        return np.asarray(sum(share * part.cdf(x) for share, part in self.parts))

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        return np.asarray(sum(share * part.survival(x) for share, part in self.parts))

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        logs = [math.log(share) + part.log_density(x) for share, part in self.parts if share > 0.0]
        return np.asarray(np.logaddexp.reduce(logs, axis=0))

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws: which part first, then the value."""
        upto = np.cumsum([share for share, _ in self.parts])[:-1]
        which = np.searchsorted(upto, generator.random(count), side="right")
        shapes = np.array([part.shape for _, part in self.parts])
        scales = np.array([part.scale for _, part in self.parts])
        if (shapes == 1.0).all():
            return np.asarray(generator.standard_exponential(count) * scales[which])
        if (shapes == shapes[0]).all():
            return np.asarray(generator.standard_gamma(float(shapes[0]), count) * scales[which])
        found = np.empty(count)
        for place, (_, part) in enumerate(self.parts):
            here = np.flatnonzero(which == place)
            found[here] = part.sample(generator, here.size)
        return found


@dataclass(frozen=True)
class H2(GammaMixture):
    """Hyper-exponential in two stages: mean ``mean1`` with probability ``share``, else ``mean2``."""

    NAME: ClassVar[str] = "h2"
    share: float
    mean1: float
    mean2: float

    def __post_init__(self) -> None:
        a_share(share=self.share)
        above_zero(mean1=self.mean1, mean2=self.mean2)

    @property
    def parts(self) -> tuple[tuple[float, Gamma], ...]:
        """The two stages."""
        return (self.share, Gamma(1.0, self.mean1)), (1.0 - self.share, Gamma(1.0, self.mean2))

    @classmethod
    def balanced(cls, mean: float, cv: float) -> Self:
        """The one whose stages contribute equally to *mean*; *cv* is 1 or more."""
        above_zero(mean=mean)
        if not (math.isfinite(cv) and cv >= 1.0):
            raise BadValue("cv", cv, "a finite number of 1 or more: hyper-exponential gaps vary at least so")
        square = cv * cv
        share = (1.0 + math.sqrt((square - 1.0) / (square + 1.0))) / 2.0
        return cls(share, mean / (2.0 * share), mean / (2.0 * (1.0 - share)))

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood, from expectation and maximisation."""
        shares, _, means = mixed(fittable(cls.NAME, data), 2, 1.0)
        return cls(float(shares[0]), float(means[0]), float(means[1]))


@dataclass(frozen=True)
class H3(GammaMixture):
    """Hyper-exponential in three stages; the third has the share that the first two leave."""

    NAME: ClassVar[str] = "h3"
    share1: float
    share2: float
    mean1: float
    mean2: float
    mean3: float

    def __post_init__(self) -> None:
        a_share(share1=self.share1, share2=self.share2)
        if self.share1 + self.share2 > 1.0 + 1e-12:
            raise BadValue("share2", self.share2, f"at most 1 - share1 ({1.0 - self.share1:.15g})")
        above_zero(mean1=self.mean1, mean2=self.mean2, mean3=self.mean3)

    @property
    def parts(self) -> tuple[tuple[float, Gamma], ...]:
        """The three stages."""
        shares = (self.share1, self.share2, max(0.0, 1.0 - self.share1 - self.share2))
        means = (self.mean1, self.mean2, self.mean3)
        return tuple((share, Gamma(1.0, mean)) for share, mean in zip(shares, means, strict=True))

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood, from expectation and maximisation."""
        shares, _, means = mixed(fittable(cls.NAME, data), 3, 1.0)
        return cls(*shares[:2].tolist(), *means.tolist())


@dataclass(frozen=True)
class HyperGamma(GammaMixture):
    """Gamma(``shape1``, ``scale1``) with probability ``share``, else Gamma(``shape2``, ``scale2``)."""

    NAME: ClassVar[str] = "hyper-gamma"
    share: float
    shape1: float
    scale1: float
    shape2: float
    scale2: float

    def __post_init__(self) -> None:
        a_share(share=self.share)
        above_zero(shape1=self.shape1, scale1=self.scale1, shape2=self.shape2, scale2=self.scale2)

    @property
    def parts(self) -> tuple[tuple[float, Gamma], ...]:
        """The two distributions."""
        first, second = Gamma(self.shape1, self.scale1), Gamma(self.shape2, self.scale2)
        return (self.share, first), (1.0 - self.share, second)

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood, from expectation and maximisation."""
        shares, shapes, scales = mixed(fittable(cls.NAME, data), 2, None)
        one, two = zip(shapes.tolist(), scales.tolist(), strict=True)
        return cls(float(shares[0]), *one, *two)


@dataclass(frozen=True)
class LogHyperGamma(Distribution):
    """The natural logarithm of X is hyper-gamma, drawn again while it is above ``most`` (Lublin 1999).

    X is 1 or more.
    """

    NAME: ClassVar[str] = "log-hyper-gamma"
    share: float
    shape1: float
    scale1: float
    shape2: float
    scale2: float
    most: float = math.inf

    def __post_init__(self) -> None:
        above_zero(most=min(self.most, 1e300))
        if self._within() <= 0.0:
            raise BadInput(f"{self.NAME}: hardly a draw is below most ({self.most:g}); raise it")

    @property
    def logarithm(self) -> HyperGamma:
        """The distribution of ln X without its bound."""
        return HyperGamma(self.share, self.shape1, self.scale1, self.shape2, self.scale2)

    def _within(self) -> float:
        if math.isinf(self.most):
            # Its parameters are checked all the same.
            return float(self.logarithm.share >= 0.0)
        return float(self.logarithm.cdf(np.array([self.most]))[0])

    @property
    def support(self) -> tuple[float, float]:
        """From 1 to e^most."""
        return 1.0, math.exp(self.most) if self.most < 709.0 else math.inf

    def moment(self, k: float) -> float:
        """E[X^k] by integration; infinite without a bound where a scale times k reaches 1."""
        parts = self.logarithm.parts
        if math.isinf(self.most):
            if any(share > 0.0 and part.scale * k >= 1.0 for share, part in parts):
                return math.inf
            return sum(share * float((1.0 - k * part.scale) ** -part.shape) for share, part in parts)
        from scipy.integrate import quad

        def weighted(h: float) -> float:
            return math.exp(float(self.logarithm.log_density(np.array([h]))[0]) + k * h)

        centres = [part.shape * part.scale for _, part in parts]
        points = sorted({min(max(one, 0.0), self.most) for one in centres})
        found = quad(weighted, 0.0, self.most, points=points, limit=500, epsrel=1e-10)[0]
        return float(found) / self._within()

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        logs = np.minimum(np.log(np.maximum(x, 1.0)), self.most)
        return np.asarray(self.logarithm.cdf(logs) / self._within())

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        x = np.asarray(x, dtype=np.float64)
        logs = np.log(np.maximum(x, 1.0))
        inside = self.logarithm.log_density(logs) - logs - math.log(self._within())
        return np.where((x < 1.0) | (logs > self.most), -np.inf, inside)

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws."""
        logs = self.logarithm.sample(generator, count)
        while (beyond := np.flatnonzero(logs > self.most)).size:
            logs[beyond] = self.logarithm.sample(generator, beyond.size)
        return np.asarray(np.exp(logs))

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """By greatest likelihood of the logarithms, without a bound; all values are above 1."""
        values = fittable(cls.NAME, data)
        if values.min() <= 1.0:
            raise BadInput(f"{cls.NAME}: a fit needs values above 1; leave the others out")
        found = HyperGamma.fit(np.log(values))
        return cls(found.share, found.shape1, found.scale1, found.shape2, found.scale2)
