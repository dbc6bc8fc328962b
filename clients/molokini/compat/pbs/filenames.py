"""The files of a job as listings show them: the agent's patterns filled in, as far as they are known."""

from __future__ import annotations

from molokini.compat._types import Job


def shown_path(job: Job, field: str) -> str:
    """The path of ``stdout_path`` or ``stderr_path``; without the second it is the first."""
    spec = job["spec"]
    path = spec.get(field) or spec.get("stdout_path") or _default(job)
    nodes = job.get("allocation")
    return _filled(
        path,
        {
            "j": str(job["id"]),
            "a": str(job["array_index"]) if "array_index" in job else "^array_index^",
            "u": job["user"],
            "x": spec.get("name", "").replace("/", "_"),
            "N": nodes[0]["node"] if nodes else "%N",
            "%": "%",
        },
    )


def _default(job: Job) -> str:
    """Where a job writes that another command has submitted."""
    folder = job["spec"].get("working_directory", "").replace("%", "%%")
    name = "molokini-%j.%a.out" if "array" in job["spec"] else "molokini-%j.out"
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
