"""The agent's side of the spawner: it is restarted when it ends, without a fork of the agent."""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable

from molokini.processes.helpers import start_helper

_log = logging.getLogger(__name__)
_LOOK_S, _PATIENCE_S = 10.0, 60.0
"""Seconds between two looks for its answer, and seconds that an answer may take."""
_END_S, _PAUSE_S = 2.0, 0.001
"""So long it may take to end when the agent does."""


class Spawner:
    """Asks for supervisors; *kept* is called with the folder and the process of each, or an error below 0.

    With 0 where the supervisor has let the attempt go, and lives on for another one. *renewed* is called
    before it is asked again for what it has not answered. *starter* is the file by which supervisors start
    jobs; empty: by a fork.
    """

    def __init__(
        self, kept: Callable[[str, int], None], renewed: Callable[[], None], starter: str = ""
    ) -> None:
        self._kept, self._renewed, self._starter = kept, renewed, starter
        self._asked: dict[str, float] = {}
        """Folders without an answer, oldest first, and when they were asked for."""
        self._attached = False
        self._timer: asyncio.TimerHandle | None = None
        self._pid = 0
        self._writes = self._reads = -1
        self._text = b""
        self._start()

    def _start(self) -> None:
        self._pid, self._writes, self._reads = start_helper("molokini.supervisor.spawner", self._starter)
        self._text = b""

    def attach(self) -> None:
        """Hear its answers in the running loop."""
        asyncio.get_running_loop().add_reader(self._reads, self._hear)
        self._attached = True
        # There was no answer before.
        self._asked = dict.fromkeys(self._asked, time.monotonic())
        self._look_later()

    def detach(self) -> None:
        """Hear them no longer."""
        self._attached = False
        asyncio.get_running_loop().remove_reader(self._reads)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def ask(self, folder: str) -> None:
        """Let a supervisor have the attempt in *folder*."""
        self._asked[folder] = time.monotonic()
        self._send(folder)
        self._look_later()

    def _look_later(self) -> None:
        if self._timer is None and self._attached and self._asked:
            self._timer = asyncio.get_running_loop().call_later(_LOOK_S, self._look)

    def _look(self) -> None:
        """Kill a spawner that does not respond: its end is noticed, and another one gets the requests."""
        self._timer = None
        # What it has said while this process stood still itself.
        self._hear()
        if self._asked and time.monotonic() - next(iter(self._asked.values())) >= _PATIENCE_S:
            _log.warning("the spawner of supervisors has not answered for %g s: restarting it", _PATIENCE_S)
            os.kill(self._pid, signal.SIGKILL)
        self._look_later()

    def _send(self, folder: str) -> None:
        try:
            os.write(self._writes, os.fsencode(folder) + b"\n")
        except BrokenPipeError:
            # The end of its answers shows this as well, and then all requests are sent again.
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
        """It has ended: start another one, which is asked for what has no answer. No supervisor begins
        twice."""
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
        until = time.monotonic() + _END_S
        while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
            if time.monotonic() >= until:
                # It stands still, and so does not see that its agent goes.
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                break
            time.sleep(_PAUSE_S)

    def stop(self) -> None:
        """End it; supervisors go on."""
        self._close()
