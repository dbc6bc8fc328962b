"""Names of jobs, of arrays and of their elements: ``name[1-10:2]%5``, ``7[1-3]``, ``*name*``."""

from __future__ import annotations

from molokini.compat._types import Any, Iterator, Sequence
from molokini.compat.lsf.quantities import is_digits, whole

_MOST_INDEX = 2**31 - 1
_MOST_ELEMENTS = 1_000_000


class ArrayRange:
    """Elements from *first* to *last* by *step*, of which at most *limit* run at once (0: all).

    *listed* has their indices where they are no such progression.
    """

    __slots__ = ("first", "last", "limit", "listed", "step")

    def __init__(self, first: int, last: int, step: int, limit: int, listed: Sequence[int] = ()) -> None:
        self.first, self.last, self.step, self.limit = first, last, step, limit
        self.listed = listed

    def document(self) -> dict[str, Any]:
        """As a submission has it."""
        if self.listed:
            return {"indices": list(self.listed), "running_limit": self.limit}
        return {"first": self.first, "last": self.last, "step": self.step, "running_limit": self.limit}


def named(text: str) -> tuple[str, ArrayRange | None]:
    """The name that *text* is, and the array that it asks for. Raises ValueError."""
    body, percent, limit = text.rpartition("%")
    if not (percent and body.endswith("]") and "[" in body):
        body, limit = text, ""
    if not body.endswith("]") or "[" not in body:
        return text, None
    name, _, inside = body[:-1].rpartition("[")
    running = whole(limit, "limit of running elements", 1) if limit else 0
    if percent and body != text and not limit:
        raise ValueError(f"{text[:60]}: Bad array: expected a number after %")
    return name, _one_range(inside, running)


def _one_range(inside: str, limit: int) -> ArrayRange:
    """The elements of ``1-10:2`` or of a list, as ``1,3,5-7``."""
    if "," not in inside:
        first, last, step = _range(inside)
        return ArrayRange(first, last, step, limit)
    found = sorted(set(indices(inside)))
    step = found[1] - found[0] if len(found) > 1 else 1
    even = found == list(range(found[0], found[-1] + 1, step))
    return ArrayRange(found[0], found[-1], step if even else 1, limit, () if even else found)


def indices(inside: str) -> Iterator[int]:
    """The indices of a list such as ``1-3,7,10-20:5``. Raises ValueError."""
    count = 0
    for part in inside.split(","):
        first, last, step = _range(part)
        count += (last - first) // step + 1
        if count > _MOST_ELEMENTS:
            raise ValueError(f"[{inside[:60]}]: Bad array index list: at most {_MOST_ELEMENTS:,} elements")
        yield from range(first, last + 1, step)


def _range(text: str) -> tuple[int, int, int]:
    ends, colon, step = text.partition(":")
    first, dash, last = ends.partition("-")
    parts = (first, last if dash else first, step if colon else "1")
    numbers = [int(part) if is_digits(part) else 0 for part in parts]
    if not 1 <= numbers[0] <= numbers[1] <= _MOST_INDEX or not 1 <= numbers[2] <= _MOST_INDEX:
        raise ValueError(
            f"[{text[:60]}]: Bad array index list: FIRST-LAST[:STEP] with indices from 1 to {_MOST_INDEX:,}"
        )
    return numbers[0], numbers[1], numbers[2]


def job_references(text: str) -> list[tuple[int, int | None]]:
    """The job, or the elements, that a word such as ``7``, ``7[3]`` or ``7[1-3,5]`` names: number and index.

    Raises ValueError.
    """
    number, bracket, inside = text.partition("[")
    if not is_digits(number) or (bracket and not inside.endswith("]")):
        raise ValueError(f"{text[:60]}: Illegal job ID")
    if not bracket or inside == "]":
        return [(int(number), None)]
    return [(int(number), index) for index in indices(inside[:-1])]


def matches(pattern: str, name: str) -> bool:
    """Whether *name* is what *pattern* says, in which ``*`` stands for anything; all else is itself."""
    parts = pattern.split("*")
    if len(parts) == 1:
        return name == pattern
    first, *middle, last = parts
    if not name.startswith(first) or not name.endswith(last) or len(name) < len(first) + len(last):
        return False
    place, end = len(first), len(name) - len(last)
    for part in middle:
        found = name.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True
