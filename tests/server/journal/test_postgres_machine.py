"""PostgreSQL crashing and running out of disk while batches are committed (F2, F3, F23 of its machine)."""

import asyncio
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.server.journal.port import Busy, Snapshot, StateFull
from molokini.server.journal.postgres import PostgresJournal
from tests.kit.disks import CannotMount, fill, small_disk
from tests.kit.postgres import Postgres, running, schema_for
from tests.kit.waiting import DEADLINE_S
from tests.server.journal.lines import all_of, line, lines

RESTARTS = 6


@pytest.mark.deep
async def test_restarted_at_once_in_the_middle_of_commits_nothing_is_lost_or_doubled(
    postgres: Postgres, request: pytest.FixtureRequest
) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice, done, busy = random.Random(seed), asyncio.Event(), 0
    journal = await PostgresJournal.open(schema_for(postgres, request.node.name), new=True, patience_s=0.4)

    async def append() -> None:
        """As the reactor does: what was refused for now is tried again, changed or not."""
        nonlocal busy
        while not done.is_set():
            try:
                await journal.append(lines(journal.last_serial + 1, journal.last_serial + dice.randint(1, 9)))
                if journal.last_serial % 4 == 0:
                    await journal.keep_snapshot(Snapshot(journal.last_serial, b"x" * 300_000))
            except Busy:
                busy += 1

    appending = asyncio.create_task(append())
    for _ in range(RESTARTS):
        goal, end_s = journal.last_serial + dice.randint(1, 100), time.monotonic() + DEADLINE_S
        while journal.last_serial < goal and not appending.done():
            assert time.monotonic() < end_s, f"seed {seed}: nothing is appended any more"
            await asyncio.sleep(0.001)
        await asyncio.to_thread(postgres.restart_at_once)
    done.set()
    await appending
    assert await all_of(journal) == lines(1, journal.last_serial)
    kept = await journal.load_snapshot()
    assert kept is None or kept.body == b"x" * 300_000
    await journal.close()
    print(f"seed {seed}: {RESTARTS} restarts, {journal.last_serial} entries, {busy} times busy")


@pytest.fixture(params=["tables", "log"])
def little(request: pytest.FixtureRequest) -> Iterator[tuple[Postgres, Path]]:
    """A PostgreSQL whose tables, or whose write-ahead log, lie on a small disk; and that disk."""
    log_only = request.param == "log"
    try:
        with small_disk("16m" if log_only else "96m") as disk:
            for server in running(disk, log_only=log_only):
                yield server, disk
    except CannotMount as error:
        pytest.skip(str(error))


@pytest.mark.quick(one_in=2)
async def test_a_full_disk_of_the_database_loses_nothing_and_ends(
    little: tuple[Postgres, Path], request: pytest.FixtureRequest
) -> None:
    """A page of a table without room fails a statement; a log without room takes the whole database down."""
    postgres, disk = little
    journal = await PostgresJournal.open(schema_for(postgres, request.node.name), new=True, patience_s=1.0)
    await journal.append(lines(1, 10))
    filler = disk / "filler"
    fill(filler)
    refused: Exception | None = None
    for _ in range(5000):
        try:
            await journal.append(lines(journal.last_serial + 1, journal.last_serial + 20))
        except (StateFull, Busy) as error:
            refused = error
            break
    assert refused is not None, "the disk is full, and nothing was refused"
    acknowledged = journal.last_serial
    filler.unlink()
    end_s = time.monotonic() + DEADLINE_S
    while journal.last_serial == acknowledged:
        assert time.monotonic() < end_s, f"the journal does not come back: {refused}"
        if not postgres.alive:
            # It could not even recover without room (it may notice only now): it has to be started again.
            postgres.start()
        try:
            await journal.append([line(acknowledged + 1)])
        except (StateFull, Busy):
            await asyncio.sleep(0.05)
    assert await all_of(journal) == lines(1, acknowledged + 1)
    await journal.close()
    print(f"refused with: {refused}")
