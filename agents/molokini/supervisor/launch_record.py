"""What is to be run, as the agent writes it for the supervisor."""

from __future__ import annotations

import errno
import json
import os

from molokini.supervisor.records import LAUNCH, LAUNCH_DRAFT, SCRIPT
from molokini.supervisor.trees import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LaunchRecord:
    """One attempt. Durations are seconds, memory is kilobytes; 0 is: no bound."""

    job: int
    index: int
    """-1 for a job that is no array."""
    attempt: int
    name: str
    user: str
    queue: str
    argv: list[str]
    script: bool
    """Whether the folder has the job's script; *argv* are its arguments then."""
    environment: dict[str, str]
    directory: str
    """Empty: the user's home."""
    stdin: str
    stdout: str
    stderr: str
    """Empty: with standard output."""
    processors: int
    """On this node."""
    nodes: list[tuple[str, int]]
    """Names and processors of all nodes of the attempt."""
    node: int
    """Which of them this is, from 0."""
    cpus: str
    """The processors that it is bound to, as the kernel writes sets of them; empty: not bound."""
    memory_kb: int
    """On this node."""
    most_processes: int
    limit_s: float
    """Seconds of work after which it is ended."""
    work_s: float
    """Seconds of work that were done before."""
    rate: float
    """Seconds of work a second: less than 1 where the job has a share of its processors."""
    grace_s: float
    """Between the first signal of an end and the second."""
    suspended: bool
    switches: bool
    """Whether it runs as *user*; else as the user of the agent."""
    allow_root: bool
    lowest_uid: int
    groups: dict[str, str]
    """By controller, the control group below which its own is made; empty: there is none."""
    lease: str
    """The file with the end of the lease."""
    prolog: str
    """A program that runs before the job, as the agent's user; empty: none."""
    epilog: str
    """A program that runs after it; empty: none."""
    hook_limit_s: float
    """How long each of them may take."""
    kill_limit_s: float
    """Within so many seconds of SIGKILL all processes of the job have to be gone."""

    def __init__(self, **values: Any) -> None:
        fields = LaunchRecord.__annotations__.keys()
        if values.keys() != fields:
            raise ValueError(f"a launch record has other fields: {sorted(values.keys() ^ fields)}")
        self.__dict__.update(values)

    @property
    def label(self) -> str:
        """Its name where names of files and groups are made of it."""
        element = f".{self.index}" if self.index >= 0 else ""
        return f"{self.job}{element}-{self.attempt}"


def write(folder: str, wish: LaunchRecord, script: str) -> None:
    """Write the launch record *wish* into *folder*, which holds no attempt, completely or not at all.

    It need not be on the disk: a supervisor notes its start there, and a job without that note never ran.
    """
    if wish.script:
        with os.fdopen(_private(os.path.join(folder, SCRIPT)), "w", encoding="utf-8", newline="") as file:
            file.write(script)
        os.chmod(os.path.join(folder, SCRIPT), 0o500)
    # The variables last, so that they can be overwritten without what stands before.
    values = {name: value for name, value in wish.__dict__.items() if name != "environment"}
    text = json.dumps({**values, "environment": wish.environment}).encode()
    temporary = os.path.join(folder, LAUNCH_DRAFT)
    draft = _private(temporary)
    try:
        if os.write(draft, text) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # One of an attempt before may have been longer.
        os.ftruncate(draft, len(text))
    finally:
        os.close(draft)
    os.rename(temporary, os.path.join(folder, LAUNCH))


def wipe(folder: int, wish: LaunchRecord) -> None:
    """Leave no script and no variables of *wish*, whose job is over, in the open directory *folder*.

    What else it says stays: a start of the agent finds by it which attempt has ended. Raises OSError.
    """
    if wish.script:
        os.unlink(SCRIPT, dir_fd=folder)
    old = json.dumps(wish.environment).encode() + b"}"
    file = os.open(LAUNCH, os.O_RDWR | os.O_CLOEXEC, dir_fd=folder)
    try:
        at = os.fstat(file).st_size - len(old)
        if at >= 0 and os.pread(file, len(old), at) == old:
            # Of the same length, so that at no moment something is missing.
            os.pwrite(file, b"{}}".ljust(len(old)), at)
    finally:
        os.close(file)


def _private(path: str) -> int:
    """A file for the agent alone: scripts and variables of jobs may be secrets."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)


def read(folder: str) -> LaunchRecord:
    """The launch record in *folder*. Raises OSError, or ValueError for an incomplete one."""
    # Of variables that were being wiped when the power failed, the rest may stand behind.
    values: dict[str, Any] = json.JSONDecoder().raw_decode(whole(os.path.join(folder, LAUNCH)).decode())[0]
    return LaunchRecord(**values)
