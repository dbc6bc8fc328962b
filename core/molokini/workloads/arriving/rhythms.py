"""Rhythms by name, for models that have none of their own."""

from molokini.model.errors import UnknownName
from molokini.workloads.arriving.cycles import DAY, EVEN, Cycle, of_week
from molokini.workloads.workload import Floats

RHYTHMS = ("none", "day", "week")
"""No rhythm; the day of the untyped model of Lublin and Feitelson; the week of Chiang and Vernon."""


def rhythm(name: str) -> Cycle:
    """The rhythm called *name*."""
    if name == "none":
        return EVEN
    if name == "day":
        return gamma_day(8.1737, 3.9631)
    if name == "week":
        return week_of_rates(32.5, 17.5, 7.5)
    raise UnknownName("rhythm of arrivals", name, RHYTHMS)


def gamma_day(shape: float, scale: float) -> Cycle:
    """Lublin's day: half hour i from 11 on, counted from 5 in the morning, has the gamma mass around i."""
    import numpy as np

    from molokini.workloads.distributions import Gamma

    edges = Gamma(shape, scale).cdf(np.linspace(10.5, 10.5 + DAY, DAY + 1))
    weights: Floats = np.diff(edges)
    # Half hour 11 is that from 5:00 on, the eleventh of the day.
    return Cycle.of(np.roll(weights, 10).tolist())


def week_of_rates(peak: float, middle: float, low: float) -> Cycle:
    """Weekdays: *low* before 8 h, *peak* from 8 to 18 h, *middle* after; weekends: *low*, then *middle*."""
    weekday = [low] * 16 + [peak] * 20 + [middle] * 12
    weekend = [low] * 16 + [middle] * 32
    return of_week(weekday, weekend, weekend)
