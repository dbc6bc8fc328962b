"""Nodes in order of ``nodes.key``, the highest first, nodes with equal keys as they are numbered."""

import numpy as np

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.sizes import FEW_KEYS
from molokini.tables.tables import View


@kernel
def as_numbered(view: View) -> None:
    """``nodes.order`` as nodes are numbered, all keys 0."""
    for node in range(view.nodes.count):
        view.nodes.order[node] = node
        view.nodes.key[node] = 0.0


@inner
def _before(view: View, one: int, other: int) -> bool:
    if view.nodes.key[one] != view.nodes.key[other]:
        return bool(view.nodes.key[one] > view.nodes.key[other])
    return bool(one < other)


@kernel
def sort_nodes(view: View) -> None:
    """Sort ``nodes.order``, whatever its order, by the keys.

    Most orders have few keys; where there are many, a heap with the last node on top sorts.
    """
    seldom()
    if _sort_by_few_keys(view):
        return
    for place in range(view.nodes.count // 2 - 1, -1, -1):
        _sift(view, place, view.nodes.count)
    for last in range(view.nodes.count - 1, 0, -1):
        view.nodes.order[0], view.nodes.order[last] = view.nodes.order[last], view.nodes.order[0]
        _sift(view, 0, last)


@kernel
def _sort_by_few_keys(view: View) -> bool:
    """Count the nodes of each key, then put them at their places; False where there are too many keys."""
    found, at = 0, 0
    for node in range(view.nodes.count):
        key = view.nodes.key[node]
        # Neighbours are often alike.
        if found == 0 or view.placing.few.key[at] != key:
            at = 0
            while at < found and view.placing.few.key[at] != key:
                at += 1
            if at == FEW_KEYS or np.isnan(key):
                _begin_heap(view)
                return False
            if at == found:
                view.placing.few.key[at], view.placing.few.nodes[at] = key, 0
                found += 1
        view.placing.few.nodes[at] += 1
    for one in range(found):
        view.placing.few.place[one] = 0
        for other in range(found):
            if view.placing.few.key[other] > view.placing.few.key[one]:
                view.placing.few.place[one] += view.placing.few.nodes[other]
    at = 0
    for node in range(view.nodes.count):
        while view.placing.few.key[at] != view.nodes.key[node]:
            at = at + 1 if at + 1 < found else 0
        view.nodes.order[view.placing.few.place[at]] = node
        view.placing.few.place[at] += 1
    return True


@kernel
def _begin_heap(view: View) -> None:
    """The heap begins with each node once."""
    for node in range(view.nodes.count):
        view.nodes.order[node] = node


@kernel
def _sift(view: View, place: int, count: int) -> None:
    seldom()
    moving = view.nodes.order[place]
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and _before(view, view.nodes.order[child], view.nodes.order[child + 1]):
            child += 1
        if not _before(view, moving, view.nodes.order[child]):
            break
        view.nodes.order[place] = view.nodes.order[child]
        place = child
    view.nodes.order[place] = moving


@kernel
def resort_nodes(view: View) -> None:
    """The same where the keys of few nodes have changed: one walk, which moves each of those nodes."""
    seldom()
    for place in range(1, view.nodes.count):
        moving, k = view.nodes.order[place], place
        while k > 0 and _before(view, moving, view.nodes.order[k - 1]):
            view.nodes.order[k] = view.nodes.order[k - 1]
            k -= 1
        view.nodes.order[k] = moving
