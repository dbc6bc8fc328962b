"""Which of a configuration's lines can bring a job's priority below 0, so that REJECTNEGPRIOJOBS stops it."""

from collections.abc import Iterator

from molokini.maui.limits import Target
from molokini.maui.model import MauiConfig
from molokini.maui.values import Weight as Percentage
from molokini.policies.maui.configuration.words import COMPONENT_OF, Charge, Component, TargetKind

_TYPES = (
    ("users", "user"),
    ("groups", "group"),
    ("accounts", "account"),
    ("classes", "class_"),
    ("qos", "qos"),
)
"""Where the lines of each type of credential are, and what its weights are called."""
_NEVER_NEGATIVE = (Component.SERVICE, Component.TARGET, Component.RESOURCE)
"""Components of which no factor is below 0 itself."""
_FALLS = {TargetKind.TARGET, TargetKind.CEILING}
"""Targets that take priority from credentials above them."""


def ways_below_zero(config: MauiConfig) -> Iterator[str]:
    """What can make a priority negative, each in a few words."""
    priority = config.priority
    for factor, component in COMPONENT_OF.items():
        name = factor.name.lower()
        if component in _NEVER_NEGATIVE and _weight(config, component.name.lower(), name) < 0:
            yield f"the weight of {name.replace('_', ' ')} is negative"
    if priority.bypass < 0:
        yield "BYPASSWEIGHT is negative"
    for table, kind in _TYPES:
        lines, name = getattr(config, table), kind.rstrip("_")
        weight = _weight(config, "credential", kind)
        if any((one.priority or 0) * weight < 0 for one in lines.values()):
            yield f"the PRIORITY of a {name} counts below 0"
        weight = _weight(config, "fairshare", f"fairshare_{name}")
        if config.fairshare.policy.metric is Charge.NONE or weight == 0:
            continue
        kinds = {
            one.target.type for one in lines.values() if isinstance(one.target, Target) and one.target.value
        }
        if kinds & (_FALLS if weight > 0 else {TargetKind.TARGET, TargetKind.FLOOR}):
            yield f"a {name} above its FSTARGET has a negative fairshare"


def _weight(config: MauiConfig, component: str, factor: str) -> float:
    """Weight of the component times that of the factor."""
    of_all = getattr(config.priority, component)
    assert isinstance(of_all, Percentage)
    return of_all.value * float(getattr(config.priority, factor))
