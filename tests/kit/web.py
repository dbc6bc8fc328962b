"""A client of the JSON gateway that knows HTTP by its letters, and so can also do it wrong."""

import asyncio
import json
import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kit.waiting import DEADLINE_S

JOBS, CLUSTER, TOKENS = (f"/molokini.v1.{name}/" for name in ("JobService", "ClusterService", "TokenService"))


@dataclass
class Answered:
    """One answer, read to its end."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """Of a stream: what each line says."""
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def error(self) -> dict[str, str]:
        """Why not; of a stream, why no more."""
        found: dict[str, str] = (self.lines[-1] if self.lines else {})["error"]
        return found


class Wire:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self) -> tuple[int, dict[str, str]]:
        """Status and headers of the next answer."""
        async with asyncio.timeout(DEADLINE_S):
            first = await self.reader.readline()
            if not first:
                raise ConnectionResetError("no answer")
            assert first.startswith(b"HTTP/1."), first
            headers = {}
            while (line := await self.reader.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode().partition(":")
                headers[name.lower()] = value.strip()
            return int(first.split()[1]), headers

    async def chunk(self) -> bytes:
        """The next chunk of an answer in chunks; nothing at its end."""
        async with asyncio.timeout(DEADLINE_S):
            size = int(await self.reader.readline(), 16)
            return (await self.reader.readexactly(size + 2))[:-2]

    async def rest(self) -> bytes:
        """What still comes of an answer in chunks."""
        body = b""
        while part := await self.chunk():
            body += part
        return body

    async def answer(self) -> Answered:
        status, headers = await self.head()
        async with asyncio.timeout(DEADLINE_S):
            if headers.get("transfer-encoding") == "chunked":
                body = await self.rest()
            else:
                body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return Answered(status, headers, body)

    async def closed(self) -> bytes:
        """What still comes until the other end closes."""
        async with asyncio.timeout(DEADLINE_S):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""

    def abort(self) -> None:
        """Be gone."""
        self.writer.transport.abort()


def request_of(
    path: str, body: bytes | None = b"", headers: Mapping[str, str] | None = None, verb: str = "POST"
) -> bytes:
    """A request in full; with None for *body* what comes before it alone, in chunks."""
    length = {"Transfer-Encoding": "chunked"} if body is None else {"Content-Length": str(len(body))}
    given = {"Host": "localhost", "Content-Type": "application/json", **length, **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value is not None)
    return f"{verb} {path} HTTP/1.1\r\n{lines}\r\n".encode("utf-8", "surrogateescape") + (body or b"")


def chunk_of(data: bytes) -> bytes:
    """*data* as one chunk of a body in chunks; empty, its end."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def text_of(document: Any) -> bytes:
    """*document* as JSON; bytes as they are; a list of documents as lines."""
    if isinstance(document, bytes):
        return document
    if isinstance(document, list):
        return b"".join(text_of(one) + b"\n" for one in document)
    return json.dumps(document).encode()


@dataclass
class Web:
    """Where a gateway listens, and how to call it."""

    path: Path | None = None
    port: int = 0
    context: ssl.SSLContext | None = None
    headers: Mapping[str, str] | None = None

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Wire]:
        async with asyncio.timeout(DEADLINE_S):
            if self.path is not None:
                # However deep it lies.
                folder = os.open(self.path.parent, os.O_PATH)
                try:
                    reader, writer = await asyncio.open_unix_connection(
                        f"/proc/self/fd/{folder}/{self.path.name}"
                    )
                finally:
                    os.close(folder)
            else:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.context)
        try:
            yield Wire(reader, writer)
        finally:
            writer.close()
            with suppress(OSError, ssl.SSLError):
                await writer.wait_closed()

    async def call(self, path: str, document: Any = b"", verb: str = "POST", **headers: str) -> Answered:
        """One call on a connection of its own; *headers* by their names with underscores."""
        given = {**(self.headers or {}), **{name.replace("_", "-"): one for name, one in headers.items()}}
        async with self.connected() as wire:
            with suppress(ConnectionError):
                # What is too large is refused before all of it is sent.
                await wire.send(request_of(path, text_of(document), given, verb))
            return await wire.answer()

    def with_token(self, token: str) -> "Web":
        return Web(self.path, self.port, self.context, {"Authorization": f"Bearer {token}"})
