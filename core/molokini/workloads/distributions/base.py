"""The face that every distribution has."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.workload import Floats

_HALVINGS = 200
"""More than any interval of floats can be halved to a purpose: the search stops before."""


class Distribution(ABC):
    """A distribution of one quantity above 0, such as run times in seconds.

    Every subclass is a frozen dataclass whose fields are its parameters; values that are out of their range
    raise BadValue when it is made.
    """

    NAME: ClassVar[str]
    """As files and messages call it."""

    @abstractmethod
    def moment(self, k: float) -> float:
        """E[X^k]; infinite where it does not exist. k may be negative (-1 is needed for slowdowns)."""

    @abstractmethod
    def cdf(self, x: Floats) -> Floats:
        """P[X <= x] of each element."""

    @abstractmethod
    def log_density(self, x: Floats) -> Floats:
        """The natural logarithm of the density at each element; minus infinity outside the support."""

    @abstractmethod
    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """*count* independent draws."""

    def survival(self, x: Floats) -> Floats:
        """P[X > x] of each element."""
        return np.asarray(1.0 - self.cdf(x))

    @property
    def mean(self) -> float:
        """E[X]; infinite where it does not exist."""
        return self.moment(1.0)

    @property
    def cv(self) -> float:
        """The coefficient of variation, deviation over mean; infinite where the variance does not exist."""
        second, mean = self.moment(2.0), self.mean
        return math.inf if math.isinf(second) else math.sqrt(max(0.0, second - mean * mean)) / mean

    def quantile(self, p: float) -> float:
        """The value that X stays below with probability *p*, 0 to 1."""
        if not 0.0 <= p <= 1.0:
            raise BadValue("p", p, "a probability, from 0 to 1")
        return float(self.quantiles(np.array([p]))[0])

    def quantiles(self, p: Floats) -> Floats:
        """The quantile of each element, all from 0 to 1; found by bisection unless there is a closed form."""
        return inverted(self.cdf, np.asarray(p, dtype=np.float64), self.support)

    @property
    def support(self) -> tuple[float, float]:
        """The least and the largest value; the latter may be infinite."""
        return 0.0, math.inf

    @property
    def free(self) -> int:
        """How many parameters a fit may choose; for information criteria."""
        return sum(len(value) if isinstance(value, tuple) else 1 for value in self.parameters().values())

    def parameters(self) -> Mapping[str, Any]:
        """The value of each parameter, in the order of declaration."""
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]

    def log_likelihood(self, data: Floats) -> float:
        """The logarithm of the density of *data*, summed."""
        return float(self.log_density(np.asarray(data, dtype=np.float64)).sum())

    @classmethod
    def fit(cls, data: Floats) -> Self:
        """The member of this family that suits *data* (above 0) best; how is said by each.

        Raises BadInput for fewer than ``FEWEST_TO_FIT`` values, for values that are all equal, or where no
        member suits.
        """
        raise BadInput(f"{cls.NAME}: there is no fit for this distribution")


def inverted(cdf: Callable[[Floats], Floats], p: Floats, support: tuple[float, float]) -> Floats:
    """Where *cdf* (rising on *support*) reaches each of *p*, by bisection to the last digit."""
    least, most = support
    low = np.full(p.shape, least)
    inside = p < 1.0
    if math.isinf(most):
        high = np.full(p.shape, max(2.0 * least, 1.0))
        for _ in range(2000):
            short = inside & (cdf(high) < p)
            if not short.any():
                break
            high[short] *= 2.0
    else:
        high = np.full(p.shape, most)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if ((middle == low) | (middle == high)).all():
            break
        below = cdf(middle) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(inside, np.where(p <= 0.0, least, high), most)


def above_zero(**values: float) -> None:
    """BadValue for the first of *values* that is not a finite number above 0."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0.0):
            raise BadValue(name, value, "a finite number above 0")


def a_share(**values: float) -> None:
    """BadValue for the first of *values* that is no probability."""
    for name, value in values.items():
        if not 0.0 <= value <= 1.0:
            raise BadValue(name, value, "a probability, from 0 to 1")
