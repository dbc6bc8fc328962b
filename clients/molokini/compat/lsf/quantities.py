"""Durations, sizes and counts as LSF writes them. What is none raises ValueError with what is allowed."""

from __future__ import annotations

import os

from molokini.compat._types import Mapping

_UNITS = {"": 0, "K": 0, "M": 1, "G": 2, "T": 3, "P": 4}
_LARGEST_KB = 2**50
_LONGEST_MINUTES = 100 * 366 * 1440
_DIGITS = 15


def whole(text: str, what: str, least: int, most: int = 2**31 - 1) -> int:
    """A whole number from *least* to *most*."""
    if is_digits(text) and least <= int(text) <= most:
        return int(text)
    raise ValueError(f"{text[:40]}: Bad {what}: must be a whole number from {least:,} to {most:,}")


def is_digits(text: str) -> bool:
    """Whether *text* is a number of ASCII digits that is short enough to be looked at."""
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS


def run_limit_s(text: str) -> float:
    """Seconds of ``[HOURS:]MINUTES[/HOST]``. All hosts are equally fast here, so a host changes nothing."""
    limit = text.partition("/")[0]
    hours, colon, minutes = limit.rpartition(":")
    if is_digits(minutes) and (not colon or is_digits(hours)) and not (colon and int(minutes) > 59):
        found = 60 * int(hours or "0") + int(minutes)
        if 0 < found <= _LONGEST_MINUTES:
            return 60.0 * found
    raise ValueError(f"{text[:40]}: Bad run limit: must be [HOURS:]MINUTES from 1 minute to 100 years")


def as_run_limit(seconds: float) -> str:
    """Seconds as LSF shows a limit: minutes with a tenth."""
    return f"{seconds / 60:.1f}"


def memory_kb(text: str, unit: str) -> int:
    """Kilobytes of a number that may have a unit (``4GB``, ``500``, ``1.5G``); *unit* where it has none."""
    letters = text.lstrip("0123456789.")
    number = text[: len(text) - len(letters)] if letters else text
    suffix = (letters.strip() or unit).upper()
    scale = suffix.removesuffix("B").removesuffix("I") if suffix != "B" else "B"
    try:
        value = float(number) if number.count(".") < 2 else -1.0
    except ValueError:
        value = -1.0
    if scale == "B":
        value /= 1024
    elif scale not in _UNITS:
        value = -1.0
    found = -(-value * 1024 ** _UNITS.get(scale, 0) // 1)
    if value > 0 and found <= _LARGEST_KB:
        return max(1, int(found))
    raise ValueError(
        f"{text[:40]}: Bad memory size: must be a number above 0, with KB, MB, GB, TB or no unit"
    )


def limit_unit(variables: Mapping[str, str], without: str) -> str:
    """The unit that limits have by ``LSF_UNIT_FOR_LIMITS`` in ``$LSF_ENVDIR/lsf.conf``, else *without*."""
    folder = variables.get("LSF_ENVDIR", "")
    if not folder:
        return without
    try:
        with open(os.path.join(folder, "lsf.conf"), encoding="utf-8", errors="replace") as file:
            lines = file.read(1 << 20).splitlines()
    except OSError:
        return without
    for line in reversed(lines):
        name, equals, value = line.partition("=")
        if equals and name.strip() == "LSF_UNIT_FOR_LIMITS":
            unit = value.strip().strip('"')[:1].upper()
            return unit if unit in _UNITS and unit else without
    return without
