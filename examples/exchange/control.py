"""What the launcher and its tasks say to each other: lines of JSON over a pair of sockets."""

import json
import socket
from typing import Any


class Control:
    """A task's end."""

    def __init__(self, connection: socket.socket, task: int) -> None:
        self._connection, self._task = connection, task
        self._lines = connection.makefile("rb")

    def say(self, **said: Any) -> None:
        """Tell the launcher."""
        self._connection.sendall(line(said))

    def hear(self) -> dict[str, Any]:
        """What the launcher says next. Raises EOFError when it has ended."""
        try:
            text = self._lines.readline()
        except ConnectionError:
            text = b""
        if not text:
            raise EOFError
        found: dict[str, Any] = json.loads(text)
        return found

    def agree(self, value: Any) -> Any:
        """What task 0 gives here, for every task; all call it at the same place of the program."""
        if self._task == 0:
            self.say(agreed=value)
        return self.hear()["agreed"]


def line(said: dict[str, Any]) -> bytes:
    """One message."""
    return json.dumps(said).encode() + b"\n"
