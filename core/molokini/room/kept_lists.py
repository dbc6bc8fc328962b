"""Which nodes reservations keep from a job at one instant: lists that are made once and read often.

While a job is placed it is kept off nodes at many instants, and those that follow ask for the same ones.
Whoever lacks access to the same reservations is kept from the same nodes. The lists hold until the pass
starts a job, or takes one off.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.room.reserved import count_use, kept_of_mask, kept_on_node, lasts, next_node
from molokini.tables.access import MOST_BITS, open_to
from molokini.tables.tables import MOST_LISTS, View


@kernel
def list_of(view: View, row: int, at_s: float) -> int:
    """The list of the nodes of which something is kept from *row* at *at_s*; -1: there are none."""
    mask = _kept_from(view, row, at_s)
    if mask == 0:
        return -1
    if view.listed_epoch != view.start_epoch:
        view.listed_epoch = view.start_epoch
        view.lists = view.listed = 0
    for k in range(view.lists):
        if view.list_at_s[k] == at_s and view.list_mask[k] == mask and mask > 0:
            return k
    return _make_list(view, row, at_s, mask)


@inner
def _kept_from(view: View, row: int, at_s: float) -> int:
    """Bits of the reservations on nodes that are there at *at_s*, not for *row*; -1: too many for bits."""
    if view.reservations > MOST_BITS:
        return -1
    mask = 0
    for r in range(view.reservations):
        if view.reservation_hosted[r] and lasts(view, r, at_s):
            mask |= 1 << r
    return int(mask & ~open_to(view, row)) if mask else 0


@kernel
def _make_list(view: View, row: int, at_s: float, mask: int) -> int:
    seldom()
    if view.lists == MOST_LISTS or view.listed + view.hosted > view.listed_node.size:
        view.lists = view.listed = 0
    made = view.lists
    view.lists = made + 1
    view.list_at_s[made], view.list_mask[made] = at_s, mask
    view.list_first[made] = view.listed
    count_use(view, at_s)
    if mask > 0:
        for r in range(view.reservations):
            if (mask >> r) & 1:
                _list_nodes(view, r, mask)
    else:
        h = 0
        while h < view.hosted:
            _put(view, h, kept_on_node(view, row, h, at_s))
            h = next_node(view, h)
    view.list_last[made] = view.listed
    return int(made)


@kernel
def _list_nodes(view: View, r: int, mask: int) -> None:
    """Those of reservation *r* that are of none of *mask* before it."""
    h = view.reservation_host[r]
    while h >= 0:
        first = view.host_first[h]
        earlier = first
        while earlier < h and not (mask >> view.host_reservation[earlier]) & 1:
            earlier += 1
        if earlier == h:
            _put(view, first, kept_of_mask(view, first, mask))
        h = view.host_next[h]


@inner
def _put(view: View, first: int, kept: int) -> None:
    if kept > 0:
        k = view.listed
        view.listed_node[k], view.listed_kept[k] = view.host_node[first], kept
        view.listed_free[k] = view.host_free[first]
        view.listed = k + 1
