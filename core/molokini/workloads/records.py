"""Lines of text to a matrix of numbers: what SWF and CSV have in common.

A record is a line of so many numbers, a comment a line that begins with a mark. Lines that are no
record are counted by reason and left out; a number that a record can do without (``Lines.spare``) and
fields behind the last are counted, and the record stays. The first line that is not as it should be is
remembered with its number, for callers that stop at it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from molokini.accounting.record import NOT_UNDERSTOOD
from molokini.workloads.blocks import LINE_BYTES
from molokini.workloads.digits import NOT_FINITE, NUMBER, PAD, TEXT, Faults, parse_numbers
from molokini.workloads.header import decode_line
from molokini.workloads.notes import EXTRA_FIELDS
from molokini.workloads.workload import Floats, Ints

Mask: TypeAlias = NDArray[np.bool_]

HEADER_BYTES = 1 << 22
"""Header comments are kept up to this size."""

_SHOWN = 40


@dataclass(frozen=True)
class Fault:
    """A record that is not as it should be: its line (from 1), the reason's name, the cause in words."""

    line: int
    reason: str
    cause: str


@dataclass
class Lines:
    """The records that a file's lines hold, and counts of other lines."""

    columns: Sequence[str]
    """Names of the numbers on a line, for messages; their count is what a record must have."""
    spare: frozenset[str] = frozenset()
    """Names of those that a record can do without."""
    most_extra: int = 0
    """So many fields more than ``columns`` a record may have."""
    extra: dict[int, bytes] = field(default_factory=dict)
    """The last field of a record that has more of them, by its line."""
    notes: Counter[str] = field(default_factory=Counter)
    """Records that stay, and what is not as it should be in them."""
    values: list[Floats] = field(default_factory=list)
    lines: list[Ints] = field(default_factory=list)
    """Line number (from 1) of each row of ``values``, in pieces like these."""
    skipped: Counter[str] = field(default_factory=Counter)
    first_fault: Fault | None = None
    header: list[bytes] = field(default_factory=list)
    """Comment lines before the first record, without their ends."""
    header_bytes: int = 0
    comments_not_kept: int = 0
    """Comment lines among the records, or beyond ``HEADER_BYTES``."""
    read: int = 0
    """Lines so far."""
    records: int = 0
    """Records so far, good or bad."""

    def matrix(self) -> tuple[Floats, Ints]:
        """All good rows with their line numbers; the pieces are given up on the way."""
        if not self.values:
            return np.empty((0, len(self.columns))), np.empty(0, np.int64)
        values, lines = np.concatenate(self.values), np.concatenate(self.lines)
        self.values.clear()
        self.lines.clear()
        return values, lines

    def skip(self, reason: str, count: int, line: int, cause: str) -> None:
        """Count *count* records for *reason*; the first of them stands on *line*."""
        self.skipped[reason] += count
        self.complain(reason, line, cause)

    def complain(self, reason: str, line: int, cause: str) -> None:
        """Remember what is wrong on *line*, where it is the first such line."""
        if self.first_fault is None or line < self.first_fault.line:
            self.first_fault = Fault(line, reason, cause)


@dataclass(frozen=True)
class _Shape:
    """Where a block's tokens are, and what each of its lines holds."""

    text: bytes
    starts: Ints
    ends: Ints
    newlines: Ints
    first: Ints
    """Index of each line's first token."""
    counts: Ints
    """Tokens on each line."""

    def line_bytes(self, row: int) -> bytes:
        start = PAD if row == 0 else int(self.newlines[row - 1]) + 1
        return self.text[start : int(self.newlines[row])].rstrip(b"\r")

    def lengths(self) -> Ints:
        return np.diff(self.newlines, prepend=PAD - 1) - 1


def read_lines(
    blocks: Iterable[bytes],
    columns: Sequence[str],
    comment: bytes,
    above: int = 0,
    *,
    spare: frozenset[str] = frozenset(),
    most_extra: int = 0,
) -> Lines:
    """Read blocks of whole lines into rows of numbers, one column a name.

    Numbers are separated by blanks (and every control character). *above* lines of the file stand
    before the first block. What is no number in a column of *spare* is -1. A record may have *most_extra*
    fields more than *columns*.
    """
    found = Lines(columns, spare=spare, most_extra=most_extra, read=above)
    for block in blocks:
        _read_block(found, _shape(block), comment[0])
    return found


def _shape(block: bytes) -> _Shape:
    text = b" " * PAD + block
    chars = np.frombuffer(text, np.uint8)
    # Every byte up to the space separates, as in ASCII: tab, carriage return and the rest, NUL too.
    blank = chars <= ord(" ")
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    starts, ends = edges[0::2], edges[1::2]
    newlines = np.flatnonzero(chars == ord("\n"))
    upto = np.searchsorted(starts, newlines)
    counts = np.diff(upto, prepend=0)
    return _Shape(text, starts, ends, newlines, upto - counts, counts)


def _read_block(found: Lines, shape: _Shape, mark: int) -> None:
    chars = np.frombuffer(shape.text, np.uint8)
    long = shape.lengths() > LINE_BYTES
    filled = shape.counts > 0
    comment = np.zeros(len(filled), np.bool_)
    comment[filled] = chars[shape.starts[shape.first[filled]]] == mark
    comment &= ~long
    record = (filled & ~comment) | long
    _keep_comments(found, shape, comment, record)
    width = len(found.columns)
    good = record & ~long & (shape.counts >= width) & (shape.counts <= width + found.most_extra)
    _note_extra(found, shape, good & (shape.counts > width))
    for rows, reason in ((record & long, "line_too_long"), (record & ~long & ~good, "wrong_field_count")):
        if rows.any():
            row = int(rows.argmax())
            fields = "field" if shape.counts[row] == 1 else "fields"
            cause = (
                f"the line is longer than {LINE_BYTES} bytes"
                if reason == "line_too_long"
                else f"{shape.counts[row]} {fields} where a record has {width}"
            )
            found.skip(reason, int(rows.sum()), found.read + row + 1, cause)
    _read_numbers(found, shape, good)
    found.read += len(shape.newlines)
    found.records += int(record.sum())


def _keep_comments(
    found: Lines, shape: _Shape, comment: NDArray[np.bool_], record: NDArray[np.bool_]
) -> None:
    rows = np.flatnonzero(comment)
    if found.records:
        above = 0
    elif record.any():
        above = int(np.searchsorted(rows, int(record.argmax())))
    else:
        above = len(rows)
    for row in rows[:above].tolist():
        line = shape.line_bytes(row)
        found.header_bytes += len(line)
        if found.header_bytes > HEADER_BYTES:
            found.comments_not_kept += 1
        else:
            found.header.append(line)
    found.comments_not_kept += len(rows) - above


def _read_numbers(found: Lines, shape: _Shape, good: Mask) -> None:
    rows = np.flatnonzero(good)
    if not rows.size:
        return
    width = len(found.columns)
    starts, ends = shape.starts, shape.ends
    if len(starts) != len(rows) * width:
        tokens = np.repeat(good, shape.counts) & (_places(shape) < width)
        starts, ends = starts[tokens], ends[tokens]
    flat, flat_faults = parse_numbers(shape.text, starts, ends)
    values, lines = flat.reshape(-1, width), rows + found.read + 1
    if flat_faults.any():
        faults = flat_faults.reshape(-1, width)
        _do_without(found, shape, starts, ends, values, faults, lines)
        text, endless = (faults == TEXT).any(axis=1), (faults == NOT_FINITE).any(axis=1)
        for bad, kind, reason in ((text, TEXT, "not_a_number"), (endless & ~text, NOT_FINITE, "not_finite")):
            if bad.any():
                row = int(bad.argmax())
                column = int((faults[row] == kind).argmax())
                at = row * width + column
                token = shape.text[int(starts[at]) : int(ends[at])]
                cause = _token_cause(token, column, found.columns[column], kind)
                found.skip(reason, int(bad.sum()), int(lines[row]), cause)
        keep = (faults == NUMBER).all(axis=1)
        values, lines = values[keep], lines[keep]
    found.values.append(values)
    found.lines.append(lines)


def _places(shape: _Shape) -> Ints:
    """The place of each token on its line, from 0."""
    return np.arange(len(shape.starts)) - np.repeat(shape.first, shape.counts)


def _note_extra(found: Lines, shape: _Shape, wide: Mask) -> None:
    """Count the records with more fields than a record has, and keep the last field of each."""
    width = len(found.columns)
    for row in np.flatnonzero(wide).tolist():
        line, count = found.read + row + 1, int(shape.counts[row])
        last = int(shape.first[row]) + count - 1
        found.notes[f"{EXTRA_FIELDS}{count - width}"] += 1
        found.extra[line] = shape.text[int(shape.starts[last]) : int(shape.ends[last])]
        found.complain("wrong_field_count", line, f"{count} fields where a record has {width}")


def _do_without(
    found: Lines, shape: _Shape, starts: Ints, ends: Ints, values: Floats, faults: Faults, lines: Ints
) -> None:
    """Let numbers be unknown that are none and that a record can do without; change *values* and *faults*."""
    width = len(found.columns)
    for column, name in enumerate(found.columns):
        bad = faults[:, column] != NUMBER
        if name not in found.spare or not bad.any():
            continue
        row = int(bad.argmax())
        at, kind = row * width + column, int(faults[row, column])
        token = shape.text[int(starts[at]) : int(ends[at])]
        reason = "not_a_number" if kind == TEXT else "not_finite"
        found.notes[f"{NOT_UNDERSTOOD}{name}"] += int(bad.sum())
        found.complain(reason, int(lines[row]), _token_cause(token, column, name, kind))
        values[bad, column], faults[bad, column] = -1.0, NUMBER


def _token_cause(token: bytes, column: int, name: str, kind: int) -> str:
    text = decode_line(token)
    shown = text[:_SHOWN] + ("..." if len(text) > _SHOWN else "")
    what = "is not a number" if kind == TEXT else "is not finite"
    return f"field {column + 1} ({name}): {shown!r} {what}"
