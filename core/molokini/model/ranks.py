"""Events of an engine's agenda. Ranks order what happens at one instant (design: one instant)."""

from dataclasses import dataclass
from enum import IntEnum


class Rank(IntEnum):
    """The order in which what happens at one instant is applied."""

    END = 0
    NODE_LOSS = 1
    NODE_RETURN = 2
    COMMAND = 3
    ARRIVAL = 4
    BOUNDARY = 5
    TIMER = 6


class EventKind(IntEnum):
    """Kinds that can be put on an engine's agenda beside the workload's own arrivals."""

    NODE_LOST = 1
    NODE_RETURNED = 2
    CANCELLED = 3
    HELD = 4
    RELEASED = 5
    BOUNDARY = 6
    WAKE = 7


RANK_OF: dict[EventKind, Rank] = {
    EventKind.NODE_LOST: Rank.NODE_LOSS,
    EventKind.NODE_RETURNED: Rank.NODE_RETURN,
    EventKind.CANCELLED: Rank.COMMAND,
    EventKind.HELD: Rank.COMMAND,
    EventKind.RELEASED: Rank.ARRIVAL,
    EventKind.BOUNDARY: Rank.BOUNDARY,
    EventKind.WAKE: Rank.TIMER,
}


@dataclass(frozen=True)
class AgendaEvent:
    """One event for the agenda.

    *subject* is a node's index for node facts (or -1 on interchangeable processors, where *amount*
    processors are lost or return), a job's row in the workload for commands and releases, and without
    a meaning for boundaries and timers.
    """

    time_s: float
    kind: EventKind
    subject: int = -1
    amount: int = 0
