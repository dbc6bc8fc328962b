"""Names of nodes as Slurm writes them: ``tux[001-064,070],io1``, several brackets in a name included."""

import re
from collections.abc import Mapping, Sequence

from molokini.model.names import expand

_COMMA = re.compile(r",(?![^\[]*\])")
_DIGITS = re.compile(r"(\d+)")


def hosts(text: str) -> list[str]:
    """The names that *text* stands for, each once, as they are written. Raises BadValue."""
    found = [name for part in _COMMA.split(text.strip()) if part for name in expand(part.strip())]
    return list(dict.fromkeys(found))


def in_order(names: Sequence[str]) -> list[str]:
    """*names* as Slurm numbers nodes: by their parts, digits as numbers."""
    return sorted(names, key=_parts)


def _parts(name: str) -> list[tuple[int, int, str]]:
    pieces = _DIGITS.split(name)
    return [(1, int(one), one) if one.isdigit() else (0, 0, one) for one in pieces if one]


def packed(names: Sequence[str]) -> str:
    """*names* as one text: those that differ in one number alone as a range."""
    groups: dict[tuple[str, str, int], list[int]] = {}
    for name in names:
        match = re.fullmatch(r"(.*?)(\d+)(\D*)", name)
        key = (name, "", 0) if match is None else (match[1], match[3], len(match[2]))
        groups.setdefault(key, []).append(-1 if match is None else int(match[2]))
    return ",".join(_group(key, numbers) for key, numbers in groups.items())


def _group(key: tuple[str, str, int], numbers: Sequence[int]) -> str:
    before, behind, width = key
    if numbers[0] < 0:
        return before
    parts, ordered = [], sorted(set(numbers))
    first = last = ordered[0]
    for one in [*ordered[1:], -1]:
        if one == last + 1:
            last = one
            continue
        parts.append(f"{first:0{width}d}" + (f"-{last:0{width}d}" if last > first else ""))
        first = last = one
    inside = ",".join(parts)
    return f"{before}{inside}{behind}" if inside.isdigit() else f"{before}[{inside}]{behind}"


def numbers_of(names: Sequence[str]) -> Mapping[str, int]:
    """The index of each node by its name, from 0."""
    return {name: at for at, name in enumerate(names)}
