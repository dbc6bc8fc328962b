"""Numbers of names."""

from collections.abc import Iterable


class Numbering(dict[str, int]):
    """The number of each name. A new name gets the number behind the highest, and at least *least*: numbers
    of a log begin with 1, and its jobs need not have them all.
    """

    def __init__(self, known: Iterable[tuple[str, int]] = (), least: int = 0) -> None:
        super().__init__(known)
        self._next = max(least, max(self.values(), default=-1) + 1)

    def of(self, name: str) -> int:
        """The number of *name*, a new one where it has none."""
        if name not in self:
            self[name] = self._next
            self._next += 1
        return self[name]
