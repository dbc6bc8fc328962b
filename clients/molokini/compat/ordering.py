"""The order of names that have numbers in them."""

from __future__ import annotations

import re


def natural(name: str) -> list[tuple[int, int, str]]:
    """What sorts names so that the numbers in them rise: n2 before n10."""
    found: list[tuple[int, int, str]] = []
    for part in re.findall(r"\d+|\D+", name):
        found.append((0, int(part), part) if part.isdigit() else (1, 0, part))
    return found
