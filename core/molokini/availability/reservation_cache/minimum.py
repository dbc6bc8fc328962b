"""The least room that reservations leave from an instant on, remembered while nothing starts or is planned.

Jobs that lack access to the same reservations find the same room. ``beside_reserved`` goes through it as far
as calls need it, and notes here where it becomes less.
"""

from molokini.availability.profile import segment_at
from molokini.compiled.compilation import kernel, seldom
from molokini.tables.sizes import LEAST_STEPS, MOST_LEASTS
from molokini.tables.tables import View


@kernel
def least_of(view: View, mask: int, at_s: float) -> int:
    """Which row remembers the room from *at_s* on of jobs that may not use *mask*; -1: there is none left."""
    if mask < 0:
        return -1
    known = (
        view.least.start_epoch == view.cycle.start_epoch and view.least.profile_epoch == view.profile.epoch
    )
    if not known or view.least.at_s != at_s or view.nodes.count == 0:
        view.least.start_epoch, view.least.profile_epoch = view.cycle.start_epoch, view.profile.epoch
        view.least.at_s, view.least.count = at_s, 0
    for k in range(view.least.count):
        if view.least.mask[k] == mask:
            return k
    return _begin_least(view, mask, at_s) if view.least.count < MOST_LEASTS else -1


@kernel
def _begin_least(view: View, mask: int, at_s: float) -> int:
    seldom()
    k = view.least.count
    view.least.count = k + 1
    view.least.mask[k], view.least.steps[k] = mask, 0
    view.least.reached_s[k], view.least.segment[k] = at_s, segment_at(view, at_s)
    return int(k)


@kernel
def less_than(view: View, k: int, width: int, until_s: float) -> bool:
    """Whether less than *width* processors are known to be left at an instant before *until_s*."""
    for step in range(view.least.steps[k]):
        if view.least.from_s[k, step] >= until_s:
            return False
        if view.least.free[k, step] < width:
            return True
    return False


@kernel
def note_least(view: View, k: int, at_s: float, left: int) -> bool:
    """Note that so many processors are *left* at *at_s*, where the walk has come; False: no place for it."""
    steps = view.least.steps[k]
    if steps > 0 and view.least.free[k, steps - 1] <= left:
        return True
    if steps == LEAST_STEPS:
        return False
    view.least.from_s[k, steps], view.least.free[k, steps] = at_s, left
    view.least.steps[k] = steps + 1
    return True
