"""Input and output of the tasks of a step: srun's own, files by patterns, or lines with labels."""

from __future__ import annotations

import os
import signal
import sys

from molokini.compat._types import Callable, Invocation, Iterator, Values
from molokini.compat.slurm.patterns import replaced
from molokini.compat.tool import Failed

INPUT = "MOLOKINI_SRUN_INPUT"
"""Names a file that srun outside the job fills; ``.end`` behind it is there when no more comes."""
_AGAIN_S = 0.02
_PART = 65536
_MOST_FILES = 65536


class Streams:
    """The three files of each of *tasks* tasks. Processes aside copy where a task has not the file itself."""

    def __init__(self, run: Invocation, given: Values, tasks: int, node: str) -> None:
        self._run, self._given, self._tasks, self._node = run, given, tasks, node
        self._label = given.flag("label") and given.one("label") != "0"
        self._followed = run.variables.get(INPUT, "")
        self._pumps = bool(self._followed) or (tasks > 1 and not _is_null(0))
        self._inputs: list[int] = []
        """Where the tasks' standard input is written to."""
        self._ends: dict[int, tuple[int, ...]] = {}
        """What the next task takes over: its ends of pipes."""
        self._copiers: list[int] = []
        self._opened: set[str] = set()
        self._pumping = 0

    # In srun.

    def prepare(self, rank: int) -> None:
        """Make what task *rank* needs of pipes."""
        given = -1
        if self._pumps and not self._given.one("input"):
            given, mine = os.pipe()
            os.set_inheritable(mine, False)
            self._inputs.append(mine)
        out = error = -1
        if self._label:
            out = self._labelled(rank, 1) if self._is_own("output", rank) else -1
            own_errors = not self._given.one("error") and not self._given.one("output")
            error = self._labelled(rank, 2) if own_errors or self._is_own("error", rank) else -1
        self._ends[rank] = (given, out, error)

    def handed_over(self, rank: int) -> None:
        """Task *rank* has its ends: close ours. Files that it has begun are gone on with by the others."""
        for end in self._ends.pop(rank):
            if end >= 0:
                os.close(end)
        for which in ("output", "error"):
            if path := self._given.one(which):
                self._opened.add(self._path(path, rank))

    def started(self) -> None:
        """All tasks are there: give them what comes in."""
        if self._inputs:
            self._pumping = aside(self._pump)
            for end in self._inputs:
                os.close(end)

    def finished(self) -> None:
        """All tasks have ended: wait for what they have written."""
        if self._pumping:
            os.kill(self._pumping, signal.SIGKILL)
            os.waitpid(self._pumping, 0)
        for pid in self._copiers:
            os.waitpid(pid, 0)

    def is_one(self, pid: int) -> bool:
        """Whether *pid*, which has ended, was one of the processes aside."""
        if pid == self._pumping:
            self._pumping = 0
        elif pid in self._copiers:
            self._copiers.remove(pid)
        else:
            return False
        return True

    def _pump(self) -> None:
        for part in _followed(self._followed) if self._followed else _read(0):
            for end in list(self._inputs):
                try:
                    _write(end, part)
                except OSError:
                    # This task reads no more.
                    self._inputs.remove(end)
                    os.close(end)
        for end in self._inputs:
            os.close(end)

    def _labelled(self, rank: int, stream: int) -> int:
        mine, its = os.pipe()
        label = f"{rank:{len(str(self._tasks - 1))}}: ".encode()

        def copy() -> None:
            # With an end of a task's pipe open here, the task would never see an end.
            os.closerange(3, mine)
            os.closerange(mine + 1, _MOST_FILES)
            _copy_lines(mine, stream, label)

        self._copiers.append(aside(copy))
        os.close(mine)
        return its

    # In a task.

    def become(self, rank: int) -> None:
        """Give the task its three files. Raises Failed."""
        given, out, error = self._ends[rank]
        for end in self._inputs:
            os.close(end)
        if given >= 0:
            os.dup2(given, 0)
        elif path := self._given.one("input"):
            self._open_input(path, rank)
        if out >= 0:
            os.dup2(out, 1)
        elif path := self._given.one("output"):
            self._open_output(path, rank, 1)
            if not self._given.one("error") and not self._is_own("output", rank):
                os.dup2(1, 2)
        if error >= 0:
            os.dup2(error, 2)
        elif path := self._given.one("error"):
            self._open_output(path, rank, 2)

    def _is_own(self, which: str, rank: int) -> bool:
        """Whether the task writes where srun does."""
        path = self._given.one(which)
        return path in ("", "all") or (path.isdigit() and int(path) == rank)

    def _open_input(self, path: str, rank: int) -> None:
        if path == "all" or (path.isdigit() and int(path) == rank):
            return
        if path == "none" or path.isdigit():
            path = os.devnull
        try:
            os.dup2(os.open(self._path(path, rank), os.O_RDONLY), 0)
        except OSError as error:
            raise Failed(f"slurmstepd: error: Could not open stdin file {path}: {error.strerror}") from None

    def _open_output(self, path: str, rank: int, stream: int) -> None:
        if self._is_own({1: "output", 2: "error"}[stream], rank):
            return
        name = os.devnull if path == "none" or path.isdigit() else self._path(path, rank)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        if name not in self._opened and not self._appends() and name != os.devnull:
            flags |= os.O_TRUNC
        self._opened.add(name)
        try:
            os.dup2(os.open(name, flags, 0o666), stream)
        except OSError as error:
            kind = {1: "stdout", 2: "stderr"}[stream]
            raise Failed(f"slurmstepd: error: Could not open {kind} file {name}: {error.strerror}") from None

    def _appends(self) -> bool:
        mode = self._given.one("open_mode")
        return mode.startswith("a") or (
            not mode and self._run.variables.get("MOLOKINI_OPEN_MODE") == "append"
        )

    def _path(self, path: str, rank: int) -> str:
        variables = self._run.variables
        job = variables.get("SLURM_JOB_ID", "")
        index = variables.get("SLURM_ARRAY_TASK_ID", "4294967294")
        values = {
            "A": variables.get("SLURM_ARRAY_JOB_ID", job),
            "a": index,
            "b": index[-1:],
            "j": job,
            "J": f"{job}.0",
            "N": self._node,
            "n": "0",
            "s": "0",
            "t": str(rank),
            "u": variables.get("SLURM_JOB_USER") or variables.get("USER", ""),
            "x": variables.get("SLURM_JOB_NAME") or variables.get("MOLOKINI_JOB_NAME", ""),
            "%": "%",
        }
        return replaced(path, {name: value.replace("/", "_") for name, value in values.items()})


def _is_null(file: int) -> bool:
    """Whether nothing comes from *file*."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(os.devnull))
    except OSError:
        return True


def aside(do: Callable[[], None]) -> int:
    """Run *do* in a separate process; its process id."""
    flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, signal.SIG_IGN)
        do()
    finally:
        os._exit(0)


def _read(file: int) -> Iterator[bytes]:
    while part := os.read(file, _PART):
        yield part


def _followed(path: str) -> Iterator[bytes]:
    """What is written to *path*, as it comes, until the mark of its end is there."""
    import time

    with open(path, "rb", buffering=0) as file:
        while True:
            ended = os.path.exists(f"{path}.end")
            while part := file.read(_PART):
                yield part
            if ended:
                return
            time.sleep(_AGAIN_S)


def _write(file: int, part: bytes) -> None:
    while part:
        part = part[os.write(file, part) :]


def _copy_lines(source: int, stream: int, label: bytes) -> None:
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            _write(stream, label + (line if line.endswith(b"\n") else line + b"\n"))


def flush() -> None:
    """Write what is held back in our own streams, before others write to them."""
    sys.stdout.flush()
    sys.stderr.flush()
