"""When emulated nodes fail by themselves: exponential times between failures and to repair, from a seed.

A node's failures are a function of the seed, its name and the clock alone, so that an agent
that was restarted goes on where the one before was. So time is cut into windows, each with its own draws:
what a node does in a window is found without going through all that came before. A repair ends with its
window at the latest; a window is so long that this hardly shows in the means.
"""

from math import floor, isfinite
from random import Random

from molokini.model.errors import BadValue

_CYCLES = 16
"""Mean cycles of failure and repair in a window."""


class Failures:
    """Mean time between failures of a node and mean time to its repair, both in seconds."""

    def __init__(self, seed: int, mtbf_s: float, repair_s: float) -> None:
        if not (isfinite(mtbf_s) and mtbf_s >= 0):
            raise BadValue("mtbf_s", mtbf_s, "0 (nodes do not fail) or a positive number of seconds")
        if not (isfinite(repair_s) and repair_s >= 0) or (mtbf_s > 0 and repair_s == 0):
            raise BadValue("repair_s", repair_s, "a positive number of seconds; or 0 where mtbf_s is 0")
        self._seed, self._mtbf_s, self._repair_s = seed, mtbf_s, repair_s
        self._window_s = _CYCLES * (mtbf_s + repair_s)

    def __bool__(self) -> bool:
        return self._mtbf_s > 0

    def next_outage(self, node: str, at_s: float) -> tuple[float, float]:
        """The outage of *node*, from loss to return, that is not over at *at_s*: present or next."""
        window = floor(at_s / self._window_s)
        while True:
            for lost_s, returned_s in self._outages(node, window):
                if returned_s > at_s:
                    return lost_s, returned_s
            window += 1

    def repaired(self, node: str, lost_s: float) -> float | None:
        """When *node*, lost at *lost_s* by a job's script, returns; None: it does not."""
        if self._repair_s == 0:
            return None
        return lost_s + Random(f"{self._seed}/{node}/{lost_s!r}").expovariate(1 / self._repair_s)

    def _outages(self, node: str, window: int) -> list[tuple[float, float]]:
        draw = Random(f"{self._seed}/{node}/{window}").expovariate
        now, ends_s = window * self._window_s, (window + 1) * self._window_s
        found = []
        while (lost_s := now + draw(1 / self._mtbf_s)) < ends_s:
            now = min(lost_s + draw(1 / self._repair_s), ends_s)
            found.append((lost_s, now))
        return found
