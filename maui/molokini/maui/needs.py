"""Settings that have an effect beside others alone: which ones, and what each of them needs.

One table, ``NEEDS``: a weight needs the weight above it and something to weigh, a target needs a weight, what
one algorithm looks at needs that algorithm. A setting without what it needs is understood, without effect.
"""

from collections.abc import Iterator
from enum import Enum
from functools import partial
from typing import Any

from molokini.availability.node_rules import SetPolicy
from molokini.maui.limits import Target
from molokini.maui.model import DEFAULT, MauiConfig
from molokini.maui.needs_of_priorities import (
    TYPES,
    Missing,
    Need,
    credentials,
    no_backfill,
    priorities,
    unweighed,
)
from molokini.maui.parameters import Path
from molokini.maui.sections.credentials import HardThrottle, Throttle
from molokini.maui.sections.nodes import Allocation
from molokini.maui.values import FairshareRule, Weight
from molokini.policies.maui.configuration.words import (
    BackfillPolicy,
    Charge,
    NodeTerm,
    ReservationPolicy,
    SetAttribute,
)


def idle(config: MauiConfig) -> Iterator[tuple[Path, str]]:
    """Each setting of *config* that lacks something, by its path, and what that is."""
    for need in NEEDS:
        for setting in need.settings:
            for path, value in _values(config, tuple(setting.split(".")), ()):
                if not _says_nothing(value) and (cause := need.missing(config, value)):
                    yield path, cause


def _values(one: Any, pattern: Path, path: Path) -> Iterator[tuple[Path, Any]]:
    """The values that stand at *pattern* below *one*."""
    if not pattern:
        yield path, one
    elif pattern[0] == "*":
        for name, inner in one.items():
            yield from _values(inner, pattern[1:], (*path, name))
    elif isinstance(one, dict):
        if pattern[0] in one:
            yield from _values(one[pattern[0]], pattern[1:], (*path, pattern[0]))
    elif one is not None and hasattr(one, pattern[0]):
        yield from _values(getattr(one, pattern[0]), pattern[1:], (*path, pattern[0]))


def _says_nothing(value: Any) -> bool:
    """Whether *value* is that of a setting which is switched off: that has no effect by intention."""
    if isinstance(value, Weight | Target):
        return value.value == 0
    if isinstance(value, FairshareRule):
        return value.metric is Charge.NONE
    return value is None or value == () or (value == 0 and not isinstance(value, bool | Enum))


def _unless_backfill(*policies: BackfillPolicy) -> Missing:
    only = f"only {' and '.join(map(str, policies))} {'looks' if len(policies) == 1 else 'look'} at it"

    def missing(config: MauiConfig, value: Any) -> str:
        chosen = config.backfill.policy
        return "" if chosen in policies else f"{only}, and BACKFILLPOLICY is {chosen}"

    return missing


def _no_reservations(config: MauiConfig, value: Any) -> str:
    if config.backfill.policy in (BackfillPolicy.NONE, BackfillPolicy.PREEMPT):
        return f"no priority reservations are made under BACKFILLPOLICY {config.backfill.policy}"
    if config.reservations.policy is ReservationPolicy.NEVER and value is not ReservationPolicy.NEVER:
        return "no priority reservations are made under RESERVATIONPOLICY NEVER"
    return ""


def _no_fairshare(config: MauiConfig, value: Any) -> str:
    return "FSPOLICY is NONE" if config.fairshare.policy.metric is Charge.NONE else ""


def _no_targets(config: MauiConfig, value: Any) -> str:
    if cause := _no_fairshare(config, value):
        return cause
    causes = [
        unweighed(f"fairshare_{factor}", config, one.target)
        for factor, field in TYPES.items()
        for one in getattr(config, field).values()
        if one.target is not None and one.target.value
    ]
    if not causes:
        return "no FSTARGET is set"
    return "" if not all(causes) else f"no FSTARGET is weighed ({causes[0]})"


def _flags(config: MauiConfig) -> set[str]:
    found: set[str] = set()
    for one in credentials(config):
        found |= {*one.flags, *(flag.partition(":")[0] for flag in getattr(one, "qos_flags", ()))}
    return found


def _no_preemption(config: MauiConfig, value: Any) -> str:
    flags = _flags(config)
    if config.backfill.policy is BackfillPolicy.PREEMPT:
        return ""
    if not flags & {"PREEMPTOR", "RESTARTPREEMPT"}:
        return "no QFLAGS or FLAGS has PREEMPTOR: no job may preempt"
    if not flags & {"PREEMPTEE", "PREEMPTSPV", "RESTARTABLE"}:
        return "no QFLAGS or FLAGS has PREEMPTEE: no job may be preempted"
    return ""


def _no_sets(config: MauiConfig, value: Any) -> str:
    return "NODESETPOLICY is NONE" if config.node_sets.policy is SetPolicy.NONE else ""


def _no_speed_sets(config: MauiConfig, value: Any) -> str:
    if cause := _no_sets(config, value):
        return cause
    by_speed = config.node_sets.attribute is SetAttribute.PROCESSOR_SPEED
    return "" if by_speed else "NODESETATTRIBUTE is not PROCSPEED"


def _no_node_priority(config: MauiConfig, value: Any) -> str:
    if config.nodes.allocation is Allocation.PRIORITY:
        return ""
    return f"not looked at unless NODEALLOCATIONPOLICY is PRIORITY, and it is {config.nodes.allocation}"


def _no_speed(config: MauiConfig, value: Any) -> str:
    terms = [term for one in config.node.values() for _, term in one.priority_function or ()]
    by_priority = config.nodes.allocation is Allocation.PRIORITY and NodeTerm.SPEED in terms
    by_sets = config.node_sets.policy is not SetPolicy.NONE and (
        config.node_sets.attribute is SetAttribute.PROCESSOR_SPEED
    )
    if by_priority or by_sets or config.nodes.allocation in (Allocation.FASTEST, Allocation.MAXBALANCE):
        return ""
    return "nothing looks at speeds: NODEALLOCATIONPOLICY is neither FASTEST nor MAXBALANCE"


def _no_deferral(config: MauiConfig, value: Any) -> str:
    return "" if config.scheduling.defer_time_s else "DEFERTIME is 0: no job is deferred"


def _nothing_replaced(name: str, config: MauiConfig, value: Any) -> str:
    field, limit = _PER_JOB[name]
    given = any(getattr(one, field) for one in credentials(config))
    return "" if given else f"no {limit} is set that it could replace"


def _no_qos(config: MauiConfig, value: Any) -> str:
    named = any(one.default_qos or one.qos for one in credentials(config))
    return "" if named else "no job has a QOS: there is no QDEF and no QLIST"


_PER_USER = ("jobs_per_user", "processors_per_user", "nodes_per_user", "pairs")
_PER_JOB = {
    "processors": ("processors_per_job", "MAXPROCPERJOB"),
    "nodes": ("nodes_per_job", "MAXNODEPERJOB"),
}
_LIMITS = (
    *(f"running.{name}" for name in Throttle.model_fields),
    *(f"idle.{name}" for name in HardThrottle.model_fields),
    *("least_processors", *_PER_USER),
)
_NOT_OF_SYSTEM = "limits of the whole system are not kept; USERCFG[DEFAULT] bounds each user"
_NOT_PER_JOB = "not kept for the whole system; SYSTEMMAXPROCPERJOB bounds the processors of every job"

NEEDS: tuple[Need, ...] = (
    *priorities(),
    Need(["fairshare.policy"], _no_targets),
    Need(["fairshare.interval_s", "fairshare.depth", "fairshare.decay"], _no_targets),
    Need(["backfill.depth"], no_backfill),
    Need(["backfill.metric"], _unless_backfill(BackfillPolicy.BESTFIT, BackfillPolicy.GREEDY)),
    Need(["backfill.most_schedules"], _unless_backfill(BackfillPolicy.GREEDY)),
    Need(["backfill.order"], _unless_backfill(BackfillPolicy.PREEMPT)),
    Need(["backfill.chunk_size", "backfill.chunk_duration_s"], _unless_backfill(BackfillPolicy.FIRSTFIT)),
    Need(["reservations.policy", "reservations.threshold", "reservations.threshold_value"], _no_reservations),
    Need(["reservations.depth.*", "reservations.qos.*"], _no_reservations),
    Need(["preemption.policy"], _no_preemption),
    Need(["node_sets.attribute", "node_sets.values", "node_sets.delay_s", "node_sets.order"], _no_sets),
    Need(["node_sets.tolerance"], _no_speed_sets),
    Need(["node.*.priority", "node.*.priority_function"], _no_node_priority),
    Need(["node.*.speed", "node.*.processor_speed"], _no_speed),
    Need(["scheduling.defer_count"], _no_deferral),
    Need([f"qos.{DEFAULT}.{name}" for name in _PER_USER], _no_qos),
    *(Need([f"qos.*.job_override.{name}"], partial(_nothing_replaced, name)) for name in _PER_JOB),
    Need([f"system.{name}" for name in _LIMITS], lambda *_: _NOT_OF_SYSTEM),
    Need(["system.processors_per_job", "system.nodes_per_job"], lambda *_: _NOT_PER_JOB),
)
"""What needs what."""


def unreachable(config: MauiConfig) -> Iterator[tuple[Path, str]]:
    """What is said of QOSes that no job can have, by the path of each attribute."""
    named = {DEFAULT}
    for one in credentials(config):
        named |= {*(one.qos.names if one.qos else ()), *filter(None, [one.default_qos])}
    if "ALL" in {name.upper() for name in named}:
        return
    for name in config.qos:
        if name not in named:
            yield ("qos", name), "no QDEF or QLIST names this QOS: no job has it"
