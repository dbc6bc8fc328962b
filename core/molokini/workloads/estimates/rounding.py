"""Round values of time, as people write them into requests."""

import numpy as np

from molokini.workloads.workload import Floats

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0

ROUND_S: tuple[float, ...] = (
    *(minutes * _MINUTE for minutes in (1, 2, 5, 10, 15, 20, 30, 45)),
    *(hours * _HOUR for hours in (1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20)),
    *(days * _DAY for days in (1, 1.5, 2, 3, 4, 5, 6, 7)),
)
"""Ours: the most frequent requests of logs; beyond a week whole days."""


def rounded_up(times_s: Floats) -> Floats:
    """The least round value that is as long, for each time."""
    known = np.asarray(ROUND_S)
    place = np.searchsorted(known, times_s)
    days = np.ceil(times_s / _DAY) * _DAY
    return np.where(place < known.size, known[np.minimum(place, known.size - 1)], days)
