"""The lease: how long an agent may go on with its jobs without hearing from the server.

A word from the server vouches only for what the server can have heard by then. So the lease counts from the
last heartbeat sent before that word came, not from the word itself: an agent that was stopped for a while,
and then reads old words out of a buffer, gains nothing by them.
"""

from collections.abc import Callable
from math import inf


class Lease:
    """Instants are seconds of a monotonic clock, never of the scheduling clock."""

    def __init__(self) -> None:
        self.length_s = inf
        """How long it is; infinite: the server gives none."""
        self._beat_s = inf
        self.ends_s = inf
        """The instant at which it runs out; infinite while there is none."""
        self._told: Callable[[float], None] | None = None

    def watch(self, told: Callable[[float], None]) -> None:
        """Call *told* with each new end that a word of the server makes, and not before the first word."""
        self._told = told

    def beat(self, now: float) -> None:
        """A heartbeat, or a registration, is sent."""
        self._beat_s = now

    def grant(self, length_s: float) -> None:
        """The server's welcome: from now on *length_s* holds (0 or less: no lease)."""
        self.length_s = length_s if length_s > 0 else inf
        self.renew()

    def renew(self) -> None:
        """A word from the server has come."""
        self.ends_s = self._beat_s + self.length_s
        if self._told is not None:
            self._told(self.ends_s)

    def over(self, now: float) -> bool:
        """Whether it has run out by *now*."""
        return now >= self.ends_s

    def drop(self) -> None:
        """The jobs have been ended: nothing is left that a lease would be for."""
        self.length_s = self.ends_s = inf
