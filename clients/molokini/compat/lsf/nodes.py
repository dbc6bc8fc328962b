"""Hosts as the server lists them."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Node, Sequence
from molokini.compat.failures import Refused
from molokini.compat.ordering import natural

_PAGE = 10_000


def listed(run: Invocation, names: Sequence[str]) -> tuple[list[Node], list[str]]:
    """The hosts *names* (none: all), and those names that are of none."""
    if not names:
        return _all(run, {}), []
    found, absent = [], []
    for name in names:
        try:
            found += _all(run, {"names": [name]})
        except Refused as error:
            if error.code != "NOT_FOUND":
                raise
            absent.append(name)
    return found, absent


def _all(run: Invocation, asked: dict[str, Any]) -> list[Node]:
    found: list[Node] = []
    asked = {**asked, "page_size": _PAGE}
    while True:
        page = run.transport.call("ClusterService", "ListNodes", asked)
        found += page.get("nodes", ())
        if not page.get("next_page_token"):
            return sorted(found, key=lambda one: natural(one["name"]))
        asked["page_token"] = page["next_page_token"]


def megabytes(kilobytes: int) -> str:
    """``24.1G``, ``512M``; ``-`` where it is not counted."""
    if not kilobytes:
        return "-"
    return f"{kilobytes / 1048576:.1f}G" if kilobytes >= 1048576 else f"{kilobytes // 1024}M"
