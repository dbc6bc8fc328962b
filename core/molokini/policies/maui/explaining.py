"""What a priority is made of: each part by the kernels that weigh jobs, called as plain Python.

A factor is what its component comes to when it alone has a weight, and that is 1; so nothing is computed here
that the policy computes otherwise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from molokini.model.decisions import Rule
from molokini.model.resources import Resource
from molokini.policies.maui.fairshare import add_up_usage
from molokini.policies.maui.holding import slot_of
from molokini.policies.maui.memory import COUNT, INELIGIBLE, LEVEL, RESERVED_S, SCOPE_COUNT
from molokini.policies.maui.priority import (
    BYPASS,
    MOST_PRIORITY,
    boost,
    component,
    credential,
    fairshare,
    priority,
    resource,
    service,
    target,
)
from molokini.policies.maui.scopes import QOS, find_scopes, scope_of, setting
from molokini.policies.maui.slots import COMPONENT_WEIGHT, FACTOR_WEIGHT, HEADER, KINDS, Column
from molokini.policies.maui.throttling import HARD_PASS, SOFT_PASS, count_active
from molokini.policies.maui.throttling import part as part_of_limit
from molokini.policies.maui.words import COMPONENT_OF, Component, CredentialType, Factor
from molokini.tables.tables import NEVER, Tables, View

_Total = Callable[[View, int, float], float]
_TOTALS: dict[Component, _Total] = {
    Component.SERVICE: service,
    Component.TARGET: target,
    Component.CREDENTIAL: lambda view, row, now: credential(view, int(view.job_credential[row])),
    Component.FAIRSHARE: lambda view, row, now: fairshare(view, int(view.job_credential[row])),
    Component.RESOURCE: lambda view, row, now: resource(view, row),
}
_OWN_WEIGHTS = {
    Factor.QUEUE_TIME: Column.QUEUE_TIME_WEIGHT,
    Factor.EXPANSION_FACTOR: Column.EXPANSION_WEIGHT,
}
"""What a QoS adds to a weight."""
ADMINISTRATOR = "administrator"
"""The part that somebody has set by hand."""
BOUNDS, CAP = "bounds", "cap"
"""What the bounds of priorities add or take away; what the cap of a component takes away."""
_NOISE = 1e-9
"""Sums of the same terms in another order differ by so little of their size."""


@dataclass(frozen=True)
class Part:
    """One part of a priority; *product* is of component weight, weight and factor."""

    component: str
    component_weight: float
    subcomponent: str
    """Empty where the component has none."""
    weight: float
    factor: float
    """As it counts: cut off by its cap."""

    @property
    def product(self) -> float:
        """What it gives, before the component's cap."""
        return self.component_weight * self.weight * self.factor


@dataclass(frozen=True)
class Explained:
    """A priority and its parts, those of weight 0 left out."""

    priority: float
    parts: tuple[Part, ...]
    totals: dict[str, float]
    """What each component gives, cut off by its cap."""


def explained(tables: Tables, row: int, now: float) -> Explained:
    """The priority of the waiting job of *row* as it is at *now*, before anything is started.

    *tables* are a copy, over which the policy may have had a pass; their counters are made anew.
    """
    return explained_all(tables, [row], now)[0]


def explained_all(tables: Tables, rows: Sequence[int], now: float) -> list[Explained]:
    """The same of each of *rows*; the products of all parts add up to the priority."""
    view = tables
    find_scopes(view)
    add_up_usage(view, now)
    count_active(view, now)
    # What a pass has found out about credentials may be of another instant.
    for row in rows:
        view.credential_weighed[view.job_credential[row]] = -1
    totals = [_totals(view, row, now) for row in rows]
    priorities = [float(priority(view, row, now)) for row in rows]
    probe = _Probe(view)
    try:
        parts = [
            [part for factor in COMPONENT_OF if (part := probe.part(row, factor, now)) is not None]
            for row in rows
        ]
    finally:
        probe.give_back()
    return [
        Explained(whole, _complete(view, whole, (*of_factors, *_alone(view, row)), given), given)
        for row, whole, of_factors, given in zip(rows, priorities, parts, totals, strict=True)
    ]


def _complete(view: Tables, whole: float, parts: Sequence[Part], given: dict[str, float]) -> tuple[Part, ...]:
    """*parts* with what caps of components and the bounds of priorities take away or add."""
    made, total = list(parts), 0.0
    for name in dict.fromkeys(part.component for part in parts):
        products = [part.product for part in parts if part.component == name]
        component_given = given.get(name, 0.0)
        total += component_given
        cut = _difference(component_given, products)
        if cut != 0.0:
            weight = next(part.component_weight for part in parts if part.component == name)
            made.append(Part(name, weight, CAP, 1.0, cut / weight))
    more = _difference(whole, [part.product for part in made])
    if more != 0.0:
        made.append(Part(BOUNDS, 1.0, _bound(view, whole, given), 1.0, more))
    return tuple(made)


def _difference(whole: float, parts: Sequence[float]) -> float:
    """What is missing of *whole* beside *parts*; 0 where that is a rounding error."""
    left = whole - sum(parts)
    return left if abs(left) > _NOISE * max(1.0, abs(whole), *(abs(part) for part in parts)) else 0.0


def _bound(view: Tables, whole: float, given: dict[str, float]) -> str:
    """Which bound it was."""
    if given.get(ADMINISTRATOR, 0.0) >= MOST_PRIORITY:
        return "set-by-administrator"
    return "at-least-1" if whole - given.get(ADMINISTRATOR, 0.0) <= 1.0 else "at-most-1000000000"


def _totals(view: Tables, row: int, now: float) -> dict[str, float]:
    """What each component gives, those that give nothing left out."""
    totals = {}
    for which, total in _TOTALS.items():
        given = component(view, int(which), total(view, row, now))
        if given != 0.0:
            totals[_word(which.name)] = float(given)
    given = component(view, BYPASS, float(view.job_bypassed[row]))
    if given != 0.0:
        totals[_word(Component.BYPASS.name)] = float(given)
    if boost(view, row) != 0.0:
        totals[ADMINISTRATOR] = boost(view, row)
    return totals


def _alone(view: Tables, row: int) -> list[Part]:
    """The parts that have no factors: the count of bypasses, and what somebody has set by hand."""
    made = []
    weight, bypassed = float(view.parameters[COMPONENT_WEIGHT + BYPASS]), float(view.job_bypassed[row])
    if weight * bypassed != 0.0:
        made.append(Part("bypass", weight, "", 1.0, bypassed))
    if boost(view, row) != 0.0:
        made.append(Part(ADMINISTRATOR, 1.0, "", 1.0, boost(view, row)))
    return made


def ranked_rows(tables: Tables) -> list[int]:
    """The waiting jobs by priority, as the last pass has sorted them."""
    return [int(row) for row in tables.ranked[: tables.global_i[COUNT]]]


def reserved_s(tables: Tables, row: int) -> float:
    """The start of the waiting job's reservation, as the last pass has planned it; NEVER: it has none."""
    if tables.memory_i[row, LEVEL] <= INELIGIBLE:
        return NEVER
    return float(tables.memory_f[row, RESERVED_S])


def limit_figures(tables: Tables, row: int, rule: Rule, number: int) -> tuple[float, float, float] | None:
    """A limit that keeps *row* waiting, after a pass: how much there may be, is in use, and is wanted.

    *number* is the limit's, as reasons have it. None of a least, and where the pass has changed what it was.
    """
    column, kind = divmod(number, KINDS)
    scope = int(tables.credential_scope[tables.job_credential[row], column])
    if rule is Rule.OVER_IDLE_LIMIT:
        most, used = setting(tables, scope, int(Column.IDLE) + kind), tables.scope_idle[scope, kind]
        instead = int(Column.IDLE_OVERRIDE) + kind
    else:
        level = SOFT_PASS if rule is Rule.OVER_SOFT_LIMIT else HARD_PASS
        most, used = tables.scope_limit[scope, level + kind], tables.scope_active[scope, kind]
        instead = int(Column.SOFT_OVERRIDE) + level + kind
    if column < QOS and (override := setting(tables, scope_of(tables, row, QOS), instead)) > 0.0:
        most = override
    wanted = part_of_limit(tables, row, kind, float(tables.job_estimate_s[row]))
    return (float(most), float(used), float(wanted)) if 0.0 < most < used + wanted else None


def held_nodes(tables: Tables, row: int) -> dict[int, int]:
    """Processors of each node, by number, that the reservation of *row* holds; empty: nobody knows."""
    slot, width = slot_of(tables, row), tables.node_free.shape[1]
    if tables.nodes == 0 or slot < 0:
        return {}
    held = tables.node_hold[:, slot * width + Resource.PROCESSORS]
    return {int(node): int(held[node]) for node in np.flatnonzero(held > 0)}


class _Probe:
    """A view whose weights are taken away; one at a time is given back as 1."""

    def __init__(self, view: Tables) -> None:
        self.view, self.weights = view, view.parameters.copy()
        without = self.weights.copy()
        without[FACTOR_WEIGHT : FACTOR_WEIGHT + len(Factor)] = 0.0
        rows = view.scope_row[: view.global_i[SCOPE_COUNT]]
        for scope in np.unique(rows[rows >= HEADER]):
            for column in (*_OWN_WEIGHTS.values(), Column.HAS_QUEUE_WEIGHT):
                without[int(scope) + int(column)] = 0.0
        view.bind("parameters", without)

    def give_back(self) -> None:
        """All weights are what they were."""
        self.view.bind("parameters", self.weights)

    def part(self, row: int, factor: Factor, now: float) -> Part | None:
        """What *factor* gives the job of *row*; None where that is nothing."""
        which = COMPONENT_OF[factor]
        above, weight = float(self.weights[COMPONENT_WEIGHT + which]), self.weight(row, factor)
        if weight == 0.0 or above == 0.0:
            return None
        value = self.factor(row, factor, now)
        return Part(_word(which.name), above, _word(factor.name), weight, value) if value != 0.0 else None

    def weight(self, row: int, factor: Factor) -> float:
        """The weight of *factor* for the job of *row*, with what its QoS adds or its group puts in place."""
        view, without = self.view, self.view.parameters
        view.bind("parameters", self.weights)
        try:
            weight = float(self.weights[FACTOR_WEIGHT + factor])
            if factor in _OWN_WEIGHTS:
                weight += setting(view, scope_of(view, row, QOS), int(_OWN_WEIGHTS[factor]))
            group = scope_of(view, row, int(CredentialType.GROUP))
            if factor is Factor.QUEUE and setting(view, group, int(Column.HAS_QUEUE_WEIGHT)) != 0.0:
                weight = setting(view, group, int(Column.QUEUE_WEIGHT))
            return weight
        finally:
            view.bind("parameters", without)

    def factor(self, row: int, factor: Factor, now: float) -> float:
        """What *factor* is for the job of *row*, cut off by its cap."""
        parameters = self.view.parameters
        parameters[FACTOR_WEIGHT + factor] = 1.0
        try:
            return float(_TOTALS[COMPONENT_OF[factor]](self.view, row, now))
        finally:
            parameters[FACTOR_WEIGHT + factor] = 0.0


def _word(name: str) -> str:
    return name.lower().replace("_", "-")
