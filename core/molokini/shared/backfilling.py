"""What backfilling policies share: a job behind the head starts if it does not delay the shadow time."""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import because, start
from molokini.model.decisions import Decision, Rule
from molokini.room.beside_reserved import earliest_beside, fits_beside, next_change
from molokini.room.profile import plan, profile_of_running
from molokini.room.shadow import nodes_take_now, shadow_of, spares_head
from molokini.shared.order import build, take_first
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View

AS_QUEUED, SHORTEST, WIDEST = 0, 1, 2
"""Orders in which candidates for backfilling are tried."""


@kernel
def try_behind(view: View, row: int, head: int, now: float, shadow_s: float, extra: int) -> int:
    """Start *row* if it spares the head; how many of the extra processors it uses up."""
    width = view.jobs.width[row]
    if width > view.machine.idle:
        because(view, row, Rule.NOT_ENOUGH_FREE, view.machine.idle, width, head)
        return 0
    used = 0
    if now + remaining_s(view, row) > shadow_s:
        if view.queue.wishing == 0:
            spares, used = width <= extra, width
        else:
            spares = spares_head(view, row, head)
        if not spares:
            because(view, row, Rule.WOULD_DELAY_THE_HEAD, shadow_s, now + remaining_s(view, row), head)
            return 0
    return int(used) if start(view, row) else 0


@kernel
def order_candidates(view: View, first: int, order: int) -> int:
    """Make a heap of the waiting jobs from place *first* on, shortest or widest first; how many there are."""
    count = 0
    for k in range(first, view.queue.tail):
        row = view.queue.waiting[k]
        view.cycle.order[count] = row
        view.cycle.order_key[row] = (
            remaining_s(view, row) if order == SHORTEST else -float(view.jobs.width[row])
        )
        count += 1
    build(view, count)
    return count


@kernel
def backfill_beside(view: View, first: int, now: float, order: int) -> None:
    """Backfill behind the head, at place *first*, where an administrator has reserved processors.

    Candidates are tried in *order*. The rule of EASY, by the availability profile, in which the head is
    planned at its shadow time: the earliest at which it has room beside what is reserved for other jobs.
    Where counting has room for the head now, and nodes have not, that is no earlier than the next change.
    """
    seldom()
    head = view.queue.waiting[first]
    profile_of_running(view, now)
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 0] == Decision.START:
            row = view.cycle.decisions[k, 1]
            plan(view, now, now + remaining_s(view, row), view.jobs.width[row])
    shadow_s = earliest_beside(view, head, remaining_s(view, head), now)
    if shadow_s <= now:
        changes_s = next_change(view, now)
        shadow_s = NEVER
        if changes_s < NEVER:
            shadow_s = earliest_beside(view, head, remaining_s(view, head), changes_s)
    if view.queue.wishing > 0 and not nodes_take_now(view, head):
        shadow_s = max(shadow_s, shadow_of(view, head, now)[0])
    if shadow_s < NEVER:
        plan(view, shadow_s, shadow_s + remaining_s(view, head), view.jobs.width[head])
    if order == AS_QUEUED:
        for k in range(first + 1, view.queue.tail):
            if view.machine.idle == 0 and not view.cycle.explain:
                return
            _try_beside(view, view.queue.waiting[k], head, now, shadow_s)
        return
    count = order_candidates(view, first + 1, order)
    while count > 0 and (view.machine.idle > 0 or view.cycle.explain):
        row = take_first(view, count)
        count -= 1
        _try_beside(view, row, head, now, shadow_s)


@kernel
def _try_beside(view: View, row: int, head: int, now: float, shadow_s: float) -> None:
    """Start *row* if it finds room beside the plan, in which the head has its place, and spares the head."""
    length_s = remaining_s(view, row)
    if view.jobs.width[row] > view.machine.idle:
        because(view, row, Rule.NOT_ENOUGH_FREE, view.machine.idle, view.jobs.width[row], head)
    elif not fits_beside(view, row, length_s, now) or (
        view.queue.wishing > 0 and now + length_s > shadow_s and not spares_head(view, row, head)
    ):
        because(view, row, Rule.WOULD_DELAY_THE_HEAD, shadow_s, now + length_s, head)
    elif start(view, row):
        plan(view, now, now + length_s, view.jobs.width[row])
