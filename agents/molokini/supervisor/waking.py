"""Cores that wake at once: the kernel is asked to let none of them sleep while jobs are held at rates.

Ranks that wait for each other block many times in an iteration. On a core that has gone idle each of them
goes on only after the core has left its sleep (tens to hundreds of microseconds, more on a virtual machine),
so a part of each slice goes unused, and the program alone is slower, too. ``/dev/cpu_dma_latency`` is Linux's
interface for this: as long as a process has it open, no idle state with a longer exit latency than the number
written is entered. When the process ends, however it does, the kernel forgets the number.
"""

from __future__ import annotations

import os
import struct

DEVICE = "/dev/cpu_dma_latency"
_AT_ONCE = struct.pack("=i", 0)
"""Microseconds that a core may take to wake."""


class Waking:
    """Keeps cores from sleeping while there is a job that needs it, which costs power."""

    def __init__(self, path: str = DEVICE) -> None:
        self._path = path
        self._file = -1
        self._jobs: set[str] = set()

    def need(self, label: str) -> str:
        """The job needs it until it is over; empty, or why it cannot be, said once while any job does."""
        is_first = not self._jobs
        self._jobs.add(label)
        return self._open() if is_first else ""

    def over(self, label: str) -> None:
        """The job needs it no longer."""
        self._jobs.discard(label)
        if not self._jobs:
            self.close()

    def _open(self) -> str:
        try:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CLOEXEC)
            os.write(self._file, _AT_ONCE)
        except OSError as error:
            self.close()
            return f"{self._path}: {error.strerror}"
        return ""

    def close(self) -> None:
        """Cores may sleep as they like."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def waking_trouble() -> str:
    """Why cores of this machine cannot be kept from sleeping; empty: they can."""
    waking = Waking()
    trouble = waking.need("")
    waking.close()
    return trouble
