"""Patterns in paths: what Slurm writes after a per cent sign, in the letters that our nodes know."""

from __future__ import annotations

_NO_INDEX = "4294967294"
"""What Slurm puts for the index of a job that is no array."""


def batch_path(path: str, array: bool) -> str:
    """*path* of a batch script's file, for the node to fill in."""
    step = {"t": "0", "n": "0", "s": "batch"}
    if array:
        ours = {"A": "%j", "a": "%a", "b": "%b", "j": "%i", "J": "%i"}
    else:
        ours = {"A": "%j", "a": _NO_INDEX, "b": _NO_INDEX[-1], "j": "%j", "J": "%j"}
    return replaced(path, {**step, **ours, "N": "%N", "u": "%u", "x": "%x", "%": "%%"}, unknown="%%")


def replaced(path: str, values: dict[str, str], unknown: str = "%") -> str:
    """*path* with each pattern replaced; digits before its letter fill up a number, or go with it.

    *unknown*: what becomes of a per cent sign that begins no pattern. One with a backslash has no patterns.
    """
    if "\\" in path:
        return path.replace("\\", "").replace("%", unknown)
    made, k = [], 0
    while k < len(path):
        if path[k] != "%":
            made.append(path[k])
            k += 1
            continue
        end = k + 1
        while path[end : end + 1].isdigit() and path[end : end + 1].isascii():
            end += 1
        letter, digits = path[end : end + 1], path[k + 1 : end]
        if letter not in values or (letter == "%" and digits):
            made.append(unknown)
            k += 1
            continue
        value = values[letter]
        if digits and value.isdigit():
            value = value.zfill(int(digits))
        elif digits and value in ("%j", "%a", "%i"):
            value = f"%{min(int(digits), 10)}{value[1]}"
        made.append(value)
        k = end + 1
    return "".join(made)
