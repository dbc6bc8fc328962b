"""Room as plain lists: a number of free processors for each second and each lane.

A lane is the whole machine, a cluster or a node.

Independent of all of the product: it imports nothing of it, neither the profile nor placement on lanes.
"""

from collections.abc import Callable, Mapping, Sequence

Parts = Mapping[int, int]
"""Processors by lane."""
Asked = Callable[[Sequence[int]], Parts | None]
"""Where a job would go, if so many processors of each lane were free; None: it has no room."""
NEVER = float("inf")


def anywhere(width: int) -> Asked:
    """A job of *width* processors on a machine of one lane."""
    return lambda free: {0: width} if free[0] >= width else None


class PlainRoom:
    """Free processors second by second up to a horizon; the last second stands for all that follow."""

    def __init__(self, sizes: Sequence[int], seconds: int) -> None:
        self.free = [list(sizes) for _ in range(seconds)]

    def least(self, start_s: int, duration_s: int) -> list[int]:
        """What stays free of each lane; a job of no duration needs its room at its start."""
        during = self.free[start_s : start_s + max(1, duration_s)]
        return [min(lane) for lane in zip(*during, strict=True)]

    def fits(self, asked: Asked, start_s: int, duration_s: int) -> Parts | None:
        """Where the job has room from *start_s* for *duration_s*; None: it has none."""
        return asked(self.least(start_s, duration_s))

    def earliest(self, asked: Asked, duration_s: int, from_s: int) -> tuple[float, Parts | None]:
        """The first second at which it has room, and where; (NEVER, None): there is none."""
        for start_s in range(from_s, len(self.free)):
            parts = self.fits(asked, start_s, duration_s)
            if parts is not None:
                return float(start_s), parts
        return NEVER, None

    def take(self, parts: Parts, start_s: int, end_s: int) -> None:
        """These processors are busy in [start, end)."""
        for second in self.free[start_s:end_s]:
            for lane, processors in parts.items():
                second[lane] -= processors

    def give(self, parts: Parts, start_s: int, end_s: int) -> None:
        """They are free again in [start, end)."""
        self.take({lane: -processors for lane, processors in parts.items()}, start_s, end_s)
