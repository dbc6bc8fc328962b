"""What backfilling policies share: a job behind the head starts if it does not delay the shadow time."""

from molokini.availability.beside_reserved import earliest_beside, first_conflict, fits_beside, next_change
from molokini.availability.lanes import fits
from molokini.availability.profile import least_free, plan, profile_of_running
from molokini.availability.shadow import nodes_take_now, shadow_of, spares_head
from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.reasons import blocked, blocked_beside, held_back, without_nodes
from molokini.cycle.verbs import because, start
from molokini.model.decisions import Decision, Rule
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
        if view.cycle.explain:
            ends_before = now + remaining_s(view, row) <= shadow_s
            blocked_beside(view, row, head, view.machine.idle if ends_before else extra)
        return 0
    used = 0
    if now + remaining_s(view, row) > shadow_s:
        if view.queue.wishing == 0:
            spares, used = width <= extra, width
        else:
            spares = spares_head(view, row, head)
        if not spares:
            if view.cycle.explain:
                because(view, row, Rule.WOULD_DELAY_THE_HEAD, shadow_s, now + remaining_s(view, row), head)
                view.reasons.narrower[row] = max(0, min(extra, view.machine.idle))
            return 0
    if start(view, row):
        return int(used)
    blocked(view, row, head)
    return 0


@kernel
def order_candidates(view: View, first: int, order: int) -> int:
    """Make a heap of the waiting jobs from place *first* on, shortest or widest first; how many there are.

    Jobs that are wider than what is idle now cannot start in this pass; they are left out, unless each is to
    be told why.
    """
    count = 0
    for k in range(first, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.width[row] > view.machine.idle and not view.cycle.explain:
            continue
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
        if view.cycle.explain:
            blocked_beside(view, row, head, least_free(view, now, now + length_s))
    elif not fits_beside(view, row, length_s, now) or (
        view.queue.wishing > 0 and now + length_s > shadow_s and not spares_head(view, row, head)
    ):
        explain_beside(view, row, head, now, shadow_s)
    elif start(view, row):
        plan(view, now, now + length_s, view.jobs.width[row])
    else:
        blocked(view, row, head)


@kernel
def explain_beside(view: View, row: int, head: int, now: float, shadow_s: float) -> None:
    """Say which of the two *row* would run into first: what is reserved for others, or the plan of the head,
    from *shadow_s* on.
    """
    if not view.cycle.explain or without_nodes(view, row, head):
        return
    seldom()
    length_s = remaining_s(view, row)
    conflict = first_conflict(view, row)[0] if view.reservations.count > 0 else -1
    if conflict >= 0:
        before_s = max(0.0, view.reservations.from_s[conflict] - now)
        if fits(view, row, min(length_s, before_s), now) and held_back(view, row, head):
            return
    because(view, row, Rule.WOULD_DELAY_THE_HEAD, shadow_s, now + length_s, head)
    left = min(view.machine.idle, least_free(view, now, now + length_s))
    if view.reservations.count > 0:
        left = min(left, first_conflict(view, row)[1])
    if left < view.jobs.width[row]:
        view.reasons.narrower[row] = max(0, left)
