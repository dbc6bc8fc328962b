"""How little room reservations leave from an instant on, remembered while nothing starts or is planned.

Whoever lacks access to the same reservations finds the same room. ``beside_reserved`` walks through it as far
as somebody asks, and notes here where it becomes less.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.room.profile import segment_at
from molokini.tables.tables import LEAST_STEPS, MOST_LEASTS, View


@kernel
def least_of(view: View, mask: int, at_s: float) -> int:
    """What is remembered from *at_s* on of who lacks access to *mask*, begun if need be; -1: nothing can."""
    if mask < 0:
        return -1
    known = view.least_start_epoch == view.start_epoch and view.least_profile_epoch == view.profile_epoch
    if not known or view.least_at_s != at_s or view.nodes == 0:
        view.least_start_epoch, view.least_profile_epoch = view.start_epoch, view.profile_epoch
        view.least_at_s, view.leasts = at_s, 0
    for k in range(view.leasts):
        if view.least_mask[k] == mask:
            return k
    return _begin_least(view, mask, at_s) if view.leasts < MOST_LEASTS else -1


@kernel
def _begin_least(view: View, mask: int, at_s: float) -> int:
    seldom()
    k = view.leasts
    view.leasts = k + 1
    view.least_mask[k], view.least_steps[k] = mask, 0
    view.least_reached_s[k], view.least_segment[k] = at_s, segment_at(view, at_s)
    return int(k)


@kernel
def less_than(view: View, k: int, width: int, until_s: float) -> bool:
    """Whether less than *width* processors are known to be left at an instant before *until_s*."""
    for step in range(view.least_steps[k]):
        if view.least_from_s[k, step] >= until_s:
            return False
        if view.least_free[k, step] < width:
            return True
    return False


@kernel
def note_least(view: View, k: int, at_s: float, left: int) -> bool:
    """So many processors are *left* at *at_s*, to which the walk has come; False: there is no place."""
    steps = view.least_steps[k]
    if steps > 0 and view.least_free[k, steps - 1] <= left:
        return True
    if steps == LEAST_STEPS:
        return False
    view.least_from_s[k, steps], view.least_free[k, steps] = at_s, left
    view.least_steps[k] = steps + 1
    return True
