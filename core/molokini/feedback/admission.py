"""Whether nodes have room for another share: all of an application's nodes, or none of them.

Shares are millionths of a processor; cores of a node are listed one by one, with what is taken of each.
"""

from collections.abc import Mapping, Sequence

from molokini.feedback.edf import has_room

CAP = 900_000
"""What real-time tasks may have of a core on a real node: beyond 0.95 the kernel holds them back."""


def emptiest(taken: Sequence[int], count: int) -> list[int]:
    """The *count* cores of which least is taken, lowest numbers first among equals; in their order."""
    return sorted(sorted(range(len(taken)), key=lambda core: (taken[core], core))[:count])


def cores_for(
    taken: Sequence[int], before: Sequence[int], count: int, more: int, cap: int = CAP
) -> list[int]:
    """The cores on which an application computes: those *before* while they have room, else the emptiest.

    *taken*: of each core of a node, without the application's own share. A node with fewer cores than *count*
    gives all of them.
    """
    kept = [core for core in before if core < len(taken)]
    if len(kept) == min(count, len(taken)) and all(has_room(taken[core], more, cap) for core in kept):
        return kept
    return emptiest(taken, count)


def without_room(
    taken: Mapping[str, Sequence[int]], more: int, caps: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Nodes that cannot give *more* on each of these cores, with what is left there of the fullest.

    *taken*: by node, of each core that the application would use, without its own present share. *caps*: what
    all may have of a core of a node, where that is not ``CAP``.
    """
    caps = caps or {}
    return {
        node: max(0, caps.get(node, CAP) - max(cores))
        for node, cores in taken.items()
        if cores and not all(has_room(one, more, caps.get(node, CAP)) for one in cores)
    }
