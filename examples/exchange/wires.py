"""The connections of a task with its partners, and one exchange of messages over them.

All sockets are non-blocking, and one loop sends and receives whatever can move: no order of partners locks
up, a part of a message is as good as the whole, and a task that is stopped anywhere goes on where it was.
"""

import select
import socket
import struct
import time

import numpy as np

from exchange.coscheduled import Status
from exchange.patterns import Partners
from exchange.work import Words

FAR = 2**62
"""More iterations than anyone runs: no end is known yet."""
_HEADER = struct.Struct("<qqB7x")
"""The number of the round, after how many iterations the run ends, and whether the sender was scheduled."""
_FULL = (BlockingIOError, InterruptedError)


class Lost(Exception):
    """The connection with a partner broke."""

    def __init__(self, partner: int) -> None:
        super().__init__(partner)
        self.partner = partner


class OutOfStep(Exception):
    """A message of another round than the one that is exchanged."""


class _Message:
    """Memory for one message, header and words."""

    def __init__(self, words: int) -> None:
        self.bytes = bytearray(_HEADER.size + 8 * words)
        self.words: Words = np.frombuffer(self.bytes, np.uint64, offset=_HEADER.size)


class Wires:
    """Connections and messages; counts the seconds that exchanges take and those spent waiting in them."""

    def __init__(
        self, partners: Partners, connections: dict[int, socket.socket], status: Status | None = None
    ) -> None:
        self._status = status or Status("", 0)
        self._partners, self._connections = partners, connections
        self.sent: dict[int, _Message] = {}
        self.received: dict[int, _Message] = {}
        self.last = FAR
        self.waited_s = 0.0
        for connection in connections.values():
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def resize(self, words: int) -> None:
        """Make all messages of so many words."""
        self.sent = {partner: _Message(words) for partner in self._partners.to}
        self.received = {partner: _Message(words) for partner in self._partners.of}

    def exchange(self, number: int) -> None:
        """Send every message of round *number* and receive as many. Raises Lost, OutOfStep."""
        for message in self.sent.values():
            _HEADER.pack_into(message.bytes, 0, number, self.last, self._status.byte)
        outward = {partner: memoryview(message.bytes) for partner, message in self.sent.items()}
        inward = {partner: memoryview(message.bytes) for partner, message in self.received.items()}
        while outward or inward:
            sent, received = self._send(outward), self._receive(inward)
            if not (sent or received):
                self._wait(outward, inward)
        for partner, message in self.received.items():
            found, last, byte = _HEADER.unpack_from(message.bytes)
            self._status.received(byte)
            if found != number:
                raise OutOfStep(f"round {found} came from task {partner} in round {number}")
            self.last = min(self.last, last)

    def _send(self, outward: dict[int, memoryview]) -> int:
        moved = 0
        for partner, rest in list(outward.items()):
            try:
                count = self._connections[partner].send(rest)
            except _FULL:
                continue
            except OSError:
                raise Lost(partner) from None
            moved += count
            outward[partner] = rest[count:]
            if count == len(rest):
                del outward[partner]
        return moved

    def _receive(self, inward: dict[int, memoryview]) -> int:
        moved = 0
        for partner, rest in list(inward.items()):
            try:
                count = self._connections[partner].recv_into(rest)
            except _FULL:
                continue
            except OSError:
                raise Lost(partner) from None
            if not count:
                raise Lost(partner)
            moved += count
            inward[partner] = rest[count:]
            if count == len(rest):
                del inward[partner]
        return moved

    def _wait(self, outward: dict[int, memoryview], inward: dict[int, memoryview]) -> None:
        poll = select.poll()
        for partner in {*outward, *inward}:
            sends, receives = partner in outward, partner in inward
            poll.register(self._connections[partner], sends * select.POLLOUT | receives * select.POLLIN)
        began = time.monotonic()
        poll.poll()
        self.waited_s += time.monotonic() - began
