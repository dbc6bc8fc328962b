"""Conservative reservations in the rows of a matrix: every waiting job has one, at an instant and in a row.

Zhang et al., JSSPP 2001, section 5.2: jobs are planned for as many times their estimate as there are rows.
Reservations are kept from pass to pass (our reading), and none moves later: one look at the queue a pass
plans new jobs at their earliest, gives jobs that are due the row that they fit best, and, where room has
become free, puts each job in queue order at its earliest over all rows. With one row this is what
``conservative`` does. Room that a job leaves is offered to those behind it, and in the next look to all.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.compiled.structs import RecordInts
from molokini.cycle.reasons import held_back
from molokini.cycle.verbs import because, reserve, wake_at
from molokini.matrix.columns import is_better
from molokini.matrix.plans import length_of, owed_s, until_of
from molokini.matrix.profiles import (
    clear,
    earlier,
    earliest,
    fits,
    forget_past,
    most_free,
    note_later,
    note_left,
    plan,
    turn_to_later,
)
from molokini.model.decisions import Rule
from molokini.shared.in_rows import Rows, put_new
from molokini.tables.rows import work_by
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View
from molokini.tables.workspace import Choice, Workspace, parameter


class Planned(Rows, separator="_"):
    """How jobs are planned in rows."""

    predict: Choice = parameter(
        "literal",
        "until when a running job is planned: its start and rows times its estimate, or what remains of that",
        choices=("literal", "remaining"),
    )
    replan: Choice = parameter(
        "kept",
        "reservations are kept and only move earlier, or all are replanned at each event",
        choices=("kept", "fresh"),
    )


class RowPlan(Workspace):
    """What is kept beside the plan of the matrix."""

    in_plan: RecordInts
    """1: the job, which waits, has its place in the plan."""
    rebuild: int
    """1: the plan is to be rebuilt."""
    again: int
    """1: the queue must be looked through although nothing has become free."""
    next_s: float
    """The next planned start."""
    processors: int
    """Processors that the plan is for."""


mine = RowPlan.of


@kernel
def refresh(view: View, now: float, remaining: bool) -> None:
    """Bring the plan up to date with what has happened; jobs stand in their home rows alone."""
    if mine(view).rebuild:
        _rebuild(view, now)
        return
    for r in range(view.matrix.count):
        forget_past(view, r, now)
    for k in range(view.holes.count):
        r, from_s = view.holes.row[k], max(view.holes.from_s[k], now)
        plan(view, r, from_s, view.holes.until_s[k], -view.holes.width[k])
        note_left(view, r, from_s, view.holes.until_s[k])
    if view.holes.count > 0:
        mine(view).again = 1
    if remaining:
        _shorten(view, now)


@kernel
def _shorten(view: View, now: float) -> None:
    """Jobs that stood in several rows will end earlier than was planned."""
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        left_s = view.jobs.estimate_s[row] - work_by(view, row, now) + owed_s(view, row, now)
        until_s, before_s = now + length_of(view, left_s), view.plans.until_s[row]
        if until_s < before_s:
            plan(view, view.plans.row[row], until_s, before_s, -view.jobs.width[row])
            note_left(view, view.plans.row[row], until_s, before_s)
            view.plans.until_s[row] = until_s
            mine(view).again = 1


@kernel
def _rebuild(view: View, now: float) -> None:
    """Make the plan from the jobs in the matrix and from the reservations."""
    seldom()
    for r in range(view.matrix.count):
        clear(view, r, now)
    turn_to_later(view)
    turn_to_later(view)
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        until_s = view.jobs.start_s[row] + length_of(view, view.jobs.estimate_s[row])
        view.plans.until_s[row] = max(until_s, view.jobs.expected_end_s[row])
        if view.matrix.stall_s[row] > 0.0:
            view.plans.until_s[row] = until_of(view, row, now, 0.0)
        view.plans.row[row] = view.matrix.to_home[row]
        view.plans.from_s[row] = view.jobs.start_s[row]
        plan(view, view.matrix.to_home[row], now, view.plans.until_s[row], view.jobs.width[row])
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        mine(view).in_plan[row] = 0
        view.plans.until_s[row] = 0.0
        if view.jobs.reserved_s[row] < NEVER:
            _keep_promise(view, row, now)
    if view.holes.count > 0 or 0 < mine(view).processors < view.machine.processors:
        for r in range(view.matrix.count):
            note_left(view, r, now, NEVER)
    mine(view).processors = view.machine.processors
    mine(view).rebuild, mine(view).again = 0, 1


@kernel
def _keep_promise(view: View, row: int, now: float) -> None:
    """Plan a job at the start that it was promised, in the first row that has room; else at its earliest."""
    at_s, length_s = max(view.jobs.reserved_s[row], now), length_of(view, remaining_s(view, row))
    for r in range(view.matrix.count):
        if fits(view, r, view.jobs.width[row], at_s, at_s + length_s):
            _put_in_plan(view, row, r, at_s, at_s + length_s, now)
            return
    _plan_earliest(view, row, length_s, now)


@kernel
def drop_reservations(view: View, now: float) -> None:
    """Plan running jobs alone: the next look at the queue takes every job that waits for a new one."""
    for r in range(view.matrix.count):
        clear(view, r, now)
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        plan(view, view.plans.row[row], now, view.plans.until_s[row], view.jobs.width[row])
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        mine(view).in_plan[row] = 0
        view.plans.until_s[row] = 0.0
    mine(view).again = 1


@kernel
def look_through(view: View, now: float) -> None:
    """Plan new jobs, start those that are due, and move others to earlier starts where there is room now."""
    if not mine(view).again and view.queue.arrived == 0 and mine(view).next_s > now:
        return
    again = mine(view).again == 1
    mine(view).again, mine(view).next_s = 0, NEVER
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.matrix.epoch[row] == view.cycle.room_epoch:
            continue
        if mine(view).in_plan[row] == 0:
            _plan_new(view, row, now)
        elif view.plans.from_s[row] <= now:
            again = _start_due(view, row, now) or again
        elif again:
            _look_earlier(view, row, now)
        if view.matrix.epoch[row] != view.cycle.room_epoch:
            if view.plans.from_s[row] > now:
                mine(view).next_s = min(mine(view).next_s, view.plans.from_s[row])
            else:
                # It is due and has no room yet (estimates of 0 share an instant).
                mine(view).again = 1
    if again:
        turn_to_later(view)
    view.queue.arrived = 0


@kernel
def wake(view: View) -> None:
    """Ask for a pass at the next planned start: it may be where no job really ends."""
    if mine(view).next_s < NEVER:
        wake_at(view, mine(view).next_s)


@kernel
def _plan_new(view: View, row: int, now: float) -> None:
    length_s = length_of(view, remaining_s(view, row))
    r = _best_row(view, row, now, length_s, -1)
    if r < 0:
        _plan_earliest(view, row, length_s, now)
    else:
        _put_in_plan(view, row, r, now, now + length_s, now)
        put_new(view, row, r)


@kernel
def _plan_earliest(view: View, row: int, length_s: float, now: float) -> None:
    """Plan a job at its earliest start over all rows; of several rows in the first."""
    best, best_s = 0, NEVER
    for r in range(view.matrix.count):
        at_s = earliest(view, r, view.jobs.width[row], length_s, now, best_s)
        if at_s < best_s:
            best, best_s = r, at_s
    _put_in_plan(view, row, best, best_s, best_s + length_s, now)


@kernel
def _best_row(view: View, row: int, now: float, length_s: float, due: int) -> int:
    """The row that a job is to have (``is_better``) of those in which it may start now; -1: none.

    In row *due* (-1: none) it is planned to start now, and needs no more than columns that are free.
    """
    best, width = -1, view.jobs.width[row]
    for r in range(view.matrix.count):
        if view.matrix.free[r] < width or not is_better(view, r, best):
            continue
        if r == due or fits(view, r, width, now, now + length_s):
            best = r
    return best


@kernel
def _put_in_plan(view: View, row: int, r: int, at_s: float, until_s: float, now: float) -> None:
    promised = mine(view).in_plan[row] == 1 and view.plans.from_s[row] == at_s
    promised = promised and view.jobs.reserved_s[row] == at_s
    mine(view).in_plan[row] = 1
    view.plans.row[row] = r
    view.plans.from_s[row], view.plans.until_s[row] = at_s, until_s
    plan(view, r, at_s, until_s, view.jobs.width[row])
    # A job that starts in this very pass needs no promise.
    if at_s > now and not promised:
        reserve(view, row, at_s)


@kernel
def _start_due(view: View, row: int, now: float) -> bool:
    """Start a job that is due, in the row that it fits best; whether that leaves room in another row."""
    source, width = view.plans.row[row], view.jobs.width[row]
    from_s, until_s = max(view.plans.from_s[row], now), view.plans.until_s[row]
    plan(view, source, from_s, until_s, -width)
    length_s = length_of(view, remaining_s(view, row))
    r = _best_row(view, row, now, length_s, source)
    if r < 0:
        plan(view, source, from_s, until_s, width)
        return False
    _put_in_plan(view, row, r, now, now + length_s, now)
    put_new(view, row, r)
    if r == source:
        return False
    note_left(view, source, from_s, until_s)
    note_later(view, source, from_s, until_s)
    return True


@kernel
def _look_earlier(view: View, row: int, now: float) -> None:
    """Move a job to an earlier start, if it has one in a row in which room has become free."""
    width, start_s = view.jobs.width[row], view.plans.from_s[row]
    source, until_s = view.plans.row[row], view.plans.until_s[row]
    length_s, best, best_s = length_of(view, remaining_s(view, row)), -1, start_s
    for r in range(view.matrix.count):
        free_s, stop_s = max(view.plans.left_from_s[r], now), view.plans.left_until_s[r]
        last_s = start_s if r == source else best_s + length_s
        if stop_s <= free_s or last_s <= free_s or most_free(view, r, free_s, stop_s) < width:
            continue
        if r == source:
            at_s = earlier(view, r, width, length_s, now, start_s)
        else:
            at_s = earliest(view, r, width, length_s, now, min(best_s, stop_s))
        if at_s < best_s and at_s < stop_s:
            best, best_s = r, at_s
    if best < 0:
        return
    if start_s < NEVER:
        plan(view, source, start_s, until_s, -width)
    started = _best_row(view, row, now, length_s, -1) if best_s <= now else -1
    _put_in_plan(view, row, best if started < 0 else started, best_s, best_s + length_s, now)
    if started >= 0:
        put_new(view, row, started)
    if start_s < NEVER:
        note_left(view, source, start_s, until_s)
        note_later(view, source, start_s, until_s)


@kernel
def explain_reservations(view: View) -> None:
    """Say when jobs that wait will start."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.matrix.epoch[row] != view.cycle.room_epoch and not held_back(view, row, -1):
            because(view, row, Rule.RESERVED_LATER, view.plans.from_s[row], view.jobs.width[row], -1)
