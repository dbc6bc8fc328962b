"""The process that forks the keepers. The agent's own process never forks.

It reads folders, a line each, and answers with the folder and the process that keeps it, or the number of an
error below 0. It ends when the agent has gone; the keepers stay.
"""

from __future__ import annotations

import gc
import os
import pwd
import signal
import sys

from molokini.keeper.keeping import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_HIGHEST = 2**30


def main() -> None:
    """Fork a keeper for each line of standard input; "FOLDER PID" is the answer."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # Files that were open where the agent was started do not reach a job.
    os.closerange(3, _HIGHEST)
    # Loads what looks users up, which each keeper would load by itself.
    pwd.getpwuid(os.geteuid())
    # What is here stays: a keeper that is collected would copy all of it.
    gc.freeze()
    gc.disable()
    rest = b""
    while text := os.read(0, 65536):
        *lines, rest = (rest + text).split(b"\n")
        for line in lines:
            folder = os.fsdecode(line)
            try:
                pid = os.fork()
            except OSError as error:
                # The machine can make no process more; the agent hears which error it was.
                pid = -(error.errno or 1)
            if not pid:
                _be_keeper(folder)
            try:
                os.write(1, line + b" %d\n" % pid)
            except BrokenPipeError:
                # The agent has gone; its next start finds the keeper by its lock.
                continue


def _be_keeper(folder: str) -> NoReturn:
    """Cut loose from the spawner and its agent, and keep one attempt."""
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open("/dev/null", os.O_RDWR)
        for file in (0, 1, 2):
            os.dup2(nothing, file)
        keep(folder)
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
    sys.exit(0)
