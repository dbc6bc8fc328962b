"""Indices of arrays in words, as several batch systems have them."""

from __future__ import annotations

from molokini.compat._types import Any, Sequence


def ranges(indices: Sequence[int]) -> str:
    """*indices*, which ascend, with neighbours as ranges: ``1-3,7``."""
    parts: list[list[int]] = []
    for index in indices:
        if parts and parts[-1][-1] == index - 1:
            parts[-1][1:] = [index]
        else:
            parts.append([index])
    return ",".join("-".join(map(str, part)) for part in parts)


def indices_of(array: dict[str, Any]) -> Sequence[int]:
    """The indices of an ArraySpec, in ascending order."""
    if array.get("indices"):
        return sorted(array["indices"])
    return range(array.get("first", 0), array.get("last", 0) + 1, array.get("step", 0) or 1)
