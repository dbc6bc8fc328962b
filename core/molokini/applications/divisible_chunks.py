"""The chunks of a divisible load, one by one: when each is sent and when it is computed.

The parts of the closed forms of ``divisible``: the head sends one chunk after the other, and a node computes
its chunk once it has all of it. They give the progress of a live job, and the order in which to send real
bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from molokini.applications.divisible import Costs, fractions


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk; its times are seconds after the start of the job."""

    load: float
    """Its size, in units of load."""
    from_s: float
    """When its transmission begins (with the set-up)."""
    sent_s: float
    """When its node has all of it."""
    computed_s: float
    """When its node has computed it."""


def chunks(rule: str, size: float, nodes: int, costs: Costs) -> tuple[Chunk, ...]:
    """The chunks of a load of *size*, cut by *rule* for *nodes* nodes, in the order in which they are sent.

    Nodes that get nothing have no chunk. No chunk ends after the execution time of the closed form, and the
    last one ends then, but for rounding. Raises BadValue for an argument out of range.
    """
    made = []
    port_s, whole_s = 0.0, costs.execution_s(rule, size, nodes)
    for share in fractions(rule, size, nodes, costs):
        if share <= 0.0:
            continue
        load = share * size
        sent_s = min(whole_s, port_s + costs.setup_send_s + load * costs.send_s)
        computed_s = min(whole_s, sent_s + costs.setup_compute_s + load * costs.compute_s)
        made.append(Chunk(load, port_s, sent_s, computed_s))
        port_s = sent_s
    return tuple(made)


def done_at(made: Sequence[Chunk], work_s: float) -> tuple[int, int]:
    """How many of the chunks have been sent, and how many computed, *work_s* seconds after the start."""
    return sum(one.sent_s <= work_s for one in made), sum(one.computed_s <= work_s for one in made)
