"""The JSON gateway: ``POST /molokini.v1.JobService/Submit`` with a document does what gRPC's method does.

This module listens and stops; ``calling`` answers, ``connections`` bounds what there is of them, and ``page``
is what browsers see.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from molokini.model.errors import MolokiniError
from molokini.server.config.addresses import host_of, port_of
from molokini.server.security.serving import Security
from molokini.server.server import Server
from molokini.server.web.calling import Calls
from molokini.server.web.connections import IDLE_S, LINE_BYTES, Connection, Connections
from molokini.server.web.feed import Events
from molokini.server.web.https import https_context
from molokini.server.web.methods import methods_of
from molokini.server.web.page import Page
from molokini.server.web.sockets import Listening

log = logging.getLogger("molokini.server.access")

STOP_S = 1.0
_HANDSHAKE_S = 10.0
_GOODBYE_S = 2.0
CLUSTER_HEADER = "Molokini-Cluster"
_BACKLOG = 1024
_HEADERS = 64


class Gateway:
    """Serves *servicers* (by the descriptors of their services) until it is stopped."""

    def __init__(
        self,
        security: Security,
        servicers: Mapping[Any, object],
        core: Server,
        events: Events,
        opened: Callable[[], bool] = lambda: True,
    ) -> None:
        config = security.config
        age_s = config.security.max_connection_age_s if config.security.mode in ("tls", "mtls") else 0.0
        self._security = security
        self.local = Connections(config.limits.concurrent_rpcs)
        self.remote = Connections(config.limits.concurrent_rpcs, age_s)
        methods = methods_of(servicers)
        self.page = Page(security, core, opened, events, methods)
        self.calls = Calls(security, methods, opened, self.page)
        self._server: web.Server | None = None
        self._listening: list[asyncio.Server] = []
        self._socket: Listening | None = None
        self.port = 0
        """Over HTTP; 0: not."""

    async def start(self, path: Path | None, listen: str = "") -> None:
        """Listen at the Unix socket *path* and at the address *listen*, each if it is given.

        MolokiniError where that cannot be, BadFile for certificates and keys that cannot be used; then it
        listens nowhere.
        """
        try:
            await self._start(path, listen)
        except BaseException:
            await self.stop(0.0)
            raise

    async def _start(self, path: Path | None, listen: str) -> None:
        self._server = web.Server(self._answer, request_factory=_request, handler_cancellation=True)
        loop = asyncio.get_running_loop()
        if path is not None:
            self._socket = Listening(path, self._security.config.server.name)
            local = await loop.create_unix_server(
                self._maker(self.local), sock=self._socket.socket, backlog=_BACKLOG
            )
            self._listening.append(local)
            self.local.watch()
        if listen:
            self.port = await self._listen(listen)
            self.remote.watch()
            log.info("the gateway listens on %s:%d", host_of(listen), self.port)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """As the calls answer, with the name of the cluster, by which commands name its jobs."""
        made = await self.calls.answer(request)
        if not made.prepared:
            made.headers[CLUSTER_HEADER] = self._security.config.server.name
        return made

    async def _listen(self, listen: str) -> int:
        security = self._security
        context = https_context(security.config.security, security.wall)
        try:
            found = await asyncio.get_running_loop().create_server(
                self._maker(self.remote),
                sock=_bound(listen),
                ssl=context,
                backlog=_BACKLOG,
                ssl_handshake_timeout=_HANDSHAKE_S if context is not None else None,
                ssl_shutdown_timeout=_GOODBYE_S if context is not None else None,
            )
        except OSError as error:
            raise MolokiniError(f"web.listen: cannot listen on {listen}: {error.strerror or error}") from None
        self._listening.append(found)
        return int(found.sockets[0].getsockname()[1])

    def _maker(self, connections: Connections) -> Callable[[], Connection]:
        """What makes a connection of each that is accepted."""
        server = self._server
        assert server is not None

        def make() -> Connection:
            return Connection(
                connections,
                server,
                access_log=None,
                keepalive_timeout=IDLE_S,
                max_line_size=LINE_BYTES,
                max_field_size=LINE_BYTES,
                max_headers=_HEADERS,
                auto_decompress=False,
            )

        return make

    async def stop(self, grace_s: float = STOP_S) -> None:
        """Take the socket away, and end what is under way; calls have *grace_s* to end by themselves."""
        if self._socket is not None:
            self._socket.remove()
        for one in self._listening:
            one.close()
        await self.calls.stop(grace_s)
        await self.page.stop()
        if self._server is not None:
            self._server.pre_shutdown()
            await self._server.shutdown(0.1)
        for some in (self.local, self.remote):
            some.stop()


def _request(message: Any, content: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    return web.BaseRequest(message, content, protocol, writer, task, asyncio.get_running_loop())


def _bound(listen: str) -> socket.socket:
    """A socket at the address *listen*, at the first of its addresses where it is a name."""
    host, port = host_of(listen), port_of(listen)
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made
