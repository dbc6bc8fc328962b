"""How long to wait before the next connection."""

from collections.abc import Callable
from random import random

_PART_OF_LEASE = 6.0
"""So many pauses fit into a lease: an agent that was cut off is back before its jobs end by it."""


class Backoff:
    """Doubles from *least_s* to *most_s*, each time a random part of it, so that a thousand agents spread."""

    def __init__(self, least_s: float = 0.1, most_s: float = 5.0, draw: Callable[[], float] = random) -> None:
        self._least_s, self._longest_s, self._draw = least_s, most_s, draw
        self.most_s = most_s
        """The longest pause, as things are."""
        self._bound_s = least_s

    def next_s(self) -> float:
        """Seconds to wait now: from half of the present bound to all of it."""
        bound_s = self._bound_s
        self._bound_s = max(self._least_s, min(self.most_s, 2 * bound_s))
        return bound_s * (0.5 + 0.5 * self._draw())

    def keep_within(self, lease_s: float) -> None:
        """The server gives a lease of so many seconds (infinite: none): no pause takes a large part of it."""
        self.most_s = min(self._longest_s, lease_s / _PART_OF_LEASE)
        self._bound_s = max(self._least_s, min(self.most_s, self._bound_s))

    def reset(self) -> None:
        """A connection was good."""
        self._bound_s = self._least_s
