"""Maui's words for states, and how it writes shares."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterable

STATES = {"running": "Running", "suspended": "Suspended", "waiting": "Idle", "deferred": "Deferred"}
_HOLDS = {"HOLD_SYSTEM": "SystemHold", "HOLD_OPERATOR": "BatchHold", "HOLD_USER": "UserHold"}
"""The strictest first: a job shows one."""
NODE_STATES = {
    "idle": "Idle",
    "running": "Running",
    "busy": "Busy",
    "draining": "Draining",
    "drained": "Drained",
    "down": "Down",
}


def state(line: dict[str, Any], holds: dict[str, list[str]]) -> str:
    """The state of a job in a report; *holds* as ``holds_of`` has them."""
    if line["state"] in STATES:
        return STATES[line["state"]]
    if line["state"] == "held" and line["job"] not in holds:
        # Of a simulation no names of holds are known.
        return "Hold"
    return hold(holds.get(line["job"], ())) or "Idle"


def hold(found: Iterable[str]) -> str:
    """Maui's word for the strictest of the holds *found*; empty without one."""
    kept = set(found)
    return next((word for name, word in _HOLDS.items() if name in kept), "")


def all_holds(found: Iterable[str]) -> list[str]:
    """As ``checkjob`` lists them: ``User``, ``Batch``, ``System``."""
    kept = set(found)
    return [word.removesuffix("Hold") for name, word in reversed(_HOLDS.items()) if name in kept]


def holds_of(run: Invocation, lines: Iterable[dict[str, Any]]) -> dict[str, list[str]]:
    """The holds of those jobs of *lines* that are held, by name: reports only tell that there are some."""
    names = [line["job"] for line in lines if line["state"] == "held"]
    if not names:
        return {}
    from molokini.compat.listing import jobs

    found: dict[str, list[str]] = {}
    numbers = sorted({int(name.partition("[")[0]) for name in names})
    for first in range(0, len(numbers), 1000):
        wanted = numbers[first : first + 1000]
        for job in jobs(run, ("holds",), job_ids=wanted):
            found[str(job.id)] = found[f"{job.id}[]"] = list(job.holds)
        if any("[" in name and not name.endswith("[]") for name in names):
            for job in jobs(run, ("holds",), job_ids=wanted, expand_arrays=True):
                if job.index is not None:
                    found[job.number] = list(job.holds)
    return found


def percent(part: float, whole: float) -> str:
    """``(25.00%)``."""
    return f"({100.0 * part / whole if whole else 0.0:.2f}%)"


def pair(part: float, whole: float, digits: int = 0) -> str:
    """``1/4 (25.00%)``."""
    return f"{part:.{digits}f}/{whole:.{digits}f} {percent(part, whole)}"


def brief(text: str, most: int) -> str:
    """*text*, cut where it is longer than its column."""
    return text if len(text) <= most else text[:most]


def count(number: int, what: str) -> str:
    """``1 job``, ``2 jobs``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def plain(value: float | None, digits: int = 2, nothing: str = "------") -> str:
    """A figure, or dashes where there is none."""
    return nothing if value is None else f"{value:.{digits}f}"
