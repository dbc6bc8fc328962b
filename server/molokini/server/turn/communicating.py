"""Communicating jobs at their submission: their message times filled in, and why one is refused at once."""

from typing import Any

from molokini.applications.kinds import PATTERNS
from molokini.model.errors import BadValue, Conflict
from molokini.model.facts import Spec

_LATEST_S = 2.0**43


def with_messages(spec: Spec, inside_s: float | None, between_s: float | None) -> Spec:
    """*spec* of a communicating job as it is kept: with both times of a message, the cluster's where the job
    does not say. Raises BadValue.
    """
    wanted: dict[str, Any] = spec["communication"]
    if "divisible" in spec:
        raise Conflict("communication", "a divisible job has none: sending is a part of its load")
    if wanted.get("pattern") not in PATTERNS:
        allowed = f"one of {', '.join(PATTERNS)}"
        raise BadValue("communication.pattern", wanted.get("pattern", "(unset)"), allowed)
    made = {"pattern": wanted["pattern"], "inside_s": wanted.get("inside_s", inside_s)}
    made["between_s"] = wanted.get("between_s", between_s)
    for name in ("inside_s", "between_s"):
        if made[name] is None:
            raise Conflict(f"communication.{name}", "neither the job nor the configuration gives it")
        if not 0.0 <= made[name] <= _LATEST_S:
            raise BadValue(f"communication.{name}", made[name], "from 0 to 2^43 seconds")
    if made["between_s"] < made["inside_s"]:
        raise BadValue(
            "communication.between_s", made["between_s"], f"at least inside_s, {made['inside_s']:g}"
        )
    return {**spec, "communication": made}
