"""How long jobs of the matrix are planned in their rows, and what a move from row to row does to the plan."""

import math

from molokini.compiled.compilation import kernel
from molokini.matrix.profiles import fits, note_left, plan
from molokini.tables.rows import stall_by, work_by
from molokini.tables.tables import View


@kernel
def length_of(view: View, work_s: float) -> float:
    """For how long a job with *work_s* to do is planned in a row: it may have no slice but that row's."""
    if view.matrix.count == 1:
        return work_s
    if view.matrix.exact == 0:
        return view.matrix.count * work_s / (1.0 - view.matrix.switch)
    slices = math.ceil(work_s / (view.matrix.quantum_s * (1.0 - view.matrix.switch)))
    # The rest of its first cycle, then at least one whole slice in every cycle.
    return view.matrix.count * view.matrix.quantum_s * (slices + 1)


@kernel
def owed_s(view: View, row: int, now: float) -> float:
    """Slice time that a running job is still to lose, by this pass, too."""
    return float(stall_by(view, row, now) + view.matrix.to_stall_s[row])


@kernel
def until_of(view: View, row: int, now: float, more_s: float) -> float:
    """Until when a running job is to be planned if it loses *more_s* besides; never earlier than before."""
    left_s = view.jobs.estimate_s[row] - work_by(view, row, now) + owed_s(view, row, now) + more_s
    return float(max(view.plans.until_s[row], now + length_of(view, left_s)))


@kernel
def may_change_row(view: View, row: int, target: int, now: float) -> bool:
    """Whether row *target* has room for a running job for as long as it is planned."""
    return bool(fits(view, target, view.jobs.width[row], now, view.plans.until_s[row]))


@kernel
def plan_moved(view: View, row: int, target: int, now: float) -> None:
    """A running job is planned in row *target* from now on; what it leaves is to be offered."""
    source, until_s = view.plans.row[row], view.plans.until_s[row]
    plan(view, source, now, until_s, -view.jobs.width[row])
    note_left(view, source, now, until_s)
    plan(view, target, now, until_s, view.jobs.width[row])
    view.plans.row[row] = target
    view.plans.from_s[row] = min(view.plans.from_s[row], now)
