"""Every candidate distribution fitted to some values, with distances that say how good each is.

No p-values: they would be those of parameters known beforehand, and these are fitted. Fits follow the bulk
of the values (likelihood, cumulative distribution) rather than their largest few; those by moments say so in
their names.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from molokini.model.errors import BadInput
from molokini.workloads.distributions import (
    DISTRIBUTIONS,
    H2,
    Distribution,
    HyperErlang,
    LogHyperGamma,
    LogUniform,
)
from molokini.workloads.distributions.fitting import FEWEST_TO_FIT
from molokini.workloads.workload import Floats

PIECES = 8
_MOST_DISTINCT = 20_000
_WHOLE_SECOND = 1.5
"""What a recorded 1 counts as where values must be above 1: it stands for anything up to 2."""


def _h2_by_moments(values: Floats) -> Distribution:
    mean, cv = float(values.mean()), float(values.std() / values.mean())
    if cv < 1:
        raise BadInput(f"h2-moments: the values have a CV of {cv:.3g}, and hyper-exponential ones at least 1")
    return H2.balanced(mean, cv)


def _above_one(values: Floats) -> Floats:
    return np.maximum(values, _WHOLE_SECOND) if values.min() >= 1.0 else values


def _by_name(name: str) -> Callable[[Floats], Distribution]:
    return lambda values: DISTRIBUTIONS[name].fit(values)


CANDIDATES: dict[str, Callable[[Floats], Distribution]] = {
    **{name: _by_name(name) for name in ("exponential", "gamma", "weibull", "lognormal")},
    **{name: _by_name(name) for name in ("pareto", "bounded-pareto", "h2")},
    "h2-moments": _h2_by_moments,
    "h3": DISTRIBUTIONS["h3"].fit,
    "hyper-erlang": HyperErlang.fit,
    "hyper-gamma": DISTRIBUTIONS["hyper-gamma"].fit,
    "log-hyper-gamma": lambda values: LogHyperGamma.fit(_above_one(values)),
    "log-uniform": lambda values: LogUniform.fit(values, PIECES),
}
"""How each candidate is fitted; log-uniform in ``PIECES`` pieces."""


@dataclass(frozen=True)
class Candidate:
    """One distribution, and how far it is from the values it was fitted to."""

    name: str
    distribution: Distribution
    log_likelihood: float
    aic: float
    ks: float
    """Kolmogorov and Smirnov's distance: the largest difference of the cumulative distributions."""
    ad: float
    """Anderson and Darling's A^2 over the number of values; infinite where a value is outside the support."""
    median: float
    bounded_mean: float
    """The mean of draws up to the largest value; tails without an end may have no other."""

    def told(self) -> dict[str, Any]:
        """Ready for JSON; what is infinite is None."""
        figures = {
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "ks": self.ks,
            "ad": self.ad,
            "mean": self.distribution.mean,
            "cv": self.distribution.cv,
            "median": self.median,
            "bounded_mean": self.bounded_mean,
        }
        known = {name: value if np.isfinite(value) else None for name, value in figures.items()}
        parameters = {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in self.distribution.parameters().items()
        }
        return {"name": self.name, "parameters": parameters, **known}


@dataclass(frozen=True)
class Fits:
    """What was fitted to the values above 0 of one attribute, the nearest first."""

    values: int
    zeros: int
    """Values of 0, which no candidate has; they are reported apart and left out."""
    mean: float
    cv: float
    median: float
    largest: float
    candidates: tuple[Candidate, ...]
    refused: dict[str, str] = field(default_factory=dict)
    """Candidates without a fit, and why."""

    @property
    def best(self) -> Candidate:
        """The one with the smallest KS distance."""
        return self.candidates[0]

    @property
    def for_making(self) -> Candidate:
        """The nearest whose draws have the log's mean within a fifth, or the nearest where none has.

        A distance hardly sees a tail that carries half of the work, and the load does.
        """
        fair = [one for one in self.candidates if abs(one.bounded_mean - self.mean) <= 0.2 * self.mean]
        return fair[0] if fair else self.best

    def told(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "values": self.values,
            "zeros": self.zeros,
            "mean": self.mean,
            "cv": self.cv,
            "median": self.median,
            "largest": self.largest,
            "best": self.best.name,
            "for_making": self.for_making.name,
            "candidates": [one.told() for one in self.candidates],
            "refused": self.refused,
        }


def fit_all(name: str, values: Floats, only: tuple[str, ...] = ()) -> Fits:
    """Every candidate (or *only* some) fitted to *values*; *name* is the attribute's, for messages.

    Raises BadInput for fewer than 20 values above 0, and for values that are all equal.
    """
    above = values[values > 0]
    if above.size < FEWEST_TO_FIT:
        raise BadInput(
            f"{name}: {above.size} values above 0 are too few for a fit; {FEWEST_TO_FIT} are needed"
        )
    if above.min() == above.max():
        raise BadInput(f"{name}: all {above.size:,} values are {above[0]:.15g}, so there is nothing to fit")
    found, refused = [], {}
    coarse = _coarse(above)
    for candidate, fit in CANDIDATES.items():
        if only and candidate not in only:
            continue
        try:
            # Odd values make odd numbers on the way; what comes out is judged.
            with np.errstate(all="ignore"):
                one = judged(candidate, fit(coarse), above)
        except BadInput as error:
            refused[candidate] = str(error)
        except (ValueError, ArithmeticError):
            refused[candidate] = f"{candidate}: no fit was found to these values"
        else:
            if np.isfinite(one.ks):
                found.append(one)
            else:
                refused[candidate] = f"{candidate}: the fit to these values is none"
    if not found:
        raise BadInput(f"{name}: no candidate can be fitted ({'; '.join(refused.values())})")
    mean = float(above.mean())
    return Fits(
        values=int(above.size),
        zeros=int((values == 0).sum()),
        mean=mean,
        cv=float(above.std()) / mean,
        median=float(np.median(above)),
        largest=float(above.max()),
        candidates=tuple(sorted(found, key=lambda one: (one.ks, one.name))),
        refused=refused,
    )


def _coarse(values: Floats) -> Floats:
    """*values*, to four digits where so many differ that mixtures would take long; the ends stay as they
    are.
    """
    if np.unique(values).size <= _MOST_DISTINCT:
        return values
    unit = 10.0 ** (np.floor(np.log10(values)) - 3)
    return np.clip(np.rint(values / unit) * unit, values.min(), values.max())


def judged(name: str, distribution: Distribution, values: Floats) -> Candidate:
    """*distribution* with its distances from *values*, all above 0."""
    data = _above_one(values) if isinstance(distribution, LogHyperGamma) else values
    x, counts = np.unique(data, return_counts=True)
    size = data.size
    density = distribution.log_density(x)
    with np.errstate(invalid="ignore"):
        likelihood = float((density * counts).sum())
    below = np.clip(distribution.cdf(x), 0.0, 1.0)
    upto = np.cumsum(counts) / size
    ks = float(np.maximum(np.abs(below - upto), np.abs(below - (upto - counts / size))).max())
    return Candidate(
        name,
        distribution,
        likelihood,
        2.0 * distribution.free - 2.0 * likelihood,
        ks,
        _anderson(below, np.clip(distribution.survival(x), 0.0, 1.0), counts, size),
        distribution.quantile(0.5),
        _bounded_mean(distribution, float(x[-1])),
    )


def _bounded_mean(distribution: Distribution, largest: float) -> float:
    """E[X | X <= largest], by quantiles that lie close where the largest values are."""
    top = float(distribution.cdf(np.array([largest]))[0])
    if not top > 0:
        return float("inf")
    edges = np.concatenate([np.linspace(0.0, 0.9, 500)[:-1], 1.0 - np.geomspace(0.1, 1e-9, 1000), [1.0]])
    values = np.minimum(distribution.quantiles(top * (edges[1:] + edges[:-1]) / 2.0), largest)
    return float((values * np.diff(edges)).sum())


def _anderson(below: Floats, above: Floats, counts: Any, size: int) -> float:
    """A^2 / n by the sum over the ordered values; equal values are taken together."""
    last = np.cumsum(counts).astype(np.float64)
    first = last - counts
    # Sums of (2 i - 1) over the ranks of each value, counted from below and from above.
    rising, falling = last**2 - first**2, (size - first) ** 2 - (size - last) ** 2
    with np.errstate(divide="ignore"):
        total = float((rising * np.log(below)).sum() + (falling * np.log(above)).sum())
    return -1.0 - total / size / size if np.isfinite(total) else float("inf")
