"""How much processor time a program and its job have had, when the program says how fast it goes."""

import os
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from molokini.proto.v1.jobs_pb2 import Rate

_PART = 4096


class Spent(NamedTuple):
    """Seconds so far; None: not known."""

    process: int
    """Which process it is."""
    process_s: float | None
    node_s: float | None
    """Of all processes of the job on this node, those that have ended included."""

    def write(self, rate: Rate) -> None:
        """Into the report."""
        rate.process = self.process
        if self.process_s is not None:
            rate.process_cpu_s = self.process_s
        if self.node_s is not None:
            rate.node_cpu_s = self.node_s


class ProcessorTime:
    """Of one attempt; the count of its control group is kept open, as a program may report often."""

    def __init__(self, groups: Mapping[str, str], label: str) -> None:
        """*groups*: where jobs have their control groups, by controller."""
        self._file = -1
        self._count: Callable[[bytes], float] = _nanoseconds
        for controller, name, count in _COUNTS:
            if controller in groups and self._file < 0:
                self._count = count
                try:
                    self._file = os.open(f"{groups[controller]}/{label}/{name}", os.O_RDONLY | os.O_CLOEXEC)
                except OSError:
                    continue

    def spent(self, process: int) -> Spent:
        """Up to now, *process* being the one that reports."""
        return Spent(process, _clock_of(process), self._of_job())

    def _of_job(self) -> float | None:
        if self._file < 0:
            return None
        try:
            return self._count(os.pread(self._file, _PART, 0))
        except (OSError, ValueError):
            # The group is gone, as its processes are.
            return None

    def close(self) -> None:
        """The attempt is over."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _clock_of(process: int) -> float | None:
    """Processor time of *process*, by its clock (see clock_getcpuclockid); None: it is gone."""
    try:
        return time.clock_gettime((~process << 3) | 2)
    except OSError:
        return None


def _nanoseconds(text: bytes) -> float:
    return int(text) / 1e9


def _microseconds(text: bytes) -> float:
    return int(text[: text.index(b"\n")].removeprefix(b"usage_usec ")) / 1e6


_COUNTS: tuple[tuple[str, str, Callable[[bytes], float]], ...] = (
    ("cpuacct", "cpuacct.usage", _nanoseconds),
    ("unified", "cpu.stat", _microseconds),
)
"""By controller: the file with the time of the whole group, and how it is read."""
