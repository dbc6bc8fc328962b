"""The steps of Zhang et al. (JSSPP 2001, section 4.2) on the matrix of a pass, one function each.

Orders on which the paper is silent are ours: jobs by start, submission and number; of equal rows the first.
"""

import math

from molokini.compiled.compilation import inner, kernel
from molokini.matrix.columns import is_free, occupy, rows_by_use, vacate
from molokini.matrix.plans import may_change_row, plan_moved
from molokini.tables.tables import View


@kernel
def clean(view: View) -> None:
    """CleanMatrix: every job stands in its home row alone."""
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        for r in range(view.matrix.count):
            if r != view.matrix.to_home[row] and view.matrix.to_rows[row] >> r & 1:
                vacate(view, row, r)


@kernel
def compact(view: View, now: float, planned: bool) -> None:
    """CompactMatrix: jobs of rows with few occupied columns move to fuller rows, in their own columns.

    *planned*: a move must leave room for all that is planned in its new row.
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
                if view.matrix.to_home[row] != source or not is_free(view, row, target):
                    continue
                if not may_move(view, row, target, now):
                    continue
                if not planned or may_change_row(view, row, target, now):
                    move_home(view, row, target)
                    if planned:
                        plan_moved(view, row, target, now)


@kernel
def move_home(view: View, row: int, target: int) -> None:
    """Job *row*, which stands in its home row alone, stands in row *target* from now on."""
    view.matrix.homes[view.matrix.to_home[row]] -= 1
    vacate(view, row, view.matrix.to_home[row])
    view.matrix.to_home[row] = target
    occupy(view, row, target)
    view.matrix.homes[target] += 1
    view.matrix.moved += 1


@inner
def moves(view: View) -> int:
    """How many jobs this pass has moved to other rows so far."""
    return int(view.matrix.moved)


@inner
def may_move(view: View, row: int, target: int, now: float) -> bool:
    """Whether a job that moves to row *target* has a whole slice in this cycle all the same.

    By rates it always progresses. On the grid it has had its slice, or that of its new row is still to come.
    """
    return view.matrix.exact == 0 or view.matrix.count == 1 or _has_slice(view, row, target, now)


@kernel
def _has_slice(view: View, row: int, target: int, now: float) -> bool:
    present = math.floor(now / view.matrix.quantum_s)
    turn = present % view.matrix.count
    if target > turn or target == view.matrix.to_home[row]:
        return True
    if target == turn and now == present * view.matrix.quantum_s:
        # Its slice begins at this instant: all of it is still to come.
        return True
    home = view.matrix.to_home[row]
    if home != view.matrix.home[row] or view.matrix.rows[row] == 0:
        # It has got this row in this very pass.
        return False
    begun_s = (present - turn + home) * view.matrix.quantum_s
    return bool(home < turn and view.matrix.since_s[row] <= begun_s)


@kernel
def fill(view: View) -> None:
    """FillMatrix: jobs stand in every other row besides in which their columns are free, a copy a round."""
    changed = True
    while changed:
        changed = False
        for k in range(view.matrix.standing):
            row = view.matrix.ranked[k]
            for r in range(view.matrix.count):
                if not view.matrix.to_rows[row] >> r & 1 and is_free(view, row, r):
                    occupy(view, row, r)
                    changed = True
                    break
