"""The files of a job as listings show them: the agent's patterns filled in, as far as they are known."""

from __future__ import annotations

from molokini.compat._types import Job


def shown_path(job: Job, field: str) -> str:
    """The path of ``stdout_path`` or ``stderr_path``; without the second it is the first."""
    path = job.spec.get(field) or job.spec.get("stdout_path") or _default(job)
    return _filled(
        path,
        {
            "j": str(job.id),
            "a": "^array_index^" if job.index is None else str(job.index),
            "u": job.user,
            "x": job.name.replace("/", "_"),
            "N": job.nodes[0][0] if job.nodes else "%N",
            "%": "%",
        },
    )


def _default(job: Job) -> str:
    """Where a job writes that another command has submitted."""
    folder = job.working_directory.replace("%", "%%")
    name = "molokini-%j.%a.out" if job.array is not None else "molokini-%j.out"
    return f"{folder}/{name}" if folder else name


def _filled(path: str, found: dict[str, str]) -> str:
    made, k = [], 0
    while k < len(path):
        if path[k] == "%" and path[k + 1 : k + 2] in found:
            made.append(found[path[k + 1]])
            k += 2
        else:
            made.append(path[k])
            k += 1
    return "".join(made)
