"""The scheduling clock as an agent sees it that does not wait for grants: a rate over its monotonic clock."""


class ScaledClock:
    """Seconds of the scheduling clock at an instant of the monotonic clock.

    Set by the server's welcome, and put forward (never back) by every later instant that the server names.
    """

    def __init__(self, rate: float = 1.0) -> None:
        self._rate = rate
        self._zero_s = 0.0
        self._since = 0.0

    def set(self, now_s: float, monotonic: float) -> None:
        """It is *now_s* at *monotonic*."""
        self._zero_s, self._since = now_s, monotonic

    def at_least(self, now_s: float, monotonic: float) -> None:
        """The server says that it is *now_s*: a clock that is behind is put forward."""
        if self.at(monotonic) < now_s:
            self.set(now_s, monotonic)

    def at(self, monotonic: float) -> float:
        """The instant of the scheduling clock at *monotonic*."""
        return self._zero_s + self._rate * (monotonic - self._since)

    def until(self, instant_s: float, monotonic: float) -> float:
        """Seconds of real time from *monotonic* until *instant_s*; 0 when it has come."""
        return max(0.0, (instant_s - self.at(monotonic)) / self._rate)
