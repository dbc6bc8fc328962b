"""What weights, caps, priorities and targets need: weights above and below them, and something to weigh."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from molokini.maui.limits import Target
from molokini.maui.model import MauiConfig
from molokini.maui.parameters import SCALAR_PATHS
from molokini.maui.sections.credentials import Credential, Qos
from molokini.policies.maui.configuration.words import Accrual, BackfillPolicy, Charge, TargetKind, Threshold

Missing = Callable[[MauiConfig, Any], str]
"""Of a configuration and the value of a setting: what the setting lacks for an effect; empty: nothing."""


@dataclass(frozen=True)
class Need:
    """*settings*, by path (``*`` is any id), have no effect where *missing* says so."""

    settings: Sequence[str]
    missing: Missing


TYPES = {"user": "users", "group": "groups", "account": "accounts", "qos": "qos", "class": "classes"}
"""The types of credentials as factors are called, with the field of the configuration that has them."""
OBJECT = {
    "users": "USERCFG",
    "groups": "GROUPCFG",
    "accounts": "ACCOUNTCFG",
    "classes": "CLASSCFG",
    "qos": "QOSCFG",
}
COMPONENTS = {
    "service": ("queue_time", "expansion_factor", "soft_violation"),
    "target": ("target_queue_time", "target_expansion_factor"),
    "credential": tuple(TYPES),
    "fairshare": tuple(f"fairshare_{name}" for name in TYPES),
    "resource": (
        *("nodes", "processors", "memory", "swap", "disk", "processor_seconds"),
        *("processor_equivalents", "user_processors", "user_jobs", "wall_time"),
    ),
}
"""The factors of each component of the priority."""
_UNCAPPED = ("user_processors", "user_jobs")


def _name(field: str) -> str:
    return SCALAR_PATHS["priority", field].name


def _factor_field(factor: str) -> str:
    return "class_" if factor == "class" else factor


def credentials(config: MauiConfig) -> Iterator[Credential]:
    """All credentials with limits, targets or priorities, the whole system included."""
    for field in TYPES.values():
        yield from getattr(config, field).values()
    yield config.system


def _weight(config: MauiConfig, factor: str) -> bool:
    """Whether *factor* has a weight, of its own or of a QOS or group."""
    if getattr(config.priority, _factor_field(factor)) != 0:
        return True
    if factor == "queue_time":
        return any(one.queue_time_weight for one in config.qos.values())
    if factor == "expansion_factor":
        return any(one.expansion_weight for one in config.qos.values())
    return factor == "class" and any(one.class_weight for one in config.groups.values())


def _no_component(config: MauiConfig, component: str) -> str:
    return "" if getattr(config.priority, component).value else f"{_name(component)} is 0"


def _nothing_to_weigh(config: MauiConfig, factor: str) -> str:
    """What *factor* needs beside weights."""
    if factor in TYPES:
        field = TYPES[factor]
        given = any(one.priority for one in getattr(config, field).values())
        return "" if given else f"no {OBJECT[field]} has a PRIORITY"
    if factor.startswith("fairshare_"):
        field = TYPES[factor.removeprefix("fairshare_")]
        if config.fairshare.policy.metric is Charge.NONE:
            return "FSPOLICY is NONE"
        return "" if _weighs_targets(config, field) else f"no {OBJECT[field]} has an FSTARGET that is weighed"
    if factor == "target_queue_time" and not any(one.queue_time_target_s for one in config.qos.values()):
        return "no QOSCFG has a QTTARGET"
    if factor == "target_expansion_factor" and not any(one.expansion_target for one in config.qos.values()):
        return "no QOSCFG has an XFTARGET"
    if factor == "soft_violation" and not limited(config):
        return "no limit is set that a job could violate"
    return ""


def _weighs_targets(config: MauiConfig, field: str) -> bool:
    targets = [one.target for one in getattr(config, field).values() if one.target is not None]
    return any(one.value and one.type not in _CAPS for one in targets)


_CAPS = (TargetKind.CAP, TargetKind.ABSOLUTE_CAP)


def limited(config: MauiConfig) -> bool:
    """Whether any credential has a limit of active or eligible jobs."""
    return any(_has_limit(one) for one in credentials(config))


def _has_limit(one: Credential) -> bool:
    per_user = (one.jobs_per_user, one.processors_per_user, one.nodes_per_user, one.least_processors)
    sections = [one.running, one.idle, *((one.override, one.idle_override) if isinstance(one, Qos) else ())]
    return any((*per_user, *one.pairs)) or any(section.model_fields_set for section in sections)


def _of_component(component: str, config: MauiConfig, value: Any) -> str:
    """What the weight of a component lacks: a factor with a weight, and something to weigh."""
    factors = COMPONENTS[component]
    weighed = [factor for factor in factors if _weight(config, factor)]
    if not weighed:
        names = ", ".join(_name(_factor_field(factor)) for factor in factors)
        return f"{names} are all 0" if len(factors) > 1 else f"{names} is 0"
    causes = [_nothing_to_weigh(config, factor) for factor in weighed]
    return "" if not all(causes) else causes[0]


def _of_component_cap(component: str, config: MauiConfig, value: Any) -> str:
    return _no_component(config, component) or _of_component(component, config, value)


def _of_factor(component: str, factor: str, config: MauiConfig, value: Any) -> str:
    return _no_component(config, component) or _nothing_to_weigh(config, factor)


def _of_factor_cap(component: str, factor: str, config: MauiConfig, value: Any) -> str:
    if not _weight(config, factor):
        return f"{_name(_factor_field(factor))} is 0"
    return _of_factor(component, factor, config, value)


def _weighed(component: str, factor: str, config: MauiConfig, value: Any) -> str:
    """Of what a factor weighs: the weights that it needs."""
    if not _weight(config, factor):
        return f"{_name(_factor_field(factor))} is 0"
    return _no_component(config, component)


def unweighed(factor: str, config: MauiConfig, value: Target) -> str:
    """The weights that a fairshare target lacks; a cap needs none."""
    return "" if value.type in _CAPS else _weighed("fairshare", factor, config, value)


def _below_component(component: str, config: MauiConfig, value: Any) -> str:
    return _no_component(config, component)


def priorities() -> Iterator[Need]:
    """The needs of all that makes up a priority."""
    for component, factors in COMPONENTS.items():
        yield Need([f"priority.{component}"], partial(_of_component, component))
        yield Need([f"priority.{component}_cap"], partial(_of_component_cap, component))
        for factor in factors:
            yield Need([f"priority.{_factor_field(factor)}"], partial(_of_factor, component, factor))
            if factor not in _UNCAPPED:
                yield Need([f"priority.{factor}_cap"], partial(_of_factor_cap, component, factor))
    for factor, field in TYPES.items():
        yield Need([f"{field}.*.priority"], partial(_weighed, "credential", factor))
        yield Need([f"{field}.*.target"], partial(unweighed, f"fairshare_{factor}"))
    yield Need(["qos.*.queue_time_target_s"], partial(_weighed, "target", "target_queue_time"))
    yield Need(["qos.*.expansion_target"], partial(_weighed, "target", "target_expansion_factor"))
    yield Need(["qos.*.queue_time_weight", "qos.*.expansion_weight"], partial(_below_component, "service"))
    yield Need(["groups.*.class_weight"], partial(_of_factor, "credential", "class"))
    yield Need(
        ["priority.bypass_cap"], lambda config, _: "" if config.priority.bypass else "BYPASSWEIGHT is 0"
    )
    yield Need(["priority.bypass", "priority.bypass_cap"], no_backfill)
    yield Need(["priority.least_wall_time_s"], _no_expansion_factor)
    yield Need(["priority.accrual", "priority.system_queue_time"], _no_accrual)
    yield Need(
        ["system.priority", "system.target"], lambda *_: "the whole system has no factor in a priority"
    )


def _no_expansion_factor(config: MauiConfig, value: int) -> str:
    used = any(not _weighed(*names, config, None) for names in _EXPANSIONS)
    by_threshold = config.reservations.threshold is Threshold.EXPANSION_FACTOR
    return (
        "" if value < 0 or used or by_threshold else "no expansion factor has a weight (XFACTORWEIGHT is 0)"
    )


_EXPANSIONS = (("service", "expansion_factor"), ("target", "target_expansion_factor"))


def _no_accrual(config: MauiConfig, value: Any) -> str:
    # Holds count under FULLPOLICY alone; limits under every word but ALWAYS.
    if value is Accrual.FULL_POLICY or limited(config):
        return ""
    return "no limit is set that could block a job"


def no_backfill(config: MauiConfig, value: Any) -> str:
    """What needs any backfill lacks."""
    return "BACKFILLPOLICY is NONE" if config.backfill.policy is BackfillPolicy.NONE else ""
