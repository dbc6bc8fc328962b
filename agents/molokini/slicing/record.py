"""What was achieved for one job: the slicer's own record, and the figures that are made of it."""

from __future__ import annotations

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEPT = 4096
"""So many windows are kept for medians and the like; sums are of all."""
_MISS_NS, _MISS_PART = 500_000, 50


class Record:
    """All instants and durations are nanoseconds.

    Counted are whole periods, from one first continue to the next, that follow each other: so the sums are of
    just the time that they are divided by, and a suspension is in none of them.
    """

    def __init__(self) -> None:
        self.periods = self.windows = self.misses = 0
        self._elapsed = 0
        self._sums = [0, 0, 0]
        """On, ran and waited, of periods that are over; and of the one that is not:"""
        self._pending = [0, 0, 0]
        self._pending_windows = 0
        self._pending_misses: list[int] = []
        self._cycle: int | None = None
        self._since = self._was_late = 0
        self._late: deque[int] = deque(maxlen=KEPT)
        self._jitter: deque[int] = deque(maxlen=KEPT)
        self._missed: deque[int] = deque(maxlen=KEPT)
        """What was missing of slices that were missed."""

    def began(self, cycle: int, planned: int, at: int, period: int) -> None:
        """The job was continued *at* an instant that was to be *planned*, in the period numbered *cycle*."""
        self._was_late = at - planned
        self._late.append(self._was_late)
        if cycle == self._cycle:
            return
        if self._cycle is not None and cycle == self._cycle + 1 and self._pending_windows:
            self._jitter.append(abs(at - self._since - period))
            self._elapsed += at - self._since
            self.periods += 1
            self.windows += self._pending_windows
            self.misses += len(self._pending_misses)
            self._missed.extend(self._pending_misses)
            self._sums = [a + b for a, b in zip(self._sums, self._pending, strict=True)]
        self._cycle, self._since = cycle, at
        self._pending, self._pending_windows, self._pending_misses = [0, 0, 0], 0, []

    def again(self) -> None:
        """Its periods are others from now on: the present one counts for nothing."""
        self._cycle = None
        self._pending, self._pending_windows, self._pending_misses = [0, 0, 0], 0, []

    def ended(self, on: int) -> None:
        """It was stopped after so long."""
        self._pending_windows += 1
        self._pending[0] += on

    def spent(self, ran: int, waited_most: int, length: int) -> None:
        """What its threads did in a window that was to be of this *length*.

        A thread that ran for less may have had nothing to do; one that waited, or was continued late, missed
        some of its slice.
        """
        self._pending[1] += ran
        self._pending[2] += waited_most
        most = max(_MISS_NS, length // _MISS_PART)
        # Late, it had no processor to wait for: the one is not in the other.
        if waited_most > most or self._was_late > most:
            self._pending_misses.append(waited_most + max(0, self._was_late))

    def counted(self, elapsed: int, period: int, ran: int, waited_most: int) -> None:
        """What a job did for so long whose periods the kernel keeps: they are counted by their length."""
        self._elapsed += elapsed
        self.periods = self.windows = self._elapsed // period
        self._sums = [self._sums[0] + ran, self._sums[1] + ran, self._sums[2] + waited_most]

    def figures(self) -> dict[str, Any]:
        """Seconds; None, or empty, where no period is over."""
        on, ran, waited = (value / 1e9 for value in self._sums)
        elapsed = self._elapsed / 1e9
        return {
            "periods": self.periods,
            "windows": self.windows,
            "misses": self.misses,
            "elapsed_s": elapsed,
            "on_s": on,
            "ran_s": ran,
            "waited_s": waited,
            "period_s": elapsed / self.periods if self.periods else None,
            "slice_s": on / self.periods if self.periods else None,
            "late_s": _spread(self._late),
            "jitter_s": _spread(self._jitter),
            "missed_s": _spread(self._missed),
        }


def _spread(values: deque[int]) -> list[float]:
    """Median, the value that one in a hundred exceeds, and the largest; empty where there are none."""
    if not values:
        return []
    found = sorted(values)
    return [found[round(part * (len(found) - 1))] / 1e9 for part in (0.5, 0.99, 1.0)]
