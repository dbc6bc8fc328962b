"""``diagnose -p``: each waiting job's priority, component by component and factor by factor."""

from dataclasses import asdict
from typing import Any

from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from molokini.shared.introspection import BOUNDS, Explained

MOST_JOBS = 1000


def priorities(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """The weights in force, the jobs by priority (at most 1,000), and what each component gives in all.

    Percentages are of absolute values, as Maui's. Raises BadValue under another policy.
    """
    p.require("priorities")
    rows = p.insight.ranked(p.tables)
    found = p.insight.explained(p.tables, rows[:MOST_JOBS], p.now)
    jobs = [_line(p, row, one) for row, one in zip(rows, found, strict=False)]
    sums: dict[str, float] = {}
    for one in found:
        for component, total in one.totals.items():
            sums[component] = sums.get(component, 0.0) + abs(total)
    return {
        "weights": [asdict(one) for one in p.insight.weights(p.tables)],
        "jobs": sorted(jobs, key=lambda job: -job["priority"]),
        "jobs_in_all": len(rows),
        "contribution_percent": _shares(sums),
    }


def _line(p: ClusterSnapshot, row: int, found: Explained) -> dict[str, Any]:
    percent = _shares({name: abs(total) for name, total in found.totals.items()})
    return {
        "job": p.job(row),
        "priority": found.priority,
        "set_by_hand": found.priority > p.insight.most_priority,
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


def _shares(values: dict[str, float]) -> dict[str, float]:
    total = sum(values.values())
    return {name: 100.0 * value / total if total > 0.0 else 0.0 for name, value in values.items()}
