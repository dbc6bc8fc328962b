"""What a result says of the choices of a policy that chooses among others."""

from collections import defaultdict
from math import inf, isfinite
from typing import Any

from molokini.model.choices import reigns
from molokini.sim.schedule import Schedule


def choices_part(schedule: Schedule) -> dict[str, Any] | None:
    """How often it looked ahead, who decided for how long, and every change with its reason; None: it chose
    nothing.
    """
    if not schedule.choices:
        return None
    last_s = float(schedule.end_s[schedule.finished].max(initial=-inf))
    decided_s = defaultdict[str, float](float)
    for name, from_s, to_s in reigns(schedule.choices, last_s):
        decided_s[name] += to_s - from_s
    switches = [one for one in schedule.choices if one.switched]
    return {
        "looks": sum(bool(one.costs) for one in schedule.choices),
        "switches": len(switches) - 1,
        "decided_s": dict(decided_s),
        "log": [
            {
                "at_s": one.at_s,
                "chosen": one.chosen,
                "before": one.before or None,
                "jobs": one.jobs,
                "expected": {name: cost if isfinite(cost) else None for name, cost in one.costs},
                "reason": one.reason,
            }
            for one in switches
        ],
    }


def choices_note(schedule: Schedule) -> list[str]:
    """The same in one line; none where nothing was chosen."""
    part = choices_part(schedule)
    if part is None:
        return []
    whole = max(sum(part["decided_s"].values()), 1e-9)
    shares = sorted(part["decided_s"].items(), key=lambda one: (-one[1], one[0]))
    told = ", ".join(f"{name} {seconds / whole:.0%}" for name, seconds in shares)
    return [
        f"{schedule.policy}: {part['looks']:,} looks ahead, {part['switches']:,} changes; decided for: {told}"
    ]
