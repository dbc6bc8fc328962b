"""Messages of any kind, drawn by their descriptors: a new field or method is drawn without a word here."""

import math
from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from molokini.proto.v1 import cluster_service_pb2, job_service_pb2, token_service_pb2

Field = FieldDescriptor

SERVICES_OF_USERS: list[ServiceDescriptor] = [
    job_service_pb2.DESCRIPTOR.services_by_name["JobService"],
    cluster_service_pb2.DESCRIPTOR.services_by_name["ClusterService"],
    token_service_pb2.DESCRIPTOR.services_by_name["TokenService"],
]
METHODS_OF_USERS: list[MethodDescriptor] = [one for service in SERVICES_OF_USERS for one in service.methods]


def path_of(method: MethodDescriptor) -> str:
    """As gRPC and the table of needs have it."""
    return f"/{method.containing_service.full_name}/{method.name}"


def kinds(methods: Iterable[MethodDescriptor] = METHODS_OF_USERS) -> list[Descriptor]:
    """The kinds of their requests and answers, each once."""
    found = {one.full_name: one for method in methods for one in (method.input_type, method.output_type)}
    return [found[name] for name in sorted(found)]


SCALARS: dict[int, st.SearchStrategy[Any]] = {
    Field.TYPE_STRING: st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    Field.TYPE_BOOL: st.booleans(),
    # No JSON tells one NaN from another.
    Field.TYPE_DOUBLE: st.floats().map(lambda value: math.nan if math.isnan(value) else value),
    Field.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    Field.TYPE_INT64: st.one_of(st.integers(0, 20), st.integers(-(2**63), 2**63 - 1)),
    Field.TYPE_UINT64: st.integers(0, 2**64 - 1),
    Field.TYPE_BYTES: st.binary(max_size=12),
}


@st.composite
def messages(draw: st.DrawFn, kind: Descriptor, depth: int = 0) -> Message:
    """A message of *kind* with few or many of its fields set."""
    made: Message = GetMessageClass(kind)()
    density = draw(st.integers(1, 8))
    for field in kind.fields:
        if depth <= 3 and draw(st.integers(1, 8)) <= density:
            _set(draw, made, field, depth)
    return made


def _single(draw: st.DrawFn, field: FieldDescriptor) -> Any:
    if field.enum_type is not None:
        return draw(st.one_of(st.sampled_from(sorted(field.enum_type.values_by_number)), st.just(99)))
    return draw(SCALARS[field.type])


def _set(draw: st.DrawFn, made: Message, field: FieldDescriptor, depth: int) -> None:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        key, value = kind.fields_by_name["key"], kind.fields_by_name["value"]
        for _ in range(draw(st.integers(0, 2))):
            name = draw(SCALARS[key.type])
            if value.message_type is not None:
                getattr(made, field.name)[name].CopyFrom(draw(messages(value.message_type, depth + 1)))
            else:
                getattr(made, field.name)[name] = _single(draw, value)
    elif field.is_repeated:
        for _ in range(draw(st.integers(0, 3))):
            if kind is not None:
                getattr(made, field.name).add().CopyFrom(draw(messages(kind, depth + 1)))
            else:
                getattr(made, field.name).append(_single(draw, field))
    elif kind is not None:
        getattr(made, field.name).CopyFrom(draw(messages(kind, depth + 1)))
    else:
        setattr(made, field.name, _single(draw, field))
