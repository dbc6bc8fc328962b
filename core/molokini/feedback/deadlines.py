"""The rate of a job that has an amount of work and a deadline: as low as will do, changed on the way.

Work is counted in iterations, rates in millionths of the full rate, instants in seconds. The paper (Lin,
Sundararaj, Dinda 2008, section 6) has the idea alone; the rule is ours.
"""

from dataclasses import dataclass
from math import ceil, inf

from molokini.feedback.edf import WHOLE
from molokini.feedback.targets import target_of
from molokini.model.errors import BadValue, Conflict

MARGIN = 0.05
"""A rate is chosen as if there were so much less time: rates are kept within a threshold, no better."""
_MOST = 1_000 * WHOLE


@dataclass(frozen=True)
class Goal:
    """Work to be done by a deadline, and the rates that may be chosen for it."""

    least: int
    most: int
    work: int
    """Iterations."""
    deadline_s: float

    def needed(self, done: int, now_s: float, full: float) -> int:
        """The rate, without a margin, that ends the rest in time; a thousand times the full rate where none
        does.

        *done*: iterations by *now_s*; *full*: iterations a second.
        """
        left, left_s = max(0, self.work - done), self.deadline_s - now_s
        if left == 0:
            return 0
        found = left / (left_s * full) if left_s > 0 else inf
        return ceil(min(_MOST, WHOLE * found))

    def chosen(self, needed: int, room: int = WHOLE) -> int:
        """The rate to go at where *needed* would do: within bounds, and within the *room* that nodes have."""
        wished = min(self.most, max(self.least, ceil(needed / (1.0 - MARGIN))))
        return max(self.least, min(wished, room))

    def changed(self, present: int, needed: int, threshold: int) -> int:
        """The rate from now on; the *present* one while that would do, and a lower one would save little."""
        wished = self.chosen(needed)
        if needed > present or wished > present + threshold // 2:
            return wished
        # With twice the margin, so that what is lowered again and again does not end at the last moment.
        lower = self.chosen(ceil(needed * (1.0 - MARGIN) / (1.0 - 2.0 * MARGIN)))
        return lower if lower < present - threshold else present


def bounds_of(field: str, text: str) -> tuple[int, int] | None:
    """The bounds of *text* such as ``20%-80%``, in millionths; None: it is a single rate. Raises BadValue."""
    first, dash, last = text.partition("-")
    if not dash or not first:
        return None
    least, most = target_of(field, first), target_of(field, last)
    if not least.share or not most.share or least.share >= most.share:
        raise BadValue(field, text, "two shares of the full rate, the lower one first, as 20%-80%")
    return least.share, most.share


def goal_of(rate: str, work: int, deadline_s: float) -> Goal | None:
    """What a job is to do by when; None: it has a single rate. Raises BadValue or Conflict."""
    bounds = bounds_of("rate", rate) if rate else None
    if bounds is None:
        if work:
            raise Conflict("work", "goes with bounds of the rate, as 20%-80%, and a deadline")
        return None
    if work <= 0:
        raise Conflict("rate", f"{rate} goes with an amount of work, and a deadline: give work")
    if deadline_s <= 0:
        raise Conflict("rate", f"{rate} goes with a deadline, and an amount of work: give deadline_s")
    return Goal(*bounds, work, deadline_s)
