"""No NUL and no control characters in what callers send, checked once for every message.

gRPC lets NUL through, and what is stored is later shown on terminals, used in paths and written to databases.
Texts that are the user's own business (a script, its arguments, its environment, annotations, a comment, a
file) may hold anything but NUL.

The check runs over every job of a batch, so what each kind of message has to be asked is found once; a place
is looked for only in a message that fails. Some 3 microseconds a job, a half where it is like one before.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from molokini.model.errors import BadValue
from molokini.server.recent import Recent

FREE = frozenset({"argv", "script", "environment", "annotations", "comment", "maui_config", "maui_configs"})
"""Fields that may hold any character but NUL."""

REPEATED = frozenset({"molokini.v1.JobSpec"})
"""Messages that mostly come again as they are: those that were clean are known by their bytes."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SHOWN = 60

Check = Callable[[Any], bool]
"""Whether the value of a field, or a message, is clean."""


def check_strings(message: Message) -> None:
    """Raise BadValue for the first string of *message* that holds what it must not."""
    if not _check_of(cast(Descriptor, message.DESCRIPTOR))(message):
        for place, text, free in _texts(message, ""):
            if "\0" in text if free else _CONTROL.search(text):
                shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
                raise BadValue(place, shown, "without NUL" if free else "without control characters")


_checks: dict[str, Check] = {}


def _check_of(descriptor: Descriptor) -> Check:
    """One function that asks everything of a message of this kind; it looks at set fields alone."""
    found = _checks.get(descriptor.full_name)
    if found is not None:
        return found
    asks: dict[int, Check] = {}

    def check(message: Any) -> bool:
        for field, value in message.ListFields():
            ask = asks.get(field.number)
            if ask is not None and not ask(value):
                return False
        return True

    # Kept before its parts are made, since a message may contain itself.
    found = _checks[descriptor.full_name] = _once(check) if descriptor.full_name in REPEATED else check
    for field in descriptor.fields:
        part = _part(field)
        if part is not None:
            asks[field.number] = part
    return found


def _once(check: Check) -> Check:
    """*check*, for messages that were not found clean just now."""
    clean: Recent[bool] = Recent()

    def checked(message: Any) -> bool:
        body = message.SerializeToString()
        if clean.get(body):
            return True
        found = check(message)
        if found:
            clean.keep(body, True)
        return found

    return checked


def _part(field: FieldDescriptor) -> Check | None:
    """The rule for the value of *field*; None where it holds no text."""
    if _is_map(field):
        return _map_part(field)
    if _is_text(field):
        ask = _without_nul if field.name in FREE else _clean
        return (lambda texts: ask("".join(texts))) if field.is_repeated else ask
    kind = field.message_type
    if kind is None or not _holds_text(kind, ()):
        return None
    inner = _check_of(kind)
    return (lambda messages: all(map(inner, messages))) if field.is_repeated else inner


def _map_part(field: FieldDescriptor) -> Check | None:
    assert field.message_type is not None  # what makes it a map
    entry = field.message_type.fields_by_name
    if _is_text(entry["value"]):
        ask = _without_nul if field.name in FREE else _clean
        return lambda texts: _clean("".join(texts)) and ask("".join(texts.values()))
    return (lambda texts: _clean("".join(texts))) if _is_text(entry["key"]) else None


def is_clean(text: str, free: bool) -> bool:
    """Whether *text* holds nothing that it must not; *free*: only NUL is that."""
    return _without_nul(text) if free else _clean(text)


def _without_nul(text: str) -> bool:
    return "\0" not in text


def _clean(text: str) -> bool:
    # Printable is stricter than wanted (it refuses marks of direction, say) and much faster.
    return text.isprintable() or _CONTROL.search(text) is None


def _is_text(field: FieldDescriptor) -> bool:
    return bool(field.type == FieldDescriptor.TYPE_STRING)


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _holds_text(descriptor: Descriptor, above: tuple[str, ...]) -> bool:
    if descriptor.full_name in above:
        return False
    above = (*above, descriptor.full_name)
    return any(
        _is_text(one) or (one.message_type is not None and _holds_text(one.message_type, above))
        for one in descriptor.fields
    )


def _texts(message: Message, above: str) -> Iterator[tuple[str, str, bool]]:
    """Every text in *message*: where it is, itself, and whether it may hold anything but NUL."""
    for field, value in message.ListFields():
        place = above + field.name
        if _is_map(field):
            for name, one in value.items():
                yield f"name in {place}", name if isinstance(name, str) else "", False
                yield f"{place}[{name!r}]", one if isinstance(one, str) else "", field.name in FREE
        elif _is_text(field):
            for one in value if field.is_repeated else (value,):
                yield place, one, field.name in FREE
        elif field.message_type is not None:
            for number, one in enumerate(value if field.is_repeated else (value,)):
                yield from _texts(one, f"{place}[{number}]." if field.is_repeated else f"{place}.")
