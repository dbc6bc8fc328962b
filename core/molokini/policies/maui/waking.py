"""When the next iteration is due although nothing may happen until then: time itself lets jobs start.

Usage is forgotten at the boundaries of fairshare's windows, and Maui looks around every RMPOLLINTERVAL. Where
nothing runs and nothing has run for as long as usage is remembered, time changes nothing any more but
priorities that are still rising from below 0: a job that is beyond a limit by itself waits for an
administrator, and asks for no iterations.
"""

from molokini.policies.maui.accrual import BY_PRIORITY
from molokini.policies.maui.memory import BLOCKED, BUSY, BUSY_S, STARTED, TARGETS
from molokini.policies.maui.priority import priority
from molokini.policies.maui.slots import Slot
from molokini.scheduling.compilation import inner, kernel, seldom
from molokini.scheduling.tables import View
from molokini.scheduling.usage import window_of
from molokini.scheduling.verbs import wake_at

_POLL = int(Slot.POLL_S)
_DEPTH = int(Slot.FAIRSHARE_DEPTH)


@inner
def note_busy(view: View, now: float) -> None:
    """An iteration begins: up to now jobs ran, if any did after the last one."""
    if view.global_i[BUSY] or view.running_count > 0:
        view.global_f[BUSY_S] = now
    view.global_i[BUSY] = view.running_count > 0


@kernel
def wake_in_time(view: View, count: int, now: float) -> None:
    """An iteration ends, and *count* jobs were in its list: ask for the next one that time makes due."""
    seldom()
    if view.global_i[STARTED] > 0:
        view.global_i[BUSY] = 1
    remembers = _remembers(view, now)
    if remembers and _has_windows(view):
        wake_at(view, (window_of(view, now) + 1.0) * view.charge_interval_s)
    poll_s = view.parameters[_POLL]
    if poll_s > 0.0 and (remembers or _rises(view, count, now)):
        wake_at(view, now + poll_s)


@inner
def _has_windows(view: View) -> bool:
    return bool(view.global_i[TARGETS] and view.charging)


@inner
def _remembers(view: View, now: float) -> bool:
    """Whether anything runs, or has run in a window that still counts."""
    if view.global_i[BUSY]:
        return True
    if not _has_windows(view):
        return False
    windows = window_of(view, now) - window_of(view, view.global_f[BUSY_S])
    return bool(windows < view.parameters[_DEPTH])


@kernel
def _rises(view: View, count: int, now: float) -> bool:
    """Whether a job that its priority keeps from starting will have a higher one at the next iteration."""
    later_s = now + view.parameters[_POLL]
    for k in range(count):
        row = view.ranked[k]
        if view.memory_i[row, BLOCKED] == BY_PRIORITY and priority(view, row, later_s) > view.rank_key[row]:
            return True
    return False
