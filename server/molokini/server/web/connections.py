"""Connections of the gateway: how many there are, and how long one may say nothing or take nothing.

Without a call a connection is closed after some seconds, whether it has said nothing, half a request, or was
done with its last one. Where there are as many as may be, the one that has idled for longest makes room.
"""

import asyncio
import logging
import socket
import ssl
import struct
from collections.abc import Iterable, Mapping
from typing import Any

import grpc
from aiohttp import web
from aiohttp.http_exceptions import LineTooLong
from aiohttp.web_protocol import RequestHandler

from molokini.server.security.decoding import judged
from molokini.server.security.statuses import REASON_KEY
from molokini.server.web.answers import refusal, refusal_in_full
from molokini.server.web.call import CallFailed

log = logging.getLogger("molokini.server.calls")

IDLE_S = 10.0
"""As long as gRPC gives a connection without a call."""
STUCK_S = 60.0
"""A connection whose other end takes nothing of its answer for so long is cut off."""
CLOSING_GRACE_S = 30.0
"""Calls that are open when a connection has reached its age have so long to end."""
LOOK_S = 1.0
LINE_BYTES = 16_384
"""Of the first line and of each header, as gRPC has it for all of them together."""

_CREDENTIALS = struct.Struct("=iII")
"""What the kernel keeps of the other end of a Unix socket: process, user, group."""
_DEAD_PEERS = ((socket.TCP_KEEPIDLE, 60), (socket.TCP_KEEPINTVL, 20), (socket.TCP_KEEPCNT, 3))
"""A machine that is gone says no goodbye: the kernel asks after a minute, and gives up after another."""
_FULL = CallFailed(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many calls are open", ((REASON_KEY, "too_much"),))


class Connection(RequestHandler):
    """One connection; its calls come one after another."""

    def __init__(self, all_of_them: "Connections", server: web.Server, **settings: Any) -> None:
        super().__init__(server, loop=asyncio.get_running_loop(), **settings)
        self._all = all_of_them
        self.user_id: int | None = None
        """Over a Unix socket the user of the other end, as the kernel says; else None."""
        self.peer = "unknown:"
        """Where it comes from, as gRPC writes it."""
        self.proof: Mapping[str, Iterable[bytes]] = {}
        """The certificate that was shown at its start, if there was one."""
        self.began_s = self.idle_s = 0.0
        """When it began, and since when it has no call."""
        self._unsent, self._moved_s = 0, 0.0
        """Bytes that the other end had not taken when it was last looked, and when that has last changed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take it in, or send it away."""
        assert isinstance(transport, asyncio.Transport)
        self.user_id, self.peer, self.proof = _other_end(transport)
        self.began_s = self.idle_s = asyncio.get_running_loop().time()
        super().connection_made(transport)
        if not self._all.take(self):
            transport.write(refusal_in_full(_FULL))
            self.force_close()

    def connection_lost(self, error: BaseException | None) -> None:
        """Forget it."""
        self._all.forget(self)
        super().connection_lost(error)

    def pause_writing(self) -> None:
        """The other end takes less than it is sent."""
        super().pause_writing()
        self._all.behind(self)

    def resume_writing(self) -> None:
        """It has taken most."""
        super().resume_writing()
        self._all.level(self)

    def begin(self) -> None:
        """It has a call."""
        self._all.begin(self)

    def end(self) -> bool:
        """Its call is over; whether it may have another one."""
        return self._all.end(self)

    def cut(self) -> None:
        """End it at once, whatever is still to be sent."""
        if self.transport is not None:
            self.transport.abort()

    def stuck_s(self, now_s: float) -> float:
        """How long nothing was taken of what is to be sent."""
        unsent = self.transport.get_write_buffer_size() if self.transport is not None else 0
        if unsent != self._unsent:
            self._unsent, self._moved_s = unsent, now_s
        return now_s - self._moved_s

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to what is no request, or to one that has failed outside of a call; then it is over."""
        if request.writer.output_size > 0:
            raise ConnectionError("an answer is on its way already")
        if status < 500:
            log.info("refused: not HTTP", extra={"peer": self.peer})
            ended = CallFailed(grpc.StatusCode.INVALID_ARGUMENT, f"not HTTP: {_told(exc, message)}", _NO_HTTP)
        else:
            error = exc if isinstance(exc, Exception) else RuntimeError("failed")
            ended = CallFailed(*judged(error, "", self.peer))
        made = refusal(ended)
        made.force_close()
        return made


class Connections:
    """All of a gateway: at most *most*, each for *age_s* seconds (0: without limit)."""

    def __init__(self, most: int, age_s: float = 0.0) -> None:
        self._most, self._age_s = most, age_s
        self._open: dict[Connection, None] = {}
        """In the order in which they have come."""
        self._idle: dict[Connection, None] = {}
        """Those without a call, the one that has been so for longest first."""
        self._behind: dict[Connection, None] = {}
        """Those of which the other end takes less than it is sent."""
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    def watch(self) -> None:
        """Begin to end those that are over."""
        self._looking = asyncio.create_task(self._look(), name="connections of the gateway")

    def stop(self) -> None:
        """No longer do so."""
        if self._looking is not None:
            self._looking.cancel()

    def take(self, one: Connection) -> bool:
        """Whether there is room for *one*, or could be made."""
        if len(self._open) >= self._most:
            oldest = next((idle for idle in self._idle if idle not in self._behind), None)
            if oldest is None:
                return False
            self.forget(oldest)
            oldest.force_close()
        self._open[one] = self._idle[one] = None
        return True

    def forget(self, one: Connection) -> None:
        """*one* is over."""
        for some in (self._open, self._idle, self._behind):
            some.pop(one, None)

    def begin(self, one: Connection) -> None:
        """*one* has a call."""
        self._idle.pop(one, None)

    def end(self, one: Connection) -> bool:
        """Its call is over; whether it may have another one."""
        one.idle_s = asyncio.get_running_loop().time()
        if one in self._open:
            self._idle[one] = None
        return not self._age_s or one.idle_s - one.began_s < self._age_s

    def behind(self, one: Connection) -> None:
        """There is more for *one* than its other end takes."""
        one.stuck_s(asyncio.get_running_loop().time())
        self._behind[one] = None

    def level(self, one: Connection) -> None:
        """There no longer is."""
        self._behind.pop(one, None)
        if self._idle.pop(one, one) is None:
            self.end(one)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.look(asyncio.get_running_loop().time())

    def look(self, now_s: float) -> None:
        """End those that are over at *now_s*."""
        for one in [one for one in self._behind if one.stuck_s(now_s) > STUCK_S]:
            one.cut()
        for one in [idle for idle in self._idle if idle not in self._behind]:
            if now_s - one.idle_s <= IDLE_S:
                break
            one.force_close()
        for one in list(self._open) if self._age_s else ():
            age_s = now_s - one.began_s
            if age_s <= self._age_s:
                break
            if age_s > self._age_s + CLOSING_GRACE_S:
                one.cut()
            elif one in self._idle:
                one.force_close()


def _other_end(transport: asyncio.Transport) -> tuple[int | None, str, Mapping[str, Iterable[bytes]]]:
    """User, place and proof of the other end of *transport*."""
    end = transport.get_extra_info("socket")
    if end is not None and end.family == socket.AF_UNIX:
        said = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        user_id = int(_CREDENTIALS.unpack(said)[1])
        return user_id, f"unix:{user_id}", {}
    if end is not None:
        for option, value in _DEAD_PEERS:
            end.setsockopt(socket.IPPROTO_TCP, option, value)
    return None, _place(transport.get_extra_info("peername")), _shown(transport.get_extra_info("ssl_object"))


def _place(name: Any) -> str:
    if not isinstance(name, tuple) or len(name) < 2:
        return "unknown:"
    return f"ipv6:[{name[0]}]:{name[1]}" if ":" in name[0] else f"ipv4:{name[0]}:{name[1]}"


def _shown(tls: ssl.SSLObject | None) -> Mapping[str, Iterable[bytes]]:
    certificate = tls.getpeercert(binary_form=True) if tls is not None else None
    if not certificate:
        return {}
    return {"x509_pem_cert": [ssl.DER_cert_to_PEM_cert(certificate).encode("ascii")]}


def _told(error: BaseException | None, message: str | None) -> str:
    """What is wrong with what should be a request, without a word of what was sent."""
    if isinstance(error, LineTooLong):
        return f"a line of more than {LINE_BYTES:,} bytes before the body"
    text = (message or "").partition("\n")[0].rstrip(": ")
    if "PRI/" in text:
        return "this is HTTP/2, as gRPC speaks it; it has an address of its own (server.listen)"
    return text[:100] or "it cannot be read"


_NO_HTTP = ((REASON_KEY, "no_http"),)
