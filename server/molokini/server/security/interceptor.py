"""The door: one interceptor before every method, closed unless the table of methods and a proof open it.

What it refuses is refused before a message is decoded. The identity holds for one call; nothing of it is kept
for the next one on the same connection.
"""

import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn

import grpc
from grpc import aio

from molokini.model.errors import BadInput
from molokini.server.security.authentication import Call, NotProven, Prover
from molokini.server.security.decoding import MethodHandler, method_handler
from molokini.server.security.methods import LOOKS, NEEDS, Anyone, Need, satisfied
from molokini.server.security.rates import Rates
from molokini.server.security.roles import ANONYMOUS, Caller, Role, set_caller
from molokini.server.security.statuses import REASON_KEY, retry_after

log = logging.getLogger("molokini.server.access")

UNPROVEN = "not authenticated: show a valid token or certificate"
"""The same for every cause, so that a caller does not learn which part of a guess was right."""

AGAIN = "too many calls; try again later"


class Door(aio.ServerInterceptor):
    """Lets each call in with its caller known, or ends it."""

    def __init__(self, prover: Prover, calls: Rates, failures: Rates) -> None:
        self.prover, self._calls, self._failures = prover, calls, failures
        self._guarded: dict[str, tuple[MethodHandler, MethodHandler]] = {}
        self.bad_credentials = 0
        """Wrong credentials seen since the start."""
        self.limited = 0
        """Calls that came too fast since the start."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["MethodHandler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "MethodHandler | None":
        """Put the admission in front of the method's handler."""
        handler = await continuation(handler_call_details)
        if handler is None:  # no such method, which gRPC says by itself
            return handler
        method = handler_call_details.method
        kept = self._guarded.get(method)
        if kept is None or kept[0] is not handler:
            kept = self._guarded[method] = (handler, self._guard(method, handler))
        return kept[1]

    async def admit(self, method: str, context: Call) -> None:
        """Return with the caller set, or end the call."""
        need = NEEDS.get(method)
        if need is None:
            log.error("a method without a rule is refused", extra={"method": method})
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, f"{method} is not open to any caller")
        if need is Anyone.OPEN:
            await self._count(f"address {address_of(context)}", context)
            return
        caller = await self._proven(context, need)
        # An agent has one call; what its nodes report must not be held up by what its users do.
        if caller.role is not Role.NODE:
            await self._count(caller.name, context)
        if not satisfied(need, caller.role):
            log.info("refused", extra=_of(method, context, caller, "PERMISSION_DENIED"))
            text = f"{caller.name} has the role {caller.role}; {method} needs the role {need}"
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, text, ((REASON_KEY, "not_allowed"),))
        set_caller(caller)

    async def admit_reader(self, method: str, context: Call) -> None:
        """Return with an anonymous reader as the caller, or end the call: for those who show no proof at all,
        where the configuration lets them look.
        """
        if method not in LOOKS:
            await self._unproven(context, NotProven(f"{method} without a proof"))
        await self._count(f"address {address_of(context)}", context)
        set_caller(Caller(ANONYMOUS, Role.USER))

    async def refuse(self, context: Call, error: BadInput, text: str) -> NoReturn:
        """End a call that proves nothing, for *error*, which is for the log, with *text* for the caller."""
        await self._unproven(context, error, text)

    async def _proven(self, context: Call, need: Need) -> Caller:
        try:
            return self.prover.caller_of(context, need)
        except BadInput as error:
            await self._unproven(context, error)

    async def _unproven(self, context: Call, error: BadInput, text: str = UNPROVEN) -> NoReturn:
        """Answer a wrong proof, always in the same way, whatever it is. Beyond a rate none is logged.

        Guesses fill no log, and the answer does not say that others guess, too. A good proof is never refused
        for the bad ones of its neighbours: on one machine all have one address.
        """
        self.bad_credentials += 1
        address = address_of(context)
        if not self._failures.take(address):
            log.warning("not proven: %s", error, extra={"peer": address, "seen": self.bad_credentials})
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, text, ((REASON_KEY, "not_proven"),))

    async def _count(self, name: str, context: Call) -> None:
        wait_s = self._calls.take(name)
        if wait_s:
            self.limited += 1
            trailing = ((REASON_KEY, "too_much"), retry_after(wait_s))
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, AGAIN, trailing)

    def _guard(self, method: str, handler: MethodHandler) -> MethodHandler:
        """*handler* with the admission in front, whatever its kind."""
        if handler.response_streaming:
            behaviour: Any = self._answering_many(method, handler)
        else:
            behaviour = self._answering_once(method, handler.stream_unary or handler.unary_unary)
        kind = method_handler(handler.request_streaming, handler.response_streaming)
        return kind(behaviour, handler.request_deserializer, handler.response_serializer)

    def _answering_once(self, method: str, inner: Any) -> Any:
        async def handle(request: Any, context: Call) -> Any:
            await self.admit(method, context)
            return await inner(request, context)

        return handle

    def _answering_many(self, method: str, handler: MethodHandler) -> Any:
        inner: Any = handler.stream_stream or handler.unary_stream
        many_in = handler.request_streaming

        async def handle(request: Any, context: Call) -> AsyncIterator[Any]:
            await self.admit(method, context)
            token_id = "" if NEEDS[method] is Anyone.OPEN else self.prover.token_id(context)
            if token_id and many_in:
                request = self.while_it_stands(token_id, request, context)
            answers = inner(request, context)
            if inspect.isawaitable(answers):  # a handler that writes to its context
                await answers
                return
            if token_id:
                answers = self.while_it_stands(token_id, answers, context)
            async for answer in answers:
                yield answer

        return handle

    async def while_it_stands(
        self, token_id: str, messages: AsyncIterator[Any], context: Call
    ) -> AsyncIterator[Any]:
        """*messages* of an open stream, until the token that has opened it is taken back."""
        async for message in messages:
            if not self.prover.stands(token_id):
                log.info("a stream ends: its token was revoked", extra={"id": token_id})
                await context.abort(grpc.StatusCode.UNAUTHENTICATED, UNPROVEN, ((REASON_KEY, "not_proven"),))
            yield message


def address_of(context: Call) -> str:
    """Where a call comes from, without the port."""
    peer = str(context.peer())
    return peer.rpartition(":")[0] if peer.startswith(("ipv4:", "ipv6:")) else peer


def _of(method: str, context: Call, caller: Caller, status: str) -> dict[str, Any]:
    return {"method": method, "status": status, "caller": caller.name, "peer": context.peer()}
