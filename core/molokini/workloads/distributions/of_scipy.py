"""Any continuous distribution of scipy.stats whose values lie above 0, with the face of ours."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from molokini.model.errors import BadInput, UnknownName
from molokini.workloads.distributions.base import Distribution
from molokini.workloads.workload import Floats

_ENDS = (1e-8, 1e-12)
"""Two lower ends between which an integral that is finite does not change."""
_GROWS = 1.02


@dataclass(frozen=True)
class OfScipy(Distribution):
    """``scipy.stats.NAME`` with these parameters; scipy is loaded when one is made."""

    NAME: ClassVar[str] = "scipy"
    name: str
    values: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        low, high = self.support
        if not (low >= 0.0 and high > low):
            raise BadInput(f"scipy.{self.name}: values from {low:g} to {high:g}; sizes are above 0 (see loc)")

    @cached_property
    def _frozen(self) -> Any:
        import scipy.stats

        kinds = {
            key: kind
            for key, kind in vars(scipy.stats).items()
            if isinstance(kind, scipy.stats.rv_continuous)
        }
        if self.name not in kinds:
            raise UnknownName("distribution of scipy.stats", self.name, kinds)
        try:
            found = kinds[self.name](**dict(self.values))
            # Values out of range are answered with numbers that are none.
            if math.isnan(float(found.cdf(1.0))):
                raise ValueError("a parameter is out of its range")
        except (TypeError, ValueError) as error:
            shapes = kinds[self.name].shapes or ""
            known = ", ".join(part for part in (shapes, "loc", "scale") if part)
            raise BadInput(f"scipy.{self.name}: {error}; its parameters are {known}") from None
        return found

    @property
    def support(self) -> tuple[float, float]:
        """As scipy has it."""
        low, high = self._frozen.support()
        return float(low), float(high)

    def moment(self, k: float) -> float:
        """E[X^k]: scipy's where k is 1 or 2, else by quadrature over quantiles; infinite where it grows."""
        if k in (1.0, 2.0):
            mean, variance = (float(one) for one in self._frozen.stats(moments="mv"))
            found = mean if k == 1.0 else variance + mean * mean
            return found if math.isfinite(found) else math.inf
        one, two = (self._over_quantiles(k, end) for end in _ENDS)
        return math.inf if two > _GROWS * one else two

    def _over_quantiles(self, k: float, end: float) -> float:
        """The integral of the k-th power between the quantiles *end* and 1 - *end*."""
        half = np.geomspace(end, 0.5, 20_001)
        low, high = np.asarray(self._frozen.ppf(half)), np.asarray(self._frozen.isf(half))
        return float(np.trapezoid(low**k, half) + np.trapezoid(high**k, half))

    def cdf(self, x: Floats) -> Floats:
        """P[X <= x]."""
        return np.asarray(self._frozen.cdf(x), dtype=np.float64)

    def survival(self, x: Floats) -> Floats:
        """P[X > x]."""
        return np.asarray(self._frozen.sf(x), dtype=np.float64)

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density."""
        return np.asarray(self._frozen.logpdf(x), dtype=np.float64)

    def quantiles(self, p: Floats) -> Floats:
        """As scipy has them."""
        return np.asarray(self._frozen.ppf(p), dtype=np.float64)

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* draws, by quantiles."""
        return self.quantiles(generator.random(count))
