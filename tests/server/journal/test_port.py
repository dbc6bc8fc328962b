"""What every adapter promises: what was appended is read back, whatever happens between."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molokini.model.codec import KINDS, Entry
from molokini.model.errors import BadValue
from molokini.server.journal.finished import PAGE_BYTES
from molokini.server.journal.opening import open_journal
from molokini.server.journal.port import (
    Finished,
    JournalError,
    Runs,
    Snapshot,
    StateMissing,
    StateTaken,
    Which,
)
from molokini.server.journal.seals import PART_BYTES
from tests.server.journal.conftest import Place
from tests.server.journal.lines import all_of, line, lines

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_bodies = _json.map(lambda value: json.dumps(value, ensure_ascii=False, sort_keys=True))
_times = st.floats(allow_nan=False, allow_infinity=False)
_stubs = st.tuples(_times, st.sampled_from(sorted(KINDS)), st.integers(1, 2**31 - 1), _bodies)
_steps = st.lists(
    st.lists(_stubs, max_size=5) | st.sampled_from(["reopen"]) | st.binary(max_size=20), max_size=10
)

Step = list[tuple[float, str, int, str]] | str | bytes


@pytest.mark.quick(one_in=2)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=_steps)
def test_what_was_appended_is_read_back(place: Place, steps: Sequence[Step]) -> None:
    asyncio.run(_compare_with_a_list(place.another(), steps))


async def _compare_with_a_list(place: Place, steps: Sequence[Step]) -> None:
    journal, kept, snapshot, opened = await place.open(), list[Entry](), None, 1
    for step in [*steps, "reopen"]:
        if isinstance(step, bytes):
            snapshot = Snapshot(len(kept), step)
            await journal.keep_snapshot(snapshot)
        elif isinstance(step, str):
            await journal.close()
            journal, opened = await place.open(new=False), opened + 1
        else:
            batch = [Entry(serial, *stub) for serial, stub in enumerate(step, len(kept) + 1)]
            await journal.append(batch)
            kept += batch
        assert (journal.last_serial, journal.epoch) == (len(kept), opened)
        assert await journal.load_snapshot() == snapshot
        middle = len(kept) // 2
        assert await all_of(journal, middle) == kept[middle:]
    assert await all_of(journal) == kept
    await journal.close()


async def test_pages_and_batches_of_any_size(place: Place) -> None:
    journal, last = await place.open(), 0
    for size in (1, 999, 1000, 1001, 3000):
        await journal.append(lines(last + 1, last + size))
        last += size
        assert journal.last_serial == last
    assert await all_of(journal) == lines(1, last)
    assert await all_of(journal, last - 1) == [line(last)]
    assert await all_of(journal, last) == []
    await journal.close()


async def test_a_reader_sees_what_is_appended_while_it_reads(place: Place) -> None:
    journal = await place.open()
    await journal.append(lines(1, 1500))
    seen = []
    async for one in journal.read(0):
        seen.append(one)
        if one.serial == 1100:
            await journal.append(lines(1501, 1600))
    assert seen == lines(1, 1600)
    await journal.close()


async def test_appends_of_many_tasks_go_one_after_the_other(place: Place) -> None:
    journal = await place.open()

    async def append_one() -> None:
        await journal.append([line(journal.last_serial + 1)])

    results = await asyncio.gather(*(append_one() for _ in range(30)), return_exceptions=True)
    kept = await all_of(journal)
    assert kept == lines(1, journal.last_serial)
    assert len(kept) == sum(result is None for result in results)
    assert all(result is None or isinstance(result, JournalError) for result in results)
    await journal.close()


async def test_a_refused_batch_leaves_nothing(place: Place) -> None:
    journal = await place.open()
    await journal.append(lines(1, 2))
    for batch in ([line(4)], [line(2)], [line(3), line(5)], [Entry(3, float("inf"), "JobEnded", 1, "{}")]):
        with pytest.raises(JournalError):
            await journal.append(batch)
    await journal.append([])
    assert await all_of(journal) == lines(1, 2)
    await journal.close()


async def test_without_new_nothing_begins(place: Place) -> None:
    for _ in range(2):
        with pytest.raises(StateMissing, match=r"a new one begins only with --new \(server.new\)"):
            await place.open(new=False)
    await (await place.open(new=True)).close()
    await (await place.open(new=False)).close()


async def test_the_last_two_snapshots_are_kept_whole(place: Place) -> None:
    journal = await place.open()
    assert await journal.load_snapshot() is None
    await journal.append(lines(1, 9))
    with pytest.raises(JournalError, match="snapshot of entry 10, but the last entry is 9"):
        await journal.keep_snapshot(Snapshot(10, b"from the future"))
    sizes = {1: 0, 3: PART_BYTES, 5: PART_BYTES + 1, 9: 3 * PART_BYTES - 1}
    for serial, size in sizes.items():
        snapshot = Snapshot(serial, bytes(serial for _ in range(size)))
        for _ in range(2):
            await journal.keep_snapshot(snapshot)
            assert await journal.load_snapshot() == snapshot
    await journal.close()


async def test_appends_go_on_while_a_snapshot_is_kept(place: Place) -> None:
    journal = await place.open()
    await journal.append(lines(1, 5))
    keeping = asyncio.create_task(journal.keep_snapshot(Snapshot(5, bytes(40 * PART_BYTES))))
    appended = 0
    while not keeping.done():
        await journal.append([line(journal.last_serial + 1)])
        appended += 1
        await asyncio.sleep(0)
    await keeping
    assert appended >= 10
    assert await all_of(journal) == lines(1, 5 + appended)
    assert await journal.load_snapshot() == Snapshot(5, bytes(40 * PART_BYTES))
    await journal.close()


async def test_who_was_taken_over_stops(place: Place) -> None:
    old = await place.open()
    await old.append(lines(1, 2))
    young = await place.open(new=False, take_over=True)
    assert (young.epoch, young.last_serial) == (2, 2)
    for _ in range(2):
        with pytest.raises(StateTaken, match="epoch is 2, ours 1"):
            await old.append([line(3)])
    with pytest.raises(StateTaken, match="epoch is 2, ours 1"):
        await old.keep_snapshot(Snapshot(2, b"old"))
    await young.append(lines(3, 4))
    await old.close()
    await young.append(lines(5, 5))
    assert await all_of(young) == lines(1, 5)
    assert await young.load_snapshot() is None
    await young.close()


@pytest.mark.parametrize("text", ["", " ", "mysql://host/state", "sqlite:///state", "a\0b"])
async def test_an_address_of_no_known_kind_is_refused(text: str) -> None:
    with pytest.raises(BadValue, match="journal"):
        await open_journal(text, True)


def record(number: int, user: str = "ann", queue: str = "default", name: str = "") -> Finished:
    return Finished(number, user, queue, name, 1, f'{{"number":{number},"é":"\\u0000"}}')


async def test_records_of_finished_jobs_are_found_by_what_is_asked_for(place: Place) -> None:
    journal = await place.open()
    kept = [
        record(k, ("ann", "bob")[k % 2], ("default", "night")[k % 3 == 0], ("", "x")[k % 5 == 0])
        for k in range(1, 31)
    ]
    await journal.keep_finished(kept[10:])
    await journal.keep_finished(kept[:12])
    await journal.close()
    journal = await place.open(new=False)
    assert await journal.finished(Which(), 0, 100) == kept
    assert await journal.finished(Which(), 7, 5) == kept[7:12]
    assert await journal.finished(Which(numbers=(3, 99, 1)), 0, 9) == [kept[0], kept[2]]
    assert await journal.finished(Which(users=("bob",)), 20, 9) == [
        one for one in kept[20:] if one.user == "bob"
    ]
    assert await journal.finished(Which(queues=("night", "no")), 0, 99) == [
        k for k in kept if k.queue == "night"
    ]
    both = [one for one in kept if one.name == "x" and one.user == "ann"]
    assert await journal.finished(Which(users=("ann", "eve"), name="x"), 0, 99) == both
    assert await journal.finished(Which(users=("eve",)), 0, 99) == []
    changed = replace(kept[4], body="{}")
    await journal.keep_finished([changed])
    assert await journal.finished(Which(numbers=(5,)), 0, 9) == [changed]
    await journal.close()


async def test_large_records_are_read_a_few_at_a_time(place: Place) -> None:
    journal = await place.open()
    large = "x" * (PAGE_BYTES // 2)
    kept = [replace(record(k), body=large if k % 4 else "{}") for k in range(1, 13)]
    await journal.keep_finished(kept)
    read, sizes = list[Finished](), list[int]()
    while some := await journal.finished(Which(users=("ann",)), read[-1].number if read else 0, 100):
        read += some
        sizes.append(len(some))
    assert read == kept
    assert 1 < max(sizes) < 6
    await journal.close()


async def test_a_record_that_is_larger_than_a_page_is_one(place: Place) -> None:
    journal = await place.open()
    kept = [replace(record(k), body="x" * (2 * PAGE_BYTES if k == 2 else 10)) for k in (1, 2, 3)]
    await journal.keep_finished(kept)
    assert await journal.finished(Which(numbers=(2,)), 0, 9) == [kept[1]]
    read = list[Finished]()
    while some := await journal.finished(Which(), read[-1].number if read else 0, 100):
        read += some
    assert read == kept
    await journal.close()


async def test_parts_of_arrays_are_found_by_the_index_of_an_element(place: Place) -> None:
    journal = await place.open()
    parts = [Runs(7, last, 1, f"[{last}]") for last in (-1, 4, 9, 2**40)]
    await journal.keep_finished([record(7)], parts[2:])
    await journal.keep_finished([], [*parts[:3], Runs(8, 3, 1, "[]")])
    assert [await journal.runs(7, index) for index in (-1, 0, 4, 5, 10, 2**40)] == [
        parts[k] for k in (0, 1, 1, 2, 3, 3)
    ]
    assert await journal.runs(7, 2**40 + 1) is None
    assert await journal.runs(6, 0) is None
    changed = Runs(7, 4, 2, "[0]")
    await journal.keep_finished([], [changed])
    assert await journal.runs(7, 2) == changed
    await journal.clear_finished()
    assert await journal.runs(7, 2) is None
    assert await journal.finished(Which(), 0, 9) == []
    await journal.keep_finished([record(7)], [changed])
    assert await journal.finished(Which(), 0, 9) == [record(7)]
    await journal.close()


async def test_who_was_taken_over_keeps_and_reads_no_records_any_more(place: Place) -> None:
    old = await place.open()
    young = await place.open(new=False, take_over=True)
    with pytest.raises(StateTaken):
        await old.keep_finished([record(1)])
    with pytest.raises(StateTaken):
        await old.finished(Which(), 0, 9)
    with pytest.raises(StateTaken):
        await old.runs(1, 0)
    assert await young.finished(Which(), 0, 9) == []
    await young.close()
    await old.close()
