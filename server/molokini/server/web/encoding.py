"""Answers as JSON, the long ones in pieces, so that other callers are served in between."""

from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from molokini.server.cooperative import Yielder
from molokini.server.translate import JOB_KIND, JobFields, JobLines
from molokini.server.web.answers import written
from molokini.server.web.documents import Document, document_of, document_of_values, to_document

ROWS = 50
"""Messages of a list that are written at once; lists that are no longer need no pieces."""


async def encoded(message: Message | JobLines) -> bytes:
    """*message* as one line of JSON; job lines as the ListJobsResponse that they would make."""
    if isinstance(message, JobLines):
        parts = await _rows("jobs", message.lines, _line)
        if message.next_page_token:
            parts.append(written({"next_page_token": message.next_page_token})[1:-1])
        return b"{" + b",".join(parts) + b"}"
    fields = message.ListFields()
    if not any(_is_long(field, value) for field, value in fields):
        return written(to_document(message))
    parts = []
    for field, value in fields:
        if _is_long(field, value):
            parts += await _rows(field.name, value, to_document)
        else:
            parts.append(written(document_of(message.DESCRIPTOR, [(field, value)]))[1:-1])
    return b"{" + b",".join(parts) + b"}"


def _line(fields: JobFields) -> Document:
    return document_of_values(JOB_KIND, fields)


async def _rows(name: str, values: Any, make: Callable[[Any], Document]) -> list[bytes]:
    """The field *name* with its *values*, in parts between which a comma belongs; nothing where none are."""
    yielder = Yielder()
    parts: list[bytes] = []
    for first in range(0, len(values), ROWS):
        parts.append(written([make(one) for one in values[first : first + ROWS]])[1:-1])
        await yielder.maybe_yield()
    if parts:
        parts[0] = written(name) + b":[" + parts[0]
        parts[-1] += b"]"
    return parts


def _is_long(field: FieldDescriptor, value: Any) -> bool:
    kind = field.message_type
    if kind is None or not field.is_repeated or kind.GetOptions().map_entry:
        return False
    return len(value) > ROWS
