"""Between gRPC and the servicers: decode, call, encode; and no exception leaves without its proper status.

gRPC by itself answers UNKNOWN, with the text of the exception, to a message that is not one and to whatever a
handler raises. So messages reach us as bytes, after the interceptor has let the caller in, and are decoded
here.
"""

import inspect
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, NoReturn, TypeAlias, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from molokini.server.security.roles import current_name
from molokini.server.security.statuses import (
    REASON_KEY,
    NotReady,
    Trailing,
    Undecodable,
    code_of,
    text_of,
    trailing_of,
)
from molokini.server.security.strings import check_strings

log = logging.getLogger("molokini.server.calls")

TOLERANT = frozenset({"molokini.v1.AgentService"})
"""Services whose strings are not checked: an agent would repeat a report that is refused without end."""

OF_USERS = frozenset(f"molokini.v1.{name}" for name in ("JobService", "ClusterService", "TokenService"))
"""Services that wait until the server has started; agents do not, since their leases run."""

STARTING = "the server is starting; try again when it says that it is ready"
"""To calls of users until it has started."""

Decode = Callable[[bytes], Message]
Context = aio.ServicerContext[Any, Any]
Handler = Callable[[Any, Context], Any]
Call = TypeVar("Call", bound=Callable[..., Any])
MethodHandler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


def add_services(
    server: aio.Server, servicers: Mapping[Any, object], opened: Callable[[], bool] = lambda: True
) -> None:
    """Serve each service (its descriptor) by its object, which must have a method for each of the service's.

    Until *opened*, calls of ``OF_USERS`` are refused as those of a server that is starting.

    Methods that answer a stream are asynchronous generators, or coroutines that write to their context. Those
    that are sent a stream must take it from the iterator that they are given: the context's own ``read``
    gives bytes.
    """
    for service, servicer in servicers.items():
        handlers = {
            method.name: _handler(method, getattr(servicer, method.name), opened)
            for method in service.methods
        }
        generic = grpc.method_handlers_generic_handler(service.full_name, handlers)
        server.add_generic_rpc_handlers((generic,))


def checks_strings(call: Call) -> Call:
    """Mark a method of a servicer that checks the strings of its messages itself: the decoder does not."""
    call.checks_strings = True  # type: ignore[attr-defined]
    return call


def _handler(method: MethodDescriptor, call: Handler, opened: Callable[[], bool]) -> MethodHandler:
    decode = _decoder(method, checked=not getattr(call, "checks_strings", False))
    of_users = method.containing_service.full_name in OF_USERS

    def given(request: Any, context: Context) -> Any:
        if of_users and not opened():
            raise NotReady(STARTING)
        return call(_decoded(request, decode) if method.client_streaming else decode(request), context)

    if method.server_streaming:
        guarded: Any = _streaming(method.full_name, given)
    else:
        guarded = _single(method.full_name, given)
    return method_handler(method.client_streaming, method.server_streaming)(guarded, None, _encode)


def method_handler(many_in: bool, many_out: bool) -> Callable[..., MethodHandler]:
    """What makes a handler of gRPC's for this kind of method: (behaviour, deserialiser, serialiser)."""
    if many_in:
        return grpc.stream_stream_rpc_method_handler if many_out else grpc.stream_unary_rpc_method_handler
    return grpc.unary_stream_rpc_method_handler if many_out else grpc.unary_unary_rpc_method_handler


def _decoder(method: MethodDescriptor, *, checked: bool) -> Decode:
    kind = GetMessageClass(method.input_type)
    tolerant = method.containing_service.full_name in TOLERANT or not checked

    def decode(body: bytes) -> Message:
        try:
            message = kind.FromString(body)
        except (DecodeError, ValueError, RecursionError) as error:
            raise Undecodable(f"not a message of the kind {kind.DESCRIPTOR.full_name}") from error
        if not tolerant:
            check_strings(message)
        return message

    return decode


async def _decoded(bodies: AsyncIterator[bytes], decode: Decode) -> AsyncIterator[Message]:
    async for body in bodies:
        yield decode(body)


def _encode(answer: Any) -> bytes:
    # Single answers come encoded, so that a failure has a status; those written to a context do not.
    return answer if type(answer) is bytes else answer.SerializeToString()


def _single(name: str, given: Handler) -> Handler:
    async def handle(request: Any, context: Context) -> bytes:
        try:
            return _encode(await given(request, context))
        except aio.AbortError:
            raise
        except Exception as error:
            await refuse(context, name, error)

    return handle


def _streaming(name: str, given: Handler) -> Handler:
    async def handle(request: Any, context: Context) -> AsyncIterator[bytes]:
        try:
            answers = given(request, context)
            if inspect.isawaitable(answers):
                await _written(answers)
            else:
                async for answer in answers:
                    yield _encode(answer)
        except aio.AbortError:
            raise
        except Exception as error:
            await refuse(context, name, error)

    return handle


async def _written(call: Awaitable[Any]) -> None:
    """Wait for a handler that writes its answers to its context."""
    await call


async def refuse(context: Context, method: str, error: Exception) -> NoReturn:
    """End the call with what ``statuses`` says of *error*, and say so in the log."""
    code, text, trailing = judged(error, method, context.peer())
    await context.abort(code, text, trailing)


def judged(error: Exception, method: str, peer: str) -> tuple[grpc.StatusCode, str, Trailing]:
    """How a call that has met *error* ends: status, text, reason; the error is logged, too."""
    code = code_of(error)
    if code is None:
        number = secrets.token_hex(6)
        log.error("internal error %s", number, exc_info=error, extra=_of(peer, method, "internal"))
        return grpc.StatusCode.INTERNAL, f"internal error {number}", ((REASON_KEY, "internal"),)
    # The text may quote what a user keeps in the environment; the log names the field.
    cause = getattr(error, "field", None) or type(error).__name__
    log.info("refused: %s", cause, extra=_of(peer, method, code.name))
    return code, text_of(error), trailing_of(error)


def _of(peer: str, method: str, status: str) -> dict[str, Any]:
    return {"method": method, "status": status, "caller": current_name(), "peer": peer}
