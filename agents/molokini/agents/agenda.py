"""What will happen on emulated nodes, by instant: a heap in which every subject stands once.

An instant's happenings come in the ranks of the design (ends, node losses, node returns), then by job,
array index and node name.
"""

from enum import IntEnum
from heapq import heapify, heappop, heappush
from typing import TypeAlias


class Rank(IntEnum):
    """What comes first within one instant."""

    END = 0
    NODE_LOST = 1
    NODE_RETURNED = 2


Subject: TypeAlias = tuple[int, int, str]
"""Job, array index and "" of an attempt, or 0, 0 and the name of a node."""

Happening: TypeAlias = tuple[float, Rank, Subject]

_SPARE = 64


class Agenda:
    """Setting a subject again moves its happening; the old entry stays in the heap, void, for a while."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Subject, int]] = []
        self._valid: dict[Subject, int] = {}
        self._stamp = 0

    def set(self, at_s: float, rank: Rank, subject: Subject) -> None:
        """*subject*'s next happening is this, whatever was set before."""
        self._stamp += 1
        self._valid[subject] = self._stamp
        heappush(self._heap, (at_s, rank, subject, self._stamp))
        # Void entries are at most as many as valid ones, so that orders without end cost no memory.
        if len(self._heap) > 2 * len(self._valid) + _SPARE:
            self._sweep()

    def drop(self, subject: Subject) -> None:
        """Nothing will happen to *subject*."""
        self._valid.pop(subject, None)

    def first_s(self) -> float | None:
        """The next instant at which anything happens; None: never."""
        heap, valid = self._heap, self._valid
        while heap and valid.get(heap[0][2]) != heap[0][3]:
            heappop(heap)
        return heap[0][0] if heap else None

    def pop_until(self, now_s: float) -> Happening | None:
        """Take the first happening off, if it is due by *now_s*."""
        first_s = self.first_s()
        if first_s is None or first_s > now_s:
            return None
        at_s, rank, subject, _ = heappop(self._heap)
        del self._valid[subject]
        return at_s, Rank(rank), subject

    def _sweep(self) -> None:
        self._heap = [entry for entry in self._heap if self._valid.get(entry[2]) == entry[3]]
        heapify(self._heap)
