"""Who sends to whom in a round."""

from typing import NamedTuple

PATTERNS = ("ring", "neighbour", "all-to-all")


class Partners(NamedTuple):
    """Those that a task exchanges with in each round, lowest number first."""

    to: tuple[int, ...]
    """Tasks that it sends a message to."""
    of: tuple[int, ...]
    """Tasks that it has a message from."""

    @property
    def all(self) -> tuple[int, ...]:
        """Tasks that it has a connection with."""
        return tuple(sorted({*self.to, *self.of}))


def partners(pattern: str, task: int, tasks: int) -> Partners:
    """The partners of *task*, one of so many *tasks*."""
    if pattern == "ring":
        following, previous = (task + 1) % tasks, (task - 1) % tasks
        return Partners((), ()) if tasks == 1 else Partners((following,), (previous,))
    if pattern == "neighbour":
        beside = tuple(other for other in (task - 1, task + 1) if 0 <= other < tasks)
        return Partners(beside, beside)
    others = tuple(other for other in range(tasks) if other != task)
    return Partners(others, others)


def hops(pattern: str, tasks: int) -> int:
    """Rounds after which all tasks know what task 0 sent with the messages of the first of them."""
    return min(1, tasks - 1) if pattern == "all-to-all" else tasks - 1
