"""Room: whether a job can start now without taking what is reserved, and starting it.

The availability profile holds the running jobs up to their limits, the starts of this iteration, and the
reservations. Where nodes decide, the first reservation is spared node by node, too.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.maui.allocation import order_nodes
from molokini.policies.maui.beside import start_beside
from molokini.policies.maui.holding import holding
from molokini.policies.maui.memory import BACKFILLED, DECIDED, HEAD, LEVEL, SHADOW_S, STARTED
from molokini.policies.maui.paying import place_lien, put_off_unpaid, spend
from molokini.policies.maui.sharing import note_placed
from molokini.policies.maui.slots import Slot
from molokini.policies.maui.throttling import add_active
from molokini.room.beside_reserved import fits_beside
from molokini.room.hosts import may_be_outside
from molokini.room.partition_room import counting_bounds
from molokini.room.profile import plan
from molokini.room.shadow import spares_head
from molokini.tables.running import remaining_s
from molokini.tables.tables import View

_MAX_STARTS = int(Slot.MAX_STARTS)


@inner
def enough_started(view: View) -> bool:
    """Whether this iteration has started as many jobs as it may."""
    return bool(0.0 < view.parameters[_MAX_STARTS] <= view.global_i[STARTED])


@kernel
def fits_now(view: View, row: int, now: float) -> bool:
    """Whether *row* finds its processors now, and leaves the reservations what they need."""
    seldom()
    width, length_s = view.job_width[row], remaining_s(view, row)
    if width > view.idle:
        return False
    # A job of no length ends at once and is in nobody's way.
    return length_s <= 0.0 or fits_beside(view, row, length_s, now)


@kernel
def start_now(view: View, row: int, now: float) -> bool:
    """Start *row*, which fits; False only where nodes decide against it, or nobody can pay for it."""
    seldom()
    length_s = remaining_s(view, row)
    counted = view.hosted > 0 and view.banking == 0 and holding(view) and counting_bounds(view, row)
    if counted and not may_be_outside(view, row):
        # Most of a long queue finds its nodes reserved, in whatever order they are tried.
        return False
    order_nodes(view, row, now + length_s)
    beyond = view.global_i[HEAD] > 0 and now + length_s > view.global_f[SHADOW_S]
    if beyond and not spares_head(view, row, view.global_i[HEAD] - 1):
        return False
    decided, account = view.decided, 0
    if view.banking > 0:
        account = place_lien(view, row)
        if account == 0:
            put_off_unpaid(view, row, now)
            return False
    if not start_beside(view, row, now + length_s):
        view.decided = decided
        return False
    if account > 0:
        spend(view, row, account)
    note_placed(view, row)
    plan(view, now, now + length_s, view.job_width[row])
    add_active(view, row, length_s)
    view.memory_i[row, LEVEL] = DECIDED
    view.memory_i[row, BACKFILLED] = 0
    view.global_i[STARTED] += 1
    return True
