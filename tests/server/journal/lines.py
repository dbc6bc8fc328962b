"""Entries for tests: entry *n* is always the same, so whoever reads it back knows what it must be."""

from collections.abc import Sequence
from pathlib import Path

from molokini.model.codec import Entry
from molokini.server.journal.port import Journal
from molokini.server.journal.sqlite import SqliteJournal


def line(serial: int) -> Entry:
    """Entry *serial*, of some 200 bytes and of a kind that changes from one to the next."""
    kind = ("JobsSubmitted", "JobStarted", "JobEnded")[serial % 3]
    body = f'{{"job":{serial},"text":"{str(serial) * (180 // len(str(serial)))}"}}'
    return Entry(serial, serial / 8, kind, 1, body)


def lines(first: int, last: int) -> list[Entry]:
    """Entries *first* to *last*."""
    return [line(serial) for serial in range(first, last + 1)]


async def all_of(journal: Journal, after: int = 0) -> list[Entry]:
    """What *journal* holds after serial *after*."""
    return [one async for one in journal.read(after)]


async def kept_in(folder: Path) -> list[Entry]:
    """Everything in the SQLite journal in *folder*, opened for that and closed again."""
    journal = await SqliteJournal.open(folder, new=False)
    try:
        return await all_of(journal)
    finally:
        await journal.close()


async def begun(folder: Path, *batches: Sequence[Entry]) -> None:
    """Make a journal in *folder* that holds *batches*, and close it."""
    journal = await SqliteJournal.open(folder, new=True)
    for batch in batches:
        await journal.append(batch)
    await journal.close()
