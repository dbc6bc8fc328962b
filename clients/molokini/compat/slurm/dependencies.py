"""Dependencies as ``--dependency`` takes them, and as listings show them."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Sequence
from molokini.compat.slurm import ids

_KINDS = {
    "after": "AFTER",
    "afterok": "AFTER_OK",
    "afternotok": "AFTER_NOT_OK",
    "afterany": "AFTER_ANY",
    "aftercorr": "AFTER_OK",
    "singleton": "SINGLETON",
}
WORDS = {
    "AFTER": "after",
    "AFTER_OK": "afterok",
    "AFTER_NOT_OK": "afternotok",
    "AFTER_ANY": "afterany",
    "SINGLETON": "singleton",
}
_MINUTE_S = 60.0


def asked(text: str) -> list[dict[str, Any]]:
    """The dependencies that *text* says: all of them (``,``), or one (``?``).

    ValueError with why it says none.
    """
    if "?" in text and "," in text:
        raise ValueError("either all have to be met (,) or one is enough (?)")
    found: list[dict[str, Any]] = []
    kind = ""
    for part in text.replace("?", ",").split(","):
        word, colon, numbers = part.strip().partition(":")
        if not colon and kind and word[:1].isdigit():
            # A number after a comma goes on with the kind before it.
            found.append(_one(kind, word))
            continue
        if word.lower() == "singleton" and not colon:
            found.append({"kind": "SINGLETON"})
            continue
        kind = word.lower()
        if kind not in _KINDS or kind == "singleton":
            raise ValueError(f"{part.strip()[:60]!r} is no dependency: there are {', '.join(_KINDS)}")
        found += [_one(kind, one) for one in numbers.split(":")]
    return [{**one, "group": 1} for one in found] if "?" in text else found


def _one(kind: str, text: str) -> dict[str, Any]:
    number, plus, minutes = text.partition("+")
    made: dict[str, Any] = {"kind": _KINDS[kind]}
    if plus:
        if not (minutes.isdigit() and minutes.isascii() and len(minutes) < 10):
            raise ValueError(f"{text[:60]!r}: expected minutes after the +")
        # Slurm reads it behind the other kinds, too, and waits by it behind this one alone.
        if kind == "after":
            made["delay_s"] = int(minutes) * _MINUTE_S
    if kind == "aftercorr":
        made["elementwise"] = True
    try:
        named = ids.refs(number)
    except ValueError:
        named = []
    if len(named) != 1 or named[0]["id"] > ids.MOST or "," in number:
        raise ValueError(f"{text[:60]!r} is no number of a job")
    made["job_id"] = named[0]["id"]
    if "array_index" in named[0]:
        made["array_index"] = named[0]["array_index"]
    return made


def shown(dependencies: Sequence[dict[str, Any]], waits: bool, is_array: Callable[[int], bool]) -> str:
    """``afterok:1(unfulfilled)``, with ``?`` between alternatives; empty where there are none."""
    state = "unfulfilled" if waits else "fulfilled"
    made = []
    for one in dependencies:
        kind = "aftercorr" if one.get("elementwise") else WORDS.get(one.get("kind", ""), "after")
        number = str(one.get("job_id", ""))
        if "array_index" in one:
            number += f"_{one['array_index']}"
        elif number and (one.get("elementwise") or is_array(one["job_id"])):
            number += "_*"
        if one.get("delay_s"):
            number += f"+{one['delay_s'] / _MINUTE_S:.0f}"
        made.append(f"{kind}:{number}({state})" if number else f"{kind}({state})")
    return ("?" if any(one.get("group") for one in dependencies) else ",").join(made)
