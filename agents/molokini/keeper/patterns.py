"""The patterns in paths of a job: %j, %a, %u, %x, %N and %%."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def default_output(index: int) -> str:
    """Where a job writes that names no file: in its working directory. *index* -1: it is no array."""
    return "molokini-%j.%a.out" if index >= 0 else "molokini-%j.out"


def values_of(job: int, index: int, user: str, name: str, node: str) -> dict[str, str]:
    """What the patterns stand for; *node* is the first one."""
    return {"j": str(job), "a": str(max(0, index)), "u": user, "x": name, "N": node}


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
        letter = path[k + 1 : k + 2]
        if letter == "%":
            made.append("%")
        elif letter in values:
            value = values[letter].replace("/", "_")
            made.append("_" if value in (".", "..") else value)
        else:
            raise ValueError(
                f"%{letter} is no pattern: there are %%, " + ", ".join(f"%{one}" for one in values)
            )
        k += 2
    return "".join(made)
