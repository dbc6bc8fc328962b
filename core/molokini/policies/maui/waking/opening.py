"""When limits of processor-seconds and wall time let a job in: what active jobs have left shrinks."""

import numpy as np

from molokini.compiled.compilation import kernel, seldom
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.slots import KINDS
from molokini.policies.maui.configuration.words import LimitKind
from molokini.policies.maui.knowledge.memory import DECIDED, mine
from molokini.policies.maui.knowledge.scopes import ACTIVE_LIMITS, ACTIVE_OVERRIDES
from molokini.policies.maui.selection.accrual import BY_HOLD
from molokini.policies.maui.selection.throttling import HARD_PASS, SOFT_PASS, active_limit, over_limit, part
from molokini.tables.sizes import SCOPES
from molokini.tables.tables import NEVER, View


@kernel
def next_opening(view: View, count: int, now: float) -> float:
    """The first whole second at which a limit lets one of *count* jobs in without an event; NEVER: none."""
    seldom()
    first_s = NEVER
    if (view.queue.running_count == 0 and view.cycle.decided == 0) or not _shrinks(view):
        return first_s
    for k in range(count):
        row = view.cycle.ranked[k]
        if mine(view).level[row] == DECIDED or mine(view).blocked[row] == BY_HOLD:
            continue
        for level in (SOFT_PASS, HARD_PASS):
            if over_limit(view, row, level) >= 0:
                first_s = min(first_s, _opens_s(view, row, level, now))
    return float(max(np.floor(now) + 1.0, np.ceil(first_s))) if first_s < NEVER else NEVER


@kernel
def _shrinks(view: View) -> bool:
    """Whether there is any limit whose use shrinks with time."""
    if mine(view).limits & ACTIVE_OVERRIDES:
        return True
    if not mine(view).limits & ACTIVE_LIMITS:
        return False
    for scope in range(mine(view).scope_count):
        for level in (SOFT_PASS, HARD_PASS):
            if view.scopes.limit[scope, level + LimitKind.PROCESSOR_SECONDS] > 0.0:
                return True
            if view.scopes.limit[scope, level + LimitKind.WALL_TIME] > 0.0:
                return True
    return False


@kernel
def _opens_s(view: View, row: int, level: int, now: float) -> float:
    """When *row*, which limits of this level keep out, keeps all of them; NEVER: an event is needed."""
    seldom()
    credential, at_s = view.jobs.credential[row], now
    qos = view.credentials.scope[credential, CredentialType.QOS]
    for column in range(SCOPES):
        scope = view.credentials.scope[credential, column]
        if scope == 0:
            continue
        for kind in range(KINDS):
            limit = active_limit(view, qos, column, scope, level + kind)
            own = part(view, row, kind, view.jobs.estimate_s[row])
            excess = view.scopes.active[scope, kind] + own - limit
            if limit <= 0.0 or excess <= 0.0:
                continue
            # So fast the use of the limit shrinks while all active jobs run.
            rate = 0.0
            if kind == LimitKind.PROCESSOR_SECONDS:
                rate = view.scopes.active[scope, LimitKind.PROCESSORS]
            elif kind == LimitKind.WALL_TIME:
                rate = view.scopes.active[scope, LimitKind.JOBS]
            if rate <= 0.0 or own > limit:
                return NEVER
            at_s = max(at_s, now + excess / rate)
    return float(at_s) if at_s > now else NEVER
