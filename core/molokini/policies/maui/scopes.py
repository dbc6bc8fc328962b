"""Who a credential is: its user, group, account, queue and QoS as scopes, and pairs with limits of their own.

A scope is a row of ``scope_*``: one line of settings, one set of counters. Scopes are found anew whenever the
policy begins, and for credentials that appear later; scope 0 is nobody's and has no settings.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.maui.memory import LIMITS, RESOLVED, RULED, SCOPE_COUNT, TARGETS
from molokini.policies.maui.slots import (
    HEADER,
    KINDS,
    PAIR_ROW,
    QOS_BITS,
    ROW,
    Column,
    Directory,
    Pair,
)
from molokini.policies.maui.words import CredentialType, ListRule
from molokini.tables.tables import SCOPES, View

_USER = int(CredentialType.USER)
_GROUP = int(CredentialType.GROUP)
_ACCOUNT = int(CredentialType.ACCOUNT)
_QUEUE = int(CredentialType.QUEUE)
QOS = int(CredentialType.QOS)
_TYPES = len(CredentialType)
_NUMBER = int(Column.NUMBER)
_TARGET = int(Column.TARGET)
_SOFT = int(Column.SOFT)
_LIMITED = int(Column.LIMITED)
_QOS_DEFAULT = int(Column.QOS_DEFAULT)
_QOS_LIST = int(Column.QOS_LIST)
_QOS_RULE = int(Column.QOS_RULE)
_FLAGS = int(Column.FLAGS)
_JOB_FLAGS = int(Column.JOB_FLAGS)
_SYSTEM = HEADER + int(Directory.SYSTEM)
_PAIRS = HEADER + int(Directory.PAIRS)
_PAIR_COUNT = HEADER + int(Directory.PAIR_COUNT)
_CREDENTIALS = HEADER + int(Directory.CREDENTIALS)
_PAIR_TYPE = int(Pair.TYPE)
_PAIR_NUMBER = int(Pair.NUMBER)
_PAIR_OTHER_TYPE = int(Pair.OTHER_TYPE)
_PAIR_OTHER_NUMBER = int(Pair.OTHER_NUMBER)
_PAIR_KIND = int(Pair.KIND)
_PAIR_SOFT = int(Pair.SOFT)
_PAIR_HARD = int(Pair.HARD)
_ADD = int(ListRule.ADD)
_ALL = int(ListRule.ALL)
_ALONE = int(ListRule.ALONE)
ACTIVE_LIMITS, IDLE_LIMITS, ACTIVE_OVERRIDES, IDLE_OVERRIDES = 1, 2, 4, 8
JOB_CEILINGS, ALWAYS_RESERVED, PREEMPTS, NEXT_TO_RUN, LEAVES_AT_ONCE = 16, 32, 64, 128, 256
"""Bits of ``scope_limited`` and of the global line."""
FIRST_KIND = 16
"""From this bit of ``scope_limited`` on: a bit each for the kinds of which it has a limit of active jobs."""


@inner
def scope_of(view: View, row: int, kind: int) -> int:
    """The scope of the credential of *kind* that the job of *row* has."""
    return int(view.credential_scope[view.job_credential[row], kind])


@inner
def setting(view: View, scope: int, column: int) -> float:
    """A setting of *scope*; 0 where it has none."""
    first = view.scope_row[scope]
    return float(view.parameters[first + column]) if first >= 0 else 0.0


@inner
def has_flag(view: View, scope: int, flag: int) -> bool:
    """Whether the QoS *scope* has this flag."""
    return bool((int(setting(view, scope, _FLAGS)) >> flag) & 1)


@inner
def is_flagged(view: View, row: int, flag: int) -> bool:
    """Whether the job of *row* has this flag, by its QoS or by anybody whose it is."""
    return bool((view.credential_flags[view.job_credential[row]] >> flag) & 1)


@kernel
def forget_scopes(view: View) -> None:
    """Nobody is known any more."""
    for k in range(view.scope_found.size):
        view.scope_found[k] = 0
    view.scope_row[0] = -1
    view.scope_limited[0] = 0
    for k in range(view.scope_limit.shape[1]):
        view.scope_limit[0, k] = 0.0
    view.global_i[SCOPE_COUNT] = 1
    view.global_i[RESOLVED] = 0
    view.global_i[RULED] = 0
    view.global_i[LIMITS] = 0
    view.global_i[TARGETS] = 0


@kernel
def find_scopes(view: View) -> None:
    """Find the scopes of credentials that appeared since the last pass."""
    for credential in range(view.global_i[RESOLVED], view.credential_user.size):
        _resolve(view, credential)
    view.global_i[RESOLVED] = view.credential_user.size


@kernel
def _number(view: View, credential: int, kind: int) -> int:
    if kind == _USER:
        return int(view.credential_user[credential])
    if kind == _GROUP:
        return int(view.credential_group[credential])
    if kind == _ACCOUNT:
        return int(view.credential_account[credential])
    if kind == _QUEUE:
        return int(view.credential_queue[credential])
    return int(view.credential_qos[credential])


@kernel
def _resolve(view: View, credential: int) -> None:
    seldom()
    for column in range(SCOPES):
        view.credential_scope[credential, column] = 0
    for kind in range(QOS):
        number = _number(view, credential, kind)
        if number >= 0:
            row = _row_of(view, kind, number)
            view.credential_scope[credential, kind] = _scope(view, kind, number, -1, -1, row)
    qos = _qos_of(view, credential)
    if view.parameters.size > HEADER:
        row = int(view.parameters[_CREDENTIALS + 2 * QOS]) + qos * ROW
        view.credential_scope[credential, QOS] = _scope(view, QOS, qos, -1, -1, row)
        _find_pairs(view, credential)
    _find_flags(view, credential)


@kernel
def _find_flags(view: View, credential: int) -> None:
    """What jobs of *credential* may do or must, by the lines of all of its members."""
    seldom()
    flags = 0
    if view.parameters.size > HEADER:
        system = int(view.parameters[_SYSTEM])
        flags = int(view.parameters[system + _JOB_FLAGS])
        view.global_i[LIMITS] |= int(view.parameters[system + _LIMITED]) & (PREEMPTS | LEAVES_AT_ONCE)
        for kind in range(_TYPES):
            row = view.scope_row[view.credential_scope[credential, kind]]
            if row >= 0:
                flags |= int(view.parameters[row + _JOB_FLAGS]) | int(view.parameters[row + _FLAGS])
    view.credential_flags[credential] = flags


@kernel
def _scope(view: View, kind: int, number: int, other_kind: int, other: int, row: int) -> int:
    """The scope of this key, made where there is none."""
    seldom()
    mask = view.scope_found.size - 1
    place = (kind * 1000003 + number * 7919 + other_kind * 104729 + other * 31337) & mask
    while view.scope_found[place] != 0:
        scope = view.scope_found[place] - 1
        if (
            view.scope_key[scope, 0] == kind
            and view.scope_key[scope, 1] == number
            and view.scope_key[scope, 2] == other_kind
            and view.scope_key[scope, 3] == other
        ):
            return int(scope)
        place = (place + 1) & mask
    scope = view.global_i[SCOPE_COUNT]
    view.global_i[SCOPE_COUNT] = scope + 1
    view.scope_found[place] = scope + 1
    view.scope_key[scope, 0], view.scope_key[scope, 1] = kind, number
    view.scope_key[scope, 2], view.scope_key[scope, 3] = other_kind, other
    view.scope_row[scope] = row
    for k in range(2 * KINDS):
        view.scope_limit[scope, k] = view.parameters[row + _SOFT + k] if row >= 0 else 0.0
    for k in range(KINDS):
        view.scope_active[scope, k], view.scope_idle[scope, k] = 0.0, 0.0
    view.scope_limited[scope] = 0
    if row >= 0:
        view.scope_limited[scope] = int(view.parameters[row + _LIMITED])
        view.global_i[LIMITS] |= int(view.parameters[row + _LIMITED])
        if view.parameters[row + _TARGET] > 0.0:
            view.global_i[TARGETS] = 1
    _note_kinds(view, scope)
    return int(scope)


@kernel
def _note_kinds(view: View, scope: int) -> None:
    """Note of which kinds *scope* has a limit of active jobs, soft or hard."""
    for kind in range(KINDS):
        if view.scope_limit[scope, kind] > 0.0 or view.scope_limit[scope, KINDS + kind] > 0.0:
            view.scope_limited[scope] |= 1 << (FIRST_KIND + kind)


@kernel
def _row_of(view: View, kind: int, number: int) -> int:
    """Where the settings of a credential begin: its own line's, else DEFAULT's; -1: nobody has any."""
    seldom()
    if view.parameters.size <= HEADER:
        return -1
    first = int(view.parameters[_CREDENTIALS + 2 * kind])
    low, high = 1, int(view.parameters[_CREDENTIALS + 2 * kind + 1])
    while low < high:
        middle = (low + high) >> 1
        if view.parameters[first + middle * ROW + _NUMBER] < number:
            low = middle + 1
        else:
            high = middle
    if (
        low < int(view.parameters[_CREDENTIALS + 2 * kind + 1])
        and view.parameters[first + low * ROW + _NUMBER] == number
    ):
        return first + low * ROW
    return first


@kernel
def _qos_of(view: View, credential: int) -> int:
    """The QoS: the one that was asked for where it may be used, else the first default, else DEFAULT."""
    if view.parameters.size <= HEADER:
        return 0
    asked = view.credential_qos[credential]
    if asked >= 0:
        first = int(view.parameters[_CREDENTIALS + 2 * QOS])
        for qos in range(1, int(view.parameters[_CREDENTIALS + 2 * QOS + 1])):
            if view.parameters[first + qos * ROW + _NUMBER] == asked and _may_use(view, credential, qos):
                return qos
    for kind in range(_TYPES):
        row = _lists_of(view, credential, kind)
        if row >= 0 and view.parameters[row + _QOS_DEFAULT] >= 0.0:
            return int(view.parameters[row + _QOS_DEFAULT])
    return 0


@kernel
def _lists_of(view: View, credential: int, kind: int) -> int:
    """The settings of one credential of those that say which QoSes may be used; the last is the system."""
    if kind == QOS:
        return int(view.parameters[_SYSTEM])
    return int(view.scope_row[view.credential_scope[credential, kind]])


@kernel
def _lists(view: View, row: int, qos: int) -> bool:
    """Whether this line's default or list names *qos*."""
    if view.parameters[row + _QOS_DEFAULT] == qos:
        return True
    word = int(view.parameters[row + _QOS_LIST + qos // QOS_BITS])
    return bool((word >> (qos % QOS_BITS)) & 1)


@kernel
def _may_use(view: View, credential: int, qos: int) -> bool:
    seldom()
    found = False
    for kind in range(_TYPES):
        row = _lists_of(view, credential, kind)
        if row < 0:
            continue
        if view.parameters[row + _QOS_RULE] == _ALONE:
            return _lists(view, row, qos)
        found = found or _lists(view, row, qos)
    for kind in range(_TYPES):
        row = _lists_of(view, credential, kind)
        if row >= 0 and view.parameters[row + _QOS_RULE] == _ALL and not _lists(view, row, qos):
            return False
    return found


@kernel
def _find_pairs(view: View, credential: int) -> None:
    """The scopes of pairs of this credential's members that have limits."""
    seldom()
    first = int(view.parameters[_PAIRS])
    for k in range(int(view.parameters[_PAIR_COUNT])):
        pair = first + k * PAIR_ROW
        kind, other_kind = (
            int(view.parameters[pair + _PAIR_TYPE]),
            int(view.parameters[pair + _PAIR_OTHER_TYPE]),
        )
        number, other = _member(view, credential, kind), _member(view, credential, other_kind)
        if number < 0 or other < 0:
            continue
        if 0.0 <= view.parameters[pair + _PAIR_NUMBER] != number:
            continue
        if 0.0 <= view.parameters[pair + _PAIR_OTHER_NUMBER] != other:
            continue
        scope = _scope(view, kind, number, other_kind, other, -1)
        _join(view, credential, scope)
        limit = int(view.parameters[pair + _PAIR_KIND])
        # The most particular line comes first and is kept.
        if view.scope_limit[scope, limit] == 0.0 and view.scope_limit[scope, KINDS + limit] == 0.0:
            view.scope_limit[scope, limit] = view.parameters[pair + _PAIR_SOFT]
            view.scope_limit[scope, KINDS + limit] = view.parameters[pair + _PAIR_HARD]
            view.scope_limited[scope] = ACTIVE_LIMITS
            _note_kinds(view, scope)
            view.global_i[LIMITS] |= ACTIVE_LIMITS


@kernel
def _member(view: View, credential: int, kind: int) -> int:
    """The number of the member of this kind; of a QoS its number in the run, as lines of pairs name it."""
    if kind == QOS:
        row = view.scope_row[view.credential_scope[credential, QOS]]
        return int(view.parameters[row + _NUMBER])
    return _number(view, credential, kind)


@kernel
def _join(view: View, credential: int, scope: int) -> None:
    column = _TYPES
    while column < SCOPES and view.credential_scope[credential, column] != 0:
        if view.credential_scope[credential, column] == scope:
            return
        column += 1
    if column < SCOPES:
        view.credential_scope[credential, column] = scope
