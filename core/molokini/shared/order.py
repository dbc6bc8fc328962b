"""Sorting rows: a heap over ``order``, by ``cycle.order_key`` and, where keys are equal, queue order.

A heap rather than a sort, because most policies stop when the processors are gone: to build it
costs one step a row, and only the rows that are taken off cost more.
"""

from molokini.compiled.compilation import kernel
from molokini.tables.tables import View
from molokini.tables.waiting import comes_before


@kernel
def _less(view: View, one: int, other: int) -> bool:
    if view.cycle.order_key[one] != view.cycle.order_key[other]:
        return bool(view.cycle.order_key[one] < view.cycle.order_key[other])
    return comes_before(view, one, other)


@kernel
def _sift(view: View, place: int, count: int) -> None:
    row = view.cycle.order[place]
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and _less(view, view.cycle.order[child + 1], view.cycle.order[child]):
            child += 1
        if not _less(view, view.cycle.order[child], row):
            break
        view.cycle.order[place] = view.cycle.order[child]
        place = child
    view.cycle.order[place] = row


@kernel
def build(view: View, count: int) -> None:
    """Make a heap of ``order[:count]``; ``cycle.order_key`` of each row has been set."""
    for place in range(count // 2 - 1, -1, -1):
        _sift(view, place, count)


@kernel
def take_first(view: View, count: int) -> int:
    """Take the first row off the heap of *count* rows; *count* - 1 are left."""
    row = view.cycle.order[0]
    view.cycle.order[0] = view.cycle.order[count - 1]
    _sift(view, 0, count - 1)
    return int(row)
