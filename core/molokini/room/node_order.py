"""Nodes in order of ``node_key``, the highest first, equal ones as they are numbered."""

import numpy as np

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.tables import FEW_KEYS, View


@kernel
def as_numbered(view: View) -> None:
    """``node_order`` as nodes are numbered, all keys 0."""
    for node in range(view.nodes):
        view.node_order[node] = node
        view.node_key[node] = 0.0


@inner
def _before(view: View, one: int, other: int) -> bool:
    if view.node_key[one] != view.node_key[other]:
        return bool(view.node_key[one] > view.node_key[other])
    return bool(one < other)


@kernel
def sort_nodes(view: View) -> None:
    """Sort ``node_order``, whatever its order, by the keys.

    Most orders know few keys; where there are many, a heap with the last node on top sorts.
    """
    seldom()
    if _sort_by_few_keys(view):
        return
    for place in range(view.nodes // 2 - 1, -1, -1):
        _sift(view, place, view.nodes)
    for last in range(view.nodes - 1, 0, -1):
        view.node_order[0], view.node_order[last] = view.node_order[last], view.node_order[0]
        _sift(view, 0, last)


@kernel
def _sort_by_few_keys(view: View) -> bool:
    """Count the nodes of each key, then put them at their places; False where there are too many keys."""
    found, at = 0, 0
    for node in range(view.nodes):
        key = view.node_key[node]
        # Neighbours are often alike.
        if found == 0 or view.few_key[at] != key:
            at = 0
            while at < found and view.few_key[at] != key:
                at += 1
            if at == FEW_KEYS or np.isnan(key):
                _begin_heap(view)
                return False
            if at == found:
                view.few_key[at], view.few_nodes[at] = key, 0
                found += 1
        view.few_nodes[at] += 1
    for one in range(found):
        view.few_place[one] = 0
        for other in range(found):
            if view.few_key[other] > view.few_key[one]:
                view.few_place[one] += view.few_nodes[other]
    at = 0
    for node in range(view.nodes):
        while view.few_key[at] != view.node_key[node]:
            at = at + 1 if at + 1 < found else 0
        view.node_order[view.few_place[at]] = node
        view.few_place[at] += 1
    return True


@kernel
def _begin_heap(view: View) -> None:
    """The heap begins with each node once."""
    for node in range(view.nodes):
        view.node_order[node] = node


@kernel
def _sift(view: View, place: int, count: int) -> None:
    seldom()
    moving = view.node_order[place]
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and _before(view, view.node_order[child], view.node_order[child + 1]):
            child += 1
        if not _before(view, moving, view.node_order[child]):
            break
        view.node_order[place] = view.node_order[child]
        place = child
    view.node_order[place] = moving


@kernel
def resort_nodes(view: View) -> None:
    """The same where the keys of few nodes have changed: one walk, and each of those moved."""
    seldom()
    for place in range(1, view.nodes):
        moving, k = view.node_order[place], place
        while k > 0 and _before(view, moving, view.node_order[k - 1]):
            view.node_order[k] = view.node_order[k - 1]
            k -= 1
        view.node_order[k] = moving
