"""Which processors of the machine belong to which job, where each job is bound to its own."""

import os
from collections.abc import Iterable


class Slots:
    """The processors that this process may use, one job each. Without any, no job is bound."""

    def __init__(self, processors: Iterable[int]) -> None:
        self._free = set(processors)
        self._held: dict[str, set[int]] = {}

    @classmethod
    def of_machine(cls) -> "Slots":
        """All that there are for this process."""
        return cls(os.sched_getaffinity(0))

    def take(self, label: str, count: int) -> str:
        """The lowest *count* free ones for the job *label*, as the kernel writes sets; empty: too few."""
        found = sorted(self._free)[:count]
        if len(found) < count:
            return ""
        self.hold(label, found)
        return ",".join(map(str, found))

    def hold(self, label: str, processors: Iterable[int]) -> None:
        """These belong to the job *label*, which a start before has bound to them."""
        self._held[label] = set(processors)
        self._free -= self._held[label]

    def give(self, label: str) -> None:
        """The job *label* is over."""
        self._free |= self._held.pop(label, set())


def processors_of(text: str) -> list[int]:
    """The processors in a set as ``take`` writes it."""
    return [int(one) for one in text.split(",") if one]
