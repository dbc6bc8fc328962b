"""The page over HTTP: files, logins, probes, events, metrics; all else it asks of the gateway's methods."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

import grpc
from aiohttp import web

from molokini.model.errors import BadValue
from molokini.page.assets import DOCUMENT, Asset, assets
from molokini.server.config.addresses import is_loopback
from molokini.server.security.authentication import owner_name
from molokini.server.security.decoding import STARTING
from molokini.server.security.interceptor import Door
from molokini.server.security.permissions import Action, require
from molokini.server.security.roles import ANONYMOUS, Caller, Role, caller
from molokini.server.security.serving import Security
from molokini.server.security.statuses import REASON_KEY, NotReady, Undecodable, retry_after
from molokini.server.server import Server
from molokini.server.web import answers
from molokini.server.web.answers import written
from molokini.server.web.bodies import whole
from molokini.server.web.call import CallFailed, WebCall
from molokini.server.web.cookies import Links, Logins, cookie_of, is_of_own_page, token_for, token_of
from molokini.server.web.feed import Events, Feed
from molokini.server.web.methods import Method
from molokini.server.web.metrics import CONTENT_TYPE, Metrics
from molokini.server.web.origins import foreign, is_secure, under_a_name, unread
from molokini.server.web.output import KINDS, NoOutput, Piece, number_in, path_of, piece_of
from molokini.server.web.reading import parsed

FILES = "/page/"
ALIVE, READY = "/healthz", "/readyz"
LOGIN, LOGOUT, SESSION = "/login", "/logout", "/session"
EVENTS, METRICS, OUTPUT = "/events", "/metrics", "/output"

_GET_JOB = "/molokini.v1.JobService/GetJob"
ANY_USER = "/molokini.v1.ClusterService/GetClock"
"""Who may call this method may look at the page."""
MOST_LOGIN_BYTES = 16_384

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
"""No script and no style but our files, no other site, no frame: whatever a name or a log holds."""
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Server": "molokini",
}

Streaming = Callable[[], None]
"""To be called before an answer without an end."""


class Page:
    """Answers what is no method. *opened*: whether the server serves users."""

    def __init__(
        self,
        security: Security,
        core: Server,
        opened: Callable[[], bool],
        events: Events,
        methods: Mapping[str, Method],
    ) -> None:
        self._security, self._core, self._opened, self._methods = security, core, opened, methods
        self.links, self.logins, self.feed = Links(), Logins(), Feed(core, events)
        self.metrics = Metrics(core)
        self._most_readers = max(1, security.config.limits.concurrent_rpcs // 2)

    def link(self) -> str:
        """What is put behind the page's address to log the owner in, once; empty where none is needed."""
        if self._security.tokens is None:
            return ""
        return f"#login={self.links.make(Caller(owner_name(), Role.ADMINISTRATOR))}"

    async def stop(self) -> None:
        """End what goes on by itself."""
        await self.metrics.stop()

    @staticmethod
    def has(path: str) -> bool:
        """Whether *path* is the page's to answer."""
        return path == "/" or path in _ANSWERS or path.startswith(FILES)

    async def answer(
        self, request: web.BaseRequest, call: WebCall, streaming: Streaming
    ) -> web.StreamResponse:
        """The answer to a request for one of the page's paths; CallFailed for a refusal."""
        path = request.path
        if path == "/" or path.startswith(FILES):
            return self._file(request)
        if path in (ALIVE, READY):
            _need(request, "GET", "HEAD")
            return self._probe(path)
        if call.user_id is None and (text := foreign(request)):
            raise _refused(text)
        answered: Any = getattr(self, _ANSWERS[path])
        made: web.StreamResponse = await answered(request, call, streaming)
        return made

    # Files.

    def _file(self, request: web.BaseRequest) -> web.StreamResponse:
        _need(request, "GET", "HEAD")
        # A link of another site may lead to the page; nothing of it is shown before a login.
        if text := under_a_name(request):
            raise _refused(text)
        name = DOCUMENT if request.path == "/" else request.path.removeprefix(FILES)
        found = assets().get(name)
        if found is None:
            raise CallFailed(grpc.StatusCode.NOT_FOUND, "the page has no such file", _NO_FILE)
        return _sent(request, found)

    def _probe(self, path: str) -> web.Response:
        if path == ALIVE:
            return answers.answer(answers.written({"status": "alive"}))
        ready = self._opened()
        said = {"status": "ready" if ready else "starting"}
        return answers.answer(answers.written(said), 200 if ready else 503)

    # Logins.

    async def login(self, request: web.BaseRequest, call: WebCall, streaming: Streaming) -> web.Response:
        """Keep a token in the browser, for one that was typed in or for the code of a link."""
        _need(request, "POST")
        if call.user_id is None and not is_of_own_page(request):
            raise _refused("logins are made by the page of this address alone")
        if text := unread(request):
            raise CallFailed(grpc.StatusCode.INVALID_ARGUMENT, text, ((REASON_KEY, "content_type"),), 415)
        told = parsed(await whole(request, MOST_LOGIN_BYTES))
        if not isinstance(told, dict) or set(told) not in ({"token"}, {"code"}):
            raise Undecodable('a login is {"token": TOKEN} or {"code": CODE}')
        tokens = self._security.tokens
        if tokens is None:
            return await self.session(request, call, streaming)
        if "code" in told:
            # Counted as a wrong token is, where it is wrong: codes are not to be guessed either.
            who = self.links.use(str(told["code"]))
            shown = tokens.local(who.name, who.role) if who is not None else "a link that was used"
        else:
            shown = str(told["token"]).strip()
        proven = call.with_token(shown)
        await self._security.door.admit(ANY_USER, proven)
        who = caller()
        if not self._security.door.prover.token_id(proven):
            # A token of the owner's files has no end: a browser gets one that has.
            new = token_for(tokens, who)
            self.logins.begin(new.kept.id)
            shown = new.text
        made = answers.answer(answers.written(self._told(who)))
        made.headers["Set-Cookie"] = cookie_of(shown, is_secure(request))
        return made

    async def logout(self, request: web.BaseRequest, call: WebCall, streaming: Streaming) -> web.Response:
        """Take the token out of the browser."""
        _need(request, "POST")
        if call.user_id is None and not is_of_own_page(request):
            raise _refused("the page of this address alone logs out")
        made = answers.answer(answers.written({}))
        made.headers["Set-Cookie"] = cookie_of("", is_secure(request))
        return made

    async def session(self, request: web.BaseRequest, call: WebCall, streaming: Streaming) -> web.Response:
        """Who looks; an open page asks again and again, and by that a login of the owner's goes on."""
        await self._admit(call)
        who, tokens = caller(), self._security.tokens
        made = answers.answer(answers.written(self._told(who)))
        if tokens is not None and token_of(request) and call.user_id is None:
            token_id = self._security.door.prover.token_id(call)
            if left_s := self.logins.left_s(token_id):
                new = token_for(tokens, who, left_s)
                self.logins.renew(token_id, new.kept.id)
                made.headers["Set-Cookie"] = cookie_of(new.text, is_secure(request))
        return made

    def _told(self, who: Caller) -> Mapping[str, Any]:
        settings = self._core.settings
        return {
            "user": who.name,
            "role": str(who.role),
            "anonymous": who.name == ANONYMOUS,
            "sequence": self._core.state.serial,
            "cluster": settings.name,
            "release": settings.release,
            "page_size": settings.page_size,
        }

    async def admit(self, door: Door, method: str, call: WebCall) -> None:
        """Return with the caller set, an anonymous one where the configuration has such; or end the call."""
        reads = self._security.config.web.anonymous and self._security.tokens is not None
        if reads and call.user_id is None and not call.shows_token:
            await door.admit_reader(method, call)
        else:
            await door.admit(method, call)

    async def _admit(self, call: WebCall) -> None:
        await self.admit(self._door_of(call), ANY_USER, call)

    def _door_of(self, call: WebCall) -> Door:
        return self._security.local_door if call.user_id is not None else self._security.door

    # What goes on.

    async def events(
        self, request: web.BaseRequest, call: WebCall, streaming: Streaming
    ) -> web.StreamResponse:
        """What happens from a serial on, until the browser goes."""
        _need(request, "GET")
        await self._admit(call)
        who = caller()
        after = _after(request)
        if self.feed.readers >= self._most_readers:
            text = f"{self.feed.readers:,} browsers read events already; try again later"
            raise CallFailed(grpc.StatusCode.RESOURCE_EXHAUSTED, text, _TOO_MANY, 503)
        private = self._core.settings.privacy and not who.is_at_least(Role.OPERATOR)
        brief = request.query.get("brief") == "1"
        messages: Any = self.feed.read(after, who.name if private else None, brief)
        door = self._door_of(call)
        if token_id := door.prover.token_id(call):
            messages = door.while_it_stands(token_id, messages, call)
        streaming()
        return await _streamed(request, messages)

    async def output(self, request: web.BaseRequest, call: WebCall, streaming: Streaming) -> web.Response:
        """A piece of what a job has written: its end, what comes ``from`` a byte on, or ``before`` one."""
        _need(request, "GET")
        await self._door_of(call).admit(_GET_JOB, call)
        if not self._opened():
            raise NotReady(STARTING)
        query, who = request.query, caller()
        kind = query.get("of", KINDS[0])
        if kind not in KINDS:
            raise BadValue("of", kind[:40], " or ".join(KINDS))
        begin, before = number_in("from", query.get("from")), number_in("before", query.get("before"))
        method = self._methods[_GET_JOB]
        job = await method.call(method.request(written({"job": _job_of(query.get("job", ""))})), call)
        require(who, Action.READ, job.user, self._core.settings.privacy, job.id)
        if self._security.tokens is None:
            # Under any name that a caller likes, no file is anybody's.
            raise _no_output(NoOutput("the output of jobs is shown where callers prove who they are"))
        try:
            found = await asyncio.to_thread(_piece, job, kind, begin, before)
        except NoOutput as none:
            raise _no_output(none) from None
        return answers.answer(answers.written(found.document()))

    async def measured(
        self, request: web.BaseRequest, call: WebCall, streaming: Streaming
    ) -> web.StreamResponse:
        """Figures for Prometheus; open on this machine, and elsewhere to callers with a proof."""
        _need(request, "GET", "HEAD")
        if call.user_id is None and not is_loopback(self._security.config.web.listen):
            await self._admit(call)
        body = await self.metrics.text()
        return web.Response(body=body, headers={**_HEADERS, "Content-Type": CONTENT_TYPE})


_ANSWERS = {
    **dict.fromkeys((ALIVE, READY), ""),
    LOGIN: "login",
    LOGOUT: "logout",
    SESSION: "session",
    EVENTS: "events",
    OUTPUT: "output",
    METRICS: "measured",
}


async def _streamed(request: web.BaseRequest, messages: AsyncGenerator[bytes, None]) -> web.StreamResponse:
    made = web.StreamResponse(
        headers={**_HEADERS, "Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    )
    await made.prepare(request)
    try:
        async with aclosing(messages):
            async for message in messages:
                await made.write(message)
    except CallFailed as ended:
        # The token was taken back: the page asks for another, and the browser must not come again by itself.
        await made.write(b"event: ended\ndata: %s\n\n" % json.dumps({"message": ended.text}).encode())
    except asyncio.CancelledError:
        if request.transport is None:
            raise
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
        await made.write(b"event: stopping\ndata: {}\n\n")
    await made.write_eof()
    return made


def _piece(job: Any, kind: str, begin: int | None, before: int | None) -> Piece:
    return piece_of(path_of(job, kind), job.user, begin, before)


def _job_of(text: str) -> Mapping[str, int]:
    """The reference of ``17`` or ``17[3]``."""
    found = _JOB.fullmatch(text)
    if found is None:
        raise BadValue("job", text[:40], "a job's number, or ID[INDEX]")
    index = {} if found[2] is None else {"array_index": int(found[2])}
    return {"id": int(found[1]), **index}


def _no_output(none: NoOutput) -> CallFailed:
    reason = "no_output_yet" if none.yet else "no_output"
    return CallFailed(grpc.StatusCode.NOT_FOUND, str(none), ((REASON_KEY, reason),))


def _sent(request: web.BaseRequest, found: Asset) -> web.StreamResponse:
    """*found*, unless the browser has it."""
    headers = {**_HEADERS, "ETag": found.tag, "Vary": "Accept-Encoding"}
    if found.tag in request.headers.get("If-None-Match", ""):
        return web.Response(status=304, headers=headers)
    headers["Content-Type"] = f"{found.kind}; charset=utf-8"
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return web.Response(body=found.compressed, headers={**headers, "Content-Encoding": "gzip"})
    return web.Response(body=found.body, headers=headers)


def _after(request: web.BaseRequest) -> int | None:
    """The serial behind which the reader goes on: what its browser has seen, else what the page says."""
    said = request.headers.get("Last-Event-ID") or request.query.get("after", "")
    if not said:
        return None
    if not (said.isascii() and said.isdigit() and len(said) < 19):
        raise Undecodable("after must be a sequence number")
    return int(said)


def _need(request: web.BaseRequest, *verbs: str) -> None:
    if request.method not in verbs:
        text = f"{request.path} takes {' and '.join(verbs)}"
        raise CallFailed(grpc.StatusCode.UNIMPLEMENTED, text, ((REASON_KEY, "no_method"),), 405)


def _refused(text: str) -> CallFailed:
    return CallFailed(grpc.StatusCode.PERMISSION_DENIED, text, ((REASON_KEY, "not_allowed"),))


_JOB = re.compile(r"([0-9]{1,15})(?:\[([0-9]{1,9})\])?")
_NO_FILE = ((REASON_KEY, "no_file"),)
_TOO_MANY = ((REASON_KEY, "too_much"), retry_after(5.0))
