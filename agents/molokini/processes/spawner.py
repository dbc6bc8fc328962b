"""The agent's side of the spawner: it is started anew when it ends, without a fork of the agent."""

import asyncio
import os
from collections.abc import Callable

from molokini.processes.helpers import start_helper


class Spawner:
    """Asks for keepers; *kept* is called with the folder and the process of each, or an error below 0.

    With 0 where the keeper has let the attempt go, and lives on for another one. *renewed* is called before
    it is asked again for what it has not answered. *starter* is the file by which keepers start jobs; empty:
    by a fork.
    """

    def __init__(
        self, kept: Callable[[str, int], None], renewed: Callable[[], None], starter: str = ""
    ) -> None:
        self._kept, self._renewed, self._starter = kept, renewed, starter
        self._asked: dict[str, None] = {}
        """Folders without an answer."""
        self._pid = 0
        self._writes = self._reads = -1
        self._text = b""
        self._start()

    def _start(self) -> None:
        self._pid, self._writes, self._reads = start_helper("molokini.keeper.spawner", self._starter)
        self._text = b""

    def attach(self) -> None:
        """Hear its answers in the running loop."""
        asyncio.get_running_loop().add_reader(self._reads, self._hear)

    def detach(self) -> None:
        """Hear them no longer."""
        asyncio.get_running_loop().remove_reader(self._reads)

    def ask(self, folder: str) -> None:
        """Let a keeper have the attempt in *folder*."""
        self._asked[folder] = None
        self._send(folder)

    def _send(self, folder: str) -> None:
        try:
            os.write(self._writes, os.fsencode(folder) + b"\n")
        except BrokenPipeError:
            # The end of its answers tells of it as well, and then all is asked again.
            return

    def _hear(self) -> None:
        try:
            text = os.read(self._reads, 65536)
        except BlockingIOError:
            return None
        if not text:
            return self._again()
        *lines, self._text = (self._text + text).split(b"\n")
        for line in lines:
            folder, _, pid = os.fsdecode(line).rpartition(" ")
            self._asked.pop(folder, None)
            self._kept(folder, int(pid))
        return None

    def _again(self) -> None:
        """It has ended: start another one, which is asked for what has no answer. No keeper begins twice."""
        self._renewed()
        self.detach()
        self._close()
        self._start()
        self.attach()
        for folder in self._asked:
            self._send(folder)

    def _close(self) -> None:
        os.close(self._writes)
        os.close(self._reads)
        os.waitpid(self._pid, 0)

    def stop(self) -> None:
        """End it; keepers go on."""
        self._close()
