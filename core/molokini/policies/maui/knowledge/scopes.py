"""What a credential is: its user, group, account, queue and QoS as scopes, and pairs with their own limits.

A scope is a row of ``scope_*``: one line of settings, one set of counters. Scopes are found again when the
policy begins, and for credentials that appear later; scope 0 belongs to no credential and has no settings.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.parameters import HEADER, parameters
from molokini.policies.maui.configuration.slots import KINDS, PAIR_ROW, QOS_BITS, ROW, Column, Pair
from molokini.policies.maui.configuration.words import ListRule
from molokini.policies.maui.knowledge.memory import mine
from molokini.tables.sizes import SCOPES
from molokini.tables.tables import View

_TYPES = len(CredentialType)
ACTIVE_LIMITS, IDLE_LIMITS, ACTIVE_OVERRIDES, IDLE_OVERRIDES = 1, 2, 4, 8
JOB_CEILINGS, ALWAYS_RESERVED, PREEMPTS, NEXT_TO_RUN, LEAVES_AT_ONCE = 16, 32, 64, 128, 256
"""Bits of ``scopes.limited`` and of the global line."""
FIRST_KIND = 16
"""From this bit of ``scopes.limited`` on: a bit each for the kinds of which it has a limit of active jobs."""


@inner
def scope_of(view: View, row: int, kind: int) -> int:
    """The scope of the credential of *kind* that the job of *row* has."""
    return int(view.credentials.scope[view.jobs.credential[row], kind])


@inner
def setting(view: View, scope: int, column: int) -> float:
    """A setting of *scope*; 0 where it has none."""
    first = int(view.scopes.row[scope])
    return float(view.parameters[first + column]) if first >= 0 else 0.0


@inner
def has_flag(view: View, scope: int, flag: int) -> bool:
    """Whether the QoS *scope* has this flag."""
    return bool((int(setting(view, scope, Column.FLAGS)) >> flag) & 1)


@inner
def is_flagged(view: View, row: int, flag: int) -> bool:
    """Whether the job of *row* has this flag, by its QoS or by another of its credentials."""
    return bool((view.credentials.flags[view.jobs.credential[row]] >> flag) & 1)


@kernel
def forget_scopes(view: View) -> None:
    """No credential has scopes any more."""
    for k in range(view.scopes.found.size):
        view.scopes.found[k] = 0
    view.scopes.row[0] = -1
    view.scopes.limited[0] = 0
    for k in range(view.scopes.limit.shape[1]):
        view.scopes.limit[0, k] = 0.0
    mine(view).scope_count = 1
    mine(view).resolved = 0
    mine(view).ruled = 0
    mine(view).limits = 0
    mine(view).targets = 0


@kernel
def find_scopes(view: View) -> None:
    """Find the scopes of credentials that appeared since the last pass."""
    for credential in range(mine(view).resolved, view.credentials.user.size):
        _resolve(view, credential)
    mine(view).resolved = view.credentials.user.size


@kernel
def _number(view: View, credential: int, kind: int) -> int:
    if kind == CredentialType.USER:
        return int(view.credentials.user[credential])
    if kind == CredentialType.GROUP:
        return int(view.credentials.group[credential])
    if kind == CredentialType.ACCOUNT:
        return int(view.credentials.account[credential])
    if kind == CredentialType.QUEUE:
        return int(view.credentials.queue[credential])
    return int(view.credentials.qos[credential])


@kernel
def _resolve(view: View, credential: int) -> None:
    seldom()
    for column in range(SCOPES):
        view.credentials.scope[credential, column] = 0
    for kind in range(CredentialType.QOS):
        number = _number(view, credential, kind)
        if number >= 0:
            row = _row_of(view, kind, number)
            view.credentials.scope[credential, kind] = _scope(view, kind, number, -1, -1, row)
    qos = _qos_of(view, credential)
    if view.parameters.size > HEADER:
        row = int(parameters(view).credentials[2 * CredentialType.QOS]) + qos * ROW
        view.credentials.scope[credential, CredentialType.QOS] = _scope(
            view, CredentialType.QOS, qos, -1, -1, row
        )
        _find_pairs(view, credential)
    _find_flags(view, credential)


@kernel
def _find_flags(view: View, credential: int) -> None:
    """What jobs of *credential* may do or must, by the lines of all of its members."""
    seldom()
    flags = 0
    if view.parameters.size > HEADER:
        system = parameters(view).system
        flags = int(view.parameters[system + Column.JOB_FLAGS])
        mine(view).limits |= int(view.parameters[system + Column.LIMITED]) & (PREEMPTS | LEAVES_AT_ONCE)
        for kind in range(_TYPES):
            row = view.scopes.row[view.credentials.scope[credential, kind]]
            if row >= 0:
                flags |= int(view.parameters[row + Column.JOB_FLAGS]) | int(
                    view.parameters[row + Column.FLAGS]
                )
    view.credentials.flags[credential] = flags


@kernel
def _scope(view: View, kind: int, number: int, other_kind: int, other: int, row: int) -> int:
    """The scope of this key, made where there is none."""
    seldom()
    mask = view.scopes.found.size - 1
    place = (kind * 1000003 + number * 7919 + other_kind * 104729 + other * 31337) & mask
    while view.scopes.found[place] != 0:
        scope = view.scopes.found[place] - 1
        if (
            view.scopes.key[scope, 0] == kind
            and view.scopes.key[scope, 1] == number
            and view.scopes.key[scope, 2] == other_kind
            and view.scopes.key[scope, 3] == other
        ):
            return int(scope)
        place = (place + 1) & mask
    scope = mine(view).scope_count
    mine(view).scope_count = scope + 1
    view.scopes.found[place] = scope + 1
    view.scopes.key[scope, 0], view.scopes.key[scope, 1] = kind, number
    view.scopes.key[scope, 2], view.scopes.key[scope, 3] = other_kind, other
    view.scopes.row[scope] = row
    for k in range(2 * KINDS):
        view.scopes.limit[scope, k] = view.parameters[row + Column.SOFT + k] if row >= 0 else 0.0
    for k in range(KINDS):
        view.scopes.active[scope, k], view.scopes.idle[scope, k] = 0.0, 0.0
    view.scopes.limited[scope] = 0
    if row >= 0:
        view.scopes.limited[scope] = int(view.parameters[row + Column.LIMITED])
        mine(view).limits |= int(view.parameters[row + Column.LIMITED])
        if view.parameters[row + Column.TARGET] > 0.0:
            mine(view).targets = 1
    _note_kinds(view, scope)
    return int(scope)


@kernel
def _note_kinds(view: View, scope: int) -> None:
    """Note of which kinds *scope* has a limit of active jobs, soft or hard."""
    for kind in range(KINDS):
        if view.scopes.limit[scope, kind] > 0.0 or view.scopes.limit[scope, KINDS + kind] > 0.0:
            view.scopes.limited[scope] |= 1 << (FIRST_KIND + kind)


@kernel
def _row_of(view: View, kind: int, number: int) -> int:
    """Where the settings of a credential begin: its own line's, else DEFAULT's; -1: there are none at all."""
    seldom()
    if view.parameters.size <= HEADER:
        return -1
    first = int(parameters(view).credentials[2 * kind])
    low, high = 1, int(parameters(view).credentials[2 * kind + 1])
    while low < high:
        middle = (low + high) >> 1
        if view.parameters[first + middle * ROW + Column.NUMBER] < number:
            low = middle + 1
        else:
            high = middle
    if (
        low < int(parameters(view).credentials[2 * kind + 1])
        and view.parameters[first + low * ROW + Column.NUMBER] == number
    ):
        return first + low * ROW
    return first


@kernel
def _qos_of(view: View, credential: int) -> int:
    """The QoS: the one that the job asks for if it may use it, else the first default, else DEFAULT."""
    if view.parameters.size <= HEADER:
        return 0
    asked = view.credentials.qos[credential]
    if asked >= 0:
        first = int(parameters(view).credentials[2 * CredentialType.QOS])
        for qos in range(1, int(parameters(view).credentials[2 * CredentialType.QOS + 1])):
            if view.parameters[first + qos * ROW + Column.NUMBER] == asked and _may_use(
                view, credential, qos
            ):
                return qos
    for kind in range(_TYPES):
        row = _lists_of(view, credential, kind)
        if row >= 0 and view.parameters[row + Column.QOS_DEFAULT] >= 0.0:
            return int(view.parameters[row + Column.QOS_DEFAULT])
    return 0


@kernel
def _lists_of(view: View, credential: int, kind: int) -> int:
    """The settings, by *kind*, that say which QoSes may be used; the system's stand in the place of QOS."""
    if kind == CredentialType.QOS:
        return parameters(view).system
    return int(view.scopes.row[view.credentials.scope[credential, kind]])


@kernel
def _lists(view: View, row: int, qos: int) -> bool:
    """Whether this line's default or list names *qos*."""
    if view.parameters[row + Column.QOS_DEFAULT] == qos:
        return True
    word = int(view.parameters[row + Column.QOS_LIST + qos // QOS_BITS])
    return bool((word >> (qos % QOS_BITS)) & 1)


@kernel
def _may_use(view: View, credential: int, qos: int) -> bool:
    seldom()
    found = False
    for kind in range(_TYPES):
        row = _lists_of(view, credential, kind)
        if row < 0:
            continue
        if view.parameters[row + Column.QOS_RULE] == ListRule.ALONE:
            return _lists(view, row, qos)
        found = found or _lists(view, row, qos)
    for kind in range(_TYPES):
        row = _lists_of(view, credential, kind)
        if row >= 0 and view.parameters[row + Column.QOS_RULE] == ListRule.ALL and not _lists(view, row, qos):
            return False
    return found


@kernel
def _find_pairs(view: View, credential: int) -> None:
    """The scopes of pairs of this credential's members that have limits."""
    seldom()
    first = parameters(view).pairs
    for k in range(parameters(view).pair_count):
        pair = first + k * PAIR_ROW
        kind, other_kind = (
            int(view.parameters[pair + Pair.TYPE]),
            int(view.parameters[pair + Pair.OTHER_TYPE]),
        )
        number, other = _member(view, credential, kind), _member(view, credential, other_kind)
        if number < 0 or other < 0:
            continue
        if 0.0 <= view.parameters[pair + Pair.NUMBER] != number:
            continue
        if 0.0 <= view.parameters[pair + Pair.OTHER_NUMBER] != other:
            continue
        scope = _scope(view, kind, number, other_kind, other, -1)
        _join(view, credential, scope)
        limit = int(view.parameters[pair + Pair.KIND])
        # The most particular line comes first and is kept.
        if view.scopes.limit[scope, limit] == 0.0 and view.scopes.limit[scope, KINDS + limit] == 0.0:
            view.scopes.limit[scope, limit] = view.parameters[pair + Pair.SOFT]
            view.scopes.limit[scope, KINDS + limit] = view.parameters[pair + Pair.HARD]
            view.scopes.limited[scope] = ACTIVE_LIMITS
            _note_kinds(view, scope)
            mine(view).limits |= ACTIVE_LIMITS


@kernel
def _member(view: View, credential: int, kind: int) -> int:
    """The number of the member of this kind; for a QoS its number in the run, as lines of pairs name it."""
    if kind == CredentialType.QOS:
        row = view.scopes.row[view.credentials.scope[credential, CredentialType.QOS]]
        return int(view.parameters[row + Column.NUMBER])
    return _number(view, credential, kind)


@kernel
def _join(view: View, credential: int, scope: int) -> None:
    column = _TYPES
    while column < SCOPES and view.credentials.scope[credential, column] != 0:
        if view.credentials.scope[credential, column] == scope:
            return
        column += 1
    if column < SCOPES:
        view.credentials.scope[credential, column] = scope
