"""PostgreSQL restarted, killed, paused, cut off and replaced under a journal (F30), and refusing (F31)."""

import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from molokini.model.codec import Entry
from molokini.model.errors import BadValue, MissingExtra
from molokini.server.journal.opening import open_journal
from molokini.server.journal.port import (
    Busy,
    JournalError,
    Snapshot,
    StateBroken,
    StateDamaged,
    StateFull,
    StateTaken,
)
from molokini.server.journal.postgres import PostgresJournal
from tests.kit.postgres import Postgres, schema_for
from tests.kit.waiting import DEADLINE_S
from tests.server.journal.lines import all_of, line, lines
from tests.server.journal.relay import Relay

PATIENCE_S = 0.6
SOON_S = 4.5
"""By then it has answered, on a busy machine, too; by its own patience it would take 5 s."""
CUTS = 15


@pytest.fixture
def url(postgres: Postgres, request: pytest.FixtureRequest) -> str:
    return schema_for(postgres, request.node.name)


async def _opened(url: str) -> PostgresJournal:
    """As soon as a server on a busy machine makes its tables within that patience."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            with suppress(Busy):
                return await PostgresJournal.open(url, new=True, patience_s=PATIENCE_S)


@pytest.fixture
async def journal(postgres: Postgres, url: str) -> AsyncIterator[PostgresJournal]:
    """An open journal of ten entries that soon loses patience."""
    journal = await _opened(url)
    await journal.append(lines(1, 10))
    yield journal
    await journal.close()


def schema_of(url: str) -> str:
    return url.rpartition("=")[2]


def end_connections(postgres: Postgres) -> None:
    """Cut every connection, as an administrator or a failover does."""
    postgres.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'molokini %'"
    )


async def refused(journal: PostgresJournal, batch: list[Entry]) -> float:
    """Seconds until *journal* answered that it is busy."""
    began = time.monotonic()
    with pytest.raises(Busy, match="cannot be reached just now"):
        await journal.append(batch)
    return time.monotonic() - began


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_a_restarted_database_goes_on(postgres: Postgres, journal: PostgresJournal, how: str) -> None:
    postgres.stop() if how == "stop" else postgres.kill()
    try:
        for _ in range(2):
            assert await refused(journal, lines(11, 20)) < SOON_S
        with pytest.raises(Busy):
            await all_of(journal)
    finally:
        postgres.start()
    await journal.append(lines(11, 20))
    assert await all_of(journal) == lines(1, 20)
    assert journal.epoch == 1


async def test_a_database_that_comes_back_in_time_is_not_even_busy(postgres: Postgres, url: str) -> None:
    journal = await PostgresJournal.open(url, new=True, patience_s=20.0)
    postgres.kill()
    appending = asyncio.create_task(journal.append(lines(1, 5)))
    await asyncio.to_thread(postgres.start)
    await appending
    assert await all_of(journal) == lines(1, 5)
    await journal.close()


@pytest.mark.parametrize("first", [11, 12])
async def test_a_batch_given_up_in_a_pause_is_there_once_or_not_at_all(
    postgres: Postgres, journal: PostgresJournal, first: int
) -> None:
    # The statement lies in the socket of the paused back end, which carries it out when it wakes.
    given_up = lines(11, 15)
    postgres.pause()
    try:
        assert await refused(journal, given_up) < SOON_S
    finally:
        postgres.resume()
    assert journal.last_serial == 10
    assert await all_of(journal) == lines(1, 10)
    another = given_up if first == 11 else [Entry(11, 0.5, "JobEnded", 1, '{"another":"fact"}')]
    await journal.append(another)
    assert await all_of(journal) == [*lines(1, 10), *another]
    await journal.append([line(journal.last_serial + 1)])


@pytest.mark.deep
async def test_a_cancelled_commit_leaves_nothing_half(postgres: Postgres, journal: PostgresJournal) -> None:
    postgres.pause()
    try:
        appending = asyncio.create_task(journal.append(lines(11, 15)))
        await asyncio.sleep(0.05)
        appending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await appending
    finally:
        postgres.resume()
    await journal.append([line(11)])
    assert await all_of(journal) == lines(1, 11)


async def test_a_commit_whose_answer_was_lost_is_found_and_not_repeated(
    postgres: Postgres, url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A socket's path has at most 107 characters.
    folder = tmp_path_factory.mktemp("r")
    async with Relay(folder, postgres.folder) as relay:
        journal = await PostgresJournal.open(url.replace(str(postgres.folder), str(folder)), new=True)
        for count in range(1, 6):
            relay.lose_next_answer()
            await journal.append(lines(3 * count - 2, 3 * count))
            assert relay.lost == count
        assert await all_of(journal) == lines(1, 15)
        await journal.close()


@pytest.mark.deep
async def test_connections_cut_at_random_lose_nothing(postgres: Postgres, url: str) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice, done = random.Random(seed), asyncio.Event()
    journal = await PostgresJournal.open(url, new=True, patience_s=20.0)

    async def append() -> None:
        while not done.is_set():
            await journal.append(lines(journal.last_serial + 1, journal.last_serial + dice.randint(1, 9)))
            if journal.last_serial % 5 == 0:
                await journal.keep_snapshot(Snapshot(journal.last_serial, b"x" * 1000))

    appending = asyncio.create_task(append())
    for _ in range(CUTS):
        goal = journal.last_serial + dice.randint(1, 200)
        while journal.last_serial < goal and not appending.done():
            await asyncio.sleep(0.001)
        await asyncio.to_thread(end_connections, postgres)
    done.set()
    await appending
    assert await all_of(journal) == lines(1, journal.last_serial)
    print(f"seed {seed}: {CUTS} cuts, {journal.last_serial} entries, lost 0, doubled 0")
    await journal.close()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM molokini_entries WHERE serial > 7", "ends at entry 7, but 10 was acknowledged"),
        ("DROP TABLE molokini_entries", "the journal is gone"),
    ],
)
async def test_another_database_that_answers_in_its_place_is_refused(
    postgres: Postgres, url: str, journal: PostgresJournal, damage: str, said: str
) -> None:
    postgres.sql(f'SET search_path = "{schema_of(url)}"; {damage}')
    end_connections(postgres)
    for _ in range(2):
        with pytest.raises(StateBroken, match=said):
            await journal.append([line(11)])


async def test_a_replaced_server_stops(postgres: Postgres, url: str, journal: PostgresJournal) -> None:
    end_connections(postgres)
    young = await PostgresJournal.open(url, new=False)
    with pytest.raises(StateTaken, match="its epoch is 2, ours 1"):
        await journal.append([line(11)])
    await young.append([line(11)])
    assert await all_of(young) == lines(1, 11)
    await young.close()


def fail_with(postgres: Postgres, url: str, code: str, times: int) -> None:
    """Let the next *times* appends fail with SQLSTATE *code*; a sequence counts those undone as well."""
    postgres.sql(f"""
        SET search_path = "{schema_of(url)}";
        CREATE SEQUENCE failures;
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SET search_path = "{schema_of(url)}" AS $$
        BEGIN
            IF nextval('failures') <= {times} THEN
                RAISE EXCEPTION 'injected' USING ERRCODE = '{code}';
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER fail AFTER INSERT ON molokini_entries FOR EACH STATEMENT EXECUTE FUNCTION fail();
    """)


@pytest.mark.parametrize("code", ["40001", "40P01", "55P03", "53200", "57014", "57P01", "25006", "08006"])
async def test_passing_troubles_are_tried_again_inside(postgres: Postgres, url: str, code: str) -> None:
    journal = await PostgresJournal.open(url, new=True, patience_s=20.0)
    await journal.append(lines(1, 10))
    fail_with(postgres, url, code, times=3)
    await journal.append(lines(11, 13))
    assert await all_of(journal) == lines(1, 13)
    await journal.close()
    assert postgres.sql(f'SELECT last_value FROM "{schema_of(url)}".failures') == "4"


async def test_a_lasting_trouble_is_busy(postgres: Postgres, url: str, journal: PostgresJournal) -> None:
    fail_with(postgres, url, "40001", times=1_000_000)
    assert await refused(journal, [line(11)]) < SOON_S
    tries = int(postgres.sql(f'SELECT last_value FROM "{schema_of(url)}".failures'))
    assert 3 <= tries <= 10
    assert await all_of(journal) == lines(1, 10)


@pytest.mark.parametrize(
    ("code", "error", "final"),
    [("53100", StateFull, False), ("58030", StateBroken, True), ("XX001", StateDamaged, False)],
)
async def test_a_trouble_that_stays_has_its_name(
    postgres: Postgres, url: str, journal: PostgresJournal, code: str, error: type[JournalError], final: bool
) -> None:
    fail_with(postgres, url, code, times=1)
    with pytest.raises(error, match="injected"):
        await journal.append([line(11)])
    if final:
        with pytest.raises(error, match="injected"):
            await journal.append([line(11)])
    else:
        await journal.append([line(11)])
        assert await all_of(journal) == lines(1, 11)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE molokini_entries SET body = body || ' ' WHERE serial = 4", "entry 4 was changed"),
        ("DELETE FROM molokini_entries WHERE serial = 4", "entry 4 is missing"),
    ],
)
async def test_changed_entries_are_named(
    postgres: Postgres, url: str, journal: PostgresJournal, statement: str, said: str
) -> None:
    postgres.sql(f'SET search_path = "{schema_of(url)}"; {statement}')
    with pytest.raises(StateDamaged, match=said):
        await all_of(journal)
    assert await all_of(journal, 4) == lines(5, 10)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE molokini_entries SET kind = 'JobHeld' WHERE serial = 10", "entry 10 was changed"),
        ("DELETE FROM molokini_entries WHERE serial > 8", "snapshot of entry 9, but its last entry is 8"),
        ("DELETE FROM molokini_holder", "its holder row is missing"),
        ("DROP TABLE molokini_snapshots", "only 3 of the 4 tables"),
        ("UPDATE molokini_holder SET format = 99", "format 99, of a later release"),
    ],
)
async def test_a_damaged_state_is_not_opened(postgres: Postgres, url: str, statement: str, said: str) -> None:
    journal = await PostgresJournal.open(url, new=True)
    await journal.append(lines(1, 10))
    await journal.keep_snapshot(Snapshot(9, b"state"))
    await journal.close()
    postgres.sql(f'SET search_path = "{schema_of(url)}"; {statement}')
    for new in (True, False):
        with pytest.raises(JournalError, match=said):
            await PostgresJournal.open(url, new=new)


async def test_after_a_damaged_snapshot_the_last(
    postgres: Postgres, url: str, journal: PostgresJournal, caplog: pytest.LogCaptureFixture
) -> None:
    for serial in (3, 6, 9):
        await journal.keep_snapshot(Snapshot(serial, b"state"))
    for damaged, next_best in ((9, 6), (6, None)):
        table = f'"{schema_of(url)}".molokini_snapshot_parts'
        postgres.sql(f"UPDATE {table} SET body = 'stale' WHERE serial = {damaged}")
        snapshot = await journal.load_snapshot()
        assert (snapshot.serial if snapshot else None) == next_best
        assert f"the snapshot of entry {damaged} is damaged" in caplog.text


async def test_a_commit_is_on_disk_although_the_database_does_not_wait(postgres: Postgres, url: str) -> None:
    postgres.sql("ALTER DATABASE postgres SET synchronous_commit = off")
    try:
        journal = await PostgresJournal.open(url, new=True)
        session = journal._session
        assert await session.run(lambda one: one.fetchval("SHOW synchronous_commit"), "asking") == "on"
        await journal.close()
    finally:
        postgres.sql("ALTER DATABASE postgres RESET synchronous_commit")


async def test_an_address_where_nobody_answers_is_busy(tmp_path: Path) -> None:
    with pytest.raises(Busy, match=r"^postgresql://me@127\.0\.0\.1:1/state cannot be reached") as caught:
        await open_journal("postgresql://me:secret@127.0.0.1:1/state", True)
    assert "secret" not in str(caught.value)


async def test_a_database_that_does_not_let_us_in_is_not_busy(postgres: Postgres) -> None:
    for address in (postgres.url().replace("/postgres?", "/elsewhere?"), postgres.url("no_such_schema")):
        with pytest.raises(JournalError, match=r"elsewhere|search_path") as caught:
            await open_journal(address, True)
        assert not isinstance(caught.value, Busy)


async def test_a_malformed_address_is_refused_without_its_password() -> None:
    with pytest.raises(BadValue, match="journal: ") as caught:
        await open_journal("postgresql://me:secret@host:port/state", True)
    assert "secret" not in str(caught.value)


async def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("molokini.server.journal.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(MissingExtra, match=r"pip install 'molokini\[postgres\]'"):
        await open_journal("postgresql://host/state", True)
