"""Quantiles of Student's t distribution."""

import math
from functools import lru_cache

from molokini.model.errors import BadValue


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
    # Loaded here: a command that draws no interval starts without it.
    from scipy.special import stdtrit

    # The lower tail has no cancellation, so the upper one is its mirror.
    lower = float(stdtrit(degrees, min(probability, 1.0 - probability)))
    return -lower if probability > 0.5 else lower
