"""The record of an attempt: lines of JSON, each written before anything is done because of it.

The end is on the disk before anybody hears of it. The start need not be: a power cut that takes the record
takes the processes as well, and after a new start of the machine nothing begins that may have run before.
"""

from __future__ import annotations

import errno
import json
import os

from molokini.supervisor.trees import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RECORD, LAUNCH, LOCK, CONTROL, SCRIPT, VOID = "record", "launch.json", "lock", "control", "script", "void"
"""Files in the folder of an attempt: what happened; what is to run; a lock, which the supervisor holds while
it lives, with its number; a FIFO with the agent's commands; the job script; a note that no supervisor may
begin."""
LAUNCH_DRAFT, NODES = f"{LAUNCH}.new", "nodes"
"""What is to run, as long as it is being written; the nodes of the attempt, for its program."""
AGENT_LOCK = "agent.lock"
"""In the folder above those of attempts: a lock, which the agent holds while it lives, with its number."""
STATE = "state"
"""Another one, of a sliced job: a letter, by which the supervisor tells the slicer how the job stands, and a
byte that is another one each time when the supervisor has let the job go on."""
RUNNING, SUSPENDED, ENDING = b"r", b"s", b"e"
_boot: list[str] = []


class Record:
    """What is known of an attempt. Instants are seconds of the machine's monotonic clock."""

    __slots__ = ("closing", "ended", "started")

    def __init__(
        self,
        started: dict[str, Any] | None,
        ended: dict[str, Any] | None,
        closing: dict[str, Any] | None = None,
    ) -> None:
        self.started = started
        """``pid``, ``uid``, ``at``, ``boot``, ``cgroup``; None: no process was made."""
        self.ended = ended
        """``at``, ``exit_code``, ``signal``, ``how``, ``reason`` and the usage; None: not yet."""
        self.closing = closing
        """``over`` and, of an epilog that has failed, ``reason``; None: no epilog was begun."""


def append(folder: int, of: str, kind: str, synced: bool, **values: Any) -> None:
    """Add a line, and return, if *synced*, when it is on the disk. *folder* is an open directory.

    *of* is the label of the attempt: the folder may have been another's before, and of that one the disk may
    still have a line after a power cut.
    """
    # What an attempt before has written of a line, on a full disk, is closed first.
    line = b"\n" + json.dumps({"kind": kind, "of": of, **values}).encode() + b"\n"
    file = os.open(RECORD, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        if os.write(file, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if synced:
            os.fdatasync(file)
            _sync_name(folder)
    finally:
        os.close(file)


def _sync_name(folder: int) -> None:
    """Have the name on the disk under which the folder is found."""
    above = os.open("..", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(above)
    finally:
        os.close(above)


def read(path: str, of: str) -> Record:
    """The record of the attempt *of* in the folder *path*; of a line that was cut short nothing."""
    found: dict[str, dict[str, Any]] = {}
    try:
        lines = whole(os.path.join(path, RECORD)).split(b"\n")
    except FileNotFoundError:
        return Record(None, None)
    for line in lines[:-1]:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        # Earlier releases did not say of which attempt, and had a folder for each.
        if entry.pop("of", of) == of:
            found[entry.pop("kind")] = entry
    return Record(found.get("started"), found.get("ended"), found.get("closing"))


def boot_id() -> str:
    """Which start of the machine this is: pids and instants of another one mean nothing."""
    if not _boot:
        with open("/proc/sys/kernel/random/boot_id") as file:
            _boot.append(file.read().strip())
    return _boot[0]
