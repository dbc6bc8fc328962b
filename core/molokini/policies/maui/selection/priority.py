"""How important a job is now: six components, each a capped and weighted sum of capped and weighted factors.

Jackson, Snell and Clement, JSSPP 2001, section 5.1 and tables 1 and 2; the guide's caps of factors, and its
targets' weights. Queue time counts in minutes, memory, swap and disk in megabytes. The expansion factor is
(queue time + limit) / limit: the minus that table 2 prints is a slip.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.credentials import CredentialType
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.slots import Column
from molokini.policies.maui.configuration.words import Component, Factor, LimitKind, QosFlag
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import NEXT_TO_RUN, has_flag, scope_of, setting
from molokini.policies.maui.selection.accrual import queue_time_s
from molokini.policies.maui.selection.fairshare import delta
from molokini.policies.maui.selection.throttling import violates_soft
from molokini.tables.requests import nodes_of, processor_equivalents, resource_of
from molokini.tables.tables import View

_TYPES = len(CredentialType)

_KB_A_MB = 1024.0
_SHORTEST_TARGET = 1e-4
MOST_PRIORITY = 1e9
"""A priority is cut off here; one that an administrator sets is above it."""


@inner
def _weight(view: View, factor: int) -> float:
    return float(parameters(view).factor_weight[factor])


@inner
def _capped(cap: float, value: float) -> float:
    return min(cap, value) if cap > 0.0 else value


@inner
def _term(view: View, factor: int, value: float) -> float:
    """Weight times capped value of one factor."""
    return _weight(view, factor) * _capped(parameters(view).factor_cap[factor], value)


@inner
def component(view: View, which: int, total: float) -> float:
    """Weight times capped total of one component."""
    return float(parameters(view).component_weight[which]) * _capped(
        parameters(view).component_cap[which], total
    )


@kernel
def expansion_factor(view: View, row: int, now: float) -> float:
    """(queue time + limit) / limit, limits below XFMINWCLIMIT counted as that; 1 where the limit is 0."""
    limit_s = view.jobs.estimate_s[row]
    least_s = max(parameters(view).min_wall_time_s, limit_s)
    return (queue_time_s(view, row, now) + limit_s) / least_s if least_s > 0.0 else 1.0


@inner
def service(view: View, row: int, now: float) -> float:
    """Queue time (minutes), expansion factor, and whether a soft limit is violated."""
    qos = scope_of(view, row, CredentialType.QOS)
    weight = _weight(view, Factor.QUEUE_TIME) + setting(view, qos, Column.QUEUE_TIME_WEIGHT)
    total = weight * _capped(
        parameters(view).factor_cap[Factor.QUEUE_TIME], queue_time_s(view, row, now) / 60.0
    )
    weight = _weight(view, Factor.EXPANSION_FACTOR) + setting(view, qos, Column.EXPANSION_WEIGHT)
    if weight != 0.0:
        factor = expansion_factor(view, row, now)
        total += weight * _capped(parameters(view).factor_cap[Factor.EXPANSION_FACTOR], factor)
    if _weight(view, Factor.SOFT_VIOLATION) != 0.0 and violates_soft(view, row):
        total += _term(view, Factor.SOFT_VIOLATION, 1.0)
    return total


@inner
def target(view: View, row: int, now: float) -> float:
    """How close the job is to the queue time and the expansion factor that its QoS is to have."""
    qos = scope_of(view, row, CredentialType.QOS)
    total = 0.0
    aim = setting(view, qos, Column.QUEUE_TIME_TARGET)
    if aim > 0.0:
        total += _term(view, Factor.TARGET_QUEUE_TIME, closeness(aim, queue_time_s(view, row, now) / 60.0))
    aim = setting(view, qos, Column.EXPANSION_TARGET)
    if aim > 0.0:
        total += _term(view, Factor.TARGET_EXPANSION_FACTOR, closeness(aim, expansion_factor(view, row, now)))
    return total


@inner
def closeness(aim: float, present: float) -> float:
    """(aim - present) to the power -2; 10^8 at the aim and past it."""
    distance = max(_SHORTEST_TARGET, aim - present)
    return 1.0 / (distance * distance)


@kernel
def credential(view: View, number: int) -> float:
    """Priorities that administrators gave to the members of credential *number*."""
    seldom()
    total = 0.0
    for kind in range(_TYPES):
        factor = Factor.QOS if kind == CredentialType.QOS else Factor.USER + kind
        weight = _weight(view, factor)
        group = view.credentials.scope[number, CredentialType.GROUP]
        if kind == CredentialType.QUEUE and setting(view, group, Column.HAS_QUEUE_WEIGHT) != 0.0:
            weight = setting(view, group, Column.QUEUE_WEIGHT)
        scope = view.credentials.scope[number, kind]
        total += weight * _capped(parameters(view).factor_cap[factor], setting(view, scope, Column.PRIORITY))
    return total


@kernel
def fairshare(view: View, number: int) -> float:
    """How far the members of credential *number* are from their targets."""
    seldom()
    total = 0.0
    for kind in range(_TYPES):
        total += _term(view, Factor.FAIRSHARE_USER + kind, delta(view, view.credentials.scope[number, kind]))
    return total


@inner
def resource(view: View, row: int) -> float:
    """What the job asks for, and what its user has already."""
    width = float(view.jobs.width[row])
    total = _term(view, Factor.PROCESSORS, width)
    total += _term(view, Factor.PROCESSOR_SECONDS, width * view.jobs.estimate_s[row])
    total += _term(view, Factor.WALL_TIME, view.jobs.estimate_s[row])
    total += _term(view, Factor.PROCESSOR_EQUIVALENTS, processor_equivalents(view, row))
    if view.jobs.needs_placement[row]:
        total += _beyond_processors(view, row)
    user = scope_of(view, row, CredentialType.USER)
    total += _weight(view, Factor.USER_PROCESSORS) * view.scopes.active[user, LimitKind.PROCESSORS]
    return float(total + _weight(view, Factor.USER_JOBS) * view.scopes.active[user, LimitKind.JOBS])


@kernel
def _beyond_processors(view: View, row: int) -> float:
    seldom()
    total = _term(view, Factor.NODES, float(nodes_of(view, row)))
    total += _term(view, Factor.MEMORY, resource_of(view, row, Resource.MEMORY_KB) / _KB_A_MB)
    total += _term(view, Factor.SWAP, resource_of(view, row, Resource.SWAP_KB) / _KB_A_MB)
    return total + _term(view, Factor.DISK, resource_of(view, row, Resource.DISK_KB) / _KB_A_MB)


@inner
def _base(view: View, number: int) -> float:
    """What the jobs of one credential have in common: found once a pass, not once a job."""
    if view.credentials.weighed[number] != view.cycle.room_epoch:
        _weigh(view, number)
    return float(view.credentials.base[number])


@kernel
def _weigh(view: View, number: int) -> None:
    seldom()
    base = component(view, Component.CREDENTIAL, credential(view, number))
    if mine(view).targets:
        base += component(view, Component.FAIRSHARE, fairshare(view, number))
    view.credentials.base[number] = base
    view.credentials.weighed[number] = view.cycle.room_epoch


@inner
def priority(view: View, row: int, now: float) -> float:
    """The priority of a waiting job."""
    total = _base(view, view.jobs.credential[row])
    total += component(view, Component.SERVICE, service(view, row, now))
    total += component(view, Component.TARGET, target(view, row, now))
    total += component(view, Component.RESOURCE, resource(view, row))
    total += component(view, Component.BYPASS, float(view.jobs.bypassed[row]))
    return _clipped(view, total, boost(view, row))


@inner
def boost(view: View, row: int) -> float:
    """What is added to the clipped priority, or stands in its place: an administrator's word, or NTR."""
    if view.jobs.boost[row] == 0.0 and mine(view).limits & NEXT_TO_RUN:
        next_to_run = has_flag(view, scope_of(view, row, CredentialType.QOS), QosFlag.NEXT_TO_RUN)
        return MOST_PRIORITY + 1.0 if next_to_run else 0.0
    return float(view.jobs.boost[row])


@inner
def _clipped(view: View, total: float, more: float) -> float:
    if parameters(view).negative_priority == 0 and parameters(view).reject_negative == 0:
        total = max(total, 1.0)
    total = min(total, MOST_PRIORITY)
    return float(more if more >= MOST_PRIORITY else total + more)
