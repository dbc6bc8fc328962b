"""Fairshare: what each credential was given of late, and how far that is from its target.

Jackson, Snell and Clement, JSSPP 2001, section 6 and table 3. ``molokini.tables.usage`` charges; here the
windows are added up, each counted FSDECAY times the one after it, FSDEPTH of them (the paper's loop runs to
FSDEPTH inclusive: a slip), and compared with what was delivered to all credentials.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.slots import Column
from molokini.policies.maui.configuration.words import TargetKind
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import setting
from molokini.tables.requests import processor_equivalents
from molokini.tables.tables import View
from molokini.tables.usage import DEDICATED_EQUIVALENTS, past_usage, present_usage, window_of

_TYPES = len(CredentialType)


@kernel
def add_up_usage(view: View, now: float) -> None:
    """Effective usage of every scope and of all together, as of *now*."""
    seldom()
    if not mine(view).targets or not view.usage.charging:
        return
    _add_up_past(view, now)
    for scope in range(mine(view).scope_count):
        view.scopes.usage[scope] = 0.0
    total = 0.0
    for credential in range(mine(view).resolved):
        usage = view.credentials.past[credential] + present_usage(view, credential, now)
        if usage == 0.0:
            continue
        total += usage
        for kind in range(_TYPES):
            view.scopes.usage[view.credentials.scope[credential, kind]] += usage
    mine(view).total_usage = total


@inner
def _add_up_past(view: View, now: float) -> None:
    """Add up past windows, where a boundary has passed: at no other instant does their usage change."""
    window = window_of(view, now)
    if mine(view).history_window != window + 1.0:
        _add_up_windows(view, window)
        mine(view).history_window = window + 1.0


@kernel
def _add_up_windows(view: View, window: float) -> None:
    seldom()
    depth, decay = parameters(view).fairshare_depth, parameters(view).fairshare_decay
    for credential in range(mine(view).resolved):
        view.credentials.past[credential] = past_usage(view, credential, window, depth, decay)


@kernel
def percent(view: View, scope: int) -> float:
    """Share of *scope* in all that was delivered, in percent; 0 before any job ran."""
    if mine(view).total_usage <= 0.0:
        return 0.0
    return float(100.0 * view.scopes.usage[scope] / mine(view).total_usage)


@kernel
def delta(view: View, scope: int) -> float:
    """How far *scope* is below (positive) or above its target; 0 without one or before any job ran."""
    seldom()
    aim = setting(view, scope, Column.TARGET)
    kind = int(setting(view, scope, Column.TARGET_KIND))
    if aim <= 0.0 or kind >= TargetKind.CAP or mine(view).total_usage <= 0.0:
        return 0.0
    share = percent(view, scope)
    away = 1.0 - share / aim if parameters(view).fairshare_delta != 0 else aim - share
    if kind == TargetKind.FLOOR:
        return max(away, 0.0)
    if kind == TargetKind.CEILING:
        return min(away, 0.0)
    return float(away)


@kernel
def share_caps(view: View) -> bool:
    """Whether any scope has a cap in percent, which opens while jobs of other scopes run."""
    for scope in range(1, mine(view).scope_count):
        if (
            setting(view, scope, Column.TARGET) > 0.0
            and setting(view, scope, Column.TARGET_KIND) == TargetKind.CAP
        ):
            return True
    return False


@inner
def over_cap(view: View, row: int) -> int:
    """The scope whose fairshare cap keeps *row* from starting; -1: none.

    A cap in percent keeps all jobs of the scope out while usage exceeds it (paper, table 3); an absolute cap
    counts what the job would add, too (source of Maui).
    """
    return _over_cap(view, row) if mine(view).targets else -1


@kernel
def _over_cap(view: View, row: int) -> int:
    seldom()
    credential = view.jobs.credential[row]
    for kind in range(_TYPES):
        scope = view.credentials.scope[credential, kind]
        aim, target = setting(view, scope, Column.TARGET), int(setting(view, scope, Column.TARGET_KIND))
        if aim <= 0.0 or target < TargetKind.CAP:
            continue
        if target == TargetKind.CAP and percent(view, scope) > aim:
            return int(scope)
        if target == TargetKind.ABSOLUTE_CAP and view.scopes.usage[scope] + requested_usage(view, row) > aim:
            return int(scope)
    return -1


@kernel
def requested_usage(view: View, row: int) -> float:
    """What *row* would be charged if it ran to its estimate."""
    each = float(view.jobs.width[row])
    if view.usage.charging == DEDICATED_EQUIVALENTS:
        each = processor_equivalents(view, row)
    return float(each * view.jobs.estimate_s[row])
