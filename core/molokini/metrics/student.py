"""Quantiles of Student's t distribution, to about twelve digits.

The distribution function is a regularised incomplete beta function, computed by its continued
fraction (NIST Handbook of Mathematical Functions, 8.17.22); the quantile inverts it by bisection.
"""

import math
from functools import lru_cache

from molokini.model.errors import BadValue

_TINY = 1e-300


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b) for 0 <= x <= 1 and positive a, b."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1) / (a + b + 2):  # on this side of the mean the fraction converges slowly
        return 1.0 - incomplete_beta(1 - x, b, a)
    log_front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log_front) / (a * _continued_fraction(x, a, b))


def _continued_fraction(x: float, a: float, b: float) -> float:
    """1 + d1/(1 + d2/(1 + ...)) by the modified Lentz method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, 2000):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1.0 / (1.0 + term * lower or _TINY)
        upper = 1.0 + term / upper or _TINY
        value *= upper * lower
        if abs(upper * lower - 1.0) < 1e-15:
            break
    return value


def t_cdf(t: float, degrees: float) -> float:
    """The probability that Student's t with *degrees* of freedom is at most *t*."""
    square = t * t
    if square * (degrees + 5) < 3 * (degrees + square):
        # Near the middle this complement is small: computed as a difference from 1 it would lose digits.
        beyond = 0.5 * (1.0 - incomplete_beta(square / (degrees + square), 0.5, degrees / 2))
    else:
        beyond = 0.5 * incomplete_beta(degrees / (degrees + square), degrees / 2, 0.5)
    return beyond if t < 0 else 1.0 - beyond


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees: float) -> float:
    """The value that Student's t with *degrees* of freedom stays below with *probability*.

    *probability* is between 0 and 1, both not included; *degrees* is positive.
    """
    if not 0.0 < probability < 1.0:
        raise BadValue("probability", probability, "between 0 and 1, both not included")
    if not (math.isfinite(degrees) and degrees > 0):
        raise BadValue("degrees of freedom", degrees, "a positive number")
    if probability == 0.5:
        return 0.0
    # The upper tail is the smaller half: it is found without cancellation, and mirrored.
    tail = min(probability, 1 - probability)
    low, high = 0.0, 1.0
    while t_cdf(-high, degrees) > tail:
        low, high = high, 2 * high
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            return middle if probability > 0.5 else -middle
        if t_cdf(-middle, degrees) > tail:
            low = middle
        else:
            high = middle
