"""Fairshare: what everybody was given of late, and how far that is from the targets.

Jackson, Snell and Clement, JSSPP 2001, section 6 and table 3. ``molokini.tables.usage`` charges; here the
windows are added up, each counted FSDECAY times the one after it, FSDEPTH of them (the paper's loop runs to
FSDEPTH inclusive: a slip), and compared with what was delivered to all.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.maui.memory import HISTORY_WINDOW, RESOLVED, SCOPE_COUNT, TARGETS, TOTAL_USAGE
from molokini.policies.maui.scopes import setting
from molokini.policies.maui.slots import Column, Slot
from molokini.policies.maui.words import CredentialType, TargetKind
from molokini.tables.requests import processor_equivalents
from molokini.tables.tables import View
from molokini.tables.usage import DEDICATED_EQUIVALENTS, past_usage, present_usage, window_of

_TYPES = len(CredentialType)
_TARGET = int(Column.TARGET)
_TARGET_KIND = int(Column.TARGET_KIND)
_FLOOR = int(TargetKind.FLOOR)
_CEILING = int(TargetKind.CEILING)
_CAP = int(TargetKind.CAP)
_ABSOLUTE_CAP = int(TargetKind.ABSOLUTE_CAP)
_RATIO = int(Slot.FAIRSHARE_DELTA)
_DEPTH = int(Slot.FAIRSHARE_DEPTH)
_DECAY = int(Slot.FAIRSHARE_DECAY)


@kernel
def add_up_usage(view: View, now: float) -> None:
    """Effective usage of every scope and of all together, as of *now*."""
    seldom()
    if not view.global_i[TARGETS] or not view.charging:
        return
    _add_up_past(view, now)
    for scope in range(view.global_i[SCOPE_COUNT]):
        view.scope_usage[scope] = 0.0
    total = 0.0
    for credential in range(view.global_i[RESOLVED]):
        usage = view.credential_past[credential] + present_usage(view, credential, now)
        if usage == 0.0:
            continue
        total += usage
        for kind in range(_TYPES):
            view.scope_usage[view.credential_scope[credential, kind]] += usage
    view.global_f[TOTAL_USAGE] = total


@inner
def _add_up_past(view: View, now: float) -> None:
    """Usage of past windows changes at boundaries alone."""
    window = window_of(view, now)
    if view.global_f[HISTORY_WINDOW] != window + 1.0:
        _add_up_windows(view, window)
        view.global_f[HISTORY_WINDOW] = window + 1.0


@kernel
def _add_up_windows(view: View, window: float) -> None:
    seldom()
    depth, decay = int(view.parameters[_DEPTH]), view.parameters[_DECAY]
    for credential in range(view.global_i[RESOLVED]):
        view.credential_past[credential] = past_usage(view, credential, window, depth, decay)


@kernel
def percent(view: View, scope: int) -> float:
    """Share of *scope* in all that was delivered, in percent; 0 before anybody ran."""
    if view.global_f[TOTAL_USAGE] <= 0.0:
        return 0.0
    return float(100.0 * view.scope_usage[scope] / view.global_f[TOTAL_USAGE])


@kernel
def delta(view: View, scope: int) -> float:
    """How far *scope* is below (positive) or above its target; 0 without one or before anybody ran."""
    seldom()
    aim = setting(view, scope, _TARGET)
    kind = int(setting(view, scope, _TARGET_KIND))
    if aim <= 0.0 or kind >= _CAP or view.global_f[TOTAL_USAGE] <= 0.0:
        return 0.0
    share = percent(view, scope)
    away = 1.0 - share / aim if view.parameters[_RATIO] != 0.0 else aim - share
    if kind == _FLOOR:
        return max(away, 0.0)
    if kind == _CEILING:
        return min(away, 0.0)
    return float(away)


@kernel
def share_caps(view: View) -> bool:
    """Whether anybody has a cap in percent: it opens while others run."""
    for scope in range(1, view.global_i[SCOPE_COUNT]):
        if setting(view, scope, _TARGET) > 0.0 and setting(view, scope, _TARGET_KIND) == _CAP:
            return True
    return False


@inner
def over_cap(view: View, row: int) -> int:
    """The scope whose fairshare cap keeps *row* from starting; -1: none.

    A cap in percent keeps everybody out while usage exceeds it (paper, table 3); an absolute one counts what
    the job would add, too (source of Maui).
    """
    return _over_cap(view, row) if view.global_i[TARGETS] else -1


@kernel
def _over_cap(view: View, row: int) -> int:
    seldom()
    credential = view.job_credential[row]
    for kind in range(_TYPES):
        scope = view.credential_scope[credential, kind]
        aim, target = setting(view, scope, _TARGET), int(setting(view, scope, _TARGET_KIND))
        if aim <= 0.0 or target < _CAP:
            continue
        if target == _CAP and percent(view, scope) > aim:
            return int(scope)
        if target == _ABSOLUTE_CAP and view.scope_usage[scope] + requested_usage(view, row) > aim:
            return int(scope)
    return -1


@kernel
def requested_usage(view: View, row: int) -> float:
    """What *row* would be charged if it ran to its estimate."""
    each = float(view.job_width[row])
    if view.charging == DEDICATED_EQUIVALENTS:
        each = processor_equivalents(view, row)
    return float(each * view.job_estimate_s[row])
