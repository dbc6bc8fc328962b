"""Nodes in Slurm's words."""

from __future__ import annotations

from molokini.compat._types import Any

SHORT = {
    "idle": "idle",
    "mixed": "mix",
    "allocated": "alloc",
    "down": "down",
    "drained": "drain",
    "draining": "drng",
}
ORDER = ("draining", "drained", "mixed", "allocated", "idle", "down", "n/a")
"""In which sinfo lists them."""


def state_of(node: dict[str, Any]) -> str:
    """``idle``, ``mixed``, ``allocated``, ``draining``, ``drained`` or ``down``."""
    state, used = node.get("state"), int(node.get("processors_used", 0))
    if state == "DOWN":
        return "down"
    if state == "DRAINING":
        return "draining" if used or node.get("job_ids") else "drained"
    if not used:
        return "idle"
    return "allocated" if used >= int(node.get("processors", 0)) else "mixed"


def complete(node: dict[str, Any]) -> str:
    """The state and its marks: ``idle+drain``, ``allocated``."""
    state = state_of(node)
    if state == "drained":
        return "idle+drain"
    if state == "draining":
        whole = int(node.get("processors_used", 0)) >= int(node.get("processors", 0))
        return f"{'allocated' if whole else 'mixed'}+drain"
    return state
