"""The port of the Wiki protocol: one connection, one request, one answer.

The outside scheduler proves itself by the checksum of its messages. A caller that cannot gets a code
that says so, in words that repeat nothing of what was sent.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile, BadValue, MolokiniError
from molokini.server.config.addresses import host_of, port_of
from molokini.server.config.wiki import Wiki
from molokini.server.security import private_files
from molokini.server.security.roles import Caller, Role
from molokini.server.server import Server
from molokini.server.time.clock import ClockKind
from molokini.server.turn.scheduling import SetScheduling
from molokini.server.wiki.checksums import checksum
from molokini.server.wiki.events import Events
from molokini.server.wiki.looking import Looking
from molokini.server.wiki.messages import (
    BAD_CHECKSUM,
    BAD_REQUEST,
    INTERNAL,
    STARTING,
    Request,
    Shared,
    WikiError,
    done,
    failed,
    message,
    opened,
    read_message,
    request_of,
)
from molokini.server.wiki.orders import Orders

log = logging.getLogger("molokini.server.wiki")

TALK_S = 30.0
"""Seconds of real time for a request to come in, and for an answer to be taken."""


class WikiPort:
    """Serves one outside scheduler, or several; *serves* says whether the server takes requests already."""

    def __init__(self, server: Server, config: Wiki, shared: Shared, serves: Callable[[], bool]) -> None:
        self._server, self._config, self._shared, self._serves = server, config, shared, serves
        self._looking = Looking(server.state)
        self._orders = Orders(server, Caller(config.user, Role.OPERATOR))
        self.events = Events(server.reactor, config.events, config.events_after_s)
        self._listener: asyncio.Server | None = None
        self._open: set[asyncio.Task[Any]] = set()
        self.port = 0

    async def start(self) -> int:
        """Listen; the port. MolokiniError where that cannot be."""
        host, port = host_of(self._config.listen), port_of(self._config.listen)
        try:
            self._listener = await asyncio.start_server(self._take, host, port)
        except OSError as error:
            raise MolokiniError(f"wiki.listen: {self._config.listen}: {error.strerror or error}") from None
        self.port = int(self._listener.sockets[0].getsockname()[1])
        self.events.start()
        return self.port

    async def pause(self) -> None:
        """Leave all decisions to the outside scheduler, if the configuration says so."""
        if self._config.pause and not self._server.state.paused:
            reason = "an outside scheduler decides, over the Wiki protocol"
            await self._server.reactor.post(SetScheduling(True, self._config.user, reason))

    async def stop(self) -> None:
        """Close the port, and every connection."""
        await self.events.stop()
        if self._listener is not None:
            self._listener.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        peer = str((writer.get_extra_info("peername") or ("unknown",))[0])
        if len(self._open) >= self._config.connections:
            log.warning("a connection from %s is closed: %d are open", peer, len(self._open))
            writer.close()
            return
        self._open.add(task)
        try:
            with suppress(TimeoutError, OSError, asyncio.CancelledError):
                await self._converse(reader, writer, peer)
        finally:
            self._open.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str) -> None:
        try:
            async with asyncio.timeout(TALK_S):
                payload = await read_message(reader)
            answer = await self._answered(payload, peer)
        except WikiError as error:
            log.log(_level(error), "refused, from %s: %s (%d)", peer, error, error.code)
            answer = failed(error)
        clock = self._server.clock
        clock_s = None if clock.kind is ClockKind.REAL else max(clock.now(), self._server.state.now)
        writer.write(message(self._shared, self._server.settings.name, answer, time.time(), clock_s))
        async with asyncio.timeout(TALK_S):
            await writer.drain()

    async def _answered(self, payload: bytes, peer: str) -> str:
        user, data = opened(self._shared, payload, time.time())
        request = request_of(user, data)
        if not self._serves():
            raise WikiError(STARTING, "the server is starting")
        try:
            return await self._answer(request, peer)
        except WikiError:
            raise
        except Exception:
            log.exception("a request of %s failed", peer)
            raise WikiError(INTERNAL, "the server failed; its log says why") from None

    async def _answer(self, request: Request, peer: str) -> str:
        if request.command == "GETNODES":
            return await self._looking.nodes(request.argument)
        if request.command == "GETJOBS":
            return await self._looking.jobs(request.argument)
        if request.command == "INITIALIZE":
            return self._initialized(request, peer)
        answer = await self._orders.answer(request)
        log.info("%.40s, from %s: %s %.40s", request.user, peer, request.command, request.argument)
        return answer

    def _initialized(self, request: Request, peer: str) -> str:
        port = request.more.get("EPORT", "0")
        if not (port.isascii() and port.isdigit() and int(port[:6]) <= 65535):
            raise WikiError(BAD_REQUEST, "EPORT is a port from 0 to 65535")
        if request.more.get("USEHOSTEXP", "F").upper() not in ("N", "T", "F"):
            raise WikiError(BAD_REQUEST, "USEHOSTEXP is N, T or F")
        # Host expressions are never sent; a TASKLIST may have them whatever is said here.
        self.events.place = f"[{peer}]:{port}" if int(port) else ""
        return done(f"EPORT={int(port)} USEHOSTEXP=F")


def shared_of(algorithm: str, key_file: Path | None, skew_s: float) -> Shared:
    """What both ends know, with the key from its file. BadFile where that cannot be used."""
    key = ""
    if key_file is not None:
        try:
            key = private_files.read(key_file).decode("utf-8").strip()
            checksum(algorithm, key, b"")
        except UnicodeDecodeError:
            raise BadFile(str(key_file), "no text") from None
        except BadValue:
            raise BadFile(str(key_file), "the key of the algorithm DES is a number") from None
        if not key:
            raise BadFile(str(key_file), "empty; it must hold the key")
    return Shared(algorithm, key, skew_s)


def _level(error: WikiError) -> int:
    return logging.WARNING if error.code == BAD_CHECKSUM else logging.INFO
