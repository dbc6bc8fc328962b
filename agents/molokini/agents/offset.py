"""How far an agent's monotonic clock is from the server's, by the heartbeats and their answers.

An answer was given after its heartbeat was sent and before the answer came, so each bounds the offset from
both sides, however unlike the two ways were. Bounds of several answers are taken together; they grow by what
clocks of machines may drift apart meanwhile. An agent on the server's machine has no offset at all.
"""

from collections.abc import Callable
from math import inf

QUICK, QUICK_S = 8, 0.1
"""So many heartbeats follow each other quickly at the beginning of a connection."""
_DRIFT = 50e-6
"""Seconds a second by which two clocks may drift apart."""


class ClockOffset:
    """Instants are seconds of this agent's monotonic clock, but for those that are called the server's."""

    def __init__(self, clock: str = "") -> None:
        self._clock = clock
        """The name of this agent's clock; empty: it is not known."""
        self._offset_s = 0.0
        self._unsure_s, self._at_s = inf, 0.0
        self._is_one = False
        """Whether the server has the same clock."""
        self._quick = 0
        self._moved: Callable[[], None] | None = None

    def watch(self, moved: Callable[[], None]) -> None:
        """Call *moved* whenever the offset is known better."""
        self._moved = moved

    def begin(self) -> None:
        """A connection begins, perhaps to a server elsewhere: what is known is kept until it answers."""
        self._unsure_s, self._quick, self._is_one = inf, QUICK, False

    @property
    def every_s(self) -> float:
        """Seconds to the next heartbeat for the sake of the offset."""
        return QUICK_S if self._quick > 0 else inf

    def asked(self) -> None:
        """A heartbeat is sent."""
        self._quick -= 1

    def heard(self, sent_s: float, server_s: float, now_s: float, clock: str = "") -> None:
        """The heartbeat of *sent_s* is answered by a server whose clock, stood at *server_s*."""
        if now_s < sent_s or self._is_one:
            return
        if clock and clock == self._clock:
            self._is_one = True
            self._take(0.0, 0.0, now_s)
            return
        least_s, most_s = sent_s - server_s, now_s - server_s
        unsure_s = self.unsure_s(now_s)
        if unsure_s < inf:
            both = max(least_s, self._offset_s - unsure_s), min(most_s, self._offset_s + unsure_s)
            # Bounds that exclude each other: a clock was set, or drifts as none should. The answer is newer.
            least_s, most_s = both if both[0] <= both[1] else (least_s, most_s)
        self._take((least_s + most_s) / 2, (most_s - least_s) / 2, now_s)

    def _take(self, offset_s: float, unsure_s: float, now_s: float) -> None:
        moves = offset_s != self._offset_s or self._unsure_s == inf
        self._offset_s, self._unsure_s, self._at_s = offset_s, unsure_s, now_s
        if moves and self._moved is not None:
            self._moved()

    def unsure_s(self, now_s: float) -> float:
        """By so much the offset may be wrong; infinite: it was not measured on this connection."""
        if self._is_one:
            return 0.0
        return self._unsure_s + _DRIFT * max(0.0, now_s - self._at_s)

    @property
    def known(self) -> bool:
        """Whether it was measured on this connection."""
        return self._unsure_s < inf

    def own_s(self, server_s: float) -> float:
        """When it is *server_s* on the server's clock."""
        return server_s + self._offset_s
