"""The methods of a service, each made of its descriptor, with the rule that its ``.proto`` file gives."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from molokini.proto.rules import SERVICES, may_repeat, path_of, rule_of

Answer = TypeVar("Answer", covariant=True)


class Repeatable(Protocol[Answer]):
    """A call that has one answer."""

    def __call__(self, request: Any, /, **options: Any) -> Awaitable[Answer]:
        """The answer, later."""

    def may_repeat(self, request: Any) -> bool:
        """Whether *request* may be sent again where its answer is lost."""


@dataclass(frozen=True)
class Method:
    """One method over one channel."""

    descriptor: MethodDescriptor
    invoke: Callable[..., Any]

    def __call__(self, *request: Any, **options: Any) -> Any:
        """The call, as gRPC makes it."""
        return self.invoke(*request, **options)

    def may_repeat(self, request: Any) -> bool:
        """Whether *request* may be sent again where its answer is lost."""
        return may_repeat(rule_of(self.descriptor), request)


class Methods:
    """The methods of the service called *service*, by their names as attributes."""

    def __init__(self, channel: grpc.aio.Channel, service: str) -> None:
        self._channel = channel
        self._methods = SERVICES[service].methods_by_name

    def __getattr__(self, name: str) -> Method:
        if name not in self._methods:
            raise AttributeError(name)
        method = self._methods[name]
        ways: dict[tuple[bool, bool], Callable[..., Any]] = {
            (False, False): self._channel.unary_unary,
            (False, True): self._channel.unary_stream,
            (True, False): self._channel.stream_unary,
            (True, True): self._channel.stream_stream,
        }
        invoke = ways[method.client_streaming, method.server_streaming](
            path_of(method),
            request_serializer=GetMessageClass(method.input_type).SerializeToString,
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
        self.__dict__[name] = found = Method(method, invoke)
        return found
