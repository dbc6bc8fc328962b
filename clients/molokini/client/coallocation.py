"""Jobs over several clusters, as users write them and as they are shown."""

import math
from collections.abc import Mapping
from typing import Any

from molokini.client.quantities import whole
from molokini.model.errors import BadValue, UnknownName
from molokini.proto.v1.jobs_pb2 import Communication, Job, JobSpec, Resources

REQUESTS: dict[str, int] = {
    name.lower(): value for name, value in Resources.Request.items() if value != Resources.REQUEST_UNSPECIFIED
}
"""What components say, by the words of the commands."""
PATTERNS: dict[str, int] = {
    name.lower().replace("_", "-"): value
    for name, value in Communication.Pattern.items()
    if value != Communication.PATTERN_UNSPECIFIED
}
"""Which processes send to which, by the words of the commands."""


_MOST_PROCESSORS = 2**31 - 1


def components(option: str, text: str) -> tuple[int, ...]:
    """``4,2,2``: the processors of each component."""
    try:
        return tuple(whole(option, int(part), 1, _MOST_PROCESSORS) for part in text.split(","))
    except ValueError:
        raise BadValue(option, text, "processors of each component: 4,2,2") from None


def request_value(name: str) -> int:
    """The kind of request called *name*; UnknownName with the nearest."""
    if name.lower() not in REQUESTS:
        raise UnknownName("request", name, REQUESTS)
    return REQUESTS[name.lower()]


def communication(pattern: str | None, message: str | None) -> dict[str, Any] | None:
    """The fields of Communication that ``--communication`` and ``--message`` say; None without either."""
    if pattern is None:
        if message is not None:
            raise BadValue("--message", message, "used with --communication")
        return None
    if pattern.lower() not in PATTERNS:
        raise UnknownName("pattern of communication", pattern, PATTERNS)
    made: dict[str, Any] = {"pattern": PATTERNS[pattern.lower()]}
    if message is not None:
        made |= dict(zip(("inside_s", "between_s"), _times(message), strict=True))
    return made


def _times(text: str) -> tuple[float, float]:
    try:
        inside_s, between_s = map(float, text.split(","))
    except ValueError:
        raise BadValue("--message", text, "INSIDE,BETWEEN in seconds, such as 0.001,0.05") from None
    if not (math.isfinite(between_s) and 0.0 <= inside_s <= between_s):
        raise BadValue("--message", text, "two numbers of seconds, the second no smaller than the first")
    return inside_s, between_s


def components_text(wanted: Resources) -> str:
    """``4,2,2 unordered``; empty where clusters do not matter."""
    if not wanted.components and not wanted.request:
        return ""
    sizes = ",".join(map(str, wanted.components or (wanted.processors,)))
    return f"{sizes} {request_text(wanted)}"


def request_text(wanted: Resources) -> str:
    """The kind of request in the words of the commands; empty where clusters do not matter."""
    if not wanted.components and not wanted.request:
        return ""
    value = wanted.request or Resources.UNORDERED
    return _word(REQUESTS, value)


def communication_text(spec: JobSpec) -> str:
    """``all-to-all, a message 0.001 s, between clusters 0.05 s``."""
    if not spec.HasField("communication"):
        return ""
    how = spec.communication
    times = f"a message {how.inside_s:.15g} s, between clusters {how.between_s:.15g} s"
    return f"{_word(PATTERNS, how.pattern)}, {times}"


def communication_document(spec: JobSpec) -> dict[str, Any] | None:
    """The same in JSON; null for a job that does not say."""
    if not spec.HasField("communication"):
        return None
    how = spec.communication
    pattern = _word(PATTERNS, how.pattern)
    return {"pattern": pattern, "inside_s": how.inside_s, "between_s": how.between_s}


def clusters_text(job: Job) -> str:
    """Processors that it holds, or held last: ``c0:4, c1:2``; empty where clusters have no names."""
    counts: dict[str, int] = {}
    for part in job.allocation:
        counts[part.cluster] = counts.get(part.cluster, 0) + part.processors
    named = any(counts)
    return ", ".join(f"{name or '-'}:{count}" for name, count in counts.items()) if named else ""


def _word(words: Mapping[str, int], value: int) -> str:
    return next((word for word, number in words.items() if number == value), str(value))
