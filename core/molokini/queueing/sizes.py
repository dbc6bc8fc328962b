"""A distribution of sizes as the formulas see it: a fine grid of sizes, and what lies below each.

Masses of cells are exact, as differences of P[X > x]; inside a cell a size counts as the cell's middle, so
that sums have the error of the trapezium rule. For a distribution without an upper end the grid goes on until
neither jobs nor work are left above it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from molokini.model.errors import BadInput
from molokini.workloads.distributions import Distribution
from molokini.workloads.workload import Floats

POINTS = 120_001
_LEFT = 1e-14
"""The share of the work that the grid leaves out above its last point."""
_SMALLEST = 1e-9
"""Where the grid begins below the mean, if the sizes go down to 0."""
_DOUBLINGS = 1000


@dataclass(frozen=True)
class Sizes:
    """Sizes of jobs, which follow *distribution*, on a grid. Its mean must be finite."""

    distribution: Distribution

    def __post_init__(self) -> None:
        mean = self.distribution.mean
        if not (math.isfinite(mean) and mean > 0):
            raise BadInput(
                f"{self.distribution.NAME}: its mean is {'infinite' if mean > 0 else mean}, "
                "and a load needs a finite mean above 0"
            )

    @property
    def mean(self) -> float:
        """E[X]."""
        return self.distribution.mean

    @cached_property
    def x(self) -> Floats:
        """The grid, rising; from the least to the largest size where there are such."""
        least, most = self.distribution.support
        mean = self.distribution.mean
        low = least if least > 0 else _SMALLEST * mean
        high = most
        if not math.isfinite(most):
            high = max(2.0 * mean, 2.0 * low)
            for _ in range(_DOUBLINGS):
                above = float(self.distribution.survival(np.array([high]))[0])
                if above * high < _LEFT * mean:
                    break
                high *= 2.0
        grid = np.geomspace(low, high, POINTS)
        grid[0], grid[-1] = low, high
        return grid

    @cached_property
    def above(self) -> Floats:
        """P[X > x] at each point."""
        found = np.asarray(self.distribution.survival(self.x), dtype=np.float64).copy()
        if self.distribution.support[0] > 0:
            found[0] = 1.0
        return np.minimum(found, 1.0)

    @cached_property
    def mass(self) -> Floats:
        """The share of jobs in each cell between two points."""
        return np.asarray(self.above[:-1] - self.above[1:])

    @cached_property
    def first(self) -> Floats:
        """The integral of t f(t) up to each point: from 0 to the mean."""
        return self._below(1.0)

    @cached_property
    def second(self) -> Floats:
        """The integral of t^2 f(t) up to each point."""
        return self._below(2.0)

    def moment(self, k: float) -> float:
        """E[X^k], as the distribution has it; may be infinite."""
        return self.distribution.moment(k)

    def mean_of(self, values: Floats) -> float:
        """The mean over jobs of a function of the size, which is given at each point."""
        return float(self.mass @ (0.5 * (values[1:] + values[:-1])))

    def share_where(self, values: Floats) -> float:
        """The share of the jobs at whose sizes *values* (at each point) are below 0, straight in between."""
        one, two = values[:-1], values[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(one < 0, np.where(two < 0, 1.0, one / (one - two)), two / (two - one))
        return float(self.mass @ np.where((one >= 0) & (two >= 0), 0.0, part)) / float(self.mass.sum())

    def _below(self, k: float) -> Floats:
        middle = self.x[:-1] * self.x[1:]
        powers = middle if k == 2.0 else np.sqrt(middle)
        upto = np.concatenate([[0.0], np.cumsum(self.mass * powers)])
        # What lies below the grid counts as if it were at its first point: less than a billionth.
        return np.asarray(upto + (1.0 - self.above[0]) * self.x[0] ** k)


def expected_beyond(distribution: Distribution, x: Floats | Sequence[float]) -> Floats:
    """E[X | X > x] at each of *x*: the expectation paradox (Crovella, JSSPP 2001, section 4.1).

    It grows in proportion to x where the tail is a power (alpha x/(alpha-1) for Pareto), by a constant for
    exponential sizes, and comes to an end where sizes have one; NaN where no size lies above x. Raises
    BadInput where the mean is infinite.
    """
    sizes = Sizes(distribution)
    with np.errstate(divide="ignore", invalid="ignore"):
        # From above: differences of the mean would lose all digits in the tail.
        held = np.concatenate(
            [np.cumsum((sizes.mass * np.sqrt(sizes.x[:-1] * sizes.x[1:]))[::-1])[::-1], [0.0]]
        )
        found = np.interp(x, sizes.x, np.where(sizes.above > 0, held / sizes.above, np.nan))
    return np.asarray(np.where(np.asarray(x) < sizes.x[0], sizes.mean, found))
