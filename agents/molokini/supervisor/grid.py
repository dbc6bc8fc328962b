"""The arithmetic of a grid: in which window of it an instant lies, and which comes next.

Whole nanoseconds, so that nothing drifts however many periods go by.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Grid:
    """Windows that come again with each period, the first of which begins at *origin*.

    The windows are sorted and do not meet; the last may reach into the next period, up to the first one.
    """

    __slots__ = ("origin", "period", "windows")

    def __init__(self, period: int, windows: Sequence[tuple[int, int]], origin: int = 0) -> None:
        self.period, self.origin = period, origin
        self.windows = tuple((begins, ends) for begins, ends in windows)
        edges = [edge for window in self.windows for edge in window]
        if not edges or period <= 0 or edges[0] < 0 or self.windows[-1][0] >= period:
            raise ValueError(f"no windows within a period of {period} ns: {self.windows}")
        if any(a >= b for a, b in pairwise(edges)) or edges[-1] > edges[0] + period:
            raise ValueError(f"windows that meet: {self.windows}")

    @property
    def whole(self) -> bool:
        """Whether the windows leave nothing between them."""
        return self.windows[0][1] - self.windows[0][0] == self.period

    @property
    def share(self) -> float:
        """The part of the time that windows are."""
        return sum(ends - begins for begins, ends in self.windows) / self.period

    def cycle(self, at: int) -> int:
        """The number of the period in which *at* lies."""
        return (at - self.origin) // self.period

    def window(self, at: int) -> tuple[int, int]:
        """Beginning and end of the window in which *at* lies, or else of the next one."""
        first = self.origin + (self.cycle(at) - 1) * self.period
        while True:
            for begins, ends in self.windows:
                if at < first + ends:
                    return first + begins, first + ends
            first += self.period

    def _held(self, at: int) -> int:
        """Nanoseconds of windows from the beginning of the first one of period 0 to *at*; negative before."""
        first = self.windows[0][0]
        periods, place = divmod(at - self.origin - first, self.period)
        a_period = sum(ends - begins for begins, ends in self.windows)
        ended = sum(min(max(place + first - begins, 0), ends - begins) for begins, ends in self.windows)
        return periods * a_period + ended

    def between(self, since: int, until: int) -> int:
        """Nanoseconds of windows between two instants."""
        return self._held(until) - self._held(since)

    def had_at(self, since: int, wanted: int) -> int:
        """The instant by which *wanted* nanoseconds of windows, more than 0, have gone by from *since* on."""
        a_period = sum(ends - begins for begins, ends in self.windows)
        total = self._held(since) + wanted
        periods = (total - 1) // a_period
        rest = total - periods * a_period
        for begins, ends in self.windows:
            if rest <= ends - begins:
                return self.origin + periods * self.period + begins + rest
            rest -= ends - begins
        raise AssertionError("more than a period")

    def on(self, at: int) -> bool:
        """Whether *at* lies in a window."""
        return self.window(at)[0] <= at
