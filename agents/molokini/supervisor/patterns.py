"""The patterns in paths of a job: %j, %a, %b, %i, %u, %x, %N and %%; numbers filled up as by %4a."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def default_output(index: int) -> str:
    """Where a job writes that names no file: in its working directory. *index* -1: it is no array."""
    return "molokini-%j.%a.out" if index >= 0 else "molokini-%j.out"


def of_node(pattern: str, node: int) -> str:
    """*pattern* as the node with this number, from 0, writes it: no two nodes of a job write one file.

    The first writes what was named, so that a job on one node and one on several are found alike.
    """
    if not node or pattern == "/dev/null" or "%N" in pattern.replace("%%", ""):
        return pattern
    return f"{pattern}.%N"


def values_of(job: int, index: int, user: str, name: str, node: str, number: str = "") -> dict[str, str]:
    """What the patterns stand for; *node* is the one that opens the file, *number* an element's own."""
    place = max(0, index)
    known = {"j": str(job), "a": str(place), "b": str(place % 10), "i": number or str(job)}
    return {**known, "u": user, "x": name, "N": node}


def filled(path: str, values: Mapping[str, str]) -> str:
    """*path* with its patterns replaced; ValueError for one that is not known.

    A value stands for one name: a slash in it is written as "_", and so are "." and ".." alone.
    """
    made, k = [], 0
    while k < len(path):
        if path[k] != "%":
            made.append(path[k])
            k += 1
            continue
        digits = path[k + 1 : _after_digits(path, k + 1)]
        letter = path[k + 1 + len(digits) : k + 2 + len(digits)]
        if digits and (letter not in _NUMBERS or len(digits) > _MOST_DIGITS or int(digits) > _WIDEST):
            shown = digits if len(digits) <= _MOST_DIGITS else f"{digits[:_MOST_DIGITS]}..."
            raise ValueError(f"%{shown}{letter} is no pattern: %1 to %{_WIDEST} stand before j, i and a")
        if letter == "%":
            made.append("%")
        elif letter in values:
            value = values[letter].replace("/", "_")
            made.append("_" if value in (".", "..") else value.zfill(int(digits or 0)))
        else:
            raise ValueError(
                f"%{letter} is no pattern: there are %%, " + ", ".join(f"%{one}" for one in values)
            )
        k += 2 + len(digits)
    return "".join(made)


_NUMBERS, _WIDEST = ("j", "a", "i"), 10
_MOST_DIGITS = 9
"""Of more Python makes no number, and a message should not repeat them."""


def _after_digits(path: str, place: int) -> int:
    while path[place : place + 1] in tuple("0123456789"):
        place += 1
    return place
