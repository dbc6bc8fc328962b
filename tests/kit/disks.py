"""Small disks that tests fill."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class CannotMount(Exception):
    """No file system can be mounted here."""


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A file system of its own in memory; CannotMount where that needs rights that we have not."""
    folder = Path(tempfile.mkdtemp(prefix="molokini-disk-"))
    mounting = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "molokini", str(folder)],
        capture_output=True,
        text=True,
    )
    try:
        if mounting.returncode != 0:
            raise CannotMount(f"no tmpfs can be mounted: {mounting.stderr.strip()}")
        yield folder
    finally:
        if mounting.returncode == 0:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


def fill(filler: Path) -> None:
    """Write *filler* until the disk is full to the last byte."""
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 65536)
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while True:
            file.write(b"x" * 512)
