"""One call by gRPC whose request and answer are plain values, as the JSON gateway has them.

For commands that otherwise go by the gateway: names of fields, numbers as numbers, what is not set left out.
"""

import asyncio
import importlib
from typing import Any

from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from molokini.client.calls import Caller, Patience
from molokini.client.endpoint import find_endpoint
from molokini.model.errors import UnknownName

_MODULES = {"JobService": "job_service", "ClusterService": "cluster_service", "TokenService": "token_service"}
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
    found = _method(service, method)
    request = ParseDict(document, GetMessageClass(found.input_type)())
    answer = asyncio.run(_called(found, request, patience))
    return _numbers(MessageToDict(answer, preserving_proto_field_name=True), found.output_type)


def _method(service: str, method: str) -> MethodDescriptor:
    if service not in _MODULES:
        raise UnknownName("service", service, _MODULES)
    module = importlib.import_module(f"molokini.proto.v1.{_MODULES[service]}_pb2")
    methods: dict[str, MethodDescriptor] = module.DESCRIPTOR.services_by_name[service].methods_by_name
    if method not in methods:
        raise UnknownName("method", method, methods)
    return methods[method]


async def _called(method: MethodDescriptor, request: Message, patience: Patience) -> Message:
    caller = Caller(find_endpoint(), patience)
    try:
        call = caller.channel.unary_unary(
            f"/{method.containing_service.full_name}/{method.name}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
        # Only the caller knows which calls may be made twice, so no call is repeated here.
        return await caller.call(call, request, repeat=False)
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
