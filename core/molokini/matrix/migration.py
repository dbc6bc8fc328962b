"""Migration within the matrix: a job moves to a row in which its own columns are not free.

Zhang et al., JSSPP 2001, section 5.4. A job A moves to a row in which jobs S stand on its columns. Option 1:
all of S get other columns there; A loses C/2 of its slices, each of S loses C (equation 4). Option 2: A gets
other columns; it loses C, each of S loses C/2 (equation 5). Option 1 is cheaper if S has fewer tasks than A.
At most so many tasks migrate in a slice, or at an event. All tasks of a job that migrates count, as a
checkpoint writes them all; or, where *moved* is asked for, those alone that change columns, and jobs keep the
others. A job that has not started yet has nothing to lose.
"""

import math

from molokini.compiled.compilation import inner, kernel
from molokini.matrix.columns import (
    add_lowest,
    choose_lowest,
    columns_of,
    give_up,
    in_service,
    is_free,
    keep_free,
    occupy,
    overlap,
    rows_by_use,
    vacate,
)
from molokini.matrix.plans import may_change_row, plan_moved, until_of
from molokini.matrix.profiles import fits, note_left, plan
from molokini.matrix.steps import may_move, move_home
from molokini.model.states import JobState
from molokini.tables.rows import how_many
from molokini.tables.tables import View


@kernel
def renew_allowance(view: View, now: float, most: int, each_event: bool) -> None:
    """So many tasks may migrate in the slice of *now*, those included that have migrated in it before.

    *each_event*: so many may at each event, however many have in this slice.
    """
    present = math.floor(now / view.matrix.quantum_s) + 1
    if present != view.matrix.slice or each_event:
        view.matrix.slice, view.matrix.allowance = present, most


@inner
def may_migrate(view: View) -> bool:
    """Whether any task may still migrate in this slice."""
    return bool(view.matrix.allowance > 0)


@kernel
def migrate(view: View, now: float, cost_s: float, planned: bool, moved: bool) -> None:
    """Collapse-2: as ``steps.compact``, but jobs move to rows in which their columns are not free, too.

    *cost_s*: how long it takes to migrate a job. *planned*: a move must leave room for all that is planned,
    for the longer stay of jobs that lose time by it, too. *moved*: tasks that change columns count alone.
    """
    rows_by_use(view)
    for a in range(view.matrix.count):
        source = view.matrix.order[a]
        for b in range(view.matrix.count - 1, a, -1):
            target = view.matrix.order[b]
            if view.matrix.homes[source] == 0 or view.matrix.free[target] == 0:
                continue
            for k in range(view.matrix.standing):
                row = view.matrix.ranked[k]
                fitting = view.jobs.width[row] <= view.matrix.free[target]
                if view.matrix.to_home[row] == source and fitting and may_move(view, row, target, now):
                    _move(view, row, target, now, cost_s, planned, moved)


@kernel
def _move(view: View, row: int, target: int, now: float, cost_s: float, planned: bool, moved: bool) -> None:
    """Move job *row* to row *target* where that is allowed."""
    if is_free(view, row, target):
        if not planned or may_change_row(view, row, target, now):
            move_home(view, row, target)
            if planned:
                plan_moved(view, row, target, now)
        return
    width = view.jobs.width[row]
    standing = _tasks_in_the_way(view, row, target)
    others_go = standing < width
    tasks = standing if others_go else width
    if moved:
        tasks = _columns_in_the_way(view, row, target)
    if tasks > view.matrix.allowance or (others_go and not _has_room(view, row, target)):
        return
    own_s, others_s = (cost_s / 2, cost_s) if others_go else (cost_s, cost_s / 2)
    if planned and not _plan_migrated(view, row, target, now, own_s, others_s, False):
        return
    _spend(view, tasks)
    _lose(view, row, own_s)
    for k in range(view.matrix.standing):
        other = view.matrix.ranked[k]
        if view.matrix.to_rows[other] >> target & 1 and overlap(view, row, other):
            _lose(view, other, others_s)
    if others_go:
        _give_way(view, row, target, moved)
        move_home(view, row, target)
        _stand_again(view, target, moved)
        return
    home = view.matrix.to_home[row]
    view.matrix.homes[home] -= 1
    vacate(view, row, home)
    if moved:
        keep_free(view, row, target)
        add_lowest(view, row, target)
    else:
        choose_lowest(view, row, target)
    view.matrix.to_home[row] = target
    occupy(view, row, target)
    view.matrix.homes[target] += 1
    view.matrix.moved += 1


@kernel
def fill_migrating(view: View, now: float, cost_s: float, planned: bool, moved: bool) -> None:
    """Fill-2: as ``steps.fill``, but jobs that stand in one row alone give way to copies (option 1)."""
    changed = True
    while changed:
        changed = False
        for k in range(view.matrix.standing):
            row = view.matrix.ranked[k]
            for r in range(view.matrix.count):
                if view.matrix.to_rows[row] >> r & 1 or view.matrix.free[r] < view.jobs.width[row]:
                    continue
                if _copy(view, row, r, now, cost_s, planned, moved):
                    changed = True
                    break


@kernel
def _copy(view: View, row: int, r: int, now: float, cost_s: float, planned: bool, moved: bool) -> bool:
    if is_free(view, row, r):
        occupy(view, row, r)
        return True
    tasks = _columns_in_the_way(view, row, r) if moved else _tasks_in_the_way(view, row, r)
    if tasks > view.matrix.allowance or not (_stand_there_alone(view, row, r) and _has_room(view, row, r)):
        return False
    if planned and not _plan_migrated(view, row, r, now, cost_s / 2, cost_s, True):
        return False
    _spend(view, tasks)
    _lose(view, row, cost_s / 2)
    for k in range(view.matrix.standing):
        other = view.matrix.ranked[k]
        if view.matrix.to_rows[other] >> r & 1 and overlap(view, row, other):
            _lose(view, other, cost_s)
    _give_way(view, row, r, moved)
    occupy(view, row, r)
    _stand_again(view, r, moved)
    return True


@inner
def _spend(view: View, tasks: int) -> None:
    view.matrix.allowance -= tasks
    view.matrix.migrated += tasks


@inner
def _lose(view: View, row: int, cost_s: float) -> None:
    if view.jobs.state[row] == JobState.RUNNING:
        view.matrix.to_stall_s[row] += cost_s


@kernel
def _tasks_in_the_way(view: View, row: int, r: int) -> int:
    """Tasks of all jobs that stand in row *r* on columns of job *row*."""
    tasks = 0
    for k in range(view.matrix.standing):
        other = view.matrix.ranked[k]
        if view.matrix.to_rows[other] >> r & 1 and overlap(view, row, other):
            tasks += view.jobs.width[other]
    return tasks


@kernel
def _columns_in_the_way(view: View, row: int, r: int) -> int:
    """Columns of job *row* on which others stand in row *r*: so many tasks change columns, whichever go."""
    count = 0
    for word in range(view.matrix.numbers):
        count += how_many(view.matrix.to_bits[row, word] & view.matrix.used[r, word])
    return count


@kernel
def _stand_there_alone(view: View, row: int, r: int) -> bool:
    """Whether all of these jobs stand in no other row."""
    for k in range(view.matrix.standing):
        other = view.matrix.ranked[k]
        rows = view.matrix.to_rows[other]
        if rows >> r & 1 and rows != 1 << r and overlap(view, row, other):
            return False
    return True


@kernel
def _has_room(view: View, row: int, r: int) -> bool:
    """Whether the jobs on columns of job *row* find others in row *r*: those on a drained node leave none."""
    if view.matrix.drains == 0:
        return True
    left = view.matrix.free[r] - in_service(view, row)
    for k in range(view.matrix.standing):
        other = view.matrix.ranked[k]
        if view.matrix.to_rows[other] >> r & 1 and overlap(view, row, other):
            left -= view.jobs.width[other] - in_service(view, other)
    return bool(left >= 0)


@kernel
def _give_way(view: View, row: int, r: int, moved: bool) -> None:
    """Take the jobs on columns of *row* out of row *r*, or *moved*, out of those columns alone.

    ``_stand_again`` puts them back.
    """
    for k in range(view.matrix.standing):
        other = view.matrix.ranked[k]
        if view.matrix.to_rows[other] >> r & 1 and overlap(view, row, other):
            vacate(view, other, r)
            if moved:
                give_up(view, other, row)
                occupy(view, other, r)


@kernel
def _stand_again(view: View, r: int, moved: bool) -> None:
    """Jobs that stand in no row, or there in too few columns, get the lowest that are free in row *r*."""
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        if view.matrix.to_rows[row] == 0:
            choose_lowest(view, row, r)
            occupy(view, row, r)
        elif moved and view.matrix.to_rows[row] == 1 << r and columns_of(view, row) < view.jobs.width[row]:
            vacate(view, row, r)
            add_lowest(view, row, r)
            occupy(view, row, r)


@kernel
def _plan_migrated(
    view: View, row: int, r: int, now: float, own_s: float, others_s: float, copied: bool
) -> bool:
    """Plan what a migration to row *r* needs; False, and nothing is changed, where there is no room."""
    planned, good = 0, True
    for k in range(view.matrix.standing):
        other = view.matrix.ranked[k]
        view.plans.before_s[other] = view.plans.until_s[other]
        if good and other != row and view.matrix.to_rows[other] >> r & 1 and overlap(view, row, other):
            good = _plan_longer(view, other, now, others_s)
        planned = k + 1
    home = view.plans.row[row]
    until_s = view.plans.until_s[row]
    if good and copied:
        good = _plan_longer(view, row, now, own_s)
    elif good:
        longer_s = _until(view, row, now, own_s)
        good = fits(view, r, view.jobs.width[row], now, longer_s)
        if good:
            plan(view, home, now, until_s, -view.jobs.width[row])
            note_left(view, home, now, until_s)
            plan(view, r, now, longer_s, view.jobs.width[row])
            view.plans.row[row], view.plans.until_s[row] = r, longer_s
    if not good:
        _take_back(view, planned)
    return good


@inner
def _until(view: View, row: int, now: float, more_s: float) -> float:
    if more_s == 0.0 or view.jobs.state[row] != JobState.RUNNING:
        return float(view.plans.until_s[row])
    return until_of(view, row, now, more_s)


@kernel
def _plan_longer(view: View, row: int, now: float, more_s: float) -> bool:
    """Plan a job that loses *more_s* for as much longer in its row; False where there is no room."""
    until_s, longer_s = view.plans.until_s[row], _until(view, row, now, more_s)
    if longer_s <= until_s:
        return True
    r, width = view.plans.row[row], view.jobs.width[row]
    if not fits(view, r, width, until_s, longer_s):
        return False
    plan(view, r, until_s, longer_s, width)
    view.plans.until_s[row] = longer_s
    return True


@kernel
def _take_back(view: View, count: int) -> None:
    """The plan is again as before it was made longer for the first *count* jobs."""
    for k in range(count):
        row = view.matrix.ranked[k]
        before_s, until_s = view.plans.before_s[row], view.plans.until_s[row]
        if before_s < until_s:
            plan(view, view.plans.row[row], before_s, until_s, -view.jobs.width[row])
            view.plans.until_s[row] = before_s
