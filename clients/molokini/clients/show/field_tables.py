"""A listing declared once: what a thing is in JSON, by key, and in print, by heading."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from molokini.clients.show.lines import Column


@dataclass(frozen=True)
class Field:
    """One field of a thing."""

    key: str
    """Its name in JSON."""
    heading: str = ""
    """Its name in print; empty: it is in the JSON alone."""
    value: str | Callable[[Any], Any] = ""
    """What it is in JSON: the path of an attribute (empty: of that called as the key), or a function."""
    text: Callable[[Any], str] | None = None
    """What is printed of a thing; None: the value."""
    figures: bool = False
    cut: bool = False
    made: Callable[[Any], Any] | None = None
    """What JSON has of the attribute; None: that itself."""

    @property
    def path(self) -> str:
        """That of its attribute; empty where its value is a function of the thing."""
        return "" if callable(self.value) else self.value or self.key

    def of(self, thing: Any) -> Any:
        """The value of *thing*."""
        if callable(self.value):
            return self.value(thing)
        found = attrgetter(self.path)(thing)
        return self.made(found) if self.made is not None else found

    @property
    def column(self) -> Column:
        """It in print."""
        return Column(self.heading, self.figures, self.cut, self.text or (lambda thing: str(self.of(thing))))


class Fields:
    """The fields of things of one kind, in the order of JSON."""

    def __init__(self, *fields: Field) -> None:
        self._headings = {one.heading: one for one in fields if one.heading}
        self._empty: dict[str, Any] = {one.key: None for one in fields}
        self._parts = _parts_of(fields)
        self._made = [(one.key, one.made) for one in fields if one.made is not None]
        self._computed = [(one.key, one.value) for one in fields if callable(one.value)]

    def columns(self, *headings: str) -> tuple[Column, ...]:
        """These columns."""
        return tuple(self._headings[heading].column for heading in headings)

    def document(self, thing: Any) -> dict[str, Any]:
        """*thing* in JSON."""
        found = self._empty.copy()
        for part, keys, values in self._parts:
            found.update(zip(keys, values(part(thing) if part else thing)[len(_ANY) :], strict=True))
        for key, made in self._made:
            found[key] = made(found[key])
        for key, value in self._computed:
            found[key] = value(thing)
        return found


_ANY = ("__class__", "__class__")
"""With these two paths ``attrgetter`` always answers a tuple."""
_Part = tuple[Callable[[Any], Any] | None, list[str], Callable[[Any], Any]]


def _parts_of(fields: tuple[Field, ...]) -> list[_Part]:
    """What has the attributes (None: the thing itself), their keys, and what gets them.

    Each part of a message is looked up once, and its attributes in one call: a listing may have ten thousand
    things.
    """
    found: dict[str, list[Field]] = {}
    for one in fields:
        if one.path:
            found.setdefault(one.path.rpartition(".")[0], []).append(one)
    return [
        (
            attrgetter(part) if part else None,
            [one.key for one in of],
            attrgetter(*_ANY, *(one.path.rpartition(".")[2] for one in of)),
        )
        for part, of in found.items()
    ]
