"""When time alone changes which jobs may start: the first whole second at which a rule decides otherwise.

Priorities rise with queue time and fall with usage, fairshare caps open while other accounts' jobs run, jobs
pass the thresholds of reservations, and priorities rise above those of running jobs that could give way.
None of that is an event. So the rules are evaluated at later seconds, in steps that double, and halving
finds the first second. The search ends at the next iteration that is due anyway: that one searches again.
"""

import numpy as np

from molokini.availability.reserved import begins
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import Decision
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import Threshold
from molokini.policies.maui.knowledge.memory import DECIDED, SOFT, mine
from molokini.policies.maui.selection.accrual import BY_HOLD
from molokini.policies.maui.selection.fairshare import add_up_usage, over_cap, share_caps
from molokini.policies.maui.selection.priority import priority
from molokini.policies.maui.starting.planning import above_threshold
from molokini.policies.maui.starting.preempting import could_give_way, may_preempt, preempts, started_with
from molokini.tables.tables import NEVER, View

_FARTHEST_S = 2.0**32
"""The search goes no farther than this from now."""
_NEGATIVE, _CAPPED, _WAITED_LONG, _VICTIM = 1, 2, 4, 8
"""What rules say of a job: bits; the last is the unit of the count of victims."""


@kernel
def next_crossing(view: View, count: int, now: float) -> float:
    """The first whole second at which time alone changes which of *count* jobs may start; NEVER: none."""
    seldom()
    if not _time_decides(view):
        return NEVER
    if _iteration_turns_it(view):
        # The next iteration finds out what follows from this one's decisions.
        return float(np.floor(now) + 1.0)
    _look_at(view, now)
    for k in range(count):
        row = view.cycle.ranked[k]
        view.cycle.order_key[row] = _said(view, row, view.cycle.rank_key[row], now)
    at_s = _search(view, count, np.floor(now), view.cycle.wake_s)
    _look_at(view, now)
    return at_s


@inner
def _time_decides(view: View) -> bool:
    """Whether any setting makes it a matter of time which jobs may start."""
    kind = parameters(view).threshold
    timed = kind == Threshold.QUEUE_TIME or kind == Threshold.EXPANSION_FACTOR
    rejects = parameters(view).reject_negative != 0
    return bool(timed or rejects or (mine(view).targets and share_caps(view)) or preempts(view))


@kernel
def _iteration_turns_it(view: View) -> bool:
    """Whether decisions of this iteration, which the tables do not show yet, change what time will do.

    Such a decision stops the queue time of a job or lets it go on, or it starts a job: then shares grow
    otherwise, and another job is the most urgent that waits.
    """
    running_matters = (mine(view).targets and view.usage.charging) or preempts(view)
    started, gave_way = False, False
    for k in range(view.cycle.decided):
        decision = view.cycle.decisions[k, 0]
        if decision == Decision.ACCRUE:
            return True
        started |= begins(view, k)
        gave_way |= decision == Decision.SUSPEND or decision == Decision.REQUEUE
    # Jobs that give way to one another again and again need an event between, or no replay would end.
    return bool(started and not gave_way and running_matters)


@kernel
def _search(view: View, count: int, from_s: float, until_s: float) -> float:
    """The first whole second after *from_s* and before *until_s* at which a rule decides otherwise."""
    low_s, step_s, last = from_s, 1.0, False
    while not last and step_s <= _FARTHEST_S:
        high_s = from_s + step_s
        if high_s >= until_s:
            high_s, last = np.ceil(until_s) - 1.0, True
        if high_s > low_s and _changed(view, count, high_s):
            while high_s - low_s > 1.0:
                middle_s = np.floor((low_s + high_s) / 2.0)
                if _changed(view, count, middle_s):
                    high_s = middle_s
                else:
                    low_s = middle_s
            return float(high_s)
        low_s = high_s
        step_s *= 2.0
    return NEVER


@kernel
def _look_at(view: View, at_s: float) -> None:
    """Usage, and what follows from it, are those of *at_s* if nothing happens until then."""
    if mine(view).targets:
        add_up_usage(view, at_s)
        for credential in range(mine(view).resolved):
            view.credentials.weighed[credential] = -1


@kernel
def _changed(view: View, count: int, at_s: float) -> bool:
    """Whether at *at_s* a rule decides otherwise about a job than it does now."""
    seldom()
    _look_at(view, at_s)
    for k in range(count):
        row = view.cycle.ranked[k]
        if _said(view, row, priority(view, row, at_s), at_s) != view.cycle.order_key[row]:
            return True
    return False


@kernel
def _said(view: View, row: int, key: float, at_s: float) -> float:
    """What the rules say of the waiting *row* at *at_s*, where its priority is *key*."""
    if mine(view).level[row] == DECIDED or mine(view).blocked[row] == BY_HOLD:
        return 0.0
    said = 0
    if parameters(view).reject_negative != 0 and key < 0.0:
        return float(_NEGATIVE)
    if over_cap(view, row) >= 0:
        said |= _CAPPED
    if mine(view).level[row] == SOFT:
        if above_threshold(view, row, at_s):
            said |= _WAITED_LONG
        if preempts(view) and may_preempt(view, row):
            said += _VICTIM * _victims(view, row, key)
    return float(said)


@kernel
def _victims(view: View, row: int, key: float) -> int:
    """How many running jobs would give way to *row*."""
    found = 0
    for k in range(view.queue.running_count):
        other = view.queue.running[k]
        if could_give_way(view, other, row) and started_with(view, other) <= key:
            found += 1
    return found
