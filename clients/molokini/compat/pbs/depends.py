"""``-W depend=type:job[:job...][,type:...]``."""

from __future__ import annotations

from molokini.compat._types import Any, Sequence
from molokini.compat.pbs.ids import read

_KINDS = {
    "after": "AFTER",
    "afterok": "AFTER_OK",
    "afternotok": "AFTER_NOT_OK",
    "afterany": "AFTER_ANY",
}
_KINDS.update({f"{name}array": kind for name, kind in list(_KINDS.items()) if name != "after"})
_NONE = ("before", "beforeok", "beforenotok", "beforeany", "on", "synccount", "syncwith", "runone")
_NAMES = {"AFTER": "after", "AFTER_OK": "afterok", "AFTER_NOT_OK": "afternotok", "AFTER_ANY": "afterany"}


def dependencies(text: str) -> list[dict[str, Any]]:
    """The dependencies that *text* says. ValueError, with why, for what cannot be meant."""
    found = []
    for part in text.split(","):
        kind, *jobs = part.strip().split(":")
        if kind in _NONE or kind.startswith("before"):
            raise ValueError(f"{kind} is not supported; {', '.join(_KINDS)} are")
        if kind not in _KINDS or not jobs:
            raise ValueError(f"{part[:60]!r} is no type:job")
        found += [{"kind": _KINDS[kind], "job_id": _number(job)} for job in jobs]
    return found


def _number(text: str) -> int:
    named = read(text.partition("@")[0])
    if named is None:
        raise ValueError(f"{text[:60]!r} is no job id")
    if named.index >= 0:
        raise ValueError(f"{text[:60]!r}: jobs cannot depend on one element of an array")
    return named.number


def written(found: Sequence[dict[str, Any]], server: str) -> str:
    """As ``qstat -f`` shows *found*, fields of a JobSpec."""
    groups: dict[str, list[str]] = {}
    for one in found:
        kind = _NAMES.get(one.get("kind", ""), "")
        if kind:
            groups.setdefault(kind, []).append(f"{one.get('job_id', 0)}.{server}")
    return ",".join(":".join((kind, *jobs)) for kind, jobs in groups.items())
