"""Putting tasks on nodes, written from the rules alone with plain lists.

Independent of the product's placement and of its room on nodes; of the product it uses ``model.requests``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from molokini.model.requests import Spread

Room = list[list[float]]
"""Processors and memory of each node that are free."""
Place = tuple[int, int, int]
"""A node, so many tasks, and which part of the job they are of."""


@dataclass(frozen=True)
class Part:
    """Tasks that need so much each, and which nodes will do."""

    tasks: int
    need: tuple[float, ...]
    group: int = -1
    most: int = 0
    features: int = 0
    spread: Spread = Spread.NODES


@dataclass(frozen=True)
class PlainNode:
    """What a node offers."""

    total: tuple[float, ...]
    group: int
    features: int


class Placing:
    """One question: where would these parts go, on nodes of which some are down."""

    def __init__(
        self,
        nodes: Sequence[PlainNode],
        down: set[int],
        way: str,
        barred: Sequence[int],
        rounds: Sequence[int],
    ) -> None:
        self.nodes, self.down, self.way, self.barred, self.rounds = nodes, down, way, barred, rounds

    def place(self, room: Room, parts: Sequence[Part]) -> list[Place] | None:
        """Where the tasks go; None where there is no room. *room* stays as it is."""
        left, found = [list(one) for one in room], []
        for number, part in enumerate(parts):
            here = self._run(left, part) if self.way == "contiguous" else self._in_turn(left, part)
            if here is None:
                return None
            for node, tasks in here:
                found.append((node, tasks, number))
                take(left, node, tasks, part)
        return found

    def fits(self, room: Room, node: int, part: Part) -> int:
        """So many tasks of *part* fit on *node*."""
        one = self.nodes[node]
        if node in self.down or part.group not in (-1, one.group) or part.features & ~one.features:
            return 0
        most = [part.most] if part.most else []
        most += [int(free // need) for free, need in zip(room[node], part.need, strict=True) if need > 0]
        if self.barred[node] > 0:
            most.append(int(max(0.0, room[node][0] - self.barred[node]) // part.need[0]))
        return min(most)

    def _in_turn(self, room: Room, part: Part) -> list[tuple[int, int]] | None:
        sign = {"first-fit": 0, "best-fit": 1, "worst-fit": -1}[self.way]
        order = sorted(range(len(self.nodes)), key=lambda n: (self.rounds[n], sign * room[n][0], n))
        found, left = [], part.tasks
        for node in order:
            tasks = min(left, self.fits(room, node, part))
            if tasks > 0:
                found.append((node, tasks))
                left -= tasks
        return found if left == 0 else None

    def _run(self, room: Room, part: Part) -> list[tuple[int, int]] | None:
        fits = [self.fits(room, node, part) for node in range(len(self.nodes))]
        for last in range(len(fits)):
            first = last + 1
            while first > 0 and fits[first - 1] > 0:
                first -= 1
            if sum(fits[first : last + 1]) >= part.tasks:
                found, left = [], part.tasks
                for node in range(first, last + 1):
                    found.append((node, min(left, fits[node])))
                    left -= found[-1][1]
                return found
        return None


def take(room: Room, node: int, tasks: int, part: Part) -> None:
    """Take these tasks out of *room* (a negative number gives back)."""
    for k, need in enumerate(part.need):
        room[node][k] -= tasks * need
