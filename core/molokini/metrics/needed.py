"""How many more samples a difference needs before its interval keeps clear of zero."""

import math

from molokini.metrics.intervals import CONFIDENCE
from molokini.metrics.student import t_quantile

MOST = 100_000_000


def samples_needed(
    mean: float | None, half_width: float | None, samples: int, confidence: float = CONFIDENCE
) -> int | None:
    """Samples in all until the half width falls below the magnitude of *mean*, both staying as they are.

    The half width of n samples is t(n - 1) s / sqrt(n), with Student's t and the spread s that the present
    *samples* show. The present number where it is clear already. None where there is no interval yet, where
    the mean is 0, or where it would take more than ``MOST``.
    """
    if mean is None or half_width is None or samples < 2:
        return None
    if abs(mean) > half_width or half_width == 0.0:
        return samples
    if mean == 0.0:
        return None
    level = 0.5 + confidence / 2
    spread = half_width * math.sqrt(samples) / t_quantile(level, samples - 1)
    # The quantile of many samples is below that of few, so this many are not enough, or just so.
    low = max(samples, math.floor((t_quantile(level, MOST) * spread / abs(mean)) ** 2))
    if low > MOST:
        return None
    high = max(low, math.ceil((t_quantile(level, low - 1) * spread / abs(mean)) ** 2)) + 1
    # The half width falls with the number, so the first that is enough is found by halving.
    while low < high:
        middle = (low + high) // 2
        if t_quantile(level, middle - 1) * spread / math.sqrt(middle) < abs(mean):
            high = middle
        else:
            low = middle + 1
    return low
