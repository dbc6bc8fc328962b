"""Outages: processors that are away for a time, by node, or counted where the machine has no nodes."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from molokini.model.ranks import AgendaEvent, EventKind

DRAINED = 1
"""The amount of a fact of a node that takes no new jobs from now on, whether it was there or down before."""
_THERE, _DRAINING, _DOWN = range(3)
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
    drain: bool = False
    """Whether the node only takes no new jobs, while those that run there go on."""

    def as_json(self) -> dict[str, object]:
        """Plain values; ``end_s`` is None where it does not end, ``node`` where processors are counted."""
        return {
            "node": self.name or None,
            "processors": self.processors,
            "start_s": self.start_s,
            "end_s": None if math.isinf(self.end_s) else self.end_s,
            "reason": self.reason,
            **({"drain": True} if self.drain else {}),
        }


def outage_facts(outages: Sequence[Outage], first_s: float) -> list[AgendaEvent]:
    """Losses and returns for the agenda of a replay that begins at *first_s*, the first submission.

    What was over by then is left out, and what was away is lost at that very instant, before jobs arrive.
    Of counted processors that are lost and return at one instant only the difference is.
    """
    facts: list[AgendaEvent] = []
    counted: Counter[float] = Counter()
    of_nodes: dict[int, list[Outage]] = {}
    for one in outages:
        if one.end_s <= first_s:
            continue
        start_s = max(one.start_s, first_s)
        if one.node != COUNTED:
            of_nodes.setdefault(one.node, []).append(replace(one, start_s=start_s))
            continue
        counted[start_s] += one.processors
        counted[one.end_s] -= one.processors
    for node, away in of_nodes.items():
        facts += _of_node(node, away)
    for at_s, lost in counted.items():
        if lost and at_s < math.inf:
            kind = EventKind.NODE_LOST if lost > 0 else EventKind.NODE_RETURNED
            facts.append(AgendaEvent(at_s, kind, amount=abs(lost)))
    return facts


def _of_node(node: int, away: Sequence[Outage]) -> list[AgendaEvent]:
    """A fact for each change of what a node is: there, draining, or down; a loss goes before a drain."""
    facts: list[AgendaEvent] = []
    before = _THERE
    for at_s in sorted({at_s for one in away for at_s in (one.start_s, one.end_s) if at_s < math.inf}):
        present = [one for one in away if one.start_s <= at_s < one.end_s]
        now = _DOWN if any(not one.drain for one in present) else _DRAINING if present else _THERE
        if now != before:
            kind = EventKind.NODE_LOST if now > before else EventKind.NODE_RETURNED
            facts.append(AgendaEvent(at_s, kind, node, DRAINED if now == _DRAINING else 0))
        before = now
    return facts
