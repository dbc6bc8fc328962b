"""A task and the local scheduler of its node: a byte before each message, and requests on a Unix socket.

The byte says whether the sender's job was scheduled on its node when it sent. A message with byte 1 for a
task whose job is not scheduled on its own node makes the task ask for it. So jobs find together, and no node
speaks with another. Without the variable ``MOLOKINI_LOCAL_SOCKET`` the byte is 0, and nothing is asked.
"""

import mmap
import os
import socket
import struct

REGISTER, LEAVE, SCHEDULE = 1, 2, 3
REFUSED = 4
_REQUEST = struct.Struct("<qq")
_ANSWER = struct.Struct("<qq")
_PATIENCE_S = 5.0
_FULL = (BlockingIOError, InterruptedError)


class Status:
    """What the node says of this task's job; nothing without a local scheduler."""

    def __init__(self, path: str, job: int) -> None:
        self._job, self._word = job, -1
        self._words: mmap.mmap | None = None
        self._socket: socket.socket | None = None
        self.asked = self.odd = 0
        """Requests for this job, and messages whose byte was neither 0 nor 1."""
        if path:
            self._register(path)

    def _register(self, path: str) -> None:
        try:
            made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            made.settimeout(_PATIENCE_S)
            made.connect(path)
            made.send(_REQUEST.pack(REGISTER, self._job))
            answer, word = _ANSWER.unpack(made.recv(_ANSWER.size))
            if answer == REFUSED or word < 0:
                made.close()
                return
            file = os.open(os.path.join(os.path.dirname(path), "status"), os.O_RDONLY | os.O_CLOEXEC)
            try:
                self._words = mmap.mmap(file, 0, prot=mmap.PROT_READ)
            finally:
                os.close(file)
        except (OSError, struct.error, ValueError):
            # The program runs as well without.
            return
        made.setblocking(False)
        self._socket, self._word = made, word

    @property
    def byte(self) -> int:
        """1: this task's job is scheduled on this node."""
        return self._words[self._word] if self._words is not None else 0

    def received(self, byte: int) -> None:
        """A message came with this byte."""
        if byte not in (0, 1):
            # Not the business of a program that works: somebody else has written it.
            self.odd += 1
            return
        if byte == 1 and self._socket is not None and self.byte == 0:
            self._ask()

    def _ask(self) -> None:
        assert self._socket is not None
        try:
            # Answers to earlier requests: nothing depends on them.
            self._socket.recv(_ANSWER.size)
        except _FULL:
            pass
        except OSError:
            return self._without()
        try:
            self._socket.send(_REQUEST.pack(SCHEDULE, self._job))
        except _FULL:
            return None
        except OSError:
            return self._without()
        self.asked += 1
        return None

    def _without(self) -> None:
        """The agent has gone."""
        assert self._socket is not None
        self._socket.close()
        self._socket = self._words = None
