"""Arrays as sbatch takes them and squeue shows them: ``0-15:4%2``, ``1,3,7`` and ``2-5%2``."""

from __future__ import annotations

from molokini.compat._types import Any, Iterable, Job
from molokini.compat.slurm.hosts import ranges
from molokini.compat.slurm.ids import indices_of


def asked(text: str) -> dict[str, Any]:
    """The ArraySpec that *text* says. ValueError, with the reason, for a text that is no valid array."""
    body, percent, limit = text.strip().partition("%")
    if percent and not (limit.isdigit() and limit.isascii()):
        raise ValueError(f"%{limit}: expected a number of tasks after the per cent sign")
    # Slurm takes a comma behind the last one.
    body = body.removesuffix(",")
    try:
        span, colon, step = body.partition(":")
        if "," not in body and _is_span(span) and (not colon or (step.isdigit() and int(step))):
            # Not element by element: there may be very many, and the server says how many are too many.
            first, _, last = span.partition("-")
            found: dict[str, Any] = {"first": int(first), "last": int(last or first), "step": int(step or 1)}
            if found["last"] < found["first"]:
                raise ValueError(body)
        else:
            found = _of(sorted(set(indices_of(body))))
    except ValueError as error:
        raise ValueError(str(error) if " " in str(error) else f"{body[:60]} is no list of indices") from None
    if limit:
        found["running_limit"] = int(limit)
    return found


def _is_span(text: str) -> bool:
    first, dash, last = text.partition("-")
    return first.isdigit() and first.isascii() and (not dash or (last.isdigit() and last.isascii()))


def _of(indices: list[int]) -> dict[str, Any]:
    step = indices[1] - indices[0] if len(indices) > 1 else 1
    if any(right - left != step for left, right in _pairs(indices)):
        return {"indices": indices}
    return {"first": indices[0], "last": indices[-1], "step": step}


def _pairs(numbers: list[int]) -> Iterable[tuple[int, int]]:
    return ((numbers[place - 1], numbers[place]) for place in range(1, len(numbers)))


def waiting(array: Job, started: Iterable[int]) -> str:
    """The indices of *array* that are not among *started*: ``4-5%2``; empty where there are none.

    As squeue writes them: neighbours as a range, others one by one.
    """
    gone = set(started)
    left = [index for index in array.indices if index not in gone]
    if not left:
        return ""
    text = ranges(left)
    limit = (array.array or {}).get("running_limit", 0)
    return f"{text}%{limit}" if limit else text
