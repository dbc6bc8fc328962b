"""HTTP/2 by hand, for what no well-behaved client sends: frames, and headers as uncompressed literals."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


def _integer(number: int, bits: int) -> bytes:
    most = (1 << bits) - 1
    if number < most:
        return bytes([number])
    found, number = bytearray([most]), number - most
    while number >= 128:
        found.append(number % 128 + 128)
        number //= 128
    return bytes([*found, number])


def _literal(name: bytes, value: bytes) -> bytes:
    return b"\0" + _integer(len(name), 7) + name + _integer(len(value), 7) + value


def headers(path: str, more: Sequence[tuple[bytes, bytes]] = ()) -> bytes:
    known = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path.encode()),
        (b":authority", b"localhost"),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
    ]
    return b"".join(_literal(name, value) for name, value in (*known, *more))


def call(stream: int, path: str, body: bytes = b"", more: Sequence[tuple[bytes, bytes]] = ()) -> bytes:
    """The frames of one unary call."""
    message = b"\0" + struct.pack(">I", len(body)) + body
    return frame(HEADERS, END_HEADERS, stream, headers(path, more)) + frame(DATA, END_STREAM, stream, message)


class Wire:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, body: bytes) -> None:
        self.writer.write(body)
        await self.writer.drain()

    async def frames(self, limit_s: float = 60.0) -> list[tuple[int, int, bytes]]:
        """What comes until the server closes: (kind, stream, body)."""
        found: list[tuple[int, int, bytes]] = []
        async with asyncio.timeout(limit_s):
            while True:
                try:
                    head = await self.reader.readexactly(9)
                    body = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                except (asyncio.IncompleteReadError, ConnectionError):
                    return found
                found.append((head[3], int.from_bytes(head[5:9], "big"), body))

    async def frame_of(self, kind: int, limit_s: float = 60.0) -> bytes:
        """The body of the next frame of this kind."""
        async with asyncio.timeout(limit_s):
            while True:
                head = await self.reader.readexactly(9)
                body = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                if head[3] == kind:
                    return body


@asynccontextmanager
async def connected(port: int, greeting: bytes = PREFACE + frame(SETTINGS, 0, 0)) -> AsyncIterator[Wire]:
    """A connection on which *greeting* was sent."""
    wire = Wire(*await asyncio.open_connection("127.0.0.1", port))
    try:
        await wire.send(greeting)
        yield wire
    finally:
        wire.writer.close()
        with contextlib.suppress(ConnectionError):
            await wire.writer.wait_closed()
