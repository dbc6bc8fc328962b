"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from molokini.model.errors import BadFile


@contextmanager
def atomic_path(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """A temporary name beside *path*, with the same ending, that becomes *path* at the end.

    Where the block raises, the temporary file is removed and an older file at *path* stays as it
    was. ``OSError`` becomes ``BadFile``. The new file has the permissions of any new file, or those
    of the one that it replaces; where it is *private*, its owner alone may read it. A device or pipe
    (``/dev/stdout``) is written in place: it cannot be replaced.
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise BadFile(str(target), "is a directory")
        if target.exists() and not target.is_file():
            yield target
            return
        yield from _replacing(Path(os.path.realpath(target)), private)
    except OSError as error:
        # A library may give the number and words of its own, as Arrow does.
        known = os.strerror(error.errno) if error.errno else error.strerror
        raise BadFile(str(target), known or str(error)) from None
    except UnicodeError as error:
        raise BadFile(str(target), str(error)) from None


def _replacing(target: Path, private: bool) -> Iterator[Path]:
    """Offer a name beside *target* (all of its endings kept: writers choose their format by them)."""
    mode = 0o600 if private else target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=f".{target.name}"[-200:])
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
