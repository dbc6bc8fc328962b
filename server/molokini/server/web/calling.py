"""From a request to its answer: the caller, its rights, the message, and the answer of the servicer.

One admission, one table of needs, one set of servicers with gRPC: what differs is how messages are written.
"""

import asyncio
import difflib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

import grpc
from aiohttp import web

from molokini.proto.rules import repeat_in_words, rule_of
from molokini.server.cooperative import Yielder
from molokini.server.security.authentication import NotProven
from molokini.server.security.decoding import STARTING, judged
from molokini.server.security.interceptor import Door
from molokini.server.security.methods import NEEDS
from molokini.server.security.serving import Security
from molokini.server.security.statuses import REASON_KEY, NotReady, Undecodable
from molokini.server.web import answers, bodies
from molokini.server.web.call import CallFailed, WebCall
from molokini.server.web.connections import Connection
from molokini.server.web.cookies import is_of_own_page, token_of
from molokini.server.web.documents import to_document
from molokini.server.web.encoding import encoded
from molokini.server.web.methods import Method
from molokini.server.web.origins import foreign, unread
from molokini.server.web.page import Page

HEALTH, METHODS = "/health", "/methods"
_CHECK = "/grpc.health.v1.Health/Check"
"""Requests without a caller's name are counted together, as gRPC's own health checks are."""

STOPPING = "the server is stopping"
NO_CERTIFICATE = (
    "not authenticated: this server needs a client's certificate (security.mode is mtls), and none was "
    "shown; with curl: --cert FILE --key FILE"
)


class Calls:
    """Answers the requests of all connections, until the server stops it."""

    def __init__(
        self, security: Security, methods: Mapping[str, Method], opened: Callable[[], bool], page: Page
    ) -> None:
        self._security, self._methods, self._opened, self._page = security, methods, opened, page
        self._open: dict[asyncio.Task[Any], bool] = {}
        """Each with whether it answers a stream, which may have no end of its own."""
        self._stopping = False

    def __len__(self) -> int:
        return len(self._open)

    async def stop(self, grace_s: float) -> None:
        """Tell those that answer streams, and after *grace_s* the others, that the server stops."""
        self._stopping = True
        for many in (True, False):
            if not many and self._open:
                await asyncio.wait(self._open, timeout=grace_s)
            for task in [task for task, streams in self._open.items() if streams or not many]:
                task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=grace_s)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """The answer to *request*, which is sent already where it is a stream."""
        connection = request.protocol
        assert isinstance(connection, Connection)
        task = asyncio.current_task()
        assert task is not None
        connection.begin()
        self._open[task] = False
        try:
            made = await self._answered(request, connection, task)
        finally:
            del self._open[task]
            may_go_on = connection.end()
        if not may_go_on or self._stopping:
            made.force_close()
        return made

    async def _answered(
        self, request: web.BaseRequest, connection: Connection, task: asyncio.Task[Any]
    ) -> web.StreamResponse:
        call, path = _call_of(request, connection), request.path
        try:
            await self._need_certificate(call)
            if self._page.has(path):
                return await self._page.answer(request, call, lambda: self._open.update({task: True}))
            if path in (HEALTH, METHODS):
                return await self._looked(request, call)
            return await self._called(request, call, path, task)
        except CallFailed as ended:
            return answers.refusal(ended)
        except asyncio.CancelledError:
            if not self._stopping or request.transport is None:
                raise
            task.uncancel()
            return answers.refusal(_stopped())
        except ConnectionError:
            raise
        except Exception as error:
            return answers.refusal(_ended(error, path, call))

    async def _need_certificate(self, call: WebCall) -> None:
        """End *call* where both sides are to show certificates and this one has shown none."""
        shown = call.user_id is not None or call.auth_context().get("x509_pem_cert")
        if self._security.config.security.mode == "mtls" and not shown:
            await self._security.door.refuse(call, NotProven("no certificate"), NO_CERTIFICATE)

    # Looking.

    async def _looked(self, request: web.BaseRequest, call: WebCall) -> web.StreamResponse:
        """Whether the server serves; or which methods there are, and what their rules are."""
        if request.method not in ("GET", "HEAD"):
            raise CallFailed(grpc.StatusCode.UNIMPLEMENTED, f"{request.path} takes GET", _NO_METHOD, 405)
        await self._security.door.admit(_CHECK, call)
        if request.path == METHODS:
            methods = [
                {
                    "path": path,
                    "needs": str(NEEDS[path]),
                    "repeat": repeat_in_words(rule_of(method.descriptor)),
                }
                for path, method in self._methods.items()
            ]
            return answers.answer(answers.written({"methods": methods}))
        if self._opened():
            return answers.answer(answers.written({"status": "serving"}))
        return answers.answer(answers.written({"status": "starting"}), 503)

    # Calling.

    async def _called(
        self, request: web.BaseRequest, call: WebCall, path: str, task: asyncio.Task[Any]
    ) -> web.StreamResponse:
        method = self._found(request, call, path)
        door = self._security.local_door if call.user_id is not None else self._security.door
        await self._page.admit(door, path, call)
        if not self._opened():
            raise NotReady(STARTING)
        sent: Any = await self._sent(request, method, door, call)
        answered = method.call(sent, call)
        if not method.descriptor.server_streaming:
            return answers.answer(await encoded(await answered))
        self._open[task] = True
        if token_id := door.prover.token_id(call):
            answered = door.while_it_stands(token_id, answered, call)
        return await self._told(request, answered, path, call)

    def _found(self, request: web.BaseRequest, call: WebCall, path: str) -> Method:
        """The method that *request* means; Ended where it means none, or must not be obeyed."""
        if call.user_id is None and (text := foreign(request)):
            raise CallFailed(grpc.StatusCode.PERMISSION_DENIED, text, ((REASON_KEY, "not_allowed"),))
        method = self._methods.get(path)
        if method is None:
            near = difflib.get_close_matches(path[:_MOST_COMPARED], self._methods, n=1, cutoff=_ALIKE)
            hint = f"did you mean {near[0]}? " if near else ""
            text = f"no such method; {hint}GET {METHODS} lists what there is"
            raise CallFailed(grpc.StatusCode.UNIMPLEMENTED, text, _NO_METHOD, 404)
        if request.method != "POST":
            raise CallFailed(grpc.StatusCode.UNIMPLEMENTED, "methods take POST", _NO_METHOD, 405)
        if call.user_id is None and (text := unread(request)):
            raise CallFailed(grpc.StatusCode.INVALID_ARGUMENT, text, ((REASON_KEY, "content_type"),), 415)
        if request.query_string:
            raise Undecodable("the query string is not read; put its values into the message")
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise Undecodable("the message is compressed (Content-Encoding); send it uncompressed")
        return method

    async def _sent(self, request: web.BaseRequest, method: Method, door: Door, call: WebCall) -> Any:
        """The message, or the messages, of *request*."""
        most_bytes = self._security.config.limits.message_bytes
        if not method.descriptor.client_streaming:
            return await bodies.one(request, method, most_bytes)
        messages = bodies.many(request, method, most_bytes)
        token_id = door.prover.token_id(call)
        return door.while_it_stands(token_id, messages, call) if token_id else messages

    async def _told(
        self, request: web.BaseRequest, answered: AsyncGenerator[Any, None], path: str, call: WebCall
    ) -> web.StreamResponse:
        """The answers, a line each; the last line says why if there is no more for a reason."""
        made, yielder = answers.lines(), Yielder()
        await made.prepare(request)
        try:
            async with aclosing(answered):
                async for one in answered:
                    await made.write(answers.written(to_document(one)) + b"\n")
                    await yielder.maybe_yield()
        except asyncio.CancelledError:
            if not self._stopping or request.transport is None:
                raise
            _this_task().uncancel()
            await made.write(answers.written(answers.why(_stopped())) + b"\n")
        except ConnectionError:
            raise
        except Exception as error:
            await made.write(answers.written(answers.why(_ended(error, path, call))) + b"\n")
        await made.write_eof()
        return made


def _ended(error: Exception, path: str, call: WebCall) -> CallFailed:
    """How a call ends that has met *error*."""
    if isinstance(error, CallFailed):
        return error
    if isinstance(error, web.RequestPayloadError):
        text = "not HTTP: the body is cut off, or one of its chunks is malformed"
        return CallFailed(grpc.StatusCode.INVALID_ARGUMENT, text, _NO_HTTP)
    return CallFailed(*judged(error, path, call.peer()))


def _call_of(request: web.BaseRequest, connection: Connection) -> WebCall:
    """The call of *request*, proven by its headers or, where a page of ours makes it, by the cookie."""
    call = WebCall(request.headers.items(), connection)
    token = token_of(request)
    # Without the page's word the cookie is not read: a browser sends it for any page.
    return call.with_token(token) if token and not call.shows_token and is_of_own_page(request) else call


def _stopped() -> CallFailed:
    return CallFailed(grpc.StatusCode.UNAVAILABLE, STOPPING, ((REASON_KEY, "stopping"),))


def _this_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


_MOST_COMPARED, _ALIKE = 80, 0.75
"""Characters of a path that are compared with those of methods; all of these begin alike."""
_NO_METHOD = ((REASON_KEY, "no_method"),)
_NO_HTTP = ((REASON_KEY, "no_http"),)
