"""What fits have in common: data that can be fitted, and mixtures by expectation and maximisation."""

import math

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.workload import Floats

FEWEST_TO_FIT = 20
"""Values below which no fit is made: any family would suit."""

_ROUNDS = 500
_ENOUGH = 1e-9
"""Gain of log-likelihood a value at which a round is the last."""


def fittable(name: str, data: Floats) -> Floats:
    """*data* as floats; BadInput, naming the distribution, where nothing can be fitted to them."""
    values = np.asarray(data, dtype=np.float64).ravel()
    if values.size < FEWEST_TO_FIT:
        raise BadInput(f"{name}: {values.size} values are too few for a fit; give {FEWEST_TO_FIT} or more")
    if not np.isfinite(values).all() or values.min() <= 0.0:
        raise BadInput(f"{name}: a fit needs finite values above 0; leave the others out")
    if values.min() == values.max():
        raise BadInput(f"{name}: all values are {values[0]:.15g}, so there is nothing to fit")
    return values


def gamma_shape(log_of_mean: float, mean_of_log: float) -> float:
    """The shape of the gamma distribution of greatest likelihood, by Newton's method on 1/shape.

    It depends on the gap between the logarithm of the mean and the mean of the logarithms alone.
    """
    from scipy.special import digamma, polygamma

    gap = max(log_of_mean - mean_of_log, 1e-12)
    shape = (3.0 - gap + math.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(50):
        error = math.log(shape) - float(digamma(shape)) - gap
        slope = 1.0 / shape - float(polygamma(1, shape))
        step = error / slope
        found = shape - step if shape - step > 0.0 else shape / 2.0
        if abs(found - shape) <= 1e-13 * shape:
            return found
        shape = found
    return shape


def mixed(data: Floats, parts: int, shape: float | None) -> tuple[Floats, Floats, Floats]:
    """(shares, shapes, scales) of a mixture of *parts* gamma distributions by expectation and maximisation.

    *shape*: that of all parts, or None where each has its own to find. Parts are in order of rising mean.
    The start is *data* cut into parts of equal count, so that the same data give the same mixture.
    """
    if parts < 1:
        raise BadValue("parts", parts, "a whole number of 1 or more")
    values, counts = np.unique(data, return_counts=True)
    weights, logs = counts / data.size, np.log(values)
    place = np.minimum((np.cumsum(weights) - 0.5 * weights) * parts, parts - 1e-9).astype(np.int64)
    belongs = np.where(place == np.arange(parts)[:, None], 0.8, 0.2 / max(1, parts - 1))
    shares, shapes, scales = _maximised(values, logs, weights, belongs, shape)
    last = -math.inf
    for _ in range(_ROUNDS):
        densities = _log_densities(values, logs, shares, shapes, scales)
        top = densities.max(axis=0)
        total = top + np.log(np.exp(densities - top).sum(axis=0))
        likelihood = float(total @ weights)
        if likelihood - last < _ENOUGH:
            break
        last = likelihood
        shares, shapes, scales = _maximised(values, logs, weights, np.exp(densities - total), shape)
    order = np.argsort(shapes * scales, kind="stable")
    return shares[order], shapes[order], scales[order]


def _maximised(
    values: Floats, logs: Floats, weights: Floats, belongs: Floats, shape: float | None
) -> tuple[Floats, Floats, Floats]:
    shared = belongs * weights
    shares = np.maximum(shared.sum(axis=1), 1e-300)
    means = shared @ values / shares
    if shape is not None:
        shapes = np.full(shares.size, shape)
    else:
        mean_logs = shared @ logs / shares
        pairs = zip(np.log(means).tolist(), mean_logs.tolist(), strict=True)
        shapes = np.array([min(gamma_shape(*pair), 1e6) for pair in pairs])
    return shares / shares.sum(), shapes, means / shapes


def _log_densities(values: Floats, logs: Floats, shares: Floats, shapes: Floats, scales: Floats) -> Floats:
    constants = np.array([math.lgamma(one) for one in shapes]) + shapes * np.log(scales)
    with np.errstate(divide="ignore"):
        front = np.log(shares) - constants
    return np.asarray(front[:, None] + (shapes - 1.0)[:, None] * logs - values / scales[:, None])
