"""Lines of the Standard Workload Format for jobs that are over, of which the header is known only at the end.

Users, groups, executables and queues are numbered from 1 in the order in which they come; a job keeps its
number, and elements of arrays, which have none of their own, get those above the greatest. Seconds count from
the first submission (UnixStartTime) and are kept to a millisecond. Source: version 2.2 of the format.
"""

from collections.abc import Iterator
from datetime import UTC
from math import floor

from molokini.accounting.fields import fit, moment
from molokini.accounting.record import Record
from molokini.model.facts import NO_INDEX, Ending
from molokini.model.version import version

STATUS = {
    Ending.COMPLETED: 1,
    Ending.FAILED: 0,
    Ending.TIMED_OUT: 0,
    Ending.NODE_LOST: 0,
    Ending.CANCELLED: 5,
    Ending.NOT_STARTED: 5,
    Ending.REFUSED: 5,
}
"""Field 11 by how a job has ended."""
_ELEMENT = 0
"""In the place of the number of an element, until the greatest is known."""


class Numbers:
    """Numbers for names, from 1 in the order in which they come."""

    def __init__(self) -> None:
        self.by_name: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The name's number; -1 for no name."""
        return self.by_name.setdefault(name, len(self.by_name) + 1) if name else -1


class SwfLines:
    """The lines of one log; ``finished`` and ``header`` are right once all lines have been made."""

    def __init__(self, computer: str, processors: int = 0, nodes: int = 0) -> None:
        self._computer, self._processors, self._nodes = computer, processors, nodes
        self._users, self._groups, self._executables, self._queues = (Numbers() for _ in range(4))
        self._count = self._elements = self._given = self._greatest = 0
        self._first_s, self._last_s, self._longest_s = float("inf"), 0.0, 0.0

    def line(self, record: Record) -> str:
        """The line of *record*, with a submission since 1970, and without the number of an element."""
        self._count += 1
        plain = record.index == NO_INDEX
        self._elements += not plain
        self._greatest = max(self._greatest, record.number)
        self._first_s = min(self._first_s, record.submitted_s)
        self._last_s = max(self._last_s, record.end_s)
        self._longest_s = max(self._longest_s, record.estimate_s)
        return " ".join([str(record.number if plain else _ELEMENT), *self._fields(record)])

    def _fields(self, record: Record) -> Iterator[str]:
        start, held = record.start_s, record.allocated or record.processors
        yield repr(record.submitted_s)
        yield _number((record.end_s if start is None else start) - record.submitted_s)
        yield "-1" if start is None else _number(record.end_s - start)
        yield str(record.allocated) if start is not None and record.allocated else "-1"
        yield _number(record.cpu_s / held) if record.cpu_s > 0 and held else "-1"
        yield str(record.used_kb // held) if record.used_kb and held else "-1"
        yield str(record.processors or -1)
        yield _number(record.estimate_s) if record.estimate_s > 0 else "-1"
        yield str(record.memory_kb or -1)
        yield str(STATUS[record.ending])
        yield str(self._users.number(record.user))
        yield str(self._groups.number(record.group))
        yield str(self._executables.number(record.command or record.name))
        yield str(self._queues.number(record.queue))
        yield from ("-1", "-1", "-1")

    def finished(self, line: str) -> str:
        """A line of ``line`` as it stands in the log; lines of elements are numbered as they are given."""
        number, submitted, rest = line.split(" ", 2)
        if number == str(_ELEMENT):
            self._given += 1
            number = str(self._greatest + self._given)
        return f"{number} {_number(float(submitted) - self._zero_s())} {rest}"

    def _zero_s(self) -> int:
        return floor(self._first_s) if self._count else 0

    def header(self) -> Iterator[str]:
        """The comments above all lines."""
        zero_s = self._zero_s()
        yield "; Version: 2.2"
        yield f"; Computer: {fit(self._computer)}"
        yield f"; Conversion: molokini {version()}, accounting export"
        yield f"; MaxJobs: {self._count}"
        yield f"; MaxRecords: {self._count}"
        yield "; Preemption: No"
        yield f"; UnixStartTime: {zero_s}"
        yield "; TimeZoneString: UTC"
        yield f"; StartTime: {_date(zero_s)}"
        yield f"; EndTime: {_date(self._last_s)}"
        if self._nodes:
            yield f"; MaxNodes: {self._nodes}"
        if self._processors:
            yield f"; MaxProcs: {self._processors}"
        if self._longest_s:
            yield f"; MaxRuntime: {_number(self._longest_s)}"
        yield f"; MaxQueues: {len(self._queues.by_name)}"
        for name, number in self._queues.by_name.items():
            yield f"; Queue: {number} {fit(name)}"
        yield "; Note: users, groups and executables are numbered in the order in which they come"
        if self._elements:
            yield f"; Note: {self._elements} elements of arrays have numbers above {self._greatest}"


def _number(value: float) -> str:
    """Whole where it is, else to a millisecond."""
    rounded = round(value, 3)
    return str(int(rounded)) if rounded == floor(rounded) else repr(rounded)


def _date(at_s: float) -> str:
    when = moment(at_s, UTC)
    return f"{when:%a %b} {when.day:2d}{when: %H:%M:%S} UTC {when.year:04d}"
