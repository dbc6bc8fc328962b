"""What a priority is made of: each part by the kernels that weigh jobs, called as plain Python.

A factor is what its component comes to when the factor alone has a weight, and this weight is 1. So this
file and the policy compute nothing in two ways.
"""

from collections.abc import Callable, Sequence

import numpy as np

from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.parameters import HEADER, parameters
from molokini.policies.maui.configuration.slots import Column
from molokini.policies.maui.configuration.words import COMPONENT_OF, Component, Factor, word
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import find_scopes, scope_of, setting
from molokini.policies.maui.selection.fairshare import add_up_usage
from molokini.policies.maui.selection.priority import (
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
from molokini.policies.maui.selection.throttling import count_active
from molokini.shared.introspection import BOUNDS, Explained, Part
from molokini.tables.tables import Tables, View

_Total = Callable[[View, int, float], float]
_TOTALS: dict[Component, _Total] = {
    Component.SERVICE: service,
    Component.TARGET: target,
    Component.CREDENTIAL: lambda view, row, now: credential(view, int(view.jobs.credential[row])),
    Component.FAIRSHARE: lambda view, row, now: fairshare(view, int(view.jobs.credential[row])),
    Component.RESOURCE: lambda view, row, now: resource(view, row),
}
_OWN_WEIGHTS = {
    Factor.QUEUE_TIME: Column.QUEUE_TIME_WEIGHT,
    Factor.EXPANSION_FACTOR: Column.EXPANSION_WEIGHT,
}
"""What a QoS adds to a weight."""
ADMINISTRATOR = "administrator"
"""The part that an administrator has set by hand."""
CAP = "cap"
"""What the cap of a component takes away."""
_NOISE = 1e-9
"""Sums of the same terms in another order differ by so little of their size."""


def explained(tables: Tables, rows: Sequence[int], now: float) -> list[Explained]:
    """The priority of each of *rows*, which wait, as it is at *now*, before anything is started.

    The products of all parts add up to it. *tables* are a copy, over which the policy may have had a pass;
    their counters are recomputed.
    """
    view = tables
    find_scopes(view)
    add_up_usage(view, now)
    count_active(view, now)
    # What a pass noted about credentials may be of another instant.
    for row in rows:
        view.credentials.weighed[view.jobs.credential[row]] = -1
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
            totals[word(which)] = float(given)
    given = component(view, Component.BYPASS, float(view.jobs.bypassed[row]))
    if given != 0.0:
        totals[word(Component.BYPASS)] = float(given)
    if boost(view, row) != 0.0:
        totals[ADMINISTRATOR] = boost(view, row)
    return totals


def _alone(view: Tables, row: int) -> list[Part]:
    """The parts that have no factors: the count of bypasses, and what an administrator has set by hand."""
    made = []
    weight, bypassed = (
        float(parameters(view).component_weight[Component.BYPASS]),
        float(view.jobs.bypassed[row]),
    )
    if weight * bypassed != 0.0:
        made.append(Part("bypass", weight, "", 1.0, bypassed))
    if boost(view, row) != 0.0:
        made.append(Part(ADMINISTRATOR, 1.0, "", 1.0, boost(view, row)))
    return made


class _Probe:
    """A view without weights, in which one factor at a time has the weight 1."""

    def __init__(self, view: Tables) -> None:
        self.view, self.weights = view, view.parameters.copy()
        without = self.weights.copy()
        rows = view.scopes.row[: mine(view).scope_count]
        for scope in np.unique(rows[rows >= HEADER]):
            for column in (*_OWN_WEIGHTS.values(), Column.HAS_QUEUE_WEIGHT):
                without[int(scope) + int(column)] = 0.0
        view.bind("parameters", without)
        parameters(view).factor_weight[:] = 0.0

    def give_back(self) -> None:
        """Give the view its own weights again."""
        self.view.bind("parameters", self.weights)

    def part(self, row: int, factor: Factor, now: float) -> Part | None:
        """What *factor* gives the job of *row*; None where that is nothing."""
        which = COMPONENT_OF[factor]
        above, weight = float(parameters(self.view).component_weight[which]), self.weight(row, factor)
        if weight == 0.0 or above == 0.0:
            return None
        value = self.factor(row, factor, now)
        return Part(word(which), above, word(factor), weight, value) if value != 0.0 else None

    def weight(self, row: int, factor: Factor) -> float:
        """The weight of *factor* for the job of *row*, with what its QoS adds or its group puts in place."""
        view, without = self.view, self.view.parameters
        view.bind("parameters", self.weights)
        try:
            weight = float(parameters(view).factor_weight[factor])
            if factor in _OWN_WEIGHTS:
                weight += setting(view, scope_of(view, row, CredentialType.QOS), int(_OWN_WEIGHTS[factor]))
            group = scope_of(view, row, CredentialType.GROUP)
            if factor is Factor.QUEUE and setting(view, group, Column.HAS_QUEUE_WEIGHT) != 0.0:
                weight = setting(view, group, Column.QUEUE_WEIGHT)
            return weight
        finally:
            view.bind("parameters", without)

    def factor(self, row: int, factor: Factor, now: float) -> float:
        """What *factor* is for the job of *row*, cut off by its cap."""
        weights = parameters(self.view).factor_weight
        weights[factor] = 1.0
        try:
            return float(_TOTALS[COMPONENT_OF[factor]](self.view, row, now))
        finally:
            weights[factor] = 0.0
