"""``-J X-Y[:Z][%max]``, lists of such, and Torque's ``-t list[%max]``."""

from __future__ import annotations

from molokini.compat._types import Any
from molokini.compat.indices import ranges

_LARGEST = 2**31 - 1
_MOST = 1_000_000


def pro(text: str) -> dict[str, Any]:
    """The ArraySpec of ``-J text``. ValueError for what is none."""
    span, limit = _limited(text)
    if "," in span:
        return {**_listed(span), **limit}
    span, colon, step = span.partition(":")
    first, dash, last = span.partition("-")
    if not dash:
        raise ValueError("expected X-Y[:Z][%max]")
    made = {"first": _number(first), "last": _number(last), "step": _number(step) if colon else 1}
    if made["first"] >= made["last"] or not made["step"]:
        raise ValueError("X must be below Y, and Z at least 1")
    return {**made, **limit}


def torque(text: str) -> dict[str, Any]:
    """The ArraySpec of ``-t text``. ValueError for what is none."""
    span, limit = _limited(text)
    if "," in span:
        return {**_listed(span), **limit}
    first, dash, last = span.partition("-")
    made = {"first": _number(first), "last": _number(last) if dash else _number(first), "step": 1}
    if made["first"] > made["last"]:
        raise ValueError("expected first-last, where first is not above last")
    return {**made, **limit}


def _listed(span: str) -> dict[str, Any]:
    """``1,3,5-9:2`` as a progression, where it is one, else index by index."""
    indices: set[int] = set()
    for part in span.split(","):
        ends, colon, step = part.partition(":")
        first, dash, last = ends.partition("-")
        start, end = _number(first), _number(last) if dash else _number(first)
        distance = _number(step) if colon else 1
        if end < start or end - start > _MOST or not distance:
            raise ValueError("expected first-last, where first is not above last")
        found = range(start, end + 1, distance)
        if indices & {*found}:
            raise ValueError("each index must be given once")
        indices.update(found)
    listed = sorted(indices)
    even = listed[1] - listed[0] if len(listed) > 1 else 1
    if listed == list(range(listed[0], listed[-1] + 1, even)):
        return {"first": listed[0], "last": listed[-1], "step": even}
    return {"indices": listed}


def _limited(text: str) -> tuple[str, dict[str, int]]:
    span, sign, most = text.partition("%")
    if not sign:
        return span, {}
    limit = _number(most)
    if not limit:
        raise ValueError("at least one has to run at a time")
    return span, {"running_limit": limit}


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= _LARGEST:
        return int(text)
    raise ValueError(f"{text[:40]!r} is no index from 0 to {_LARGEST:,}")


def written(array: dict[str, Any]) -> str:
    """``1-10:2``, or ``1,3,7``, as listings have it."""
    if array.get("indices"):
        return ranges(array["indices"])
    first, last, step = array.get("first", 0), array.get("last", 0), array.get("step", 0) or 1
    return f"{first}-{last}" + (f":{step}" if step > 1 else "")
