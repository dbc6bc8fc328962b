"""Facts: what has happened. Ranks order the facts of one instant (design: one instant)."""

from dataclasses import dataclass
from enum import IntEnum


class Rank(IntEnum):
    """The order in which the facts of one instant are applied."""

    END = 0
    NODE_LOSS = 1
    NODE_RETURN = 2
    COMMAND = 3
    ARRIVAL = 4
    BOUNDARY = 5
    TIMER = 6


class FactKind(IntEnum):
    """Kinds that can be put on an engine's agenda beside the workload's own arrivals."""

    NODE_LOST = 1
    NODE_RETURNED = 2
    CANCELLED = 3
    HELD = 4
    RELEASED = 5
    BOUNDARY = 6
    WAKE = 7


RANK_OF: dict[FactKind, Rank] = {
    FactKind.NODE_LOST: Rank.NODE_LOSS,
    FactKind.NODE_RETURNED: Rank.NODE_RETURN,
    FactKind.CANCELLED: Rank.COMMAND,
    FactKind.HELD: Rank.COMMAND,
    FactKind.RELEASED: Rank.ARRIVAL,
    FactKind.BOUNDARY: Rank.BOUNDARY,
    FactKind.WAKE: Rank.TIMER,
}


@dataclass(frozen=True)
class Fact:
    """One fact for the agenda.

    *subject* is a node's index for node facts (or -1 on interchangeable processors, where *amount*
    processors are lost or return), a job's row in the workload for commands and releases, and without
    a meaning for boundaries and timers.
    """

    time_s: float
    kind: FactKind
    subject: int = -1
    amount: int = 0
