"""Faults on demand for the fake server: lost and late answers, errors of any code, cut streams."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import grpc

Trailing = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Fault:
    """What happens to one call. *carried_out*: the call has its effect all the same."""

    code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE
    details: str = "Socket closed"
    trailing: Trailing = ()
    carried_out: bool = False
    delay_s: float = 0.0
    fails: bool = True
    after_messages: int = 0


class Faults(grpc.aio.ServerInterceptor):
    """Stands before every call; each method has a queue of faults, one of which strikes one call."""

    def __init__(self, token: str = "") -> None:
        self.calls: Counter[str] = Counter()
        self.metadata: dict[str, Any] = {}
        self._token = token
        self._planned: defaultdict[str, deque[Fault]] = defaultdict(deque)

    def lose_answers(self, method: str, times: int = 1, stall_s: float = 0.0) -> None:
        """Carry calls out and then cut them, after *stall_s* seconds of silence."""
        self._planned[method].extend([Fault(carried_out=True, delay_s=stall_s)] * times)

    def fail(
        self, method: str, code: grpc.StatusCode, details: str, trailing: Trailing = (), times: int = 1
    ) -> None:
        """Answer calls with an error, and do nothing."""
        self._planned[method].extend([Fault(code, details, trailing)] * times)

    def delay(self, method: str, delay_s: float, times: int = 1) -> None:
        """Carry calls out and answer late."""
        self._planned[method].extend([Fault(carried_out=True, delay_s=delay_s, fails=False)] * times)

    def cut(self, method: str, after_messages: int, times: int = 1) -> None:
        """Break streams after so many answers; what the next message asked for is carried out, unanswered."""
        self._planned[method].extend([Fault(after_messages=after_messages)] * times)

    def clear(self) -> None:
        """No more faults."""
        self._planned.clear()

    async def intercept_service(
        self, continuation: Callable[..., Awaitable[Any]], details: grpc.HandlerCallDetails
    ) -> Any:
        """The handler of a call, with its fault around it."""
        handler = await continuation(details)
        name = details.method.rpartition("/")[2]
        self.calls[name] += 1
        self.metadata = dict(details.invocation_metadata)
        if self._token and self.metadata.get("authorization") != f"Bearer {self._token}":
            refused = Fault(grpc.StatusCode.UNAUTHENTICATED, "a valid token is needed")
            return _with_fault(handler, refused)
        planned = self._planned[name]
        return _with_fault(handler, planned.popleft()) if planned else handler


def _with_fault(handler: Any, fault: Fault) -> Any:
    if handler.response_streaming:
        return _streaming(handler, fault)
    behaviour = handler.unary_unary

    async def call(request: Any, context: Any) -> Any:
        answer = await behaviour(request, context) if fault.carried_out else None
        await asyncio.sleep(fault.delay_s)
        if fault.fails:
            await _abort(context, fault)
        return answer

    return grpc.unary_unary_rpc_method_handler(
        call, handler.request_deserializer, handler.response_serializer
    )


def _streaming(handler: Any, fault: Fault) -> Any:
    behaviour = handler.stream_stream or handler.unary_stream
    make = grpc.unary_stream_rpc_method_handler
    if handler.request_streaming:
        make = grpc.stream_stream_rpc_method_handler

    async def call(request: Any, context: Any) -> AsyncIterator[Any]:
        seen = 0
        if fault.after_messages or fault.carried_out:
            async for answer in behaviour(request, context):
                if seen == fault.after_messages:
                    break
                seen += 1
                yield answer
        await asyncio.sleep(fault.delay_s)
        if fault.fails:
            await _abort(context, fault)

    return make(call, handler.request_deserializer, handler.response_serializer)


async def _abort(context: Any, fault: Fault) -> NoReturn:
    await context.abort(fault.code, fault.details, fault.trailing)
    raise AssertionError("abort returns never")
