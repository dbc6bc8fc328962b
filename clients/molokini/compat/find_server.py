"""Which server a command calls: its gateway on a Unix socket or by HTTP, or gRPC where there is none."""

from __future__ import annotations

import os

from molokini.compat._types import Transport
from molokini.compat.failures import NoServer
from molokini.compat.transport import GATEWAY, SERVER, SOCKET, STATE
from molokini.compat.unix_transport import Gateway


def find(home: str = "") -> Transport:
    """The transport that the environment names, else that of ./molokini-state, else that of the state in
    *home*.

    A server that is named by its gRPC address alone is called by gRPC, which takes longer.

    Raises NoServer where there is none.
    """
    named = os.environ.get(GATEWAY)
    if named:
        return _gateway(named)
    if not os.environ.get(SERVER):
        for folder in (STATE, home):
            if folder and os.path.exists(os.path.join(folder, SOCKET)):
                return Gateway(os.path.join(folder, SOCKET))
    if os.environ.get(SERVER) or os.path.exists(os.path.join(STATE, "endpoint")):
        from molokini.compat.grpc_transport import GrpcTransport

        return GrpcTransport()
    raise NoServer(
        f"no server is named: set {GATEWAY} to unix:PATH or http://HOST:PORT, or {SERVER} to HOST:PORT, "
        f"or run this where 'molokini up' runs (there is no {os.path.join(STATE, SOCKET)} here)"
    )


def _gateway(named: str) -> Transport:
    if named.startswith("unix:"):
        return Gateway(named[5:])
    if named.startswith(("http://", "https://")):
        from molokini.compat.http_transport import HttpTransport

        return HttpTransport(named)
    raise NoServer(f"{GATEWAY} {named!r}: expected unix:PATH, http://HOST:PORT or https://HOST:PORT")
