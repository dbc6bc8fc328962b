"""Header notes of what was done to a log, written so that they can be read again."""

import re

from molokini.workloads.header import parse_header
from molokini.workloads.workload import Header

_INDENT = "      "
_REMOVED = re.compile(r"(?P<filter>.*\S)\s*\((?P<jobs>\d+) jobs? removed\)")


def noted(header: Header, first: str, *more: str) -> Header:
    """The header with one more Note at its end, of one line or of several."""
    lines = [f"; Note: {_one_line(first)}", *(f";{_INDENT}{_one_line(line)}" for line in more)]
    return parse_header((*header.lines, *lines))


def with_value(header: Header, label: str, value: object) -> Header:
    """The header with the first line of *label* saying *value*, or with such a line at its end."""
    written = f"; {label}: {_one_line(str(value))}"
    pattern = re.compile(rf";[ \t]*{re.escape(label)}[ \t]*:.*", re.DOTALL)
    lines = list(header.lines)
    place = next((at for at, line in enumerate(lines) if pattern.fullmatch(line.lstrip())), None)
    if place is None:
        lines.append(written)
    else:
        lines[place] = written
    return parse_header(lines)


def counted(header: Header, records: int) -> Header:
    """The header with MaxRecords saying how many records there are; MaxJobs stays that of the whole log."""
    return with_value(header, "MaxRecords", records)


def removed_line(text: str, jobs: int) -> str:
    """How a header tells a filter and what it removed."""
    return f"{text} ({jobs} {'job' if jobs == 1 else 'jobs'} removed)"


def filters_in(header: Header) -> list[tuple[str, int]]:
    """The filters that a header tells, in order, each with the number of jobs that it removed."""
    values = [value for label, value in header.labels if label == "Note"]
    found = [_REMOVED.fullmatch(line.strip()) for value in values for line in value.split("\n")]
    return [(match["filter"], int(match["jobs"])) for match in found if match]


def _one_line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
