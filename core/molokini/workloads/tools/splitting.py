"""A log in parts: by time, by user, for training and testing.

Every record is in exactly one part, and each part's header tells which part of which log it is, so that
``merging`` can put the log together again.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.calendar import DAY_S, calendar
from molokini.workloads.tools.notes import noted
from molokini.workloads.tools.whole import WholeLog, stem
from molokini.workloads.workload import Floats, Ints

PART_NOTE = "part {part} of {parts} of {name}, split by molokini: {says}"
_MOST_PARTS = 10_000


@dataclass(frozen=True)
class Parted:
    """To which part each record goes, and what the parts are called."""

    part: Ints
    """Of each record: its part, from 0."""
    names: tuple[str, ...]
    """For file names."""
    says: tuple[str, ...]
    """For headers."""


@dataclass(frozen=True)
class SplitRequest:
    """What a split needs to know beside the log."""

    share: float = 0.5
    """Of the first part, by ``share``, ``users`` and ``random-weeks``."""
    warm_up_s: float = 0.0
    cool_down_s: float = 0.0
    seed: int = 0


def split(log: WholeLog, by: str, wanted: SplitRequest) -> dict[str, WholeLog]:
    """The parts of *log* by the name of each, in order; parts without a record are left out."""
    if not 0 < wanted.share < 1:
        raise BadValue("share", wanted.share, "above 0 and below 1")
    parted = SPLITS[by](log, wanted)
    there = np.unique(parted.part).tolist()
    if len(there) < 2:
        raise BadInput(f"{log.name}: all {len(log):,} records fall into one part when split by {by}")
    if len(there) > _MOST_PARTS:
        raise BadInput(f"{log.name}: split by {by} it has {len(there):,} parts, more than {_MOST_PARTS:,}")
    found = {}
    for place, part in enumerate(there, 1):
        note = PART_NOTE.format(part=place, parts=len(there), name=stem(log.name), says=parted.says[part])
        rows = np.flatnonzero(parted.part == part)
        found[parted.names[part]] = replace(log.take(rows), header=noted(log.header, note), unread={})
    return found


def _spans(unit: str) -> Callable[[WholeLog, SplitRequest], Parted]:
    """Days, weeks or months of the calendar, as far as the header tells it."""

    def parted(log: WholeLog, wanted: SplitRequest) -> Parted:
        found = calendar(log.header, log.column("submit_s"))
        values: Ints = getattr(found, unit)
        first, last = int(values.min()), int(values.max())
        if last - first >= _MOST_PARTS:
            raise BadInput(f"{log.name}: it spans {last - first + 1:,} {unit}s, more than {_MOST_PARTS:,}")
        spans = range(first, last + 1)
        digits = len(str(len(spans)))
        names = tuple(f"{unit}-{place:0{digits}}" for place in range(1, len(spans) + 1))
        says = tuple(f"{unit} {place} of {len(spans)} ({found.clock})" for place in range(1, len(spans) + 1))
        return Parted(values - first, names, says)

    return parted


def _share(log: WholeLog, wanted: SplitRequest) -> Parted:
    """The first part of the time, and the rest."""
    submit_s = log.column("submit_s")
    cut_s = float(submit_s.min() + wanted.share * np.ptp(submit_s))
    says = (f"submitted before {cut_s:.15g} s", f"submitted at {cut_s:.15g} s or later")
    return Parted((submit_s >= cut_s).astype(np.int64), ("first", "rest"), says)


def _ends(log: WholeLog, wanted: SplitRequest) -> Parted:
    """Warm-up, what counts, cool-down."""
    warm_s, cool_s = wanted.warm_up_s, wanted.cool_down_s
    for name, value in (("warm-up", warm_s), ("cool-down", cool_s)):
        if not (math.isfinite(value) and value >= 0):
            raise BadValue(name, value, "0 or more seconds")
    submit_s = log.column("submit_s")
    first, last = float(submit_s.min()) + warm_s, float(submit_s.max()) - cool_s
    if warm_s == cool_s == 0 or first > last:
        span = float(np.ptp(submit_s)) / DAY_S
        raise BadValue(
            "warm-up and cool-down",
            f"{warm_s:g} s, {cool_s:g} s",
            f"above 0, less than {span:.4g} days in all",
        )
    part = (submit_s >= first).astype(np.int64) + (submit_s > last)
    says = (f"before {first:.15g} s", f"from {first:.15g} s to {last:.15g} s", f"after {last:.15g} s")
    return Parted(part, ("warm-up", "middle", "cool-down"), says)


def _users(log: WholeLog, wanted: SplitRequest) -> Parted:
    """All jobs of some users, and those of the others; who is unknown counts as one user."""
    users, which = np.unique(log.column("user"), return_inverse=True)
    return _drawn(users, which, wanted, "users", ("users-a", "users-b"))


def _random_weeks(log: WholeLog, wanted: SplitRequest) -> Parted:
    """Some weeks, drawn, and the others."""
    weeks, which = np.unique(calendar(log.header, log.column("submit_s")).week, return_inverse=True)
    return _drawn(weeks, which, wanted, "weeks", ("weeks-a", "weeks-b"))


def _drawn(
    values: Ints | Floats, which: Ints, wanted: SplitRequest, noun: str, names: tuple[str, str]
) -> Parted:
    count = min(max(1, round(wanted.share * len(values))), max(1, len(values) - 1))
    order = np.random.Generator(np.random.PCG64(wanted.seed)).permutation(len(values))
    second = np.ones(len(values), np.int64)
    second[order[:count]] = 0
    says = tuple(
        f"{size} of {len(values)} {noun}, drawn with seed {wanted.seed}"
        for size in (count, len(values) - count)
    )
    return Parted(second[which], names, says)


SPLITS: dict[str, Callable[[WholeLog, SplitRequest], Parted]] = {
    "day": _spans("day"),
    "week": _spans("week"),
    "month": _spans("month"),
    "share": _share,
    "ends": _ends,
    "users": _users,
    "random-weeks": _random_weeks,
}
"""Every way to split a log."""
