"""When the next iteration is due although nothing may happen until then: time itself lets jobs start.

Usage is forgotten at the boundaries of fairshare's windows, rules decide otherwise as time passes
(``crossing``), and limits let jobs in as active ones have less left (``opening``): these instants are found.
The next iteration, a second later, counts what this one has spent of an account's balance.
RMPOLLINTERVAL, where it is set, is a timer beside them. The next iteration is due after RMPOLLINTERVAL, in a
replay without the timer, too, and without any at the next whole second, where MAXJOBPERITERATION has cut an
iteration short, where one has kept a job out that what it did since may let in (by MINPROC or an idle limit),
or where its starts may let jobs begin earlier that keep their reservations (HIGHEST, beside reservations of
administrators). The timer stops where nothing runs and nothing has run for as long as usage is remembered: a
job that is beyond a limit by itself waits for an administrator, and needs no iterations.
"""

import math

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import wake_at
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import ReservationPolicy
from molokini.policies.maui.knowledge.memory import INELIGIBLE, mine
from molokini.policies.maui.selection.paying import some_cannot_pay_now
from molokini.policies.maui.starting.free_slots import enough_started
from molokini.policies.maui.waking.crossing import next_crossing
from molokini.policies.maui.waking.opening import next_opening
from molokini.tables.tables import NEVER, View
from molokini.tables.usage import window_of


@inner
def note_busy(view: View, now: float) -> None:
    """An iteration begins: jobs ran up to now, if any ran after the last iteration."""
    if mine(view).busy or view.queue.running_count > 0:
        mine(view).busy_s = now
    mine(view).busy = view.queue.running_count > 0


@kernel
def wake_in_time(view: View, count: int, now: float) -> None:
    """An iteration ends, and *count* jobs were in its list: ask for the next one that time makes due."""
    seldom()
    if mine(view).started > 0:
        mine(view).busy = 1
    remembers = _remembers(view, now)
    if remembers and _has_windows(view):
        wake_at(view, (window_of(view, now) + 1.0) * view.usage.interval_s)
    wake_at(view, next_opening(view, count, now))
    wake_at(view, next_crossing(view, count, now))
    if some_cannot_pay_now(view, count):
        # Those jobs are out of the next list, and what was reserved for them is free for others.
        wake_at(view, float(math.floor(now) + 1.0))
    poll_s = parameters(view).poll_s
    if poll_s > 0.0 and remembers:
        wake_at(view, now + poll_s)
    cut_short = enough_started(view) and _some_are_left(view, count)
    let_in = mine(view).kept_out and (mine(view).started > 0 or mine(view).promised)
    if cut_short or let_in or _some_may_move(view, count):
        next_s = parameters(view).next_iteration_s if parameters(view).next_iteration_s > 0.0 else poll_s
        wake_at(view, now + next_s if next_s > 0.0 else math.floor(now) + 1.0)


@kernel
def _some_are_left(view: View, count: int) -> bool:
    """Whether any of *count* jobs was selected for this iteration and still waits for a decision."""
    for k in range(count):
        if mine(view).level[view.cycle.ranked[k]] > INELIGIBLE:
            return True
    return False


@kernel
def _some_may_move(view: View, count: int) -> bool:
    """Whether what started has taken of what is reserved for it, and so left room to kept reservations."""
    highest = parameters(view).reservation == ReservationPolicy.HIGHEST
    if not highest or mine(view).started == 0 or view.reservations.count == 0:
        return False
    for k in range(count):
        if mine(view).reserved_s[view.cycle.ranked[k]] < NEVER:
            return True
    return False


@inner
def _has_windows(view: View) -> bool:
    return bool(mine(view).targets and view.usage.charging)


@inner
def _remembers(view: View, now: float) -> bool:
    """Whether anything runs, or has run in a window that still counts."""
    if mine(view).busy:
        return True
    if not _has_windows(view):
        return False
    windows = window_of(view, now) - window_of(view, mine(view).busy_s)
    return bool(windows < parameters(view).fairshare_depth)
