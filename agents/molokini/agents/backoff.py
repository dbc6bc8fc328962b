"""How long to wait before the next connection."""

from collections.abc import Callable
from random import random


class Backoff:
    """Doubles from *least_s* to *most_s*, each time a random part of it, so that a thousand agents spread."""

    def __init__(self, least_s: float = 0.1, most_s: float = 5.0, draw: Callable[[], float] = random) -> None:
        self._least_s, self.most_s, self._draw = least_s, most_s, draw
        self._bound_s = least_s

    def next_s(self) -> float:
        """Seconds to wait now: from half of the present bound to all of it."""
        bound_s = self._bound_s
        self._bound_s = min(self.most_s, 2 * bound_s)
        return bound_s * (0.5 + 0.5 * self._draw())

    def reset(self) -> None:
        """A connection was good."""
        self._bound_s = self._least_s
