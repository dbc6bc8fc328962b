"""SWF's header comments: labels with their values, kept to the letter, and the machine's size from them."""

import re
from collections.abc import Sequence

from molokini.workloads.workload import Header

_STANDARD = (
    "Version Computer Installation Acknowledge Information Conversion MaxJobs MaxRecords Preemption "
    "UnixStartTime TimeZone TimeZoneString StartTime EndTime MaxNodes MaxProcs MaxRuntime MaxMemory "
    "AllowOveruse MaxQueues Queues Queue MaxPartitions Partitions Partition Note"
)
KNOWN_LABELS = frozenset(_STANDARD.split())
"""The standard's labels."""

LARGEST_MACHINE = 2**31 - 1

_LABEL = re.compile(r";([ \t]*)([A-Za-z][A-Za-z0-9_-]*)[ \t]*:(.*)", re.DOTALL)
_INTEGER = re.compile(r"-?\d+")


def decode_line(line: bytes) -> str:
    """A header line as text: UTF-8 where it is that, else one character a byte."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def parse_header(lines: Sequence[str]) -> Header:
    """Labels in order, from lines that begin with ``;``.

    A line that is indented and has no label continues the value above it, after a newline. Blanks
    round a value are dropped; the lines themselves stay as they are.
    """
    labels: list[tuple[str, str]] = []
    open_value = False
    for line in lines:
        body = line.lstrip()[1:]
        label = _label(line.lstrip())
        if label is not None:
            labels.append(label)
            open_value = True
        elif open_value and body[:1] in (" ", "\t") and body.strip():
            name, value = labels[-1]
            labels[-1] = (name, f"{value}\n{body.strip()}")
        else:
            open_value = False
    return Header(tuple(labels), tuple(lines))


def _label(line: str) -> tuple[str, str] | None:
    match = _LABEL.fullmatch(line)
    if match is None:
        return None
    indent, name, value = match.groups()
    # Others than the standard's must stand where labels stand and end with a colon and a blank:
    # continuation lines are full of addresses and remarks with colons.
    own = indent in ("", " ") and (not value or value[0] in " \t")
    return (name, value.strip()) if name in KNOWN_LABELS or own else None


def header_integer(header: Header, label: str) -> int | None:
    """The first whole number in the first value under *label*, or None."""
    match = _INTEGER.search(header.first(label) or "")
    return int(match[0]) if match and len(match[0]) < 20 else None


def machine_processors(header: Header) -> int | None:
    """The machine's processors: MaxProcs, else MaxNodes; None where neither is a sensible number."""
    for label in ("MaxProcs", "MaxNodes"):
        count = header_integer(header, label)
        if count is not None and 0 < count <= LARGEST_MACHINE:
            return count
    return None


def with_lines(header: Header, *lines: str) -> Header:
    """The header with more lines at its end (a Note of what was done, say)."""
    return parse_header((*header.lines, *lines))
