"""Which agent it is, of those that run real jobs: whatever it is called, the one of its folder of attempts.

What may still run after an agent has died is what its folder holds. So a start with another folder is another
agent, also on the same machine and under the same name, and the server keeps it waiting as it does a copy on
another machine. A folder is known by a file in it: by the number in that file, and by the file itself, so
that a copy of the folder is another one, while a folder that was moved, or is reached through a symbolic
link, is the same.
"""

import os
import re
import secrets
import socket
from hashlib import sha256
from pathlib import Path

IDENTITY = "identity"
_WHOLE = re.compile(rb"[0-9a-f]{32}\n", re.ASCII)


def identity_in(folder: Path, boot: str) -> tuple[str, bool]:
    """The identity of the agent that has *folder*, and whether the folder had none until now.

    Two parts with a point between: where its processes live (this machine since *boot*, its start, with this
    numbering of processes), and the folder. The caller holds the lock of the folder. Raises OSError.
    """
    made = False
    path = folder / IDENTITY
    if (number := _read(path)) is None:
        number, made = _make(path), True
    found = path.stat()
    numbering = os.stat("/proc/self/ns/pid").st_ino
    place = _digest(boot, str(numbering), socket.gethostname())[:16]
    return f"{place}.{_digest(number, str(found.st_dev), str(found.st_ino))}", made


def folder_of(identity: str) -> str:
    """The part of *identity*, or of a boot id that begins with it, that is of the folder; empty: none."""
    return identity.partition("/")[0].partition(".")[2]


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def _read(path: Path) -> str | None:
    """The number in *path*; None where there is none, or not the whole of one."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    return text.decode().strip() if _WHOLE.fullmatch(text) else None


def _make(path: Path) -> str:
    """A new number, whole or not at all: an agent may be killed meanwhile."""
    number, draft = secrets.token_hex(16), path.with_name(f"{IDENTITY}.new")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, f"{number}\n".encode())
        os.fsync(file)
    finally:
        os.close(file)
    draft.rename(path)
    return number
