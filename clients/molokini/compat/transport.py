"""The transport to a server: the JSON gateway on a Unix socket or by HTTP; gRPC where there is no gateway.

A call is repeated while the server is starting or too busy. One whose answer is lost is repeated, too, where
it bears that: a submission does by its key.
"""

from __future__ import annotations

import json
import os
import sys
import time

from molokini.compat.failures import NoAnswer, NoServer, Refused, TransportError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Transport(Protocol):
        """Where calls go."""

        @property
        def cluster(self) -> str:
            """The name of the cluster; asked for where nothing has told it."""

        def call(self, service: str, method: str, document: dict[str, Any]) -> dict[str, Any]:
            """What the method answers. Raises Refused, or NoAnswer."""


GATEWAY, SERVER, TOKEN = "MOLOKINI_GATEWAY", "MOLOKINI_SERVER", "MOLOKINI_TOKEN"
TOKEN_FILE = "MOLOKINI_TOKEN_FILE"
TIMEOUT = "MOLOKINI_TIMEOUT_S"
STATE = "molokini-state"
SOCKET = "socket"
CLUSTER_HEADER = "molokini-cluster"
"""In which the gateway tells the name of the cluster with each answer."""
CLUSTER_FILE = ".cluster"
"""Behind the path of a socket: the file in which its server tells the name before any call."""

_AGAIN_S, _TIMEOUT_S = 0.05, 10.0
_BUSY = ("not_ready", "busy", "too_much")
_ONCE = frozenset(
    {
        *("RequeueJobs", "SignalJobs", "StartJobs", "CreateReservation", "BookAccount"),
        *("ChangeClock", "ChangeScheduling"),
    }
)
"""Calls that are not said again where it is not known whether they were done."""
_WAITS = ("JobService/WaitJobs", "JobService/WatchJobs")
"""Calls that may take as long as they like."""


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
    raise NoServer(f"{GATEWAY} {named!r}: unix:PATH, http://HOST:PORT or https://HOST:PORT is wanted")


def timeout_s() -> float:
    """How long a command has patience, in seconds."""
    text = os.environ.get(TIMEOUT, "")
    try:
        found = float(text) if text else _TIMEOUT_S
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise NoServer(f"{TIMEOUT} {text!r}: a number of seconds above 0 is wanted")
    return found


def token() -> str:
    """The token that the environment names; empty where there is none."""
    if (shown := os.environ.get(TOKEN)) is not None:
        return shown.strip()
    name = os.environ.get(TOKEN_FILE)
    if not name:
        return ""
    try:
        with open(name, encoding="ascii") as file:
            return file.read(65536).strip()
    except (OSError, ValueError) as error:
        raise NoServer(f"{TOKEN_FILE} {name}: {getattr(error, 'strerror', None) or 'no text'}") from None


def patiently(once: Any, asked: str, document: dict[str, Any]) -> Any:
    """What ``once()`` returns; asked again while the server is busy, or after a lost answer if safe.

    Raises NoServer where it is not ready after all that time."""
    until_s, again_s = time.monotonic() + timeout_s(), _AGAIN_S
    while True:
        try:
            return once()
        except (NoAnswer, Refused) as error:
            if not _bears_repeating(error, asked, document) or time.monotonic() + again_s > until_s:
                if isinstance(error, Refused) and error.code == "UNAVAILABLE":
                    raise NoServer(str(error)) from None
                raise
        time.sleep(again_s)
        again_s = min(2 * again_s, 1.0)


def _bears_repeating(error: TransportError, asked: str, document: dict[str, Any]) -> bool:
    if isinstance(error, Refused):
        return error.reason in _BUSY or error.code == "UNAVAILABLE"
    method = asked.rpartition("/")[2]
    if method == "Submit":
        return bool(document.get("spec", {}).get("submission_key"))
    # The others can be said twice: a job that is cancelled or held already stays so.
    return method not in _ONCE


def asked_cluster(transport: Transport) -> str:
    """The name of the cluster, by a call."""
    return str(transport.call("ClusterService", "GetCluster", {}).get("name", "molokini"))


def refused(answer: bytes, status: int) -> Refused:
    """The refusal that the body *answer* tells."""
    try:
        told = json.loads(answer)["error"]
        return Refused(told["code"], told["message"], told.get("reason", ""), told.get("field", ""))
    except (ValueError, KeyError, TypeError):
        return Refused("UNKNOWN", f"the server answers with status {status}")


class Gateway:
    """Calls over the Unix socket at *path*: a connection each, and the kernel tells the server who calls."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._cluster = ""

    @property
    def cluster(self) -> str:
        """The name of the cluster: by an answer, by the file beside the socket, or by a call for it."""
        if not self._cluster:
            try:
                with open(self._path + CLUSTER_FILE, encoding="utf-8") as file:
                    self._cluster = file.read(1000)
            except (OSError, ValueError):
                pass
        return self._cluster or asked_cluster(self)

    def call(self, service: str, method: str, document: dict[str, Any]) -> dict[str, Any]:
        """What the method answers. Raises Refused, NoAnswer or NoServer."""
        asked = f"{service}/{method}"
        found: dict[str, Any] = patiently(lambda: self._once(asked, document), asked, document)
        return found

    def process(self) -> int:
        """The number of the server's process, as the kernel knows it. Raises NoServer."""
        import socket

        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
            try:
                _connect(end, self._path)
            except OSError as error:
                raise NoServer(f"no server at {self._path}: {error.strerror}") from None
            said = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int.from_bytes(said[:4], sys.byteorder)

    def _once(self, asked: str, document: dict[str, Any]) -> Any:
        body = json.dumps(document).encode()
        shown = token()
        head = [
            f"POST /molokini.v1.{asked} HTTP/1.0",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            *([f"Authorization: Bearer {shown}"] if shown else []),
        ]
        request = "\r\n".join([*head, "", ""]).encode("ascii") + body
        answer = self._exchanged(request, None if asked in _WAITS else timeout_s())
        top, gap, rest = answer.partition(b"\r\n\r\n")
        lines = top.decode("latin-1").split("\r\n")
        status = lines[0].split(" ")
        if not gap or len(status) < 2 or not status[1].isdigit():
            raise NoAnswer(f"{self._path}: the server ended before it had answered")
        pairs = (line.partition(": ") for line in lines[1:])
        headers = {name.lower(): value for name, _, value in pairs}
        self._cluster = headers.get(CLUSTER_HEADER, self._cluster)
        if len(rest) < int(headers.get("content-length", "0")):
            raise NoAnswer(f"{self._path}: the server ended before it had answered")
        if status[1] != "200":
            raise refused(rest, int(status[1]))
        return json.loads(rest)

    def _exchanged(self, request: bytes, patience_s: float | None) -> bytes:
        import socket

        parts = []
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
            end.settimeout(patience_s)
            try:
                _connect(end, self._path)
            except OSError as error:
                raise NoServer(f"no server at {self._path}: {error.strerror}") from None
            try:
                end.sendall(request)
                while part := end.recv(1 << 20):
                    parts.append(part)
            except OSError as error:
                raise NoAnswer(f"{self._path}: {error.strerror or 'no answer in time'}") from None
        return b"".join(parts)


def _connect(end: Any, path: str) -> None:
    if len(os.fsencode(path)) < 108:
        end.connect(path)
        return
    # Longer than a socket's path may be: through the descriptor of its folder.
    folder = os.open(os.path.dirname(path) or ".", os.O_PATH | os.O_DIRECTORY)
    try:
        end.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)
