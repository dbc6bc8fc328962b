"""A snapshot that cannot be used is refused, and the facts are read instead; nothing is left out of one."""

import asyncio
import logging
import zlib
from pathlib import Path

import pytest

from molokini.model.actors import Origin
from molokini.model.facts import NodesAdded
from molokini.server.journal.port import Snapshot, StateFull
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.persistence import snapshots
from molokini.server.persistence.recovery import recovered, restarted
from molokini.server.server import Server, Settings
from molokini.server.state import snapshot_jobs
from molokini.server.state.jobs import Array, Element, Job
from molokini.server.state.snapshot import Unreadable, copy_state, pieces, state_of
from molokini.server.state.state import State
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.reporting import AddNodes
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, Story, live, spec_of
from tests.kit.live_picture import assert_same
from tests.kit.waiting import DEADLINE_S

RELEASE = "a release"


def test_every_slot_of_a_job_is_kept() -> None:
    assert set(snapshot_jobs.OF_JOB) == set(Job.__slots__) - {"array", "element"}
    assert {name.partition(".")[0] for name in snapshot_jobs.OF_ELEMENT} == set(Element.__slots__) - {"job"}
    assert set(snapshot_jobs.OF_ARRAY) == set(Array.__slots__) - {"elements", "counts", "apart", "back"}


NOT_KEPT = {
    *("machine", "rows", "tables", "by_row", "claims", "jobs", "queues", "configured_queues"),
    *("open_jobs", "open_by_user", "open_counts", "left", "present_s", "zero_s", "events"),
    *("reserved_for", "_site", "cores", "keeps"),
}
"""Attributes of a state that are kept by their own words, that follow from jobs, or that the server sets."""


def test_every_attribute_of_a_state_is_kept_or_known_to_follow() -> None:
    small = copy_state(State(), RELEASE).small
    assert set(vars(State())) - NOT_KEPT - set(small) == {"keys", "arrays"}


async def test_who_took_nodes_out_of_service_is_kept_as_what_it_was() -> None:
    async with live() as story:
        await story.do(LoseNodes(["n1"], Origin.LEASE, ""))
        await story.do(LoseNodes(["n2"], "lease", ""))
        await story.do(DrainNodes(["n3"], Origin.CONFIGURATION, "x"))
        again = state_of(body_of(story), RELEASE)
    for state in (story.state, again):
        nodes = state.machine.by_name
        assert [nodes[name].lost_by for name in ("n1", "n2", "n3")] == [Origin.LEASE, "lease", ""]
        assert nodes["n3"].drained == (Origin.CONFIGURATION, "x")


def body_of(story: Story, release: str = RELEASE) -> bytes:
    return b"".join(pieces(copy_state(story.state, release)))


async def test_what_is_no_snapshot_of_this_release_is_refused(story: Story) -> None:
    await story.submit(run_s=1.0)
    body = body_of(story)
    state_of(body, RELEASE)
    whole = zlib.decompress(body)
    for bad in (b"", b"no", body[:-5], zlib.compress(whole[:-3]), zlib.compress(b"\xff" * 30)):
        with pytest.raises(Unreadable):
            state_of(bad, RELEASE)
    with pytest.raises(Unreadable, match="is of release 'a release', this is 'the next'"):
        state_of(body, "the next")
    changed = zlib.compress(whole.replace(b'"jobs.width"', b'"jobs.depth"', 1))
    with pytest.raises(Unreadable, match="another layout"):
        state_of(changed, RELEASE)


async def test_all_facts_are_read_without_a_snapshot(story: Story, caplog: pytest.LogCaptureFixture) -> None:
    await story.submit(run_s=1.0)
    journal: MemoryJournal = story.journal
    journal.snapshots.append(Snapshot(journal.last_serial, body_of(story, "another")))
    state, kept = await restarted(journal, RELEASE)
    assert kept == 0
    assert_same(state, story.state)
    assert "is of release 'another'" in caplog.text
    # A snapshot under the name of another entry would have facts applied twice, or not at all.
    journal.snapshots.append(Snapshot(journal.last_serial - 1, body_of(story)))
    state, kept = await restarted(journal, RELEASE)
    assert kept == 0
    assert_same(state, story.state)


async def filled(folder: Path, jobs: int, **settings: int) -> Server:
    journal = await SqliteJournal.open(folder, new=True)
    core = await Server.open(journal, Settings(release=RELEASE, **settings))  # type: ignore[arg-type]
    core.start()
    await core.reactor.post(AddNodes([NodesAdded("agent", ("n1", "n2"), 4)]))
    for _ in range(jobs // 100):
        await core.reactor.post(Submit("ann", [spec_of()] * 100, Limits()))
    return core


async def test_a_graceful_stop_keeps_a_snapshot_from_which_the_next_start_goes_on(tmp_path: Path) -> None:
    core = await filled(tmp_path, 1500)
    await core.stop()
    journal = await SqliteJournal.open(tmp_path, new=False)
    state, kept = await restarted(journal, RELEASE)
    assert kept == journal.last_serial
    assert_same(state, await recovered(journal))
    await journal.close()


async def test_none_is_taken_where_there_is_little_to_save_or_none_is_wanted(tmp_path: Path) -> None:
    for name, jobs, every in (("few", 100, 50_000), ("never", 1500, 0)):
        core = await filled(tmp_path / name, jobs, snapshot_every=every)
        await core.stop()
        journal = await SqliteJournal.open(tmp_path / name, new=False)
        assert await journal.load_snapshot() is None
        await journal.close()


async def test_snapshots_come_by_themselves_and_a_damaged_one_gives_way_to_the_one_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    core = await filled(tmp_path, 3000, snapshot_every=1200)
    await core.stop()
    journal = await SqliteJournal.open(tmp_path, new=False)
    newest = await journal.load_snapshot()
    assert newest is not None
    store = journal._store._connection
    assert store.execute("SELECT count(*) FROM snapshots").fetchone() == (2,)
    store.execute("UPDATE snapshot_parts SET body = x'00' WHERE serial = ?", (newest.serial,))
    with caplog.at_level(logging.WARNING):
        state, kept = await restarted(journal, RELEASE)
    assert 0 < kept < newest.serial
    assert f"the snapshot of entry {newest.serial} is damaged" in caplog.text
    assert_same(state, await recovered(journal))
    store.execute("UPDATE snapshot_parts SET body = x'00'")
    state, kept = await restarted(journal, RELEASE)
    assert kept == 0
    assert_same(state, await recovered(journal))
    await journal.close()


async def test_a_journal_that_cannot_keep_a_snapshot_serves_on(caplog: pytest.LogCaptureFixture) -> None:
    class NoRoom(MemoryJournal):
        async def keep_snapshot(self, snapshot: Snapshot) -> None:
            raise StateFull("no room")

    async with live(journal=NoRoom(), snapshot_every=10) as story:
        for _ in range(20):
            await story.submit(run_s=1.0)
        await asyncio.sleep(0)
        assert await story.submit(run_s=1.0) == 21
    assert "could not be written" in caplog.text


async def test_a_watcher_who_comes_back_after_a_start_has_missed_nothing() -> None:
    async with live(release=RELEASE, snapshot_every=10) as story:
        for _ in range(20):
            await story.submit(run_s=1.0)
        # It is written piece by piece, with a rest after each that is as long as the machine is busy.
        await story.until(lambda: bool(story.journal.snapshots))
        state, kept = await restarted(story.journal, RELEASE)
        assert kept
        assert [(serial, fact) for serial, _, fact in state.events] == [
            (serial, fact) for serial, _, fact in (await recovered(story.journal)).events
        ]


async def test_a_busy_server_rests_between_pieces_and_a_stop_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(snapshots, "REST", 1e6)
    async with live(release=RELEASE, snapshot_every=10) as story:
        for _ in range(100):
            await story.submit()
        assert not story.journal.snapshots
        await asyncio.wait_for(story.core.snapshots.last(DEADLINE_S), DEADLINE_S)
        assert story.journal.snapshots[0].serial < story.journal.last_serial
