"""Datagrams that tell the agent how fast the program goes; no one has to read them.

A datagram is 32 bytes, four numbers of 64 bits, the lowest byte first: job, iterations done so far, and the
instant of the last one's end in nanoseconds of the machine's monotonic clock, all signed and whole; and how
many iterations a second the last one was, a floating point number. One that is lost takes nothing with it.
"""

import socket
import struct

FORMAT = struct.Struct("<3qd")
LONGEST = 107
"""Bytes of the longest path that a Unix socket can have."""


class Reports:
    """What is sent to the socket at a path; nothing without one."""

    def __init__(self, path: str, job: int) -> None:
        self._path, self._job = path, job
        self._last_ns = 0
        self.sent = 0
        self.lost = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) if path else None
        if self._socket is not None:
            self._socket.setblocking(False)

    def begin(self, at_ns: int) -> None:
        """The first iteration begins."""
        self._last_ns = at_ns

    def send(self, iterations: int, at_ns: int) -> None:
        """Say that so many iterations are done; at once, whether or not the agent reads."""
        rate = 1e9 / max(1, at_ns - self._last_ns)
        self._last_ns = at_ns
        if self._socket is None:
            return
        try:
            # By its path each time: an agent that has started again has made a new socket there.
            self._socket.sendto(FORMAT.pack(self._job, iterations, at_ns, rate), self._path)
        except OSError:
            self.lost += 1
        else:
            self.sent += 1

    def close(self) -> None:
        """No more reports."""
        if self._socket is not None:
            self._socket.close()
