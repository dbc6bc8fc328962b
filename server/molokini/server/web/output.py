"""What a job has written, read on this machine by pieces: for its owner, and for operators.

Where a job writes is what its user has chosen, and the server may read more than that user. So a file is
answered only if it belongs to the job's user, by the number that this machine has for that name: whatever
links lead to it, the user could read it without us.
"""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molokini.model.errors import BadInput, BadValue
from molokini.supervisor.patterns import default_output, filled, of_node, values_of

PIECE = 65_536
"""Bytes of a file that one answer holds at most."""
KINDS = ("output", "error")


class NoOutput(BadInput):
    """There is nothing to read; *yet*: there may be later."""

    def __init__(self, text: str, yet: bool = False) -> None:
        super().__init__(text)
        self.yet = yet


@dataclass(frozen=True)
class Piece:
    """A part of a file."""

    path: str
    size: int
    begin: int
    end: int
    data: bytes

    def document(self) -> dict[str, object]:
        """As the page reads it; what is no UTF-8 is replaced."""
        text = self.data.decode("utf-8", "replace")
        return {"path": self.path, "size": self.size, "from": self.begin, "to": self.end, "text": text}


def path_of(job: Any, kind: str) -> Path:
    """The file in which *job* writes its output, or its errors, on the first of its nodes.

    *job* is what ``GetJob`` answers. Raises NoOutput for a job that has no output.
    """
    spec = job.spec
    name = f"{job.id}[{job.array_index}]" if job.HasField("array_index") else str(job.id)
    if job.elements:
        raise NoOutput(f"job {job.id} is an array; each of its elements writes by itself")
    if not job.HasField("start_s"):
        raise NoOutput(f"job {name} has not started", yet=True)
    if job.emulated:
        raise NoOutput(f"job {name} writes nothing: its nodes are emulated")
    index = job.array_index if job.HasField("array_index") else -1
    node = job.allocation[0].node if job.allocation else ""
    values = values_of(job.id, index, job.user, spec.name, node)
    pattern = (spec.stderr_path if kind == "error" else "") or spec.stdout_path or default_output(index)
    try:
        path = filled(of_node(pattern, 0), values)
    except ValueError as fault:
        raise NoOutput(f"job {name} has no output: {pattern}: {fault}") from None
    return Path(spec.working_directory or _account(job.user).pw_dir) / path


def piece_of(path: Path, user: str, begin: int | None, before: int | None) -> Piece:
    """Some of the file *path* of *user*: from *begin* on, or what ends at *before*, else the end of it.

    Raises NoOutput where it cannot be read, or is not the user's own.
    """
    number = _account(user).pw_uid
    try:
        # What may be a FIFO by now must not hold the server up.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NoOutput(f"{path}: there is no such file on the server's machine", yet=True) from None
    except OSError as error:
        raise NoOutput(f"{path}: {error.strerror or error}") from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise NoOutput(f"{path}: not a regular file")
        if found.st_uid != number:
            raise NoOutput(f"{path}: does not belong to the user {user}")
        first, last = _range(found.st_size, begin, before)
        return _read(handle, str(path), found.st_size, first, last)
    except OSError as error:
        raise NoOutput(f"{path}: {error.strerror or error}") from None
    finally:
        os.close(handle)


def number_in(name: str, text: str | None) -> int | None:
    """The number of bytes that the query says as *name*; BadValue for something else."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadValue(name, text[:40], "a number of bytes")
    return int(text)


def _account(user: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(user)
    except (KeyError, ValueError):
        raise NoOutput(f"the server's machine has no user {user}, whose file it could be") from None


def _range(size: int, begin: int | None, before: int | None) -> tuple[int, int]:
    if before is not None:
        last = min(before, size)
        return max(0, last - PIECE), last
    # A file that has become shorter was started over.
    first = begin if begin is not None and begin <= size else max(0, size - PIECE)
    return first, min(size, first + PIECE)


def _read(handle: int, path: str, size: int, first: int, last: int) -> Piece:
    """What is there, from the beginning of a character to the end of one."""
    data = os.pread(handle, last - first, first)
    if first:
        while data and len(data) > last - first - 3 and data[0] & 0xC0 == 0x80:
            data, first = data[1:], first + 1
    last = first + len(data)
    cut = _unfinished(data)
    if cut and last < size:
        data, last = data[:-cut], last - cut
    return Piece(path, size, first, last, data)


def _unfinished(data: bytes) -> int:
    """How many bytes at the end begin a character that is not whole."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return back if length > back else 0
    return 0
