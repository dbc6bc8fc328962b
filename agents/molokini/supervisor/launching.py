"""A process that is to become the program: made by the starter or a fork, held back until it may go on."""

from __future__ import annotations

import os
import signal

from molokini.supervisor import starter
from molokini.supervisor.starting import CannotStart, Program, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from molokini.supervisor.trees import Descendants

_ENTERED = b"+"
"""What it tells first when it is in the group of its job; else it tells why not."""


class Child:
    """The process, which waits for leave."""

    def __init__(self, pid: int, told: int, goes: int) -> None:
        self.pid = pid
        self.told = told
        """A file that says why it becomes no program; it is closed when it has become one."""
        self._goes = goes

    def let_go(self) -> bytes:
        """Let it go on; what it has told until it was in its group: why that cannot be, or nothing."""
        os.write(self._goes, b"g")
        os.close(self._goes)
        # A slicer, or an order to suspend, finds the process in its group from now on.
        first = os.read(self.told, 1)
        return b"" if first == _ENTERED else first

    def end(self) -> None:
        """It is not to become the program."""
        os.close(self._goes)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def make(program: Program, tree: Descendants, starts: str) -> Child:
    """The child of a supervisor, by the starter *starts*; by a fork where that is empty or cannot be
    executed."""
    told, tells = os.pipe2(os.O_CLOEXEC)
    go, goes = os.pipe2(os.O_CLOEXEC)
    pid = starter.start(starts, program, tree.entrances(), tells, go) if starts else 0
    pid = pid or os.fork()
    if not pid:
        # Else its own copy would let it wait without end for a supervisor that has gone.
        os.close(goes)
        _become(program, tree, go, tells)
    os.close(tells)
    os.close(go)
    return Child(pid, told, goes)


def _become(program: Program, tree: Descendants, go: int, tells: int) -> NoReturn:
    try:
        os.setsid()
        tree.enter()
        os.write(tells, _ENTERED)
        if os.read(go, 1):
            run(program)
    except CannotStart as fault:
        os.write(tells, str(fault).encode("utf-8", "replace"))
    except BaseException as error:
        os.write(tells, f"the program could not be started: {error}".encode("utf-8", "replace"))
    finally:
        os._exit(127)
