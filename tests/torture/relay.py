"""A relay between clients or agents and the server, that can delay, stall, lose answers, and reset."""

import asyncio
import contextlib
import random
import socket as sockets
import struct
from types import TracebackType

_PIECE = 1 << 14


class Relay:
    """Listens on a port that stays while the server behind it comes back on another one."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.port = 0
        self.upstream = 0
        """The server's port; 0: nobody is there, and connections are refused after a moment."""
        self.delay_s = 0.0
        """Every piece is held back for up to so long; pieces of one direction stay in order."""
        self.up, self.down = asyncio.Event(), asyncio.Event()
        """Cleared: what goes to the server, or comes from it, is held back: a cut that looks like silence."""
        self.up.set()
        self.down.set()
        self.lost_answers = 0
        self._answers_to_lose = 0
        self._ends: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def __aenter__(self) -> "Relay":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self.reset()
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def lose_answers(self, count: int) -> None:
        """The next *count* pieces that the server sends are thrown away, and their connections reset."""
        self._answers_to_lose = count

    def cut(self) -> None:
        """Both directions fall silent; connections stay open."""
        self.up.clear()
        self.down.clear()

    def forget(self) -> None:
        """Connections that there are fall silent for good, as behind a router that forgot them."""
        self.cut()
        self.up, self.down = asyncio.Event(), asyncio.Event()
        self.heal()

    def heal(self) -> None:
        """All goes on; what was held back arrives now, late."""
        self.up.set()
        self.down.set()
        self.delay_s = 0.0
        self._answers_to_lose = 0

    def reset(self) -> None:
        """Cut all connections with a reset, in mid message if it so happens."""
        for end in [*self._ends]:
            _reset(end)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.add(writer)
        onwards = None
        try:
            if not self.upstream:
                return
            there, onwards = await asyncio.open_connection("127.0.0.1", self.upstream)
            self._ends.add(onwards)
            both = (
                asyncio.create_task(self._carry(reader, onwards, self.up, False)),
                asyncio.create_task(self._carry(there, writer, self.down, True)),
            )
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in both:
                    one.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        finally:
            for end in (writer, onwards):
                if end is not None:
                    self._ends.discard(end)
                    _reset(end)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: asyncio.Event, answers: bool
    ) -> None:
        while data := await reader.read(_PIECE):
            await way.wait()
            if self.delay_s:
                await asyncio.sleep(self._rng.random() * self.delay_s)
            if answers and self._answers_to_lose:
                self._answers_to_lose -= 1
                self.lost_answers += 1
                return
            writer.write(data)
            await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    socket = writer.get_extra_info("socket")
    with contextlib.suppress(OSError, ValueError, AttributeError):
        socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()
