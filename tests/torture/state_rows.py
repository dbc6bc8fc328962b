"""Fault rows about what the state is kept on: disks that are full, copies, damage, databases, clocks."""

import asyncio
import os
import random
import re
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from molokini.client.errors import ServerError, ServerFault
from tests.kit import postgres
from tests.kit.disks import CannotMount, fill, small_disk
from tests.torture import server_rows
from tests.torture.cluster import HASTY, PATIENT, Cluster
from tests.torture.real_processes import DidNotStart
from tests.torture.rig import SILENCE_S, Rig, Skipped

FAKETIME = (
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
)


@contextmanager
def mounted(size: str) -> Iterator[Path]:
    """A small file system; Skipped where it cannot be mounted."""
    try:
        with small_disk(size) as disk:
            yield disk
    except CannotMount as error:
        raise Skipped(str(error)) from None


async def f23(rig: Rig) -> None:
    """The disk under the state fills up, and has room again."""
    with mounted("24m") as disk:
        async with rig.apart("full-disk", journal=str(disk / "state"), rate=20.0) as own:
            await asyncio.sleep(1.0)
            for _ in range(own.times(2)):
                filler = disk / "filler"
                fill(filler)
                refused = await _refusal(own)
                # The cause is told, its place is in the server's log alone.
                assert "no disk space left" in refused, f"a full disk is not told: {refused}"
                assert str(disk) not in refused, f"a path of the server is told: {refused}"
                await asyncio.sleep(1.0)
                filler.unlink()
                await _accepted(own)
            assert own.cluster.server is not None
            assert own.cluster.server.alive


async def _refusal(rig: Rig) -> str:
    """What a submit is told once it is refused."""
    ledger = rig.load.ledger(f"refused-{rig.rng.randrange(10**9)}")
    end_s = time.monotonic() + 30.0
    async with rig.cluster.client(HASTY) as client:
        number = 0
        while time.monotonic() < end_s:
            number += 1
            key = f"{ledger.path.stem}-{number}"
            try:
                job = await client.submit(
                    key=key, outcome={"run_s": 0.01}, estimate_s=60.0, comment="x" * 200
                )
            except ServerError as error:
                return str(error)
            ledger.asks(key, {"run_s": 0.01, "estimate_s": 60.0, "requeue": True})
            ledger.answered(key, job)
            await asyncio.sleep(0.01)
    raise AssertionError("no submit was refused on a full disk")


async def _accepted(rig: Rig) -> None:
    """Wait until a submit is taken again."""
    ledger = rig.load.ledger(f"again-{rig.rng.randrange(10**9)}")
    async with rig.cluster.client(PATIENT) as client, asyncio.timeout(60.0):
        await rig.load.submit_together(client, ledger, [(ledger.path.stem, {"run_s": 0.01})])
    ledger.close()


async def f27(rig: Rig) -> None:
    """The power fails at random instants: a server on a copy of the files has every acknowledged job."""
    for number in range(rig.times(3)):
        await asyncio.sleep(rig.rng.uniform(0.1, 1.0))
        copy = _frozen_copy(rig, f"copy-{rig.rng.randrange(10**6)}-{number}")
        missing = await _missing_in(copy)
        assert missing == [], f"after a power loss these jobs are gone: {missing[:5]}"
        shutil.rmtree(copy)


def _frozen_copy(rig: Rig, name: str) -> Path:
    """A folder with the state as it is now and the ids that were acknowledged before."""
    answered = [job for asked in rig.load.jobs().values() for job in asked.ids]
    folder = rig.cluster.folder / name
    folder.mkdir()
    shutil.move(rig.cluster.copy_state(f"{name}.state"), folder / "state")
    (folder / "answered").write_text(" ".join(map(str, answered)))
    return folder


async def _missing_in(folder: Path) -> list[int]:
    """The acknowledged jobs that a server on the copy in *folder* does not know; raises DidNotStart."""
    answered = {int(text) for text in (folder / "answered").read_text().split()}
    async with Cluster(folder, random.Random(0)) as cluster:
        cluster.settings["server.new"] = False
        await cluster.start_server()
        async with cluster.client() as client:
            known = {job.id async for job in client.jobs(include_ended=True, page_size=5000)}
    return sorted(answered - known)


def _logged(folder: Path, told: str) -> str:
    """The lines of the server's log with the number that a client was told; no answer names a path."""
    assert str(folder) not in told, told
    number = re.search(r"\(number (\w+) in the server's log\)", told)
    assert number is not None, told
    lines = (folder / "server.log").read_text(errors="replace").splitlines()
    return "\n".join(line for line in lines if number[1] in line)


async def f28(rig: Rig) -> None:
    """Copies of the state are damaged: a server refuses, naming what is wrong, or has everything."""
    for hurt in (_torn_tail, _flipped_bytes, _zeroed_block, _no_log, _no_database):
        copy = _frozen_copy(rig, f"{hurt.__name__[1:]}-{rig.rng.randrange(10**6)}")
        hurt(copy / "state", rig.rng)
        try:
            missing = await _missing_in(copy)
        except (DidNotStart, ServerFault) as error:
            # What was not read at the start is found when somebody asks for it.
            named = error.refusal() if isinstance(error, DidNotStart) else _logged(copy, str(error))
            assert str(copy) in named, f"{hurt.__name__}: what is damaged is not named: {named}"
            rig.figures[f"{hurt.__name__[1:]}"] = "refused"
        else:
            assert missing == [], f"{hurt.__name__}: served, but without the jobs {missing[:5]}"
            rig.figures[f"{hurt.__name__[1:]}"] = "served, all there"
        shutil.rmtree(copy)


def _parts(state: Path) -> tuple[Path, Path]:
    """The database and its write-ahead log."""
    log = next(state.glob("*-wal"))
    return log.with_name(log.name.removesuffix("-wal")), log


def _torn_tail(state: Path, rng: random.Random) -> None:
    _, log = _parts(state)
    os.truncate(log, max(0, log.stat().st_size - rng.randint(1, 6000)))


def _flipped_bytes(state: Path, rng: random.Random) -> None:
    database, _ = _parts(state)
    _overwrite(database, rng, bytes(rng.randrange(256) for _ in range(16)))


def _zeroed_block(state: Path, rng: random.Random) -> None:
    database, _ = _parts(state)
    _overwrite(database, rng, bytes(4096))


def _overwrite(path: Path, rng: random.Random, what: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(rng.randrange(max(1, path.stat().st_size - len(what))))
        file.write(what)


def _no_log(state: Path, rng: random.Random) -> None:
    _parts(state)[1].unlink()


def _no_database(state: Path, rng: random.Random) -> None:
    for one in _parts(state):
        one.unlink()


async def f29(rig: Rig) -> None:
    """The state is moved away: the server refuses to start, and goes on once it is back."""
    cluster = rig.cluster
    await cluster.kill_server()
    away = cluster.state.with_name("away")
    cluster.state.rename(away)
    cluster.settings["server.new"] = False
    try:
        server = await cluster.begin_server()
        with suppress(DidNotStart):
            await server.until_ready()
            raise AssertionError("a server without its state has started")
        assert str(cluster.state) in server.log.read_text()[-2000:], "the missing state is not named"
    finally:
        if cluster.state.exists():
            shutil.rmtree(cluster.state)
        away.rename(cluster.state)
        cluster.settings["server.new"] = True
    await cluster.start_server()


async def f30(rig: Rig) -> None:
    """PostgreSQL is stopped, restarted, killed, paused, its connections cut; the server is killed, too."""
    async with _on_postgres(rig, "database") as (own, database):
        await _trouble(own, database)


@asynccontextmanager
async def _on_postgres(rig: Rig, name: str) -> AsyncIterator[tuple[Rig, postgres.Postgres]]:
    """The same on a journal in PostgreSQL."""
    if postgres.binaries() is None:
        raise Skipped("PostgreSQL is not installed")
    with contextmanager(postgres.running)() as database:
        url = postgres.schema_for(database, "torture")
        async with rig.apart(name, journal=url, rate=20.0) as own:
            yield own, database


async def f1_postgres(rig: Rig) -> None:
    """F1 with a journal in PostgreSQL."""
    async with _on_postgres(rig, "killed") as (own, _):
        await server_rows.f1(own)


async def f2_postgres(rig: Rig) -> None:
    """F2 with a journal in PostgreSQL, which makes its checkpoints by itself."""
    async with _on_postgres(rig, "points") as (own, _):
        await server_rows.die_at_points(own, [one for one in server_rows.plans() if "checkpoint" not in one])


async def f3_postgres(rig: Rig) -> None:
    """F3 with a journal in PostgreSQL."""
    async with _on_postgres(rig, "recovering") as (own, _):
        await server_rows.f3(own)


async def _trouble(rig: Rig, database: postgres.Postgres) -> None:
    def cut() -> None:
        database.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )

    def restart(end: str) -> None:
        getattr(database, end)()
        time.sleep(0.3)
        database.start()

    for _ in range(rig.times(1)):
        for name in rig.rng.sample(("cut", "stop", "kill", "pause", "server", "restart"), 6):
            await asyncio.sleep(0.5)
            if name == "server":
                await rig.cluster.kill_server()
            elif name == "pause":
                database.pause()
                await asyncio.sleep(2.0)
                database.resume()
            elif name == "cut":
                await asyncio.to_thread(cut)
            elif name == "restart":
                await asyncio.to_thread(database.restart_at_once)
            else:
                await asyncio.to_thread(restart, name)
                rig.cluster.kills += name == "kill"
            await _up_again(rig)


async def _up_again(rig: Rig) -> None:
    """A server that could not go on has ended, to be started again from what is durable."""
    server = rig.cluster.server
    assert server is not None
    with suppress(TimeoutError):
        await asyncio.wait_for(server.running.wait(), 1.0)
    if not server.alive:
        rig.cluster.gone()
        await rig.cluster.start_server()
    await rig.cluster.answers()


async def f32(rig: Rig) -> None:
    """The server's calendar jumps by an hour, back, and by years: nobody is killed early."""
    library = next((one for one in FAKETIME if Path(one).exists()), None)
    if library is None:
        raise Skipped("libfaketime is not installed (Debian: apt-get install libfaketime)")
    async with rig.apart("calendar", rate=20.0) as own:
        stamp = own.folder / "faketime"
        stamp.write_text("+0")
        fake = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": str(stamp),
            "FAKETIME_NO_CACHE": "1",
            # Leases and the scheduling clock go by the monotonic clock, which nobody corrects.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        await own.cluster.kill_server()
        await own.cluster.start_server(fake)
        jumps = ["+3600", "-3600", "+63072000", "+0"]
        own.rng.shuffle(jumps)
        for jump in jumps:
            stamp.write_text(jump)
            await asyncio.sleep(1.5)
            await own.cluster.answers()
            own.load.check()
        # And one that it finds when it starts: an hour back, before what it has written down itself.
        stamp.write_text("-3600")
        await own.cluster.kill_server()
        await own.cluster.start_server(fake)
        await asyncio.sleep(SILENCE_S)
