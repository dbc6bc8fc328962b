"""Every policy with parameters and settings that change what it does, for worlds in which features meet."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.policies.maui.configuration.node_settings import NodeSettings
from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Qos, Weight
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import (
    Allocation,
    BackfillPolicy,
    Component,
    Factor,
    PreemptPolicy,
    QosFlag,
)
from tests.kit.policies import IN_ROWS, PROMPT, different_policies
from tests.kit.preempting import wide_first


@dataclass(frozen=True)
class Way:
    """A policy, and how it is set."""

    name: str
    policy: str
    values: dict[str, Value] = field(default_factory=dict)
    vector: tuple[float, ...] | None = None
    keeps_work: bool = False
    shares: bool = False


_LOW = Qos(flags=frozenset({QosFlag.PREEMPTEE}))
_HIGH = Qos(priority=1000, flags=frozenset({QosFlag.PREEMPTOR}))
PREEMPTING = MauiSettings(
    components={Component.CREDENTIAL: Weight(1.0)},
    factors={Factor.QOS: Weight(1.0)},
    users={"1": Credential(qos_default="low"), "2": Credential(qos_default="high")},
    qos={"low": _LOW, "high": _HIGH},
)
"""User 1 gives way, user 2 preempts."""


def _maui(name: str, settings: MauiSettings, keeps_work: bool = False) -> Way:
    # An hour, which is usual, is longer than these worlds last.
    settings = settings.choosing(defer_s=4.0, defer_count=1000)
    vector = tuple(float(one) for one in vector_of(settings, by_number))
    return Way(f"maui-{name}", "maui", {}, vector, keeps_work)


def every_way(folder: Path | None) -> list[Way]:
    """All of them; *folder* is where the policies that come from files are written, if any are to be run."""
    own: dict[str, list[dict[str, Value]]] = {
        "easy": [{"order": "queue"}, {"order": "shortest"}, {"order": "best-fit"}],
        "easy-depth": [{"depth": 1}, {"depth": 3}],
        "sita-e": [{"cutoffs": ()}, {"cutoffs": (4.0,)}],
        "sita-u": [{"cutoffs": (4.0,)}],
        "srpt": [{}, {"levels": (2.0, 5.0)}],
    }
    found = []
    for policy in different_policies():
        if policy == "maui":
            continue
        defaults = load_policy(policy).declaration.values({})
        for values in own.get(policy, [{}]):
            name = "-".join([policy, *(str(value) for value in values.values())])
            shares = policy in ("ps", "migrate-by-age", *IN_ROWS) or bool(values.get("levels"))
            found.append(Way(name, policy, {**defaults, **PROMPT.get(policy, {}), **values}, shares=shares))
    for backfill in BackfillPolicy:
        found.append(_maui(backfill.name.lower(), MauiSettings(chosen={"backfill": backfill})))
    for preempt in PreemptPolicy:
        settings = PREEMPTING.choosing(preempt=preempt)
        found.append(_maui(f"preempt-{preempt.name.lower()}", settings, preempt is PreemptPolicy.CHECKPOINT))
    for allocation in (Allocation.LASTAVAILABLE, Allocation.MINRESOURCE, Allocation.CPULOAD):
        nodes = NodeSettings(allocation=allocation)
        found.append(_maui(allocation.name.lower(), replace(PREEMPTING, nodes=nodes)))
    for verb in ("requeue", "checkpoint", "cancel"):
        path = wide_first(folder, verb) if folder is not None else ""
        found.append(Way(f"wide-first-{verb}", path, keeps_work=verb == "checkpoint"))
    return found
