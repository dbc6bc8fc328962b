"""Answers as JSON, the long ones in pieces, so that other callers are served in between."""

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from molokini.server.cooperative import Yielder
from molokini.server.web.answers import written
from molokini.server.web.documents import document_of, to_document

ROWS = 50
"""Messages of a list that are written at once; lists that are no longer need no pieces."""


async def encoded(message: Message) -> bytes:
    """*message* as one line of JSON."""
    fields = message.ListFields()
    if not any(_is_long(field, value) for field, value in fields):
        return written(to_document(message))
    parts: list[bytes] = []
    for field, value in fields:
        if _is_long(field, value):
            parts += await _list(field.name, value)
        else:
            parts.append(written(document_of(message.DESCRIPTOR, [(field, value)]))[1:-1])
    return b"{" + b",".join(parts) + b"}"


async def _list(name: str, values: Any) -> list[bytes]:
    """The field *name* with its *values*, in parts between which a comma belongs."""
    yielder = Yielder()
    parts: list[bytes] = []
    for first in range(0, len(values), ROWS):
        parts.append(written([to_document(one) for one in values[first : first + ROWS]])[1:-1])
        await yielder.maybe_yield()
    parts[0] = written(name) + b":[" + parts[0]
    parts[-1] += b"]"
    return parts


def _is_long(field: FieldDescriptor, value: Any) -> bool:
    kind = field.message_type
    if kind is None or not field.is_repeated or kind.GetOptions().map_entry:
        return False
    return len(value) > ROWS
