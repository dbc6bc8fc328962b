"""Outages: processors that are away for a time, by node, or counted where the machine has no nodes."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from molokini.model.ranks import AgendaEvent, EventKind

COUNTED = -1
"""In the place of a node, where processors are only counted."""


@dataclass(frozen=True)
class Outage:
    """*processors* are away from *start_s* up to *end_s*; infinite: to the end of the replay.

    They are those of one node, by its number, or any. Outages of one node do not overlap.
    """

    start_s: float
    end_s: float
    processors: int
    node: int = COUNTED
    name: str = ""
    """What the node is called."""
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        """Plain values; ``end_s`` is None where it does not end, ``node`` where processors are counted."""
        return {
            "node": self.name or None,
            "processors": self.processors,
            "start_s": self.start_s,
            "end_s": None if math.isinf(self.end_s) else self.end_s,
            "reason": self.reason,
        }


def outage_facts(outages: Sequence[Outage], first_s: float) -> list[AgendaEvent]:
    """Losses and returns for the agenda of a replay that begins at *first_s*, the first submission.

    What was over by then is left out, and what was away is lost at that very instant, before jobs arrive.
    Of counted processors that are lost and return at one instant only the difference is.
    """
    facts: list[AgendaEvent] = []
    counted: Counter[float] = Counter()
    for one in outages:
        if one.end_s <= first_s:
            continue
        start_s = max(one.start_s, first_s)
        if one.node == COUNTED:
            counted[start_s] += one.processors
            counted[one.end_s] -= one.processors
            continue
        facts.append(AgendaEvent(start_s, EventKind.NODE_LOST, one.node))
        if one.end_s < math.inf:
            facts.append(AgendaEvent(one.end_s, EventKind.NODE_RETURNED, one.node))
    for at_s, lost in counted.items():
        if lost and at_s < math.inf:
            kind = EventKind.NODE_LOST if lost > 0 else EventKind.NODE_RETURNED
            facts.append(AgendaEvent(at_s, kind, amount=abs(lost)))
    return facts
