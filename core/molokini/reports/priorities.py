"""``diagnose -p``: each waiting job's priority, component by component and factor by factor."""

from typing import Any

from molokini.policies.maui.explaining import BOUNDS, Explained, explained_all, ranked_rows
from molokini.policies.maui.priority import MOST_PRIORITY
from molokini.policies.maui.slots import COMPONENT_WEIGHT, FACTOR_WEIGHT
from molokini.policies.maui.words import COMPONENT_OF, Component
from molokini.reports.picture import Asked, Picture, word

MOST_JOBS = 1000


def priorities(p: Picture, asked: Asked) -> dict[str, Any]:
    """The weights in force, the jobs by priority (at most 1,000), and what each component gives in all.

    Percentages are of absolute values, as Maui's. Raises BadValue under another policy.
    """
    p.require_maui("priorities")
    t = p.tables
    rows = ranked_rows(t)
    found = explained_all(t, rows[:MOST_JOBS], p.now)
    jobs = [_line(p, row, one) for row, one in zip(rows, found, strict=False)]
    sums: dict[str, float] = {}
    for one in found:
        for component, total in one.totals.items():
            sums[component] = sums.get(component, 0.0) + abs(total)
    return {
        "weights": [_weights(p, component) for component in Component if _counts(p, component)],
        "jobs": sorted(jobs, key=lambda job: -job["priority"]),
        "jobs_in_all": len(rows),
        "contribution_percent": _shares(sums),
    }


def _line(p: Picture, row: int, found: Explained) -> dict[str, Any]:
    percent = _shares({name: abs(total) for name, total in found.totals.items()})
    return {
        "job": p.job(row),
        "priority": found.priority,
        "set_by_hand": found.priority > MOST_PRIORITY,
        "bounds": next(
            (
                {"bound": part.subcomponent, "points": part.product}
                for part in found.parts
                if part.component == BOUNDS
            ),
            None,
        ),
        "components": {
            name: {
                "points": total,
                "percent": percent[name],
                "factors": {
                    part.subcomponent: part.product
                    for part in found.parts
                    if part.component == name and part.subcomponent
                },
            }
            for name, total in found.totals.items()
        },
    }


def _counts(p: Picture, component: Component) -> bool:
    return bool(p.tables.parameters[COMPONENT_WEIGHT + component] != 0.0)


def _weights(p: Picture, component: Component) -> dict[str, Any]:
    parameters = p.tables.parameters
    factors = {
        word(factor.name): float(parameters[FACTOR_WEIGHT + factor])
        for factor, above in COMPONENT_OF.items()
        if above is component and parameters[FACTOR_WEIGHT + factor] != 0.0
    }
    weight = float(parameters[COMPONENT_WEIGHT + component])
    return {"component": word(component.name), "weight": weight, "factors": factors}


def _shares(values: dict[str, float]) -> dict[str, float]:
    total = sum(values.values())
    return {name: 100.0 * value / total if total > 0.0 else 0.0 for name, value in values.items()}
