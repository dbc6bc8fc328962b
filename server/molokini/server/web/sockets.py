"""The Unix socket of the gateway: made where no server listens, however long its path is."""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

from molokini.model.errors import MolokiniError

MODE = 0o666
"""Any user who reaches the socket may call, since the kernel names the user; its folder limits access."""
LONGEST_NAME = 80
"""Bytes of the name alone; the kernel takes 107 of a whole path, to which the folder adds a few here."""
_BACKLOG = 1024
_PROBE_S = 2.0


CLUSTER = ".cluster"
"""Behind the name of the socket: the file with the cluster's name, which costs a caller no call."""


class Listening:
    """The socket at *path*, and beside it a file with the name of the *cluster*.

    MolokiniError where something else is there, or where it cannot be made.
    """

    def __init__(self, path: Path, cluster: str) -> None:
        self.path, self._note = path, path.with_name(path.name + CLUSTER)
        try:
            folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
        except OSError as error:
            raise MolokiniError(f"web.socket: no socket in {path.parent}: {_cause(error)}") from None
        try:
            self.socket = _made(folder, path)
            self._made = _identity(path.name, folder)
            # Callers that find none ask, so that no socket is given up for it.
            with suppress(OSError):
                _write(self._note.name, folder, cluster)
        finally:
            os.close(folder)

    def remove(self) -> None:
        """Take it away, unless another one has come into its place."""
        with suppress(OSError):
            if _identity(self.path) == self._made:
                self._note.unlink(missing_ok=True)
                self.path.unlink()


def _made(folder: int, path: Path) -> socket.socket:
    if len(os.fsencode(path.name)) > LONGEST_NAME:
        raise MolokiniError(f"web.socket: {path} has a name of more than {LONGEST_NAME} bytes")
    # Through the descriptor of its folder a path of any length will do.
    short = f"/proc/self/fd/{folder}/{path.name}"
    _make_room(short, folder, path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        made.bind(short)
        os.chmod(short, MODE)
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        raise MolokiniError(f"web.socket: {path} cannot be made: {_cause(error)}") from None
    return made


def _make_room(short: str, folder: int, path: Path) -> None:
    """Remove what a server has left that was killed; nothing else."""
    try:
        if not stat.S_ISSOCK(os.lstat(path.name, dir_fd=folder).st_mode):
            raise MolokiniError(f"web.socket: {path} exists already, and is not a socket")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(_PROBE_S)
            probe.connect(short)
    except FileNotFoundError:
        return
    except ConnectionRefusedError:
        try:
            os.unlink(path.name, dir_fd=folder)
        except OSError as error:
            raise MolokiniError(f"web.socket: {path} cannot be taken over: {_cause(error)}") from None
        return
    except BlockingIOError:
        pass  # so busy that it takes no more callers
    except OSError as error:
        raise MolokiniError(f"web.socket: {path} exists already: {_cause(error)}") from None
    raise MolokiniError(f"web.socket: another server listens at {path}")


def _write(name: str, folder: int, text: str) -> None:
    """Write a new file, so that no link is followed, and rename it, so that it is complete at once."""
    scratch = f"{name}.{os.getpid()}"
    file = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=folder)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)
    os.rename(scratch, name, src_dir_fd=folder, dst_dir_fd=folder)


def _identity(name: str | Path, folder: int | None = None) -> tuple[int, int]:
    found = os.lstat(name, dir_fd=folder)
    return found.st_dev, found.st_ino


def _cause(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
