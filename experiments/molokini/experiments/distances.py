"""How near replays come to what a site recorded, in results; and differences that are no larger than that."""

from collections.abc import Mapping
from typing import Any

from molokini.experiments.choosing import Chosen
from molokini.metrics.comparison import BELOW, UNCLEAR
from molokini.metrics.fidelity import Fidelity, fidelity
from molokini.sim.schedule import Schedule

SCHEMA = "molokini.fidelity/1"
_INTERVAL = "bf_interval_s"
_USUAL_S = 30.0
"""The interval of backfill passes where the policy has none."""


def of_replay(schedule: Schedule, chosen: Chosen, tau_s: float) -> Fidelity | None:
    """How near *schedule* under *chosen* comes to its log; None where its log records no starts."""
    given = chosen.values.get(_INTERVAL)
    interval_s = float(given) if isinstance(given, int | float) and given > 0 else _USUAL_S
    return fidelity(schedule, interval_s, tau_s)


def part(found: Fidelity, policy: str, workload: str) -> dict[str, Any]:
    """The report as results for machines have it."""
    return {"schema": SCHEMA, "workload": workload, "policy": policy, **found.document}


def beyond(comparison: Mapping[str, Any], distances: Mapping[str, float]) -> dict[str, Any]:
    """*comparison* in which no difference is called one that is no larger than the baseline's distance."""
    differences = [
        {**one, "verdict": BELOW} if _is_below(one, distances) else one for one in comparison["differences"]
    ]
    return {**comparison, "differences": differences}


def _is_below(one: Mapping[str, Any], distances: Mapping[str, float]) -> bool:
    distance, difference = distances.get(one["metric"]), one["difference"]
    if distance is None or difference is None or one["verdict"] == UNCLEAR:
        return False
    return bool(abs(difference) <= distance)
