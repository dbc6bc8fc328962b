"""The hyper-Erlang distribution of common order, fitted to three moments as Jann et al. (1997) do."""

import math
from dataclasses import dataclass
from typing import ClassVar, Self

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.distributions.base import a_share, above_zero
from molokini.workloads.distributions.fitting import fittable, mixed
from molokini.workloads.distributions.mixtures import GammaMixture
from molokini.workloads.distributions.plain import Gamma
from molokini.workloads.workload import Floats

HIGHEST_ORDER = 10_000
"""An order above this stands for values that hardly vary: it is refused."""


@dataclass(frozen=True)
class HyperErlang(GammaMixture):
    """A sum of ``order`` exponentials of ``rate1`` with probability ``share``, else of ``rate2``."""

    NAME: ClassVar[str] = "hyper-erlang"
    share: float
    rate1: float
    rate2: float
    order: int

    def __post_init__(self) -> None:
        a_share(share=self.share)
        above_zero(rate1=self.rate1, rate2=self.rate2)
        if not (self.order == int(self.order) and 1 <= self.order <= HIGHEST_ORDER):
            raise BadValue("order", self.order, f"a whole number from 1 to {HIGHEST_ORDER:,}")

    @property
    def parts(self) -> tuple[tuple[float, Gamma], ...]:
        """The two Erlang distributions."""
        first, second = (Gamma(float(self.order), 1.0 / rate) for rate in (self.rate1, self.rate2))
        return (self.share, first), (1.0 - self.share, second)

    @classmethod
    def from_moments(cls, first: float, second: float, third: float, order: int | None = None) -> Self:
        """The one with these moments E[X], E[X^2], E[X^3]: of *order*, or of the least order that has one.

        Raises BadInput where there is none, and names the least order that would do.
        """
        above_zero(first=first, second=second, third=third)
        least = least_order(first, second, third)
        if order is None:
            order = least
        elif order < least:
            raise BadInput(
                f"hyper-Erlang: no distribution of order {order} has the moments {first:.6g}, {second:.6g}, "
                f"{third:.6g}; order {least} is the least that has"
            )
        r1, r2 = first / order, second / (order * (order + 1.0))
        r3 = third / (order * (order + 1.0) * (order + 2.0))
        spread = r2 - r1 * r1
        both, product = (r3 - r1 * r2) / spread, (r1 * r3 - r2 * r2) / spread
        root = math.sqrt(max(0.0, both * both - 4.0 * product))
        long = (both + root) / 2.0
        short = product / long
        share = (r1 - short) / (long - short)
        return cls(min(max(share, 0.0), 1.0), 1.0 / long, 1.0 / short, order)

    @classmethod
    def fit(cls, data: Floats, order: int | None = None) -> Self:
        """By three moments, of the least order that has them; with *order* by greatest likelihood."""
        values = fittable(cls.NAME, data)
        if order is not None:
            shares, _, scales = mixed(values, 2, float(order))
            return cls(float(shares[0]), 1.0 / float(scales[0]), 1.0 / float(scales[1]), order)
        # Scaled, so that third powers stay within range.
        unit = float(values.mean())
        scaled = values / unit
        first, second, third = (float((scaled**k).mean()) for k in (1, 2, 3))
        found = cls.from_moments(first, second, third)
        return cls(found.share, found.rate1 / unit, found.rate2 / unit, found.order)


def least_order(first: float, second: float, third: float) -> int:
    """The least order of a hyper-Erlang distribution with these moments; BadInput where there is none.

    Order n has one where CV^2 > 1/n and E[X] E[X^3] / E[X^2]^2 > (n + 2)/(n + 1).
    """
    variation = second / (first * first) - 1.0
    ratio = (first / second) * (third / second)
    if not (variation > 0.0 and ratio > 1.0):
        raise BadInput(
            f"hyper-Erlang: nothing that varies has the moments {first:.6g}, {second:.6g}, {third:.6g}; "
            "the second must be above the square of the first, and first times third above the square of "
            "the second"
        )
    bound = max(1.0 / variation, 1.0 / (ratio - 1.0) - 1.0)
    order = max(1, math.floor(bound) + 1) if bound < HIGHEST_ORDER else HIGHEST_ORDER + 1
    if order > HIGHEST_ORDER:
        raise BadInput(
            f"hyper-Erlang: the moments {first:.6g}, {second:.6g}, {third:.6g} need an order above "
            f"{HIGHEST_ORDER:,}: the values hardly vary"
        )
    return order
