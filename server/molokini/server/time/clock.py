"""The scheduling clock: one for queue, limits, reservations and accounting.

Real and scaled clocks run on the monotonic clock, so that no correction of the calendar moves them;
stepped and virtual clocks stand until they are turned. Leases, heartbeats, deadlines and token lifetimes
never run on this clock.
"""

import time
from collections.abc import Callable
from enum import StrEnum

from molokini.model.errors import BadValue
from molokini.server.caller_errors import WrongClock


class ClockKind(StrEnum):
    """How the clock goes."""

    REAL = "real"
    SCALED = "scaled"
    STEPPED = "stepped"
    VIRTUAL = "virtual"


MOST_RATE = 1e6


class Clock:
    """The present instant, in seconds of the scheduling clock."""

    def __init__(
        self,
        kind: ClockKind,
        rate: float = 1.0,
        start_s: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kind, self._rate, self._monotonic = kind, 1.0 if kind is ClockKind.REAL else rate, monotonic
        check_rate(self._rate)
        self.paused = False
        self._base_s, self._since = start_s, monotonic()
        self.limit_s = float("inf") if kind is ClockKind.VIRTUAL else start_s
        """How far a clock that is turned may go."""

    @property
    def runs(self) -> bool:
        """Whether it goes by itself."""
        return self.kind in (ClockKind.REAL, ClockKind.SCALED)

    @property
    def name(self) -> str:
        """Its kind, as ``--clock`` says it."""
        return f"scaled:{self._rate:g}" if self.kind is ClockKind.SCALED else str(self.kind)

    @property
    def rate(self) -> float:
        """Seconds of this clock a second of real time; 0 where it stands."""
        return self._rate if self.runs and not self.paused else 0.0

    def now(self) -> float:
        """The present instant."""
        if not self.runs or self.paused:
            return self._base_s
        return self._base_s + (self._monotonic() - self._since) * self._rate

    def zero_s(self) -> float:
        """Where instant 0 lies on the monotonic clock, as long as it runs as it does."""
        return self._since - self._base_s / self._rate

    def turn_to(self, at_s: float) -> None:
        """A stepped or virtual clock stands at *at_s* from now on."""
        assert not self.runs
        assert at_s >= self._base_s
        self._base_s = at_s

    def advance(self, seconds: float) -> None:
        """Let a stepped clock go on by so many seconds; what happens on the way happens."""
        if self.kind is not ClockKind.STEPPED:
            raise WrongClock(f"a {self.kind} clock is not advanced by hand")
        if self.paused:
            raise WrongClock("the clock is paused; resume it first")
        if not 0 <= seconds < 2**43:
            raise BadValue("advance_s", seconds, "from 0 to 2^43 seconds")
        self.limit_s = max(self.limit_s, self._base_s) + seconds

    def set_rate(self, rate: float) -> None:
        """Let a scaled clock run at another rate from now on."""
        if self.kind is not ClockKind.SCALED:
            raise WrongClock(f"a {self.kind} clock has no rate to set")
        check_rate(rate)
        self._rebase()
        self._rate = rate

    def pause(self) -> None:
        """Let it stand."""
        if self.kind is ClockKind.REAL:
            raise WrongClock("a real clock cannot be paused")
        self._rebase()
        self.paused = True

    def resume(self) -> None:
        """Let it go on from where it stood."""
        self._rebase()
        self.paused = False

    def _rebase(self) -> None:
        self._base_s, self._since = self.now(), self._monotonic()

    def real_s(self, until_s: float) -> float:
        """Seconds of real time until *until_s* of this clock; infinity where it stands."""
        left_s = until_s - self.now()
        if left_s <= 0:
            return 0.0
        return left_s / self.rate if self.rate > 0 else float("inf")


def check_rate(rate: float) -> None:
    """BadValue where a clock cannot run at *rate*."""
    if not 0 < rate <= MOST_RATE:
        raise BadValue("rate", rate, f"more than 0 and at most {MOST_RATE:,.0f}")
