"""Amounts as people write them: durations, memory, array ranges, job ids. Commands parse with these."""

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

from molokini.model.errors import BadValue

LARGEST = (1 << 63) - 1
MOST_AT_ONCE = (1 << 31) - 1
"""Of what messages hold in 32 bits."""
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)([KMGTP])(?:i?B)?", re.ASCII | re.IGNORECASE)
_ARRAY = re.compile(r"(\d+)(?:-(\d+))?(?::(\d+))?(?:%(\d+))?", re.ASCII)
_JOB = re.compile(r"(\d+)(?:\[(\d*)\])?", re.ASCII)


@dataclass(frozen=True)
class JobName:
    """A job, or one element of an array."""

    id: int
    index: int | None = None

    def __str__(self) -> str:
        return str(self.id) if self.index is None else f"{self.id}[{self.index}]"


class ArrayRange(NamedTuple):
    """The elements of an array: from first to last by step; at most *limit* run at once (0: any number)."""

    first: int
    last: int
    step: int = 1
    limit: int = 0


def whole(field: str, value: int, least: int = 0, most: int = LARGEST) -> int:
    """*value*, or BadValue where it lies outside what *field* can hold."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadValue(field, value, f"a whole number from {least:,} to {most:,}")
    return value


def clock_time(value_s: float) -> str:
    """Seconds as a clock writes them: ``1:02:03``, ``2-03:04:05``."""
    if not math.isfinite(value_s):
        return "-"
    minutes, rest = divmod(round(value_s), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{days}-{hours:02}:{minutes:02}:{rest:02}" if days else f"{hours}:{minutes:02}:{rest:02}"


def memory_text(size_kb: int) -> str:
    """Kilobytes in the largest unit that keeps the number whole: ``4G``."""
    unit = 0
    while size_kb and size_kb % 1024 == 0 and unit < 4:
        size_kb, unit = size_kb // 1024, unit + 1
    return f"{size_kb}{'KMGTP'[unit]}"


def memory_kb(field: str, text: str) -> int:
    """``512M``, ``4G``, ``1.5T`` in kilobytes of 1,024 bytes."""
    match = _MEMORY.fullmatch(text)
    if match is None:
        # Batch systems disagree on what a bare number means.
        raise BadValue(field, text, "a number with its unit: 512K, 512M, 4G, 1.5T")
    size = float(match[1]) * 1024.0 ** "KMGTP".index(match[2].upper())
    if not 1 <= size <= LARGEST / 2:
        raise BadValue(field, text, "from 1K to 4194304P")
    return math.ceil(size)


def megabytes(field: str, text: str) -> float:
    """``512`` and ``4G`` in megabytes, where a bare number is of them as in Maui's commands."""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        try:
            return memory_kb(field, text) / 1024.0
        except BadValue:
            raise BadValue(field, text, "MB, or a number with its unit: 2048, 512M, 4G") from None
    return float(text)


def array_range(field: str, text: str) -> ArrayRange:
    """``1-100``, ``1-100:2`` (every second), ``1-100%10`` (ten at once), or one index."""
    match = _ARRAY.fullmatch(text)
    if match is None:
        raise BadValue(field, text, "FIRST-LAST[:STEP][%RUNNING]")
    first, last, step, limit = (None if part is None else int(part) for part in match.groups())
    made = ArrayRange(
        first or 0, (first or 0) if last is None else last, 1 if step is None else step, limit or 0
    )
    if made.last < made.first:
        raise BadValue(field, text, "a range whose last index is not below its first")
    if made.step < 1:
        raise BadValue(field, text, "a range with a step of 1 or more")
    if limit == 0:
        raise BadValue(field, text, "a range of which at least 1 element may run")
    for part in made:
        whole(field, part)
    return made


def job_name(text: str, field: str = "job") -> JobName:
    """``12``, or ``12[3]`` for an element; ``12[]`` is the whole array."""
    match = _JOB.fullmatch(text)
    if match is None or not 1 <= int(match[1]) <= LARGEST or int(match[2] or 0) > LARGEST:
        raise BadValue(field, text, "a job's number, or NUMBER[INDEX] for an element of an array")
    return JobName(int(match[1]), int(match[2]) if match[2] else None)
