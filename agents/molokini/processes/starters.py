"""The starter, made from its source by the C compiler of this machine; without one supervisors fork.

``python -m molokini.processes.starters FOLDER`` makes it where there is a compiler, for machines that have
none: there its place is beside the source.
"""

import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from molokini.processes.launch_records import Rules

_log = logging.getLogger(__name__)
_SOURCE = Path(__file__).resolve().parents[1] / "supervisor" / "starter.c"
_WAYS = (("-static",), ())
"""A static one begins sooner; some machines have no library for it."""
_PATIENCE_S, _LOOK_S = 30.0, 0.005


def with_starter(rules: Rules, folder: Path) -> Rules:
    """The same rules, with a starter in *folder*, which only the agent's user can write; or without."""
    return replace(rules, starter=starter_in(folder))


def starter_in(folder: Path) -> str:
    """The file of the starter, made now in *folder* if there is none; empty: supervisors are to fork."""
    name = f"starter-{sha256(_SOURCE.read_bytes()).hexdigest()[:12]}"
    for place in (_SOURCE.parent, folder):
        if (place / name).exists():
            return str(place / name)
    made = folder / name
    compiler = shutil.which("cc")
    code = _compiled(compiler) if compiler else b""
    if not code:
        _log.info(
            "no C compiler (cc) to build the job starter: each job is started by a fork, which takes longer"
        )
        return ""
    draft = folder / f"{made.name}.{os.getpid()}"
    try:
        draft.write_bytes(code)
        draft.chmod(0o700)
        draft.rename(made)
    except OSError as error:
        _log.warning("the job starter cannot be written, so each job is started by a fork: %s", error)
        draft.unlink(missing_ok=True)
        return ""
    return str(made)


@cache
def _compiled(compiler: str) -> bytes:
    """What the compiler makes of the source; nothing where it cannot."""
    with tempfile.TemporaryDirectory(prefix="molokini-") as folder:
        made = Path(folder) / "starter"
        for way in _WAYS:
            if _runs([compiler, *way, "-O2", "-s", "-o", str(made), str(_SOURCE)]):
                return made.read_bytes()
    return b""


def _runs(command: list[str]) -> bool:
    """Whether the command succeeds, in time. This process must not fork, which ``subprocess`` may do."""
    nothing = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    try:
        quiet = [(os.POSIX_SPAWN_DUP2, nothing, number) for number in (0, 1, 2)]
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    except OSError:
        return False
    finally:
        os.close(nothing)
    until = time.monotonic() + _PATIENCE_S
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status == 0
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return False
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    print(starter_in(Path(sys.argv[1])) or sys.exit("no starter was made: is there a C compiler (cc)?"))
