"""``-J X-Y[:Z][%max]`` and Torque's ``-t list[%max]``."""

from __future__ import annotations

from molokini.compat._types import Any

_LARGEST = 2**31 - 1


def pro(text: str) -> dict[str, int]:
    """The ArraySpec of ``-J text``. ValueError for what is none."""
    span, limit = _limited(text)
    span, colon, step = span.partition(":")
    first, dash, last = span.partition("-")
    if not dash:
        raise ValueError("expected X-Y[:Z][%max]")
    made = {"first": _number(first), "last": _number(last), "step": _number(step) if colon else 1}
    if made["first"] >= made["last"] or not made["step"]:
        raise ValueError("X must be below Y, and Z at least 1")
    return {**made, **limit}


def torque(text: str) -> dict[str, int]:
    """The ArraySpec of ``-t text``. ValueError for what is none, or indices at no even distance."""
    span, limit = _limited(text)
    indices: list[int] = []
    parts = [part.partition("-") for part in span.split(",")]
    if len(parts) == 1:
        first, dash, last = parts[0]
        made = {"first": _number(first), "last": _number(last) if dash else _number(first), "step": 1}
        if made["first"] > made["last"]:
            raise ValueError("expected first-last, where first is not above last")
        return {**made, **limit}
    for first, dash, last in parts:
        start, end = _number(first), _number(last) if dash else _number(first)
        if end < start or end - start > 1_000_000:
            raise ValueError("expected first-last, where first is not above last")
        indices += range(start, end + 1)
    indices.sort()
    steps = {indices[k + 1] - indices[k] for k in range(len(indices) - 1)}
    if len(steps) != 1 or 0 in steps:
        raise ValueError("indices must be evenly spaced, each given once")
    return {"first": indices[0], "last": indices[-1], "step": steps.pop(), **limit}


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
    """``1-10:2``, as listings have it."""
    first, last, step = array.get("first", 0), array.get("last", 0), array.get("step", 0) or 1
    return f"{first}-{last}" + (f":{step}" if step > 1 else "")
