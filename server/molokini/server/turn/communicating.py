"""Communicating jobs at their submission: their message times filled in, and why one is refused at once."""

from molokini.applications.kinds import PATTERNS
from molokini.model.errors import BadValue, Conflict
from molokini.model.job_specs import LATEST_S, Communication, JobSpec


def with_messages(spec: JobSpec, inside_s: float | None, between_s: float | None) -> JobSpec:
    """*spec* of a communicating job as it is kept: with both times of a message, the cluster's where the job
    does not say. Raises BadValue.
    """
    wanted = spec["communication"]
    if "divisible" in spec:
        raise Conflict("communication", "a divisible job has none: sending is a part of its load")
    if wanted.get("pattern") not in PATTERNS:
        allowed = f"one of {', '.join(PATTERNS)}"
        raise BadValue("communication.pattern", wanted.get("pattern", "(unset)"), allowed)
    inside = _checked("inside_s", wanted.get("inside_s", inside_s))
    between = _checked("between_s", wanted.get("between_s", between_s))
    if between < inside:
        raise BadValue("communication.between_s", between, f"at least inside_s, {inside:g}")
    made: Communication = {"pattern": wanted["pattern"], "inside_s": inside, "between_s": between}
    return {**spec, "communication": made}


def _checked(name: str, value_s: float | None) -> float:
    if value_s is None:
        raise Conflict(f"communication.{name}", "neither the job nor the configuration gives it")
    if not 0.0 <= value_s <= LATEST_S:
        raise BadValue(f"communication.{name}", value_s, "from 0 to 2^43 seconds")
    return value_s
