"""Room: whether a job can start now without taking what is reserved; and its start.

The availability profile holds the running jobs up to their limits, the starts of this iteration, and the
reservations. Where nodes decide, a job spares the first reservation node by node, too.
"""

from molokini.availability.beside_reserved import fits_beside
from molokini.availability.hosts import may_be_outside
from molokini.availability.partition_capacity import counting_bounds
from molokini.availability.profile import plan
from molokini.availability.shadow import spares_head
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.knowledge.memory import DECIDED, mine
from molokini.policies.maui.nodes.allocation import order_nodes
from molokini.policies.maui.nodes.beside import start_beside
from molokini.policies.maui.nodes.holding import holding
from molokini.policies.maui.nodes.sharing import note_placed
from molokini.policies.maui.selection.paying import place_lien, put_off_unpaid, spend
from molokini.policies.maui.selection.throttling import add_active
from molokini.tables.running import remaining_s
from molokini.tables.tables import View


@inner
def enough_started(view: View) -> bool:
    """Whether this iteration has started as many jobs as it may."""
    return bool(0 < parameters(view).max_starts <= mine(view).started)


@kernel
def fits_now(view: View, row: int, now: float) -> bool:
    """Whether *row* finds its processors now, and leaves the reservations what they need."""
    seldom()
    width, length_s = view.jobs.width[row], remaining_s(view, row)
    if width > view.machine.idle:
        return False
    # A job of no length ends at once and delays no other job.
    return length_s <= 0.0 or fits_beside(view, row, length_s, now)


@kernel
def start_now(view: View, row: int, now: float) -> bool:
    """Start *row*, which fits; False only where nodes decide against it, or no account can pay for it."""
    seldom()
    length_s = remaining_s(view, row)
    counted = view.hosts.count > 0 and view.bank.on == 0 and holding(view) and counting_bounds(view, row)
    if counted and not may_be_outside(view, row):
        # Most jobs of a long queue find their nodes reserved, in whatever order they are tried.
        return False
    order_nodes(view, row, now + length_s)
    beyond = mine(view).head > 0 and now + length_s > mine(view).shadow_s
    if beyond and not spares_head(view, row, mine(view).head - 1):
        return False
    decided, account = view.cycle.decided, 0
    if view.bank.on > 0:
        account = place_lien(view, row)
        if account == 0:
            put_off_unpaid(view, row, now)
            return False
    if not start_beside(view, row, now + length_s):
        view.cycle.decided = decided
        return False
    if account > 0:
        spend(view, row, account)
    note_placed(view, row)
    plan(view, now, now + length_s, view.jobs.width[row])
    add_active(view, row, length_s)
    mine(view).level[row] = DECIDED
    mine(view).backfilled[row] = 0
    mine(view).started += 1
    return True
