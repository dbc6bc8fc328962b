"""OPR where nodes and links differ: beyond the paper, in which all nodes are alike.

As there, one chunk is sent after the other and all nodes end together; but node i has costs of its own. From
E = sum over j <= i of (ST_j + x_j C_ms,j) + SC_i + x_i C_ps,i for each node i in order of sending,

    x_i+1 (C_ms,i+1 + C_ps,i+1) = x_i C_ps,i + SC_i - SC_i+1 - ST_i+1

so every chunk is linear in the first, which the sum of all chunks then gives. Without set-up costs all chunks
are positive, and no order is better than that by link speed, the fastest first, for any speeds of the nodes
(a classical result; tests try every order of few nodes). With set-up costs some nodes may cost more than they
save: the one with the most negative chunk is left out, and so on; this choice need not be the best one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from molokini.applications.divisible import Costs, checked_size
from molokini.model.errors import BadValue


@dataclass(frozen=True)
class Distribution:
    """How a load is spread over nodes that differ."""

    order: tuple[int, ...]
    """The nodes that get a chunk, in the order in which the chunks are sent."""
    chunks: tuple[float, ...]
    """Units of load of each node, in the order in which the nodes were given; 0 for one that is left out."""
    execution_s: float
    """From the first transmission to the end, which all nodes of ``order`` share."""


def by_link(nodes: Sequence[Costs]) -> list[int]:
    """The nodes, the fastest link first; equal links by the nodes' own speed, then as given."""
    return sorted(range(len(nodes)), key=lambda k: (nodes[k].send_s, nodes[k].compute_s, k))


def distribute(size: float, nodes: Sequence[Costs], order: Sequence[int] | None = None) -> Distribution:
    """Spread a load of *size* over *nodes* so that all end together; *order* None: by link speed.

    Raises BadValue for a size out of range, for no nodes, and for an *order* that is empty or repeats a node.
    """
    checked_size(size)
    if not nodes:
        raise BadValue("nodes", 0, "one or more")
    chosen = by_link(nodes) if order is None else list(order)
    if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= set(range(len(nodes))):
        raise BadValue("order", tuple(chosen), f"some of the nodes 0 to {len(nodes) - 1}, each once")
    chunks = _chunks(size, [nodes[k] for k in chosen])
    while min(chunks) <= 0.0 and len(chosen) > 1:
        del chosen[min(range(len(chosen)), key=lambda place: (chunks[place], -place))]
        chunks = _chunks(size, [nodes[k] for k in chosen])
    by_node = dict(zip(chosen, chunks, strict=True))
    first = nodes[chosen[0]]
    setup_s = first.setup_send_s + first.setup_compute_s
    return Distribution(
        tuple(chosen),
        tuple(by_node.get(k, 0.0) for k in range(len(nodes))),
        setup_s + chunks[0] * (first.send_s + first.compute_s),
    )


def _chunks(size: float, nodes: Sequence[Costs]) -> list[float]:
    """Each node's units of load, in order of sending: slope * (first chunk) + offset."""
    slopes, offsets = [1.0], [0.0]
    for before, after in pairwise(nodes):
        cost_s = after.send_s + after.compute_s
        wait_s = before.setup_compute_s - after.setup_compute_s - after.setup_send_s
        slopes.append(slopes[-1] * before.compute_s / cost_s)
        offsets.append((offsets[-1] * before.compute_s + wait_s) / cost_s)
    first = (size - sum(offsets)) / sum(slopes)
    return [slope * first + offset for slope, offset in zip(slopes, offsets, strict=True)]
