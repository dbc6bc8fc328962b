"""Which nodes reservations keep from a job at one instant: lists that are made once and read often.

While a job is placed it is kept off nodes at many instants, and the jobs that follow need the same instants.
Jobs that lack access to the same reservations are kept off the same nodes. The lists hold until the pass
starts a job, or takes one off.
"""

from molokini.availability.reserved import count_use, kept_of_mask, kept_on_node, lasts, next_node
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.access import MOST_BITS, open_to
from molokini.tables.sizes import MOST_LISTS
from molokini.tables.tables import View


@kernel
def list_of(view: View, row: int, at_s: float) -> int:
    """The list of the nodes on which something is kept from *row* at *at_s*; -1: there are none."""
    mask = _kept_from(view, row, at_s)
    if mask == 0:
        return -1
    if view.lists.epoch != view.cycle.start_epoch:
        view.lists.epoch = view.cycle.start_epoch
        view.lists.count = view.lists.listed = 0
    for k in range(view.lists.count):
        if view.lists.at_s[k] == at_s and view.lists.mask[k] == mask and mask > 0:
            return k
    return _make_list(view, row, at_s, mask)


@inner
def _kept_from(view: View, row: int, at_s: float) -> int:
    """Bits of the reservations on nodes that last at *at_s*, not for *row*; -1: too many for bits."""
    if view.reservations.count > MOST_BITS:
        return -1
    mask = 0
    for r in range(view.reservations.count):
        if view.reservations.hosted[r] and lasts(view, r, at_s):
            mask |= 1 << r
    return int(mask & ~open_to(view, row)) if mask else 0


@kernel
def _make_list(view: View, row: int, at_s: float, mask: int) -> int:
    seldom()
    if view.lists.count == MOST_LISTS or view.lists.listed + view.hosts.count > view.lists.node.size:
        view.lists.count = view.lists.listed = 0
    made = view.lists.count
    view.lists.count = made + 1
    view.lists.at_s[made], view.lists.mask[made] = at_s, mask
    view.lists.first[made] = view.lists.listed
    count_use(view, at_s)
    if mask > 0:
        for r in range(view.reservations.count):
            if (mask >> r) & 1:
                _list_nodes(view, r, mask)
    else:
        h = 0
        while h < view.hosts.count:
            _put(view, h, kept_on_node(view, row, h, at_s))
            h = next_node(view, h)
    view.lists.last[made] = view.lists.listed
    return int(made)


@kernel
def _list_nodes(view: View, r: int, mask: int) -> None:
    """List the nodes of reservation *r* that no earlier reservation of *mask* has."""
    h = view.reservations.host[r]
    while h >= 0:
        first = view.hosts.first[h]
        earlier = first
        while earlier < h and not (mask >> view.hosts.reservation[earlier]) & 1:
            earlier += 1
        if earlier == h:
            _put(view, first, kept_of_mask(view, first, mask))
        h = view.hosts.next[h]


@inner
def _put(view: View, first: int, kept: int) -> None:
    if kept > 0:
        k = view.lists.listed
        view.lists.node[k], view.lists.kept[k] = view.hosts.node[first], kept
        view.lists.free[k] = view.hosts.free[first]
        view.lists.listed = k + 1
