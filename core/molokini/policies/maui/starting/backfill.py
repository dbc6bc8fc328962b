"""Backfill: jobs of lower priority fill what the priority phase has left (paper, section 4.2).

Windows are taken in turn, each filled by FIRSTFIT, BESTFIT, GREEDY or PREEMPT. A job that starts in a
window ends before the window does, and is in the way of no reservation.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.policies.maui.configuration.parameters import WINDOWS, parameters
from molokini.policies.maui.configuration.words import BackfillPolicy
from molokini.policies.maui.knowledge.trace import note
from molokini.policies.maui.starting.free_slots import fits_now
from molokini.policies.maui.starting.greedy import fill_greedily
from molokini.policies.maui.starting.window_filling import backfill_now, fill_best, fill_first, may_backfill
from molokini.policies.maui.starting.windows import window_beyond, window_wider
from molokini.tables.tables import NEVER, View

_LONGEST = WINDOWS.index("longest")
_MERGED = WINDOWS.index("merged")


@kernel
def backfill(view: View, count: int, now: float, level: int, limits: int, step: int) -> int:
    """One pass over the windows; how many started. *step* counts the windows, for the trace."""
    seldom()
    if parameters(view).windows == _MERGED:
        return _walk_once(view, count, now, level, limits)
    if parameters(view).windows == _LONGEST:
        return _longest_first(view, count, now, level, limits, step)
    started, until_s = 0, now
    while until_s < NEVER and view.machine.idle > 0:
        width, until_s = window_beyond(view, until_s)
        if width <= 0:
            break
        note(view, step)
        started += _fill(view, count, now, level, limits, width, until_s)
    return started


@kernel
def _longest_first(view: View, count: int, now: float, level: int, limits: int, step: int) -> int:
    seldom()
    started, before = 0, 0
    while view.machine.idle > 0:
        width, until_s = window_wider(view, before)
        if width <= 0:
            break
        note(view, step)
        before = width
        started += _fill(view, count, now, level, limits, width, until_s)
    return started


@kernel
def _fill(view: View, count: int, now: float, level: int, limits: int, width: int, until_s: float) -> int:
    seldom()
    policy = parameters(view).backfill
    if policy == BackfillPolicy.FIRSTFIT:
        return fill_first(view, count, now, level, limits, width, until_s)
    if policy == BackfillPolicy.GREEDY:
        return fill_greedily(view, count, now, level, limits, width, until_s)
    return fill_best(view, count, now, level, limits, width, until_s)


@kernel
def _walk_once(view: View, count: int, now: float, level: int, limits: int) -> int:
    """All windows in one: in order of priority, each job that delays no reservation."""
    seldom()
    started = 0
    for k in range(count):
        if view.machine.idle == 0:
            break
        row = view.cycle.ranked[k]
        # Most jobs are too wide, so that comparison comes first.
        if view.jobs.width[row] > view.machine.idle or not may_backfill(view, row, level):
            continue
        if fits_now(view, row, now) and backfill_now(view, row, now, limits):
            started += 1
    return started
