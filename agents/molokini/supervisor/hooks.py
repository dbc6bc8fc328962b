"""Prolog and epilog: programs of the administrator that run before and after each job, as the agent's user.

Their environment is made of nothing but the variables that say which job it is. What they print is read, and
thrown away but for its end; whatever processes they leave behind are ended with them.
"""

from __future__ import annotations

import os
import signal
import time

from molokini.supervisor import kernel
from molokini.supervisor.starting import PATH
from molokini.supervisor.trees import Descendants, Reaper, kill_all, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_KEPT = 1000
"""Bytes of what it has printed last."""
_SHOWN = 200
_KILL_S = 5.0
_NOT_EXECUTED = 127


class Hook:
    """One run of such a program, from its start on. Its supervisor has no other processes meanwhile.

    The supervisor ignores no signal (see ``pass_signals_over``), so the program finds all as at first.
    """

    def __init__(self, what: str, path: str, variables: dict[str, str], limit_s: float) -> None:
        self._what, self._path, self._limit_s = what, path, limit_s
        self.until = time.monotonic() + limit_s
        """When it is ended."""
        self._tree, self._reaper = Descendants(os.getpid()), Reaper()
        self._said = b""
        self.file, writes = os.pipe2(os.O_CLOEXEC)
        """What it prints can be read here."""
        os.set_blocking(self.file, False)
        self._pid = os.fork()
        if not self._pid:
            self._be_program(writes, variables)
        os.close(writes)
        self._reaper.expect(self._pid)

    def _be_program(self, writes: int, variables: dict[str, str]) -> NoReturn:
        try:
            os.setsid()
            kernel.die_with_parent(signal.SIGKILL)
            os.umask(0o022)
            os.chdir("/")
            os.dup2(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), 0)
            os.dup2(writes, 1)
            os.dup2(writes, 2)
            os.execve(self._path, [self._path], {"PATH": PATH, **variables})
        except OSError as error:
            os.write(writes, (error.strerror or str(error)).encode())
        finally:
            os._exit(_NOT_EXECUTED)

    def hear(self) -> bool:
        """Take what it has printed; whether there may be more."""
        try:
            part = os.read(self.file, 65536)
        except BlockingIOError:
            return True
        self._said = (self._said + part)[-_KEPT:]
        return bool(part)

    def over(self) -> bool:
        """Whether it has ended, or is out of time."""
        self._reaper()
        return self._reaper.ends[self._pid] >= 0 or time.monotonic() >= self.until

    def finish(self) -> str:
        """End what is left of it; why it has failed, empty where it has not."""
        status = self._reaper.ends[self._pid]
        gone = kill_all(self._tree, self._reaper, time.monotonic() + _KILL_S)
        while self._reads():
            pass
        os.close(self.file)
        if not gone:
            return f"{self._what} {self._path}: processes {self._tree.pids()[:5]} do not end"
        if status < 0:
            return f"{self._what} {self._path}: did not end within {self._limit_s:g} s{self._last_words()}"
        code = os.waitstatus_to_exitcode(status)
        if not code:
            return ""
        how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
        return f"{self._what} {self._path}: {how}{self._last_words()}"

    def _reads(self) -> bool:
        before = self._said
        return self.hear() and self._said is not before

    def _last_words(self) -> str:
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        text = "".join(one for one in lines[-1] if one.isprintable()) if lines else ""
        return f": {text[:_SHOWN]}" if text else ""

    def stop(self) -> None:
        """Ask it to end."""
        send(self._tree.pids(), signal.SIGTERM)
