"""A server with a Wiki port, and the least that can talk to it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from molokini.server.wiki.messages import Shared, message, opened, read_message
from tests.kit.serving import Served, served

SHARED = Shared(key="42")
Records = dict[str, dict[str, str]]


class Talker:
    """An outside scheduler, word by word."""

    def __init__(self, port: int, shared: Shared = SHARED) -> None:
        self.port, self.shared = port, shared

    async def raw(self, sent: bytes, end: bool = False) -> bytes:
        """What is answered to *sent*, byte by byte; *end*: nothing more will come."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(sent)
            if end:
                writer.write_eof()
            async with asyncio.timeout(30):
                return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def ask(self, data: str, at_s: float | None = None) -> str:
        """What is answered to the request *data*, once its checksum was found right."""
        sent = message(self.shared, "maui", data, time.time() if at_s is None else at_s)
        return await self.read(await self.raw(sent))

    async def read(self, answer: bytes) -> str:
        """The text of a whole answer."""
        reader = asyncio.StreamReader()
        reader.feed_data(answer)
        reader.feed_eof()
        _, data = opened(self.shared, await read_message(reader), time.time())
        return data

    async def records(self, data: str) -> Records:
        """What a query finds, by name; no value has anything escaped."""
        answer = await self.ask(data)
        count, *found = answer.removeprefix("SC=0 ARG=").rstrip("#").split("#")
        assert int(count) == len(found), answer
        named = (one.partition(":") for one in found)
        return {
            name: dict(field.partition("=")[::2] for field in fields.strip(";").split(";"))
            for name, _, fields in named
        }

    async def jobs(self, since_s: int = 0) -> Records:
        return await self.records(f"CMD=GETJOBS ARG={since_s}:ALL")

    async def nodes(self, since_s: int = 0) -> Records:
        return await self.records(f"CMD=GETNODES ARG={since_s}:ALL")


def states(found: Records) -> dict[str, str]:
    """Of each the state alone."""
    return {name: said["STATE"] for name, said in found.items()}


def key_file(folder: Path, key: str = "42", mode: int = 0o600) -> Path:
    path = folder / "wiki.key"
    path.write_text(f"{key}\n")
    path.chmod(mode)
    return path


@asynccontextmanager
async def with_port(
    folder: Path, policy: str = "fcfs", **overrides: Any
) -> AsyncIterator[tuple[Served, Talker]]:
    """A server on a stepped clock, four nodes of four processors, whose policy is paused by its Wiki port."""
    given = {"wiki__listen": "127.0.0.1:0", "wiki__key_file": str(key_file(folder)), **overrides}
    async with served(folder, policy, **given) as one:
        assert one.server.wiki is not None
        yield one, Talker(one.server.wiki.port)
