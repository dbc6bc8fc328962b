"""Sizes as PBS reads and writes them: a whole number and a unit, bytes where there is none."""

from __future__ import annotations

_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_WORD_BYTES = 8
_MOST_KB = 2**50


def kilobytes(text: str) -> int:
    """Kilobytes of ``477MB``, ``4gb``, ``64000000`` or ``512kw``, rounded up. ValueError for what is none."""
    lower = text.strip().lower()
    digits = lower.rstrip("bwkmgtp")
    unit = lower[len(digits) :]
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise ValueError
    each = _WORD_BYTES if unit.endswith("w") else 1
    prefix = unit[:-1] if unit.endswith(("b", "w")) else unit
    if prefix not in _UNITS:
        raise ValueError
    bytes_each: int = each * 1024 ** _UNITS[prefix]
    found = -(-int(digits) * bytes_each // 1024)
    if not 0 < found <= _MOST_KB:
        raise ValueError
    return found


def in_kb(size_kb: int) -> str:
    """As attributes have it: ``1048576kb``."""
    return f"{size_kb}kb"


def short(size_kb: int, unit: str = "") -> str:
    """As tables have it, within six characters: ``477mb``, ``14gb``; ``--`` for none.

    *unit*: ``gb`` or ``mw``, whatever the size.
    """
    if not size_kb:
        return "--"
    if unit == "gb":
        return f"{-(-size_kb // 2**20)}gb"
    if unit == "mw":
        return f"{-(-size_kb // (2**10 * _WORD_BYTES))}mw"
    for name in ("kb", "mb", "gb", "tb"):
        if size_kb < 1024 or (size_kb % 1024 and size_kb < 10_000):
            return f"{size_kb}{name}"
        size_kb = -(-size_kb // 1024) if size_kb % 1024 else size_kb // 1024
    return f"{size_kb}pb"
