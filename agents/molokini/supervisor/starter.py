"""A program of a few kilobytes that takes the steps of a child in place of a forked interpreter.

A fork copies the tables of the supervisor's memory and each page that either of the two touches after it,
which is most of what a short job costs. Where the starter cannot do a step it says so, and the supervisor
forks.
"""

from __future__ import annotations

import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from molokini.supervisor.starting import Program

AGAIN = b"!"
"""What it tells when the job is to be started by a fork; such a word comes before the program, or never."""
_TELLS, _GOES = 3, 4


def start(starter: str, program: Program, entrances: list[str], tells: int, go: int) -> int:
    """The process that will be *program*, once it may *go*; 0 where *starter* cannot be executed.

    *entrances* are files of control groups that take the number of a process.
    """
    try:
        return os.posix_spawn(
            starter,
            [starter, *_arguments(program, entrances)],
            program.environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, tells, _TELLS), (os.POSIX_SPAWN_DUP2, go, _GOES)],
            setsigmask=[],
        )
    except (OSError, ValueError):
        # Too many arguments, one with a NUL, or no such file any more: a fork tells what is wrong.
        return 0


def _arguments(program: Program, entrances: list[str]) -> list[str]:
    """In the order of starter.c."""
    account, files = program.account, program.files
    switches = program.wish.switches
    groups = account.groups if switches else []
    user = (account.uid, account.gid) if switches else (-1, -1)
    core = -1 if program.core[1] == resource.RLIM_INFINITY else program.core[1]
    return [
        *map(str, (program.supervisor, *user, len(groups), *groups)),
        *(str(len(entrances)), *entrances),
        *(program.wish.cpus, str(core), program.directory),
        *(files.given, files.out, str(int(files.adds))),
        *("" if files.error == files.out else files.error, str(int(files.adds_error))),
        *(str(len(program.places)), *program.places),
        *program.argv,
    ]
