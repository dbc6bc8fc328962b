"""Processes beside the agent, which never forks: each runs a module of ours in a small interpreter."""

import os
import sys
from pathlib import Path

from molokini.feedback import edf

_ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the packages of their files."""
_CORE = Path(edf.__file__).resolve().parents[2]
"""The folder with the rules that they share with the core, which import nothing."""
_PROGRAM = "import sys; sys.path[:0] = sys.argv[1:3]; from {} import main; main(*sys.argv[3:])"
_CLEAN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def start_helper(module: str, *arguments: str) -> tuple[int, int, int]:
    """Run ``main`` of *module*: its process, and pipes to its input and from its output; no read blocks."""
    given, writes = os.pipe2(os.O_CLOEXEC)
    reads, answers = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    os.set_blocking(answers, True)
    program = [
        sys.executable,
        "-I",
        "-S",
        "-E",
        "-c",
        _PROGRAM.format(module),
        str(_ROOT),
        str(_CORE),
        *arguments,
    ]
    # Not a fork: gRPC's threads hold locks that a forked child would never get.
    pid = os.posix_spawn(
        sys.executable,
        program,
        _CLEAN,
        file_actions=[(os.POSIX_SPAWN_DUP2, given, 0), (os.POSIX_SPAWN_DUP2, answers, 1)],
        setsid=True,
    )
    os.close(given)
    os.close(answers)
    return pid, writes, reads
