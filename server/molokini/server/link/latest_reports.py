"""What agents say of attempts for those who look now: kept in memory alone, the last word of each agent."""

from collections import OrderedDict
from typing import Generic, TypeVar

MOST_HEARD = 1000
"""Jobs of which something is known, those that were heard of last."""
_Said = TypeVar("_Said")
Place = tuple[int, int]
"""A job, and the index of its element."""


class LatestReports(Generic[_Said]):
    """By job and index: the attempt of the latest report, and the latest report of each agent."""

    def __init__(self, most: int = MOST_HEARD) -> None:
        self._most = most
        self._places: OrderedDict[Place, tuple[int, dict[str, _Said]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._places)

    def places(self) -> set[Place]:
        """Of what something is known."""
        return set(self._places)

    def of(self, place: Place) -> tuple[int, dict[str, _Said]]:
        """The attempt, and what is known of it; attempt 0: nothing is known."""
        return self._places.get(place, (0, {}))

    def of_attempt(self, place: Place, attempt: int) -> dict[str, _Said]:
        """What is known of this attempt, by agent."""
        last, known = self.of(place)
        return known if last == attempt else {}

    def take(self, place: Place, attempt: int, agent: str, said: _Said) -> None:
        """*agent* says so of an attempt; what is known of another one is forgotten."""
        last, known = self._places.pop(place, (0, {}))
        self._places[place] = attempt, {**(known if last == attempt else {}), agent: said}
        if len(self._places) > self._most:
            self._places.popitem(last=False)
