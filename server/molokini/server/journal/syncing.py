"""Files and folders that outlast a power cut: each has to be synced, and so has the folder of a new name."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """The file or folder at *path* is on disk when this returns."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(folder: Path, mode: int) -> None:
    """Make *folder*, and those above it that are missing; their names are on disk when this returns."""
    folder = folder.absolute()
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    for one in reversed(missing):
        sync(one.parent)
