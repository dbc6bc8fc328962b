"""Where files of a job are: the server's patterns filled in."""

from __future__ import annotations

from molokini.compat._types import Job


def path_of(job: Job, field: str) -> str:
    """The file that *field* of the job's specification names; what is not known yet stays a pattern."""
    pattern = str(job.spec.get(field, ""))
    values = {
        "j": str(job.id),
        "a": str(job.index or 0),
        "u": job.user,
        "x": job.name.replace("/", "_"),
        "%": "%",
    }
    if job.nodes:
        values["N"] = job.nodes[0][0]
    first, *rest = pattern.replace("%%", "%\0").split("%")
    return first + "".join(_filled(part, values) for part in rest)


def _filled(part: str, values: dict[str, str]) -> str:
    if part[:1] == "\0":
        return f"%{part[1:]}"
    return values[part[0]] + part[1:] if part[:1] in values else f"%{part}"
