"""One call by gRPC whose request and answer are plain values, as the JSON gateway has them.

For commands that otherwise go by the gateway: names of fields, numbers as numbers, what is not set left out.
"""

import asyncio
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from molokini.client.calls import Caller, Patience
from molokini.client.endpoint import find_endpoint
from molokini.model.errors import UnknownName
from molokini.proto.rules import SERVICES

_NUMBERS = (
    FieldDescriptor.TYPE_INT64,
    FieldDescriptor.TYPE_UINT64,
    FieldDescriptor.TYPE_SINT64,
    FieldDescriptor.TYPE_FIXED64,
    FieldDescriptor.TYPE_SFIXED64,
)


def plain_call(service: str, method: str, document: dict[str, Any], patience: Patience) -> dict[str, Any]:
    """What *method* answers to *document*, by the server of the environment or of the state folder.

    Raises ServerError, BadInput for a server that is not named, UnknownName for a method that there is not.
    """
    return asyncio.run(_called(service, method, document, patience))


async def _called(service: str, method: str, document: dict[str, Any], patience: Patience) -> dict[str, Any]:
    if service not in SERVICES:
        raise UnknownName("service", service, SERVICES)
    methods = SERVICES[service].methods_by_name
    if method not in methods:
        raise UnknownName("method", method, methods)
    request = ParseDict(document, GetMessageClass(methods[method].input_type)())
    caller = Caller(find_endpoint(), patience)
    try:
        found = getattr(caller.methods(service), method)
        # The transport repeats it, as it does over the gateway.
        answer: Message = await caller.call(found, request, repeat=False)
        return _numbers(MessageToDict(answer, preserving_proto_field_name=True), answer.DESCRIPTOR)
    finally:
        await caller.close()


def _numbers(document: dict[str, Any], kind: Any) -> dict[str, Any]:
    """*document* with whole numbers in place of the texts that protobuf's JSON has for those of 64 bits."""
    return {name: _value(value, kind.fields_by_name[name]) for name, value in document.items()}


def _value(value: Any, field: FieldDescriptor) -> Any:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        inner = kind.fields_by_name["value"]
        return {key: _value(one, inner) for key, one in value.items()}
    if isinstance(value, list):
        return [_one(one, field) for one in value]
    return _one(value, field)


def _one(value: Any, field: FieldDescriptor) -> Any:
    if field.message_type is not None:
        return _numbers(value, field.message_type)
    return int(value) if field.type in _NUMBERS else value
