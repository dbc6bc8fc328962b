"""Slurm's words for what cannot be done."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, TransportError
from molokini.compat.failures import NoAnswer, NoServer, Refused, UsageError
from molokini.compat.tool import Failed

_BY_FIELD = {
    "queue": "Invalid partition name specified",
    "constraint": "Invalid feature specification",
    "account": "Invalid account or account/partition combination specified",
    "qos": "Invalid qos specification",
    "array": "Invalid job array specification",
    "dependencies": "Job dependency problem",
    "estimate_s": "Requested time limit is invalid (missing or exceeds some limit)",
    "least_estimate_s": "Requested time limit is invalid (missing or exceeds some limit)",
    "script": "Pathname of a file, directory or other parameter too long",
    "processors": "Requested node configuration is not available",
    "resources": "Requested node configuration is not available",
    "resources.nodes": "Node count specification invalid",
    "name": "Invalid job name",
    "licenses": "Invalid license specification",
}
_NO_GENERIC = "Invalid generic resource (gres) specification"
_UNKNOWN = {
    "licence": "Invalid license specification",
    "queue": _BY_FIELD["queue"],
    "feature": "Invalid feature specification",
    "generic resource": _NO_GENERIC,
}
_BY_CODE = {
    "RESOURCE_EXHAUSTED": "Job violates accounting/QOS policy "
    "(job submit limit, user's size and/or time limits)",
    "PERMISSION_DENIED": "Access/permission denied",
    "UNAUTHENTICATED": "Protocol authentication error",
    "NOT_FOUND": "Invalid job id specified",
    "FAILED_PRECONDITION": "Requested operation is presently disabled",
}


BAD_OPTION = 255
"""How sbatch, srun and salloc end where an option, or its value, is none."""


_STRANGE = "Unknown arguments:"


def _code(run: Invocation) -> int:
    return BAD_OPTION if run.name in ("sbatch", "srun", "salloc") else 1


def failed(run: Invocation, error: TransportError | UsageError) -> Failed:
    """The end of *run*, which has met *error*."""
    if isinstance(error, UsageError):
        if error.kind == "refused":
            return Failed(f"{run.name}: error: {error}")
        if error.kind == "word":
            found = "Invalid directive found in batch script"
            return Failed(f"{run.name}: error: {error.where}{found}: {error.option}")
        if run.name == "sacct":
            return Failed(f"{run.name}: {error}".replace(_STRANGE, f"error: {_STRANGE}"))
        text = f'{run.name}: {error}\nTry "{run.name} --help" for more information'
        return Failed(text, _code(run))
    if isinstance(error, NoServer | NoAnswer):
        return Failed(f"{run.name}: error: Unable to contact slurm controller (connect failure): {error}")
    return Failed(f"{run.name}: error: {error}")


def words(error: Refused) -> str:
    """What Slurm says where our server says *error*."""
    if error.code == "NOT_FOUND":
        return _UNKNOWN.get(error.field) or _BY_CODE[error.code]
    if error.reason == "queue_disabled":
        return "Required partition not available (inactive or drain)"
    if error.reason == "too_large":
        return _BY_FIELD["script"]
    if error.code == "RESOURCE_EXHAUSTED":  # so many jobs are in the queue, which is there
        return _BY_CODE[error.code]
    known = _BY_FIELD.get(error.field) or _BY_FIELD.get(error.field.split(".")[0])
    return known or _BY_CODE.get(error.code) or str(error)


def unknown_partition(run: Invocation, made: dict[str, Any]) -> str:
    """Of the partitions that the job *made* names, the first that there is not."""
    names: list[str] = [made.get("queue", ""), *made.get("further_queues", ())]
    if len(names) == 1:
        return names[0]
    from molokini.compat.slurm.cluster import partitions

    known = {one["name"] for one in partitions(run)}
    return next((one for one in names if one not in known), names[0])


def not_submitted(run: Invocation, error: Refused, made: dict[str, Any]) -> Failed:
    """The end of a submission that was refused: why in our words, then in Slurm's."""
    why = str(error)
    if error.reason == "unknown_name" and error.field == "queue" and made.get("queue"):
        why = f"invalid partition specified: {unknown_partition(run, made)}"
    text = words(error)
    if text != _NO_GENERIC:  # which sbatch finds out by itself
        text = f"Batch job submission failed: {text}"
    lines = [f"{run.name}: error: {why}", f"{run.name}: error: {text}"]
    return Failed("\n".join(lines))
