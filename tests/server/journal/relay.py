"""A relay in front of a database's socket that can lose what the database answers."""

import asyncio
from pathlib import Path
from types import TracebackType

SOCKET = ".s.PGSQL.5432"


class Relay:
    """Connections to *folder* go on to the socket in *target*; what is lost is lost after it was done."""

    def __init__(self, folder: Path, target: Path) -> None:
        self._folder, self._target = folder, target
        self._answers_to_lose = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self.lost = 0

    def lose_next_answer(self) -> None:
        """Hand on the next insert, wait for its answer, and cut the connection in its place."""
        self._answers_to_lose = 1

    async def __aenter__(self) -> "Relay":
        self._server = await asyncio.start_unix_server(self._serve, self._folder / SOCKET)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for writer in [*self._writers]:
            writer.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, onwards = await asyncio.open_unix_connection(self._target / SOCKET)
        self._writers |= {writer, onwards}
        try:
            await asyncio.gather(self._questions(reader, onwards), self._answers(there, writer))
        except OSError:
            pass
        finally:
            for one in (writer, onwards):
                one.close()
                self._writers.discard(one)

    async def _questions(self, reader: asyncio.StreamReader, onwards: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            onwards.write(data)
            await onwards.drain()
        onwards.close()

    async def _answers(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await there.read(1 << 16):
            if self._answers_to_lose and b"INSERT 0" in data:
                self._answers_to_lose -= 1
                self.lost += 1
                break
            writer.write(data)
            await writer.drain()
        writer.close()
