"""How fast a journal takes facts: durable appends in batches, reading back, opening again.

Rows of the same form as the other benchmarks; PostgreSQL is measured where a URL of one is given.
``python -m benchmarks.journal [URL]`` prints them.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from molokini.model.codec import Entry
from molokini.server.journal.opening import open_journal
from molokini.server.journal.port import Journal

BATCHES = (1, 10, 100, 1000)
SECONDS = 1.0
OPEN = "open again"
_BODY = '{"attempt":1,"index":-1,"job":123456,"placed":[' + ",".join(["[17,16,0]"] * 15) + "]}"


def journal(url: str | None = None, seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Entries a second by batch, in a new SQLite journal and, if *url* is given, in that database."""
    rows = asyncio.run(_in_folder(seconds))
    return rows + (asyncio.run(_at(url, "postgresql", seconds)) if url else [])


async def _in_folder(seconds: float) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        return await _at(str(Path(folder) / "state"), "sqlite", seconds)


async def _at(url: str, name: str, seconds: float) -> list[dict[str, Any]]:
    async with _opened(url) as one:
        rows = [await _appending(one, name, batch, seconds) for batch in BATCHES]
        rows.append(await _reading(one, name))
    before = time.perf_counter()
    async with _opened(url) as one:
        rows.append(_row(name, OPEN, one.last_serial, 1, time.perf_counter() - before))
    return rows


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Journal]:
    journal = await open_journal(url, True)
    try:
        yield journal
    finally:
        await journal.close()


async def _appending(journal: Journal, name: str, batch: int, seconds: float) -> dict[str, Any]:
    count, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        last = journal.last_serial
        await journal.append(
            [Entry(last + k, 1.5 * count, "JobStarted", 1, _BODY) for k in range(1, batch + 1)]
        )
        count += 1
    return _row(name, f"append, {batch} a commit", batch * count, count, took)


async def _reading(journal: Journal, name: str) -> dict[str, Any]:
    began, count = time.perf_counter(), 0
    async for _ in journal.read(0):
        count += 1
    return _row(name, "read all", count, 1, time.perf_counter() - began)


def _row(name: str, what: str, entries: int, times: int, seconds: float) -> dict[str, Any]:
    return {
        "journal": name,
        "what": what,
        "entries": entries,
        # Opening reads the last entry alone, however many there are.
        "entries_per_s": None if what == OPEN else round(entries / seconds),
        "ms_each": round(seconds / times * 1000, 3),
        "cores": os.cpu_count(),
    }


if __name__ == "__main__":
    for row in journal(sys.argv[1] if len(sys.argv) > 1 else None):
        print(*(f"{key} {value}" for key, value in row.items()), sep=", ")
