"""Nodes in order of ``node_key``, the highest first, equal ones as they are numbered."""

from molokini.scheduling.compilation import inner, kernel, seldom
from molokini.scheduling.tables import View


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
    """Sort ``node_order``, whatever its order, by the keys: a heap with the last of them on top."""
    seldom()
    for place in range(view.nodes // 2 - 1, -1, -1):
        _sift(view, place, view.nodes)
    for last in range(view.nodes - 1, 0, -1):
        view.node_order[0], view.node_order[last] = view.node_order[last], view.node_order[0]
        _sift(view, 0, last)


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
