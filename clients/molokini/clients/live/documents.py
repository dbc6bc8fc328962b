"""What is asked of a job, and events, as JSON: names and units stay whatever the wire becomes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from google.protobuf.message import Message

from molokini.client.coallocation import communication_document
from molokini.client.specs import state_text
from molokini.clients.live.wording import SIGNS, kind_text
from molokini.clients.show.field_tables import Field, Fields
from molokini.clients.show.lines import finite
from molokini.model.job_specs import FIELDS, Shown
from molokini.proto.v1.job_service_pb2 import JobEvent
from molokini.proto.v1.jobs_pb2 import Dependency, JobSpec


def spec_document(spec: JobSpec) -> dict[str, Any]:
    """What ``molokini.job/1`` has beside a line of ``molokini.jobs/1``."""
    found = plain(spec)
    found["dependencies"] = [_dependency(one) for one in spec.dependencies]
    found["communication"] = communication_document(spec)
    return {name: found[name] for name, field in FIELDS.items() if field.shown is Shown.WHOLE}


def _dependency(one: Dependency) -> dict[str, Any]:
    """Kind and job, and what else is set of a condition."""
    more = {field.name: value for field, value in one.ListFields() if field.name not in ("kind", "job_id")}
    if one.comparison:
        more["comparison"] = SIGNS[one.comparison]
    return {"kind": kind_text(one), "id": one.job_id, **more}


def event_document(event: JobEvent) -> dict[str, Any]:
    """A line of ``molokini.event/1``."""
    return {
        "sequence": event.sequence,
        "time_s": finite(event.time_s),
        "kind": event.kind,
        "id": event.job_id,
        "index": event.array_index if event.HasField("array_index") else None,
        "state": state_text(event.state),
        "attempt": event.attempt,
        "exit_code": event.exit_code,
        "reason": event.reason,
    }


def plain(message: Message) -> dict[str, Any]:
    """A message as a dictionary, every field there, by its name on the wire."""
    return {field.name: _plain(message, field) for field in message.DESCRIPTOR.fields}


def _plain(message: Message, field: Any) -> Any:
    value = getattr(message, field.name)
    if field.has_presence and not message.HasField(field.name):
        return None
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Message):
        return plain(value)
    if isinstance(value, str | int):
        return value
    return [plain(one) if isinstance(one, Message) else one for one in value]


def fields_of(kind: type[Message], *shown: Field) -> Fields:
    """The fields of messages of *kind* by their names on the wire: those *shown*, and all others.

    Their values are those of ``plain``, where one says none of its own.
    """
    known = {one.key: one for one in shown}

    def made(field: Any) -> Field:
        one = known.get(field.name, Field(field.name))
        return one if one.value else replace(one, value=lambda message: _plain(message, field))

    return Fields(*(made(field) for field in kind.DESCRIPTOR.fields))
