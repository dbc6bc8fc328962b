"""``-W depend=type:job[:job...][,type:...]``.

``before*`` is written into the other job: that one waits for the new one. It has to wait by ``on`` already,
whose count says of how many such jobs.
"""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Sequence
from molokini.compat.pbs.ids import read

_KINDS = {
    "after": "AFTER",
    "afterok": "AFTER_OK",
    "afternotok": "AFTER_NOT_OK",
    "afterany": "AFTER_ANY",
}
_BEFORE = {name.replace("after", "before"): kind for name, kind in _KINDS.items()}
_KINDS.update({f"{name}array": kind for name, kind in list(_KINDS.items())})
_BEFORE.update({f"{name}array": kind for name, kind in list(_BEFORE.items())})
_NONE = ("synccount", "syncwith", "runone")
_NAMES = {"AFTER": "after", "AFTER_OK": "afterok", "AFTER_NOT_OK": "afternotok", "AFTER_ANY": "afterany"}
_MOST = 2**31 - 1


def dependencies(text: str) -> list[dict[str, Any]]:
    """The dependencies that *text* says; one of others on the new job has ``before``. ValueError with why."""
    found = []
    for part in text.split(","):
        kind, *jobs = part.strip().split(":")
        if kind in _NONE:
            raise ValueError(f"{kind} is not supported; {', '.join((*_KINDS, *_BEFORE, 'on'))} are")
        if kind == "on":
            found.append({"kind": "ON", "value": _count(jobs, part)})
            continue
        if kind not in (*_KINDS, *_BEFORE) or not jobs:
            raise ValueError(f"{part[:60]!r} is no type:job")
        if kind in _BEFORE:
            found += [{"kind": _BEFORE[kind], "before": _number(job)["job_id"]} for job in jobs]
        else:
            found += [{"kind": _KINDS[kind], **_number(job)} for job in jobs]
    return found


def _count(words: list[str], part: str) -> int:
    if len(words) != 1 or not (words[0].isdigit() and words[0].isascii()) or not 0 < int(words[0]) <= _MOST:
        raise ValueError(f"{part[:60]!r}: expected on:COUNT")
    return int(words[0])


def _number(text: str) -> dict[str, int]:
    named = read(text.partition("@")[0])
    if named is None:
        raise ValueError(f"{text[:60]!r} is no job id")
    return {"job_id": named.number, **({"array_index": named.index} if named.index >= 0 else {})}


class BadDependency(Exception):
    """The other job of a ``before`` is none, or waits for no others by ``on``."""


def before_of(found: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The dependencies of the new job itself, and those that others are to have on it."""
    return [one for one in found if "before" not in one], [one for one in found if "before" in one]


def check_others(run: Invocation, others: Sequence[dict[str, Any]]) -> None:
    """BadDependency where a job that others are to wait in is not there, or does not wait by ``on``."""
    for one in others:
        _waiting(run, one["before"])


def _waiting(run: Invocation, number: int) -> list[dict[str, Any]]:
    from molokini.compat.failures import Refused
    from molokini.compat.listing import job_of

    try:
        kept = [*job_of(run, {"id": number}).dependencies]
    except Refused:
        kept = []
    if not any(one.get("kind") == "ON" for one in kept):
        raise BadDependency(number)
    return kept


def tell_others(run: Invocation, others: Sequence[dict[str, Any]], number: int) -> None:
    """Let the other jobs wait for job *number* in place of one of those that ``on`` counts."""
    for one in others:
        kept = []
        for present in _waiting(run, one["before"]):
            if present.get("kind") == "ON":
                present = {**present, "value": present.get("value", 1) - 1}
            if present.get("kind") != "ON" or present["value"]:
                kept.append(present)
        kept.append({"kind": one["kind"], "job_id": number})
        asked = {"job": {"id": one["before"]}, "spec": {"dependencies": kept}, "fields": ["dependencies"]}
        run.transport.call("JobService", "AlterJob", asked)


def written(found: Sequence[dict[str, Any]], server: str) -> str:
    """As ``qstat -f`` shows *found*, fields of a JobSpec."""
    groups: dict[str, list[str]] = {}
    for one in found:
        if one.get("kind") == "ON":
            groups.setdefault("on", []).append(str(one.get("value", 1)))
            continue
        kind = _NAMES.get(one.get("kind", ""), "")
        index = f"[{one['array_index']}]" if "array_index" in one else ""
        if kind:
            groups.setdefault(kind, []).append(f"{one.get('job_id', 0)}{index}.{server}")
    return ",".join(":".join((kind, *jobs)) for kind, jobs in groups.items())
