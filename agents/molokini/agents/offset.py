"""How far an agent's monotonic clock is from the server's, by the heartbeats and their answers.

An answer that came after a time r was given somewhere within it, so the offset is known to r/2 at worst;
clocks of machines drift apart by some millionths meanwhile. The answer that says it best is believed.
"""

from collections.abc import Callable
from math import inf

QUICK, QUICK_S = 8, 0.1
"""So many heartbeats follow each other quickly at the beginning of a connection."""
_DRIFT = 50e-6
"""Seconds a second by which two clocks may drift apart."""


class ClockOffset:
    """Instants are seconds of this agent's monotonic clock, but for those that are called the server's."""

    def __init__(self) -> None:
        self._offset_s = 0.0
        self._unsure_s, self._at_s = inf, 0.0
        self._quick = 0
        self._moved: Callable[[], None] | None = None

    def watch(self, moved: Callable[[], None]) -> None:
        """Call *moved* whenever a better answer has come."""
        self._moved = moved

    def begin(self) -> None:
        """A connection begins, perhaps to a server elsewhere: what is known is kept until it answers."""
        self._unsure_s, self._quick = inf, QUICK

    @property
    def every_s(self) -> float:
        """Seconds to the next heartbeat for the sake of the offset."""
        return QUICK_S if self._quick > 0 else inf

    def asked(self) -> None:
        """A heartbeat is sent."""
        self._quick -= 1

    def heard(self, sent_s: float, server_s: float, now_s: float) -> None:
        """The heartbeat of *sent_s* is answered by a server whose clock stood at *server_s*."""
        unsure_s = (now_s - sent_s) / 2
        if unsure_s < 0 or unsure_s > self.unsure_s(now_s):
            return
        self._offset_s = (now_s + sent_s) / 2 - server_s
        self._unsure_s, self._at_s = unsure_s, now_s
        if self._moved is not None:
            self._moved()

    def unsure_s(self, now_s: float) -> float:
        """By so much the offset may be wrong; infinite: it was not measured on this connection."""
        return self._unsure_s + _DRIFT * max(0.0, now_s - self._at_s)

    @property
    def known(self) -> bool:
        """Whether it was measured on this connection."""
        return self._unsure_s < inf

    def own_s(self, server_s: float) -> float:
        """When it is *server_s* on the server's clock."""
        return server_s + self._offset_s
