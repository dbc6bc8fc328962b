"""Calls over the Unix socket of a server's JSON gateway: the quickest way, and the kernel says who calls."""

from __future__ import annotations

import json
import os
import sys

from molokini.compat._types import Any
from molokini.compat.failures import NoAnswer, NoServer
from molokini.compat.transport import (
    CLUSTER_FILE,
    CLUSTER_HEADER,
    asked_cluster,
    patiently,
    refused,
    timeout_s,
    token,
)

_WAITS = ("JobService/WaitJobs", "JobService/WatchJobs")
"""Calls that may take as long as they like."""


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
