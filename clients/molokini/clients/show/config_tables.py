"""What ``molokini config`` prints for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.text import plural

_PROSE = 64
"""Cells of a line of a sentence, so that a row can be read in a pipe, too."""
_SHAPE: dict[str, Any] = {"whole": (1,), "prose": _PROSE}


def show_check(found: Mapping[str, Any]) -> None:
    """A row for each parameter in the file, what is refused last, then how many of each there are."""
    out = console()
    findings = found["findings"]
    good = [one for one in findings if one["status"] != "refused"]
    if good:
        made = table("", "line", "parameter", "value", "status", "meaning", words=range(6), keys=2, **_SHAPE)
        for one in good:
            row(made, _line(found, one), one["parameter"], one["value"], one["status"], _text(one))
        show(out, made)
    bad = [one for one in findings if one["status"] == "refused"]
    if bad:
        made = table("refused", "line", "parameter", "cause", words=range(3), keys=2, **_SHAPE)
        for one in bad:
            row(made, _line(found, one), one["parameter"], one["cause"])
        show(out, made)
    counts = ", ".join(f"{count:,} {status}" for status, count in found["counts"].items())
    lines(out, [f"{found['file']}: {plural(len(findings), 'parameter')}: {counts}"])


def _line(found: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    number = "" if one["line"] is None else str(one["line"])
    return number if one["file"] == found["file"] else f"{one['file']}:{number}"


def _text(one: Mapping[str, Any]) -> str:
    parts = [one["meaning"], f"No effect: {one['cause']}." if one["cause"] else "", _note(one["note"])]
    return " ".join(filter(None, parts))


def _note(note: str) -> str:
    return f"Note: {note}." if note else ""


def show_parameters(listed: Sequence[Mapping[str, Any]]) -> None:
    """A row for each parameter."""
    made = table("", "name", "default", "may be", "meaning", words=range(4), whole=(0,), prose=_PROSE)
    for one in listed:
        because = one["without_effect_because"]
        meaning = one["meaning"] + (f" No effect: {because}." if because else "")
        names = ", ".join([one["name"], *one["aliases"]])
        row(made, names, one["default"], one["allowed"], meaning)
    show(console(), made)
