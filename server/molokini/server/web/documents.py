"""From messages to JSON: the names of the messages, numbers as numbers, what is not set left out.

It goes field by field, by functions that are looked up once a kind: a listing of 10,000 jobs is asked for
often, and protobuf's own conversion takes ten times as long. It differs from that one in whole numbers of 64
bits, which are numbers here and not texts: all that the server makes are below 2**53.
"""

import base64
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

Make = Callable[[Any], Any]
Document: TypeAlias = dict[str, Any]
"""A message as JSON: its set fields by name."""

REPEATED = frozenset(f"molokini.v1.{name}" for name in ("Resources", "Outcome", "Allocation"))
"""Parts of jobs that many jobs have alike. No code changes a document that was made of one."""
MOST_KEPT = 2_000
"""Of each kind; all are forgotten when there are more."""


def to_document(message: Message) -> Document:
    """The set fields of *message*, by their names."""
    return document_of(message.DESCRIPTOR, message.ListFields())


def document_of(descriptor: Any, fields: Iterable[tuple[FieldDescriptor, Any]]) -> Document:
    """The same of some *fields* of a message with this *descriptor*."""
    found = {}
    makes = _makes_of(descriptor)
    for field, value in fields:
        name, make = makes[field.number]
        found[name] = value if make is None else make(value)
    return found


def document_of_values(descriptor: Any, values: Mapping[str, Any]) -> Document:
    """The document of the message that *values* would make, by name, which saves making it.

    A part is a mapping of the same kind, or a message; None is as if it were not there. The order is that of
    *values*.
    """
    found = {}
    makes = _value_makes_of(descriptor)
    for name, value in values.items():
        make, kept = makes[name]
        if value or (kept and value is not None):
            found[name] = make(value)
    return found


@cache
def _value_makes_of(descriptor: Descriptor) -> Mapping[str, tuple[Make, bool]]:
    """By name: what makes JSON of a value, and whether a document has the field although it is 0 or empty."""
    return {field.name: (_value_make_of(field), field.has_presence) for field in descriptor.fields}


def _value_make_of(field: FieldDescriptor) -> Make:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        one = _value_scalar(kind.fields_by_name["value"])
        return lambda values: {str(key): one(value) for key, value in values.items()}
    one = _value_scalar(field)
    return (lambda values: [one(value) for value in values]) if field.is_repeated else one


def _value_scalar(field: FieldDescriptor) -> Make:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        kind = field.message_type
        return lambda value: (
            to_document(value) if isinstance(value, Message) else document_of_values(kind, value)
        )
    if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
        return lambda value: _number(float(value))
    # Figures come from arrays as well, whose numbers JSON does not know.
    return _scalar(field) or {FieldDescriptor.TYPE_STRING: str, FieldDescriptor.TYPE_BOOL: bool}.get(
        field.type, int
    )


def _document_maker(descriptor: Any) -> Make:
    """``to_document`` for messages of one kind. Small ones that mostly come again share what was made."""
    kept: dict[bytes, Document] = {}
    makes: Mapping[int, tuple[str, Make | None]] = {}

    def made(message: Message) -> Document:
        nonlocal makes
        makes = makes or _makes_of(descriptor)
        found = {}
        for field, value in message.ListFields():
            name, make = makes[field.number]
            found[name] = value if make is None else make(value)
        return found

    def known(message: Message) -> Document:
        key = message.SerializeToString()
        found = kept.get(key)
        if found is None:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            found = kept[key] = made(message)
        return found

    return known if descriptor.full_name in REPEATED else made


@cache
def _makes_of(descriptor: Descriptor) -> Mapping[int, tuple[str, Make | None]]:
    return {field.number: (field.name, _make_of(field)) for field in descriptor.fields}


def _make_of(field: FieldDescriptor) -> Make | None:
    """What makes JSON of a value of *field*; None where the value can stay as it is."""
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        return _map(_scalar(kind.fields_by_name["value"]))
    one = _scalar(field)
    if field.is_repeated:
        return _copy if one is None else _list(one)
    return one


def _scalar(field: FieldDescriptor) -> Make | None:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return _document_maker(field.message_type)
    if field.type == FieldDescriptor.TYPE_ENUM:
        assert field.enum_type is not None
        names = {number: value.name for number, value in field.enum_type.values_by_number.items()}
        return _Names(names).__getitem__
    if field.type == FieldDescriptor.TYPE_BYTES:
        return lambda value: base64.b64encode(value).decode("ascii")
    if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
        return _number
    return None


class _Names(dict[int, str]):
    """Of the values of an enumeration; a number without one stands for itself."""

    def __missing__(self, number: int) -> int:
        return number


def _number(value: float) -> float | str:
    """JSON has no infinity; the text is the one that protobuf's own JSON has."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _copy(values: Any) -> list[Any]:
    # Twice as fast as ``list``, which asks for one after the other.
    made: list[Any] = values[:]
    return made


def _list(make: Make) -> Make:
    return lambda values: [make(value) for value in values]


def _map(make: Make | None) -> Make:
    if make is None:
        return dict
    return lambda values: {str(key): make(values[key]) for key in values}
