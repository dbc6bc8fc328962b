"""Placement over clusters written from the rules alone, to compare ours with.

Independent of the product's placement and of its choice of clusters; of the product it uses machines and
platforms as they are written (``model``).
"""

from collections.abc import Sequence

from molokini.model.coallocation import RequestKind
from molokini.model.machine import Machine
from molokini.model.platforms import Cluster, Platform

Parts = dict[int, int]


def clusters_of(*sizes: int) -> Machine:
    """A machine of clusters of so many one-processor nodes."""
    return Machine.of_platform(Platform(tuple(Cluster(size) for size in sizes)))


def placed(
    kind: RequestKind, sizes: Sequence[int], idle: Sequence[int], fit: str = "worst", spread: str = "balance"
) -> Parts | None:
    """Tasks by cluster, for a request of *kind* where so many of each cluster are idle; None: wait."""
    if kind is RequestKind.ORDERED:
        fits = len(sizes) <= len(idle) and all(size <= idle[k] for k, size in enumerate(sizes))
        return dict(enumerate(sizes)) if fits else None
    if kind is RequestKind.FLEXIBLE:
        return over_the_fewest(sum(sizes), idle, spread)
    found: Parts = {}
    for size in sorted(sizes, reverse=True) if kind is RequestKind.UNORDERED else [sum(sizes)]:
        able = [k for k in range(len(idle)) if k not in found and idle[k] >= size]
        if not able:
            return None
        sign = {"worst": -1, "best": 1, "first": 0}[fit]
        found[min((sign * idle[k], k) for k in able)[1]] = size
    return found


def over_the_fewest(tasks: int, idle: Sequence[int], spread: str) -> Parts | None:
    """The same of tasks that may lie on several clusters: the fewest that have room, the idlest first."""
    order = sorted(range(len(idle)), key=lambda k: (-idle[k], k))
    chosen: list[int] = []
    while sum(idle[k] for k in chosen) < tasks:
        if not order:
            return None
        chosen.append(order.pop(0))
    left = {k: idle[k] for k in chosen}
    for _ in range(tasks):  # task by task
        able = [k for k in chosen if left[k] > 0]
        taken = able[0] if spread == "fill" else max(able, key=lambda k: (left[k], -chosen.index(k)))
        left[taken] -= 1
    return {k: idle[k] - left[k] for k in chosen}
