"""What both adapters hold a journal to: batches without gaps, and a seal on everything stored.

A seal is a CRC-32 over all that a line says. It is made before the line is handed to the database and checked
after it came back, so whatever flips a byte in between is found.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from zlib import crc32

from molokini.model.codec import Entry
from molokini.server.journal.port import JournalError, Snapshot, StateDamaged

FORMAT = 1
"""Version of the tables; a state of a later one is refused."""
PART_BYTES = 1 << 18
"""A snapshot is kept in parts of this size, each a commit of its own, so that appends go on between them."""
PAGE_ENTRIES = 1000
"""Entries read at once: a reader of a million holds no more than these, and no lock between pages."""

Row = tuple[int, float, str, int, str, int]
"""A stored entry: serial, time, kind, version, body, seal."""

_numbers = struct.Struct("<qdq")


def seal(serial: int, time_s: float, kind: str, version: int, body: str) -> int:
    """The seal of an entry."""
    # Adding zero makes -0.0 a 0.0: databases do not tell the two apart, so neither may the seal.
    numbers = _numbers.pack(serial, time_s + 0.0, version)
    return crc32(body.encode(), crc32(kind.encode(), crc32(numbers)))


def sealed(entries: Iterable[Entry]) -> list[Row]:
    """*entries* as they are stored; JournalError names one that cannot be."""
    rows: list[Row] = []
    for one in entries:
        if not isfinite(one.time_s):
            raise JournalError(f"journal entry {one.serial}: time {one.time_s} is not a finite number")
        try:
            crc = seal(one.serial, one.time_s, one.kind, one.version, one.body)
        except (UnicodeEncodeError, struct.error) as error:
            raise JournalError(f"journal entry {one.serial} cannot be stored: {error}") from None
        rows.append((one.serial, one.time_s, one.kind, one.version, one.body, crc))
    return rows


def check_follows(entries: Sequence[Entry], last: int) -> None:
    """Refuse a batch that does not go on at *last* + 1 without a gap."""
    for expected, one in enumerate(entries, last + 1):
        if one.serial != expected:
            raise JournalError(f"journal entry {one.serial} where {expected} has to follow; nothing was kept")


def is_intact(sealed: Callable[[], int], crc: object) -> bool:
    """Whether what is *sealed* has this sum; damage can leave anything in the place of a text or a number."""
    try:
        return sealed() == crc
    except (TypeError, ValueError, AttributeError, OverflowError, struct.error):
        return False


def opened(row: Row, expected: int, place: str) -> Entry:
    """The entry of a stored *row*; StateDamaged, naming *place*, if it is not *expected* or was changed."""
    serial, time_s, kind, version, body, crc = row
    if serial != expected:
        raise StateDamaged(f"{place}: entry {expected} is missing (the next one there is {serial})")
    if not is_intact(lambda: seal(serial, time_s, kind, version, body), crc):
        raise StateDamaged(f"{place}: entry {serial} was changed: its checksum is wrong")
    return Entry(serial, time_s, kind, version, body)


@dataclass(frozen=True, slots=True)
class Head:
    """The line that makes stored parts a snapshot."""

    serial: int
    parts: int
    size_bytes: int
    crc: int


def parts_of(snapshot: Snapshot) -> Iterator[bytes]:
    """The body in parts, at least one."""
    body = memoryview(snapshot.body)
    for start in range(0, max(1, len(body)), PART_BYTES):
        yield bytes(body[start : start + PART_BYTES])


def head_of(snapshot: Snapshot) -> Head:
    """What is stored about *snapshot* as a whole."""
    size = len(snapshot.body)
    parts = max(1, -(-size // PART_BYTES))
    return Head(snapshot.serial, parts, size, _seal_snapshot(snapshot))


def joined(head: Head, parts: Sequence[bytes]) -> Snapshot | None:
    """The snapshot that *parts* make up, or None where one is missing or was changed."""
    snapshot = Snapshot(head.serial, b"".join(parts))
    whole = len(parts) == head.parts and len(snapshot.body) == head.size_bytes
    return snapshot if whole and _seal_snapshot(snapshot) == head.crc else None


def _seal_snapshot(snapshot: Snapshot) -> int:
    return crc32(snapshot.body, crc32(_numbers.pack(snapshot.serial, 0.0, len(snapshot.body))))
