"""Throttling: what the active and the eligible jobs of a user, a group, ... may take at a time.

Paper, section 2.5; reference: a job passes when the counter of every scope, with the job's own part, stays
within the limit. Soft limits in the priority phase and the first backfill pass, hard ones in the second.
Each iteration recounts the running jobs, and the counters follow its starts.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.credentials import CredentialType
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.slots import KINDS, Column
from molokini.policies.maui.configuration.words import Factor, LimitKind, QosFlag
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import (
    ACTIVE_LIMITS,
    ACTIVE_OVERRIDES,
    FIRST_KIND,
    IDLE_LIMITS,
    IDLE_OVERRIDES,
    has_flag,
    scope_of,
    setting,
)
from molokini.tables.requests import nodes_of, processor_equivalents, resource_of
from molokini.tables.sizes import SCOPES
from molokini.tables.tables import View

_TYPES = len(CredentialType)
TOO_NARROW = 6 + 3 * _TYPES
"""Numbers of ``over_ceiling`` from here on are minima that a job falls short of."""
_FLAGS_A_TYPE = int(QosFlag.IGNORE_JOBS_PER_GROUP) - QosFlag.IGNORE_JOBS_PER_USER

_KB_A_MB = 1024.0
FREE, NO = 0, -1
SOFT_PASS, HARD_PASS = 0, KINDS
"""Which limits hold: where they begin in a row of ``scopes.limit``."""


@kernel
def part(view: View, row: int, kind: int, left_s: float) -> float:
    """What *row*, with *left_s* seconds of its limit left, takes of a limit of this kind."""
    seldom()
    if kind == LimitKind.JOBS:
        return 1.0
    if kind == LimitKind.PROCESSORS:
        return float(view.jobs.width[row])
    if kind == LimitKind.NODES:
        return float(nodes_of(view, row))
    if kind == LimitKind.PROCESSOR_EQUIVALENTS:
        return float(int(processor_equivalents(view, row)))
    if kind == LimitKind.PROCESSOR_SECONDS:
        return float(view.jobs.width[row] * left_s)
    if kind == LimitKind.WALL_TIME:
        return float(left_s)
    return float(resource_of(view, row, Resource.MEMORY_KB) / _KB_A_MB)


@kernel
def count_active(view: View, now: float) -> None:
    """Recompute the counters of active jobs from the running ones."""
    seldom()
    limited = mine(view).limits & (ACTIVE_LIMITS | ACTIVE_OVERRIDES)
    weights = parameters(view).factor_weight
    if not limited and weights[Factor.USER_PROCESSORS] == 0.0 and weights[Factor.USER_JOBS] == 0.0:
        return
    for scope in range(mine(view).scope_count):
        for kind in range(KINDS):
            view.scopes.active[scope, kind] = 0.0
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        add_active(view, row, max(0.0, view.jobs.expected_end_s[row] - now))


@kernel
def add_active(view: View, row: int, left_s: float) -> None:
    """*row* is active."""
    _count_active(view, row, left_s, 1.0)


@kernel
def drop_active(view: View, row: int, left_s: float) -> None:
    """*row*, which was counted, is active no more."""
    _count_active(view, row, left_s, -1.0)


@kernel
def _count_active(view: View, row: int, left_s: float, sign: float) -> None:
    seldom()
    credential = view.jobs.credential[row]
    for kind in range(KINDS):
        amount = part(view, row, kind, left_s)
        for column in range(SCOPES):
            scope = view.credentials.scope[credential, column]
            if scope > 0:
                view.scopes.active[scope, kind] += sign * amount
            elif column >= _TYPES:
                break


@inner
def over_limit(view: View, row: int, level: int) -> int:
    """Which limit of this *level* (``SOFT_PASS`` or ``HARD_PASS``) the start of *row* would exceed; -1: none.

    The answer is column of the credential times ``KINDS`` plus kind.
    """
    if not mine(view).limits & (ACTIVE_LIMITS | ACTIVE_OVERRIDES):
        return NO
    return _over_limit(view, row, level, True)


@kernel
def _over_limit(view: View, row: int, level: int, more: bool) -> int:
    """The same; *more*: *row* would come on top of what is active, else it is a part of it."""
    seldom()
    credential = view.jobs.credential[row]
    qos = view.credentials.scope[credential, CredentialType.QOS]
    overrides = view.scopes.limited[qos] & ACTIVE_OVERRIDES
    for column in range(SCOPES):
        scope = view.credentials.scope[credential, column]
        if scope == 0:
            if column >= _TYPES:
                break
            continue
        overridden = overrides and column < CredentialType.QOS
        if not overridden and not view.scopes.limited[scope] & ACTIVE_LIMITS:
            continue
        kinds = view.scopes.limited[scope] >> FIRST_KIND
        for kind in range(KINDS):
            if not overridden and not (kinds >> kind) & 1:
                continue
            limit = active_limit(view, qos, column, scope, level + kind)
            if limit <= 0.0:
                continue
            if kind == LimitKind.PROCESSORS:
                own = float(view.jobs.width[row]) if more else 0.0
            else:
                own = part(view, row, kind, view.jobs.estimate_s[row]) if more else 0.0
            if view.scopes.active[scope, kind] + own > limit:
                return column * KINDS + kind
        least = setting(view, scope, Column.MIN_PROCESSORS)
        if (
            more
            and least > 0.0
            and view.scopes.active[scope, LimitKind.PROCESSORS] + view.jobs.width[row] < least
        ):
            mine(view).kept_out = 1
            return column * KINDS + LimitKind.PROCESSORS
    return NO


@inner
def active_limit(view: View, qos: int, column: int, scope: int, place: int) -> float:
    """The limit at *place* (level and kind) of *scope*, the *column* of a job of *qos*; 0: none binds it."""
    limit, kind = view.scopes.limit[scope, place], place % KINDS
    overridden = view.scopes.limited[qos] & ACTIVE_OVERRIDES and column < CredentialType.QOS
    if not overridden and not view.scopes.limited[scope] & ACTIVE_LIMITS:
        return 0.0
    if overridden and setting(view, qos, Column.SOFT_OVERRIDE + place) > 0.0:
        limit = setting(view, qos, Column.SOFT_OVERRIDE + place)
    return 0.0 if limit <= 0.0 or _ignored(view, qos, column, kind) else float(limit)


@kernel
def beyond_soft(view: View, row: int) -> bool:
    """Whether a credential of *row*, which is active, is beyond a soft limit with its active jobs now."""
    seldom()
    if not mine(view).limits & (ACTIVE_LIMITS | ACTIVE_OVERRIDES):
        return False
    return _over_limit(view, row, SOFT_PASS, False) >= 0


@inner
def violates_soft(view: View, row: int) -> bool:
    """Whether a soft limit keeps *row* from starting now."""
    return over_limit(view, row, SOFT_PASS) >= 0


@kernel
def _ignored(view: View, qos: int, column: int, kind: int) -> bool:
    """Whether the QoS frees its jobs of this limit of user, group or account."""
    if setting(view, qos, Column.FLAGS) == 0.0:
        return False
    if has_flag(view, qos, QosFlag.IGNORE_ALL):
        return True
    if column > CredentialType.ACCOUNT:
        return False
    if has_flag(view, qos, QosFlag.IGNORE_USER + column):
        return True
    first = column * _FLAGS_A_TYPE
    if kind == LimitKind.JOBS:
        return has_flag(view, qos, QosFlag.IGNORE_JOBS_PER_USER + first)
    if kind == LimitKind.PROCESSORS:
        return has_flag(view, qos, QosFlag.IGNORE_PROCESSORS_PER_USER + first)
    if kind == LimitKind.NODES:
        return has_flag(view, qos, QosFlag.IGNORE_NODES_PER_USER + first)
    if kind == LimitKind.PROCESSOR_SECONDS:
        return has_flag(view, qos, QosFlag.IGNORE_PROCESSOR_SECONDS_PER_USER + first)
    return False


@kernel
def forget_idle(view: View) -> None:
    """No job is eligible yet."""
    if mine(view).limits & (IDLE_LIMITS | IDLE_OVERRIDES):
        for scope in range(mine(view).scope_count):
            for kind in range(KINDS):
                view.scopes.idle[scope, kind] = 0.0


@inner
def over_idle_limit(view: View, row: int) -> int:
    """Which limit of eligible jobs *row* would exceed, as ``over_limit``; where none, *row* is counted."""
    if not mine(view).limits & (IDLE_LIMITS | IDLE_OVERRIDES):
        return NO
    return _over_idle_limit(view, row)


@kernel
def _over_idle_limit(view: View, row: int) -> int:
    seldom()
    qos = scope_of(view, row, CredentialType.QOS)
    overrides = view.scopes.limited[qos] & IDLE_OVERRIDES
    credential = view.jobs.credential[row]
    for column in range(_TYPES):
        scope = view.credentials.scope[credential, column]
        if scope == 0:
            continue
        for kind in range(KINDS):
            limit = setting(view, scope, Column.IDLE + kind)
            if (
                overrides
                and column < CredentialType.QOS
                and setting(view, qos, Column.IDLE_OVERRIDE + kind) > 0.0
            ):
                limit = setting(view, qos, Column.IDLE_OVERRIDE + kind)
            if limit <= 0.0 or (kind == LimitKind.JOBS and _queued_ignored(view, qos, column)):
                continue
            if view.scopes.idle[scope, kind] + part(view, row, kind, view.jobs.estimate_s[row]) > limit:
                return column * KINDS + kind
    for kind in range(KINDS):
        amount = part(view, row, kind, view.jobs.estimate_s[row])
        for column in range(_TYPES):
            view.scopes.idle[view.credentials.scope[credential, column], kind] += amount
    return NO


@kernel
def _queued_ignored(view: View, qos: int, column: int) -> bool:
    if setting(view, qos, Column.FLAGS) == 0.0:
        return False
    if has_flag(view, qos, QosFlag.IGNORE_ALL):
        return True
    return column <= CredentialType.ACCOUNT and (
        has_flag(view, qos, QosFlag.IGNORE_USER + column)
        or has_flag(view, qos, QosFlag.IGNORE_QUEUED_PER_USER + column * _FLAGS_A_TYPE)
    )


@kernel
def over_ceiling(view: View, row: int) -> tuple[int, float]:
    """(number, limit) of the first ceiling for which no job like *row* may ever run; 0: there is none.

    Ceilings of the system, and of each job of its credentials; from ``TOO_NARROW`` on, minima.
    ``labels.ceiling_label`` has their names.
    """
    seldom()
    qos = scope_of(view, row, CredentialType.QOS)
    width, limit_s = float(view.jobs.width[row]), view.jobs.estimate_s[row]
    if not has_flag(view, qos, QosFlag.IGNORE_ALL) and not has_flag(view, qos, QosFlag.IGNORE_SYSTEM):
        most = float(parameters(view).max_processors)
        if _above(width, most) and not has_flag(view, qos, QosFlag.IGNORE_SYSTEM_PROCESSORS):
            return 1, float(most)
        most = parameters(view).max_processor_seconds
        if _above(width * limit_s, most) and not has_flag(view, qos, QosFlag.IGNORE_SYSTEM_PROCESSOR_SECONDS):
            return 2, float(most)
        most = parameters(view).max_wall_time_s
        if _above(limit_s, most) and not has_flag(view, qos, QosFlag.IGNORE_SYSTEM_TIME):
            return 3, float(most)
    return _over_own_ceiling(view, row, qos)


@kernel
def _over_own_ceiling(view: View, row: int, qos: int) -> tuple[int, float]:
    credential = view.jobs.credential[row]
    width, nodes = float(view.jobs.width[row]), float(nodes_of(view, row))
    most_processors = setting(view, qos, Column.JOB_PROCESSORS_OVERRIDE)
    most_nodes = setting(view, qos, Column.JOB_NODES_OVERRIDE)
    if _above(width, most_processors):
        return 4, float(most_processors)
    if _above(nodes, most_nodes):
        return 5, float(most_nodes)
    for kind in range(_TYPES):
        scope = view.credentials.scope[credential, kind]
        most = setting(view, scope, Column.JOB_PROCESSORS)
        if most_processors == 0.0 and _above(width, most):
            return 6 + kind, float(most)
        most = setting(view, scope, Column.JOB_NODES)
        if most_nodes == 0.0 and _above(nodes, most):
            return 6 + _TYPES + kind, float(most)
        most = setting(view, scope, Column.WALL_TIME_S)
        if _above(view.jobs.estimate_s[row], most):
            return 6 + 2 * _TYPES + kind, float(most)
        least = setting(view, scope, Column.JOB_LEAST)
        if width < least:
            return TOO_NARROW + kind, float(least)
    return 0, 0.0


@inner
def _above(value: float, ceiling: float) -> bool:
    return 0.0 < ceiling < value
