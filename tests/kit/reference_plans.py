"""A slow, plain simulator of conservative backfilling.

Independent of all of the product, as ``reference`` is.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tests.kit.reference import Member, Simulator
from tests.kit.workloads import Job

NEVER = float("inf")


class Plan:
    """Processors free from each of some instants on: two sorted lists."""

    def __init__(self, now: float, free: int) -> None:
        self.times, self.free = [now], [free]

    def forget(self, now: float) -> None:
        """Drop what has passed."""
        first = bisect_right(self.times, now) - 1
        if first > 0:
            self.times, self.free = self.times[first:], self.free[first:]

    def change(self, start: float, end: float, amount: int) -> None:
        """Add *amount* to what is free in [start, end)."""
        if end <= start:
            return
        first, last = self._cut(start), self._cut(end)
        for k in range(first, last):
            self.free[k] += amount

    def earliest(self, width: int, length: float, now: float) -> float:
        """The first instant at which *width* are free and stay so for *length*."""
        candidate = now
        for k in range(bisect_right(self.times, now) - 1, len(self.times)):
            if k >= 0 and self.free[k] < width:
                candidate = self.times[k + 1] if k + 1 < len(self.times) else NEVER
            elif k + 1 < len(self.times) and self.times[k + 1] >= candidate + length:
                break
        return candidate

    def _cut(self, at: float) -> int:
        k = bisect_right(self.times, at) - 1
        if self.times[k] != at:
            k += 1
            self.times.insert(k, at)
            self.free.insert(k, self.free[k - 1])
        return k


class Conservative(Simulator):
    """Everybody has a reservation from arrival on; one compression an instant if somebody ended early.

    Estimates are above 0: a job that takes no room in the plan has no promise that could be kept.
    """

    def __init__(self, jobs: Sequence[Job], processors: int) -> None:
        super().__init__(jobs, processors)
        self.plan = Plan(self.members[0].submit if self.members else 0.0, processors)
        self.early = False
        self.unplanned: list[Member] = []

    def has_ended(self, member: Member) -> None:
        if member.expected > self.now:
            self.plan.change(self.now, member.expected, member.width)
            self.early = True

    def has_arrived(self, member: Member) -> None:
        self.unplanned.append(member)

    def decide(self) -> None:
        self.plan.forget(self.now)
        if self.early:
            self._compress()
        for member in self.unplanned:
            self._reserve(member)
        self.early, self.unplanned = False, []
        for member in list(self.queue):
            assert member.reserved is not None
            if member.reserved <= self.now and member.width <= self.free:
                self.start(member)

    def wishes(self) -> Iterable[float]:
        return [member.reserved for member in self.queue if member.reserved is not None]

    def _compress(self) -> None:
        for member in self.queue:
            if member.reserved is not None:
                before = member.reserved
                self.plan.change(before, before + member.estimate, member.width)
                self._reserve(member)
                assert member.reserved <= before

    def _reserve(self, member: Member) -> None:
        at = self.plan.earliest(member.width, member.estimate, self.now)
        self.plan.change(at, at + member.estimate, -member.width)
        member.reserved = at
        if member.first_reserved is None:
            member.first_reserved = at
