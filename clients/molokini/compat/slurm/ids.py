"""Numbers of jobs as users write them: ``12``, ``12_3``, ``12_[1-3,5]``, ``12.batch``, and raw ones.

An element of an array gets a number of its own when it starts (SLURM_JOB_ID, ``%A`` of squeue). Those of
other systems' arrays, and of older journals, have none: there it is ``9``, the job in nine digits, and the
index.
"""

from __future__ import annotations

from molokini.compat._types import Job, JobRef
from molokini.compat.slurm.hosts import split

_DIGITS = 9
_MOST_INDICES = 1_000_000
MOST = 2**32 - 1
"""The largest number that a job can have in Slurm."""


def raw(number: int, index: int | None) -> int:
    """What an element without a number of its own has; of a job that is none (*index* None), its own."""
    return number if index is None else int(f"9{number:0{_DIGITS}}{index}")


def shown(job: Job) -> str:
    """``12``, or ``12_3`` for an element."""
    return str(job.id) if job.index is None else f"{job.id}_{job.index}"


def refs(text: str) -> list[JobRef]:
    """What *text* names, commas between. ValueError with the first word that names no job or element."""
    found: list[JobRef] = []
    for word in split(text):
        found += _refs_of(word)
    return found


def _refs_of(word: str) -> list[JobRef]:
    body = word.split(".")[0].split("+")[0]
    number, gap, indices = body.partition("_")
    if not (number.isdigit() and number.isascii()) or int(number) == 0:
        raise ValueError(word)
    if not gap:
        return [_unraw(number)]
    if indices.startswith("[") and indices.endswith("]"):
        indices = indices[1:-1].partition("%")[0]
    if indices == "*":
        return [{"id": int(number)}]
    return [{"id": int(number), "array_index": index} for index in indices_of(indices, word)]


def _unraw(digits: str) -> JobRef:
    if digits.startswith("9") and len(digits) >= _DIGITS + 2:
        return {"id": int(digits[1 : _DIGITS + 1]), "array_index": int(digits[_DIGITS + 1 :])}
    return {"id": int(digits)}


def indices_of(text: str, word: str = "") -> list[int]:
    """The indices that ``1-3,7,10-20:5`` says. ValueError with *word* (or *text*) where it says none."""
    found: list[int] = []
    for part in text.split(","):
        span, colon, step = part.partition(":")
        first, dash, last = span.partition("-")
        texts = [first, *([last] if dash else []), *([step] if colon else [])]
        if not all(one.isdigit() and one.isascii() and len(one) < 11 for one in texts) or (
            colon and not int(step)
        ):
            raise ValueError(word or text)
        low, high, by = int(first), int(last or first), int(step or 1)
        if high < low or (high - low) // by >= _MOST_INDICES:
            raise ValueError(word or text)
        found += range(low, high + 1, by)
    return found
