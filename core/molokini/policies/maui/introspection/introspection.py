"""What the policy tells of its last pass: priorities, reservations, limits, fairshare and steps."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from molokini.model.credentials import CredentialType
from molokini.model.decisions import Rule
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.slots import KINDS, Column
from molokini.policies.maui.configuration.words import (
    COMPONENT_OF,
    BackfillPolicy,
    Charge,
    Component,
    ReservationPolicy,
    TargetKind,
    word,
)
from molokini.policies.maui.introspection import explaining
from molokini.policies.maui.introspection.labels import limit_label
from molokini.policies.maui.introspection.limits import limits
from molokini.policies.maui.knowledge.memory import INELIGIBLE, mine
from molokini.policies.maui.knowledge.scopes import find_scopes, forget_scopes, scope_of, setting
from molokini.policies.maui.knowledge.trace import steps_told
from molokini.policies.maui.nodes.holding import slot_of
from molokini.policies.maui.nodes.partitions import find_partitions
from molokini.policies.maui.selection.accrual import queue_time_s
from molokini.policies.maui.selection.priority import MOST_PRIORITY
from molokini.policies.maui.selection.throttling import HARD_PASS, SOFT_PASS, part
from molokini.shared.introspection import (
    Decay,
    Explained,
    IterationSettings,
    OpenJobs,
    PolicyReport,
    StepTold,
    Weights,
)
from molokini.tables.tables import NEVER, Tables


class MauiInsight(PolicyReport):
    """What reports and explanations ask of the policy ``maui``."""

    weighs: ClassVar[bool] = True
    most_priority = float(MOST_PRIORITY)

    def ranked(self, t: Tables) -> list[int]:
        return [int(row) for row in t.cycle.ranked[: mine(t).count]]

    def reserved_s(self, t: Tables, row: int) -> float:
        return NEVER if mine(t).level[row] <= INELIGIBLE else float(mine(t).reserved_s[row])

    def held_nodes(self, t: Tables, row: int) -> dict[int, int]:
        slot, width = slot_of(t, row), t.nodes.free.shape[1]
        if t.nodes.count == 0 or slot < 0:
            return {}
        held = t.nodes.hold[:, slot * width + Resource.PROCESSORS]
        return {int(node): int(held[node]) for node in np.flatnonzero(held > 0)}

    def keeps_promises(self, t: Tables) -> bool:
        return bool(parameters(t).reservation == ReservationPolicy.HIGHEST)

    def queue_time_s(self, t: Tables, row: int, now: float) -> float:
        return float(queue_time_s(t, row, now))

    def is_deferred(self, t: Tables, row: int, now: float) -> bool:
        return bool(t.jobs.deferred_s[row] > now)

    def qos(self, t: Tables, credential: int) -> int:
        """The one that the policy has found for the jobs."""
        first = t.scopes.row[t.credentials.scope[credential, CredentialType.QOS]]
        return int(t.parameters[first + Column.NUMBER]) if first >= 0 else -1

    def learn(self, t: Tables) -> None:
        forget_scopes(t)
        find_scopes(t)
        mine(t).divided = 0

    def divide(self, t: Tables) -> None:
        find_partitions(t)

    def explained(self, t: Tables, rows: Sequence[int], now: float) -> list[Explained]:
        return explaining.explained(t, rows, now)

    def weights(self, t: Tables) -> list[Weights]:
        of = parameters(t)
        return [
            Weights(
                word(component),
                float(of.component_weight[component]),
                {
                    word(factor): float(of.factor_weight[factor])
                    for factor, above in COMPONENT_OF.items()
                    if above is component and of.factor_weight[factor] != 0.0
                },
            )
            for component in Component
            if of.component_weight[component] != 0.0
        ]

    def limit_name(self, number: int) -> str:
        return limit_label(number)

    def limit(self, t: Tables, row: int, rule: Rule, number: int) -> tuple[float, float, float] | None:
        """None of a least, and where the pass has changed what it was."""
        column, kind = divmod(number, KINDS)
        scope = int(t.credentials.scope[t.jobs.credential[row], column])
        if rule is Rule.OVER_IDLE_LIMIT:
            most, used = setting(t, scope, Column.IDLE + kind), t.scopes.idle[scope, kind]
            instead = Column.IDLE_OVERRIDE + kind
        else:
            level = SOFT_PASS if rule is Rule.OVER_SOFT_LIMIT else HARD_PASS
            most, used = t.scopes.limit[scope, level + kind], t.scopes.active[scope, kind]
            instead = Column.SOFT_OVERRIDE + level + kind
        override = setting(t, scope_of(t, row, CredentialType.QOS), instead)
        if column < CredentialType.QOS and override > 0.0:
            most = override
        parameters = part(t, row, kind, float(t.jobs.estimate_s[row]))
        return (float(most), float(used), float(parameters)) if 0.0 < most < used + parameters else None

    def limits(self, jobs: OpenJobs) -> Iterable[dict[str, Any]]:
        return limits(jobs)

    def decay(self, t: Tables) -> Decay:
        of = parameters(t)
        return Decay(
            word(Charge(of.fairshare)), of.fairshare_depth, of.fairshare_decay, bool(of.fairshare_delta)
        )

    def target(self, t: Tables, credential: int, kind: CredentialType) -> tuple[float, str]:
        scope = int(t.credentials.scope[credential, kind])
        which = TargetKind(int(setting(t, scope, Column.TARGET_KIND)))
        return float(setting(t, scope, Column.TARGET)), word(which)

    def settings(self, t: Tables) -> IterationSettings:
        of = parameters(t)
        return IterationSettings(
            poll_s=of.poll_s or None,
            backfill=str(BackfillPolicy(of.backfill)),
            reservations=str(ReservationPolicy(of.reservation)),
            most_starts=of.max_starts or None,
        )

    def steps(self, t: Tables) -> list[StepTold]:
        return steps_told(t)


INSIGHT = MauiInsight()
