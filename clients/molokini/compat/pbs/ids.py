"""Names of jobs: ``12.server``, ``12[].server`` for an array, ``12[3].server`` for one of its elements."""

from __future__ import annotations

from molokini.compat._types import Job

_LARGEST = 2**53


class JobId:
    """A job, an array (*array*), or an element of one (*index*, else -1)."""

    __slots__ = ("array", "index", "number")

    def __init__(self, number: int, index: int = -1, array: bool = False) -> None:
        self.number, self.index, self.array = number, index, array

    @property
    def reference(self) -> dict[str, int]:
        """As a JobRef."""
        return {"id": self.number, **({"array_index": self.index} if self.index >= 0 else {})}


def read(text: str) -> JobId | None:
    """The job that *text* names, with or without the server's name; None for what is no job's name.

    ``12-3`` is an element, too, as older Torques write it.
    """
    name, _, _ = text.partition(".")
    digits, bracket, rest = name.partition("[")
    if bracket:
        if not rest.endswith("]"):
            return None
        number, inside = _whole(digits), rest[:-1]
        index = _whole(inside) if inside else -1
        return None if number is None or index is None else JobId(number, index, not inside)
    digits, dash, inside = name.partition("-")
    number = _whole(digits)
    index = _whole(inside) if dash else -1
    return None if number is None or index is None else JobId(number, index)


def _whole(digits: str) -> int | None:
    if digits.isascii() and digits.isdigit() and len(digits) < 17 and int(digits) < _LARGEST:
        return int(digits)
    return None


def written(number: int, server: str, index: int = -1, array: bool = False) -> str:
    """The whole name of a job."""
    inside = f"[{index}]" if index >= 0 else "[]" if array else ""
    return f"{number}{inside}.{server}"


def name_of(job: Job, server: str) -> str:
    """The whole name of *job*, an answer of the server."""
    return written(job.id, server, -1 if job.index is None else job.index, job.is_array)
