"""Listings of things that are no jobs: queues and hosts, by format (-o), as JSON, or in the usual columns."""

from __future__ import annotations

from molokini.compat._types import Callable, Found, Invocation, Mapping, Sequence, Values
from molokini.compat.lsf.formats import as_json, read_format, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Fields = Mapping[str, tuple[int, Callable[[Found], str]]]


def formatted(run: Invocation, given: Values, fields: Fields, things: Sequence[Found], count: str) -> bool:
    """Whether ``-o`` or ``-json`` was given, and so all is said. Raises ValueError."""
    if not (given.flag("o") or given.flag("json")):
        return False
    text = given.one("o") or " ".join(fields)
    asked = read_format(text, {name: width for name, (width, _) in fields.items()}, {})
    if given.flag("json"):
        records = [{name.upper(): fields[name][1](thing) for name in asked.names} for thing in things]
        run.say(as_json(run.name, count, records))
        return True
    if not given.flag("noheader"):
        run.say(asked.header())
    for thing in things:
        run.say(asked.line(values_of(asked.names, lambda name, thing=thing: fields[name][1](thing))))  # type: ignore[misc]
    return True


def number(value: float | None) -> str:
    """A limit, or ``-`` where there is none."""
    return f"{value:g}" if value else "-"
