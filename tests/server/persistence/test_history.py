"""Finished jobs leave the memory and are found all the same: alone, in lists, as what others depend on."""

import asyncio
import gc
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1 import jobs_pb2
from molokini.server.journal.port import (
    Busy,
    Finished,
    JournalError,
    StateBroken,
    StateDamaged,
    Which,
)
from molokini.server.journal.postgres import PostgresJournal
from molokini.server.persistence import history
from molokini.server.security.roles import Role
from molokini.server.state import past
from molokini.server.state.jobs import Job
from molokini.server.state.past import Past, Pasts
from tests.kit.live import MemoryJournal, Story, live
from tests.kit.postgres import Postgres, postgres, schema_for
from tests.kit.serving import Served, served
from tests.kit.waiting import DEADLINE_S

__all__ = ["postgres"]

STATE = jobs_pb2.JobState
ROOT = ("root", Role.ADMINISTRATOR)
JOBS, FEW = 40, 5
EVERYTHING = 10_000


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Any]:
    """A server that keeps few finished jobs, each time on the same state, in a folder and in PostgreSQL."""
    more: dict[str, Any] = {}
    if request.param == "postgres":
        server = cast(Postgres, request.getfixturevalue("postgres"))
        more = {"server__journal": schema_for(server, request.node.name)}
        patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        patch.chdir(tmp_path)
        # However long a busy disk takes for the tables.
        defaults = PostgresJournal.open.__kwdefaults__
        assert defaults is not None
        patch.setitem(defaults, "patience_s", DEADLINE_S)

    def serve(few: int = FEW) -> Any:
        return served(tmp_path, history__finished_jobs=few, **more)

    return serve


async def lived(ann: Client, root: Client) -> list[int]:
    """Jobs of several endings, all over, and nearly all of them no longer in the memory."""
    numbers = [
        await ann.submit(estimate_s=9, name=f"n{k % 3}", outcome={"run_s": 1}, key=f"key {k}")
        for k in range(JOBS)
    ]
    numbers.append(await ann.submit(estimate_s=9, outcome={"run_s": 1, "exit_code": 3}))
    numbers.append(await ann.submit(estimate_s=9, array="1-3", outcome={"run_s": 1}))
    numbers.append(await ann.submit(estimate_s=9, held=True))
    await ann.cancel(numbers[-1:])
    await root.advance(100)
    # So that those that end last are not the ones that are looked at.
    for _ in range(3 * FEW):
        await root.submit(estimate_s=9, outcome={"run_s": 1})
    await root.advance(100)
    return numbers


async def seen(client: Client) -> list[jobs_pb2.Job]:
    """All jobs of ann as she sees them, one by one and in a list."""
    listed = [job async for job in client.jobs(users=["ann"], include_ended=True, page_size=7)]
    assert [job.id for job in listed] == sorted(job.id for job in listed)
    for job in listed:
        alone = await client.job(job.id)
        assert (alone.state, alone.end_s, alone.allocation) == (job.state, job.end_s, job.allocation)
    return listed


@pytest.mark.quick(one_in=2)
async def test_what_has_left_the_memory_looks_as_before_and_after_a_start_too(place: Any) -> None:
    async with place(EVERYTHING) as one, one.client() as ann, one.client(*ROOT) as root:
        await lived(ann, root)
        before = await seen(ann)
        assert one.core.state.past.count == 0
    for _ in range(2):
        async with place() as one, one.client() as ann, one.client(*ROOT) as root:
            # A turn in which something happens is followed by the leaving.
            await root.submit(estimate_s=9, outcome={"run_s": 1})
            await root.advance(10)
            await gone(one)
            assert len(one.core.state.jobs) <= 2 * FEW
            assert await seen(ann) == before


async def gone(one: Served | Story) -> None:
    """Wait until what is to leave has left."""
    task = one.core.history._task
    if task is not None:
        await task


@pytest.mark.quick(one_in=2)
async def test_lists_find_them_by_every_filter_and_in_pages(place: Any) -> None:
    async with place() as one, one.client() as ann, one.client(*ROOT) as root:
        numbers = await lived(ann, root)
        await gone(one)
        assert one.core.state.past.get(numbers[-1]) is not None

        async def found(**wanted: Any) -> list[int]:
            return [job.id async for job in ann.jobs(page_size=3, **wanted)]

        assert await found(users=["ann"], include_ended=True) == numbers
        assert await found(states=["completed"], users=["ann"]) == [*numbers[:JOBS], numbers[JOBS + 1]]
        assert await found(states=["failed"]) == [numbers[JOBS]]
        assert await found(states=["cancelled"]) == [numbers[-1]]
        assert await found(name="n1", include_ended=True) == numbers[1:JOBS:3]
        assert await found(ids=[numbers[3], 9999, numbers[0]]) == [numbers[0], numbers[3]]
        assert await found(queues=["none"], include_ended=True) == []
        assert await found(users=["ann"]) == []
        lines = [job async for job in ann.jobs(ids=[numbers[JOBS + 1]], expand_arrays=True, page_size=2)]
        assert [(job.array_index, job.state) for job in lines] == [(k, STATE.COMPLETED) for k in (1, 2, 3)]
        assert (await ann.job(numbers[JOBS + 1], 2)).end_s > 0
        with pytest.raises(errors.NotFound):
            await ann.job(numbers[JOBS + 1], 7)


@pytest.mark.quick(one_in=2)
async def test_others_may_depend_on_them_and_their_keys_are_known(place: Any) -> None:
    async with place() as one, one.client() as ann, one.client(*ROOT) as root, one.client("bob") as bob:
        numbers = await lived(ann, root)
        await gone(one)
        good, bad = numbers[0], numbers[JOBS]

        async def after(kind: str, number: int, who: Client = ann) -> int:
            spec = jobs_pb2.JobSpec(estimate_s=9, outcome=jobs_pb2.Outcome(run_s=1))
            spec.dependencies.add(kind=getattr(jobs_pb2.Dependency, kind), job_id=number)
            return await who.submit(spec)

        hopes = {
            (kind, number): await after(kind, number)
            for kind in ("AFTER_OK", "AFTER_NOT_OK", "AFTER_ANY", "AFTER")
            for number in (good, bad, numbers[JOBS + 1], numbers[-1])
        }
        await root.advance(50)
        ended = {about: (await ann.job(job)).state for about, job in hopes.items()}
        well = {good, numbers[JOBS + 1]}
        for (kind, number), state in ended.items():
            met = kind in ("AFTER_ANY", "AFTER") or (kind == "AFTER_OK") == (number in well)
            assert state == (STATE.COMPLETED if met else STATE.CANCELLED), (kind, number)
        assert await ann.submit(estimate_s=9, key="key 0") == good
        with pytest.raises(errors.Refused, match="the id of a job of the same user"):
            await after("AFTER_OK", good, bob)


@pytest.mark.quick(one_in=2)
async def test_nothing_can_be_done_to_them_and_that_is_said(place: Any) -> None:
    async with place() as one, one.client() as ann, one.client(*ROOT) as root, one.client("bob") as bob:
        numbers = await lived(ann, root)
        await gone(one)
        assert one.core.state.past.get(numbers[0]) is not None
        await ann.cancel(numbers[:1])
        for change in (ann.hold, ann.release, ann.requeue, ann.suspend):
            with pytest.raises(errors.NotNow, match=f"job {numbers[0]} has ended"):
                await change(numbers[:1])
        with pytest.raises(errors.NotNow, match="has ended"):
            await ann.alter(numbers[0], comment="late")
        with pytest.raises(errors.ServerError):
            await bob.cancel(numbers[:1])
        waited = await ann.wait(numbers[:2], timeout_s=300)
        assert waited.all_ended
        with pytest.raises(errors.NotFound, match=rf"{numbers[0]}\[3\]"):
            await ann.job(numbers[0], 3)
        assert "ended" in (await ann.explain(numbers[0])).text or (await ann.explain(numbers[0])).rule


async def test_a_table_that_cannot_be_written_keeps_them_in_the_memory(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class NoTable(MemoryJournal):
        async def keep_finished(self, jobs: Any, runs: Any = ()) -> None:
            raise Busy("gone for lunch")

    async with live(journal=NoTable(), finished_jobs=2) as story:
        for _ in range(9):
            await story.submit(run_s=1.0)
        await story.advance(100.0)
        assert len(story.state.jobs) == 9
        assert story.state.past.count == 0
    assert "cannot store finished jobs yet, so they stay in memory: gone for lunch" in caplog.text


@pytest.mark.quick(one_in=2)
async def test_elements_of_long_arrays_are_kept_and_read_in_parts(
    place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each part, and each record, is written by itself.
    monkeypatch.setattr(past, "PART", 4)
    monkeypatch.setattr(history, "SLICE_BYTES", 0)

    async def lines(ann: Client, number: int, size: int) -> list[jobs_pb2.Job]:
        return [job async for job in ann.jobs(ids=[number], expand_arrays=True, page_size=size)]

    async with place(EVERYTHING) as one, one.client() as ann, one.client(*ROOT) as root:
        number = await ann.submit(estimate_s=9, array="3-40:3", outcome={"run_s": 1})
        await root.advance(100)
        before, whole = await lines(ann, number, 100), await ann.job(number)
        assert [job.array_index for job in before] == list(range(3, 40, 3))
    async with place(0) as one, one.client() as ann, one.client(*ROOT) as root:
        await root.submit(estimate_s=9, outcome={"run_s": 1})
        await root.advance(10)
        await gone(one)
        assert one.core.state.past.get(number) is not None
        for size in (1, 3, 4, 100):
            assert await lines(ann, number, size) == before
        assert await ann.job(number) == whole
        assert [(await ann.job(number, job.array_index)).end_s for job in before] == [
            job.end_s for job in before
        ]
        for missing in (0, 4, 42):
            with pytest.raises(errors.NotFound):
                await ann.job(number, missing)


DAMAGES: dict[str, Callable[[MemoryJournal], Any]] = {
    "a record is gone": lambda journal: journal.records.pop(2),
    "the last is gone": lambda journal: journal.records.pop(max(journal.records)),
    "all are gone": lambda journal: journal.records.clear(),
    "the first elements are gone": lambda journal: journal.parts.pop((1, 3)),
    "elements are gone": lambda journal: journal.parts.pop((1, 7)),
    "the last elements are gone": lambda journal: journal.parts.pop((1, 9)),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_what_is_missing_is_made_anew_from_the_facts(
    damage: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "PART", 4)
    async with live(finished_jobs=0) as story:
        await story.submit(array={"first": 0, "last": 9, "step": 1, "running_limit": 0}, run_s=1.0)
        for _ in range(9):
            await story.submit(run_s=1.0, user="bob")
        await story.advance(100.0)
        await gone(story)
        assert story.state.past.count == 10
        found, journal = story.core.history, story.journal
        records, parts = dict(journal.records), dict(journal.parts)
        DAMAGES[damage](journal)
        jobs = [job async for job in found.all(0, (), (), "")]
        assert [job.id for job in jobs] == list(range(1, 11))
        assert [one.index async for one in found.elements(jobs[0], 0)] == list(range(10))
        assert (journal.records, journal.parts) == (records, parts)
        assert caplog.text.count("all records of finished jobs from the journal") == 1
        # Not again and again: who asks is told.
        DAMAGES[damage](journal)

        async def looked() -> None:
            for job in [job async for job in found.all(0, (), (), "")][:1]:
                _ = [one async for one in found.elements(job, 0)]

        with pytest.raises(StateDamaged, match="missing"):
            await looked()
        assert caplog.text.count("all records of finished jobs from the journal") == 1


@pytest.mark.quick(one_in=7)
@pytest.mark.parametrize("column", ["body", "user_name", "number", "crc"])
async def test_records_that_were_changed_are_made_anew(tmp_path: Path, column: str) -> None:
    async with served(tmp_path, history__finished_jobs=FEW) as one, one.client() as ann:
        async with one.client(*ROOT) as root:
            await lived(ann, root)
        await gone(one)
        before = await seen(ann)
        with closing(sqlite3.connect(tmp_path / "state" / "journal.sqlite")) as database:
            new = {"body": "X'7bff'", "user_name": "'eve'", "number": "number + 100000", "crc": "0"}[column]
            if column == "body":
                new = f"CAST({new} AS TEXT)"
            database.execute(f"UPDATE finished SET {column} = {new} WHERE number = 7")
            database.commit()
        assert await seen(ann) == before


async def test_what_has_left_takes_no_memory_without_the_collector() -> None:
    gc.collect()
    # Held, so that none of ours can be taken for one of them.
    of_other_tests = [one for one in gc.get_objects() if type(one) is Job]
    others = {id(one) for one in of_other_tests}
    gc.disable()
    try:
        async with live(finished_jobs=0) as story:
            await story.submit(array={"first": 0, "last": 9, "step": 1, "running_limit": 0}, run_s=1.0)
            await story.submit(run_s=1.0)
            await story.advance(100.0)
            await gone(story)
            assert story.state.past.count == 2
            kept = [one for one in gc.get_objects() if type(one) is Job and id(one) not in others]
            assert kept == []
    finally:
        gc.enable()


async def test_a_mistake_of_ours_is_made_once_and_they_stay(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise TypeError("not like this")

    monkeypatch.setattr(history, "records_of", broken)
    async with live(finished_jobs=0) as story:
        for _ in range(3):
            await story.submit(run_s=1.0)
            await story.advance(10.0)
        assert list(story.state.jobs) == [1, 2, 3]
    assert caplog.text.count("TypeError: not like this") == 1


async def test_old_ones_leave_even_where_there_are_few() -> None:
    async with live(finished_s=50.0) as story:
        await story.submit(run_s=1.0)
        await story.advance(40.0)
        await story.submit(run_s=1.0)
        await story.advance(5.0)
        assert list(story.state.jobs) == [1, 2]
        await story.advance(40.0)
        await story.submit(run_s=1.0)
        await story.advance(5.0)
        assert list(story.state.jobs) == [2, 3]
        assert isinstance(story.journal.records[1], Finished)


def test_what_is_known_of_those_that_left() -> None:
    pasts = Pasts()
    assert pasts.get(0) is pasts.get(-1) is pasts.get(7) is None
    pasts.add(7, Past("ann", True))
    pasts.add(3, Past("bob", False))
    pasts.add(9, Past("ann", True))
    assert [pasts.get(n) for n in (3, 4, 7, 9)] == [Past("bob", False), None, Past("ann", True), pasts.get(7)]
    assert pasts.numbers(0, (), 9) == pasts.numbers(-1, ("ann", "bob"), 9) == [3, 7, 9]
    assert pasts.numbers(3, ("ann",), 1) == [7]
    assert pasts.numbers(9, (), 9) == pasts.numbers(0, ["eve"], 9) == []
    again = Pasts()
    again.restore(pasts.kept())
    assert [again.get(n) for n in range(12)] == [pasts.get(n) for n in range(12)]
    assert again.count == 3


async def test_what_is_in_the_memory_and_in_the_table_is_listed_once_and_as_it_is_now() -> None:
    """As after a server that ended between the keeping of records and the fact that tells of them."""
    async with live(finished_jobs=1) as story:
        for _ in range(5):
            await story.submit(run_s=1.0, name="x")
            await story.advance(5.0)
            await gone(story)
        here = list(story.state.jobs)
        assert 0 < len(here) < 5
        await story.core.history._keep(here)
        assert set(story.journal.records) == {1, 2, 3, 4, 5}
        found = [job async for job in story.core.history.all(0, (), (), "x")]
        assert [job.id for job in found] == [1, 2, 3, 4, 5]
        assert [job.id for job in found if type(job) is Job] == here


async def test_nothing_leaves_while_records_are_made_anew_and_none_are_while_something_leaves() -> None:
    async with live(finished_jobs=0) as story:
        found, journal = story.core.history, story.journal
        await story.submit(run_s=1.0)
        await story.advance(5.0)
        await gone(story)
        assert set(journal.records) == {1}
        kept = journal.records[1]
        async with found._writes:
            await story.submit(run_s=1.0)
            await story.advance(5.0)
            anew = asyncio.create_task(found._make_anew())
            for _ in range(20):
                await asyncio.sleep(0)
            assert (list(story.state.jobs), set(journal.records)) == ([2], {1})
            assert journal.records[1] is kept
        await anew
        await story.until(lambda: not story.state.jobs)
        assert set(journal.records) == {1, 2}


@pytest.mark.parametrize(
    ("failure", "again_s", "tries"),
    [
        (Busy("gone for lunch"), history.AGAIN_S, 1),
        (Busy("gone for lunch"), 0.0, 6),
        (StateBroken("gone for good"), 0.0, 1),
    ],
    ids=["not yet again", "again", "never again"],
)
async def test_a_table_that_could_not_be_written_is_tried_again_in_time(
    failure: JournalError, again_s: float, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0

    class NoTable(MemoryJournal):
        async def keep_finished(self, jobs: Any, runs: Any = ()) -> None:
            nonlocal tried
            tried += 1
            raise failure

    monkeypatch.setattr(history, "AGAIN_S", again_s)
    async with live(journal=NoTable(), finished_jobs=0) as story:
        for _ in range(6):
            await story.submit(run_s=1.0)
            await story.advance(10.0)
            await gone(story)
        assert list(story.state.jobs) == [1, 2, 3, 4, 5, 6]
        assert tried >= tries if tries > 1 else tried == 1


async def test_records_that_come_a_few_at_a_time_are_not_missing(caplog: pytest.LogCaptureFixture) -> None:
    """A journal answers fewer than it is asked for where they are large."""

    class Large(MemoryJournal):
        async def finished(self, which: Which, after: int, most: int) -> list[Finished]:
            return await super().finished(which, after, min(most, 2))

    async with live(journal=Large(), finished_jobs=0) as story:
        for _ in range(7):
            await story.submit(run_s=1.0)
        await story.advance(20.0)
        await gone(story)
        assert story.state.past.count == 7
        found = story.core.history
        assert [job.id async for job in found.all(0, (), (), "")] == [1, 2, 3, 4, 5, 6, 7]
        assert [job.id async for job in found.all(3, ("ann",), (), "")] == [3, 4, 5, 6, 7]
        assert [job.id for job in await found.some([6, 1, 5, 3, 1])] == [1, 3, 5, 6]
    assert "made anew" not in caplog.text
