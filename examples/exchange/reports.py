"""Datagrams that tell the agent how far the program is; nobody has to read them.

A datagram is 32 bytes, four signed whole numbers of 64 bits, the lowest byte first: job, task, iterations
done so far, and the instant of the last one's end in nanoseconds of the machine's monotonic clock. Two of
them give a rate. Later ones have more iterations; one that is lost takes nothing with it.
"""

import socket
import struct

FORMAT = struct.Struct("<4q")
LONGEST = 107
"""Bytes of the longest path that a Unix socket can have."""


class Reports:
    """What is sent to the socket at a path; nothing without one."""

    def __init__(self, path: str, job: int, task: int) -> None:
        self._path, self._job, self._task = path, job, task
        self.sent = 0
        self.lost = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) if path else None
        if self._socket is not None:
            self._socket.setblocking(False)

    def send(self, iterations: int, at_ns: int) -> None:
        """Say how many iterations are done; at once, whether or not somebody reads."""
        if self._socket is None:
            return
        try:
            # By its path each time: an agent that has started again has made a new socket there.
            self._socket.sendto(FORMAT.pack(self._job, self._task, iterations, at_ns), self._path)
        except OSError:
            self.lost += 1
        else:
            self.sent += 1

    def close(self) -> None:
        """No more reports."""
        if self._socket is not None:
            self._socket.close()
