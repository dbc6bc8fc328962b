"""The formats of accounting as what writes one: what each job adds, in which order, and what stands above.

Two kinds of use: a whole history at once (``Writer``), and a log that grows as things happen, a file a day
(``GROWING``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol

from molokini.accounting import lsf, lsf_reading, pbs, pbs_reading, sacct, sacct_reading
from molokini.accounting.pbs import Line
from molokini.accounting.record import Found, Lines, Record
from molokini.accounting.swf import SwfLines
from molokini.model.errors import UnknownName


@dataclass(frozen=True)
class Site:
    """What a writer has to know of the cluster beside its jobs."""

    server: str
    """Its name, which stands where these systems have the name of a server or host."""
    zone: tzinfo | None = None
    """The zone of times that are written out; None: this machine's."""
    processors: int = 0
    nodes: int = 0
    """How many there are; 0: not known."""


class Writer(Protocol):
    """Lines of one export."""

    def lines(self, record: Record) -> Iterator[Line]:
        """What *record* adds, each line with the instant by which lines are put into order."""

    def finished(self, line: str) -> str:
        """A line as it is written, once all lines have been made."""

    def header(self) -> Iterable[str]:
        """What stands above, once all lines have been made."""


class _Plain:
    """A writer whose lines need no second look."""

    def __init__(self, make: Callable[[Record], Iterator[Line]], header: tuple[str, ...] = ()) -> None:
        self._make, self._header = make, header

    def lines(self, record: Record) -> Iterator[Line]:
        return self._make(record)

    def finished(self, line: str) -> str:
        return line

    def header(self) -> Iterable[str]:
        return self._header


class _Swf:
    """A log of SWF, by submission."""

    def __init__(self, site: Site) -> None:
        self._log = SwfLines(site.server, site.processors, site.nodes)

    def lines(self, record: Record) -> Iterator[Line]:
        yield Line(record.submitted_s, self._log.line(record))

    def finished(self, line: str) -> str:
        return self._log.finished(line)

    def header(self) -> Iterable[str]:
        return self._log.header()


def _pbs(site: Site) -> Writer:
    return _Plain(lambda record: pbs.lines_of(record, site.server, site.zone))


def _lsf(site: Site) -> Writer:
    return _Plain(lambda record: iter([Line(record.end_s, lsf.line_of(record, site.server))]))


def _sacct(site: Site) -> Writer:
    def lines(record: Record) -> Iterator[Line]:
        # By number, as sacct lists them: jobs come so, and equal instants stay as they come.
        yield Line(0.0, sacct.line_of(record, site.zone))

    return _Plain(lines, (sacct.header(),))


WRITERS: Mapping[str, Callable[[Site], Writer]] = {"pbs": _pbs, "lsf": _lsf, "sacct": _sacct, "swf": _Swf}
"""What writes a whole history, by the name of the format."""

READERS: Mapping[str, Callable[[Lines], Found]] = {
    "pbs": pbs_reading.read,
    "lsf": lsf_reading.read,
    "sacct": sacct_reading.read,
}
"""What reads lines, by the name of the format; SWF and Maui's traces ``molokini.workloads`` reads."""


def writer_of(name: str, site: Site) -> Writer:
    """The writer of the format *name*; raises UnknownName."""
    if name not in WRITERS:
        raise UnknownName("format of accounting", name, WRITERS)
    return WRITERS[name](site)
