"""From the model to ``MauiSettings``, which is what the policy ``maui`` is made of."""

from collections.abc import Iterator
from typing import Any

from molokini.maui.access import FOLLOWED_JOB_FLAGS, Members
from molokini.maui.compiling_nodes import node_settings
from molokini.maui.limits import Limit, Target
from molokini.maui.model import DEFAULT, MauiConfig
from molokini.maui.parameters import PARAMETERS
from molokini.maui.sections import credentials as given
from molokini.maui.sections.priority import Priority, field_of
from molokini.maui.sections.reservation_parameters import Reservations
from molokini.maui.values import FairshareRule
from molokini.model.credentials import CredentialType
from molokini.model.policy import Kind
from molokini.policies.maui.configuration import settings as made
from molokini.policies.maui.configuration.parameters import PARAMETERS as DECLARED
from molokini.policies.maui.configuration.words import Component, Factor, LimitKind, PreemptPolicy, QosFlag

_KINDS = dict(zip(given.Throttle.model_fields, LimitKind, strict=True))
_FLAGS = {str(flag): flag for flag in QosFlag}
_OF_NODES = ("node_allocation", "node_access")


def compiled(config: MauiConfig) -> made.MauiSettings:
    """What *config* says to the policy ``maui``. Raises BadValue for more QOSes than there can be."""
    return made.MauiSettings(
        chosen=_chosen(config),
        components=_components(config.priority),
        factors={factor: _factor(config.priority, field_of(factor)) for factor in Factor},
        buckets=_buckets(config.reservations),
        users={name: _credential(one) for name, one in config.users.items()},
        groups={name: _credential(one) for name, one in config.groups.items()},
        accounts={name: _credential(one) for name, one in config.accounts.items()},
        queues={name: _credential(one) for name, one in config.classes.items()},
        qos=_all_qos(config),
        system=_credential(config.system),
        overrun_s=float(config.scheduling.overrun_s),
        default_wall_time_s=float(config.scheduling.default_wall_time_s or 0),
        nodes=node_settings(config),
    )


def _chosen(config: MauiConfig) -> dict[str, float]:
    """What *config* has for the parameters of the policy, by their names there; -1, no bound, is 0."""
    chosen: dict[str, float] = {}
    for one in DECLARED:
        named = PARAMETERS.get(one.alias)
        if named is None or named.array or one.name in _OF_NODES:
            continue
        section, field = named.path
        value = getattr(getattr(config, section), field)
        if isinstance(value, FairshareRule):
            chosen["fairshare_delta"], value = value.ratio, value.metric
        elif isinstance(value, str):
            value = PreemptPolicy[value]
        elif getattr(named.kind, "least", 0) == -1:
            value = max(value, 0)
        chosen[one.name] = float(value) if one.kind is Kind.NUMBER else int(value)
    return chosen


def _all_qos(config: MauiConfig) -> dict[str, made.Qos]:
    """Each QOS; one that is only named somewhere is as if its line said nothing."""
    named = [name for names in config.reservations.qos.values() for name in _names(names)]
    named += config.nodes.qos_features
    for one in (*_credentials(config), config.system):
        named += [*(one.qos.names if one.qos else ()), *filter(None, [one.default_qos])]
    found = {name: _qos(config.qos.get(name, given.Qos())) for name in (*config.qos, *named)}
    if DEFAULT not in config.qos:
        found.pop(DEFAULT, None)
    return found


def _credentials(config: MauiConfig) -> Iterator[given.Credential]:
    for by_name in (config.users, config.groups, config.accounts, config.classes, config.qos):
        yield from by_name.values()


def _components(priority: Priority) -> dict[Component, made.Weight]:
    # A component of its own in the paper (section 5.1), below service in the guide: the paper holds.
    found = {Component.BYPASS: made.Weight(priority.bypass, priority.bypass_cap)}
    for component in set(Component) - {Component.BYPASS}:
        name = component.name.lower()
        found[component] = made.Weight(getattr(priority, name).value, getattr(priority, f"{name}_cap"))
    return found


def _factor(priority: Priority, name: str) -> made.Weight:
    weight = "class_" if name == "class" else name
    return made.Weight(getattr(priority, weight), getattr(priority, f"{name}_cap", 0.0))


def _buckets(one: Reservations) -> tuple[made.Bucket, ...]:
    indices = sorted({*one.depth, *one.qos}, key=int)
    buckets = tuple(made.Bucket(one.depth.get(index, 1), _names(one.qos.get(index, ()))) for index in indices)
    return buckets or (made.Bucket(),)


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The QOSes of a bucket; none where it has all."""
    return () if "ALL" in {name.upper() for name in names} else names


def _credential(one: given.Credential) -> made.Credential:
    return made.Credential(**_common(one))


def _common(one: given.Credential) -> dict[str, Any]:
    qos, partitions = one.qos or Members(()), one.partitions
    return {
        "priority": one.priority or 0,
        "target": None if one.target is None else _target(one.target),
        "active": _limits(one.running),
        "idle": {kind: limit.hard for kind, limit in _limits(one.idle).items()},
        "pairs": _pairs(one),
        "min_processors": one.least_processors.hard if one.least_processors else 0.0,
        "max_processors_per_job": one.processors_per_job or 0,
        "max_processors_per_node": one.processors_per_node or 0,
        "max_nodes_per_job": one.nodes_per_job or 0,
        "overrun_s": getattr(one, "overrun_s", None),
        "default_wall_time_s": float(getattr(one, "default_wall_time_s", None) or 0),
        "min_processors_per_job": getattr(one, "least_processors_per_job", None) or 0,
        "max_wall_time_s": float(getattr(one, "longest_wall_time_s", None) or 0),
        "qos_default": one.default_qos or "",
        "qos_list": qos.names,
        "qos_rule": qos.rule,
        "partition_default": one.default_partition or "",
        "partition_list": None if partitions is None else partitions.names,
        "partition_rule": Members(()).rule if partitions is None else partitions.rule,
        "job_flags": frozenset(FOLLOWED_JOB_FLAGS[flag] for flag in one.flags if flag in FOLLOWED_JOB_FLAGS),
        "queue_weight": getattr(one, "class_weight", None),
    }


def _qos(one: given.Qos) -> made.Qos:
    processors, nodes = one.job_override.processors, one.job_override.nodes
    return made.Qos(
        **_common(one),
        flags=frozenset(_FLAGS[name] for flag in one.qos_flags if (name := flag.partition(":")[0]) in _FLAGS),
        queue_time_target_min=(one.queue_time_target_s or 0) / 60,
        expansion_target=one.expansion_target or 0.0,
        queue_time_weight=one.queue_time_weight or 0.0,
        expansion_weight=one.expansion_weight or 0.0,
        active_override=_limits(one.override),
        idle_override={kind: limit.hard for kind, limit in _limits(one.idle_override).items()},
        max_processors_per_job_override=int(processors.hard) if processors else 0,
        max_nodes_per_job_override=int(nodes.hard) if nodes else 0,
    )


def _target(one: Target) -> made.Target:
    return made.Target(one.value, one.type)


def _limit(one: Limit) -> made.Limit:
    return made.Limit(float(one.soft), float(one.hard))


def _limits(throttle: given.Throttle | given.HardThrottle) -> dict[LimitKind, made.Limit]:
    limits = {kind: getattr(throttle, name) for name, kind in _KINDS.items()}
    return {kind: _limit(limit) for kind, limit in limits.items() if limit is not None}


def _pairs(one: given.Credential) -> tuple[made.PairLimit, ...]:
    each_user = {
        LimitKind.JOBS: one.jobs_per_user,
        LimitKind.PROCESSORS: one.processors_per_user,
        LimitKind.NODES: one.nodes_per_user,
    }
    return (
        *(
            made.PairLimit(kind, CredentialType.USER, _limit(limit))
            for kind, limit in each_user.items()
            if limit is not None
        ),
        *(made.PairLimit(pair.counted, pair.whose, _limit(pair.limit), pair.name) for pair in one.pairs),
    )
