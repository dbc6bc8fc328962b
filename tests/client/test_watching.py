"""Watching and waiting outlive connections and servers, without gap or repetition."""

import asyncio

import grpc
import pytest

from molokini.client.calls import Patience, Pauses
from molokini.client.client import Client
from molokini.client.errors import Busy, HistoryGone, NotFound, Unavailable
from molokini.client.watching import _Place
from molokini.proto.v1.job_service_pb2 import JobEvent
from molokini.proto.v1.jobs_pb2 import JobState
from tests.kit.fake_server import FakeServer


async def taken(client: Client, count: int, after: int | None = None) -> list[tuple[int, int, str]]:
    """The first *count* events of a watch."""
    found: list[tuple[int, int, str]] = []
    events = client.watch(after)
    async with asyncio.timeout(20):
        async for event in events:
            found.append((event.sequence, event.job_id, event.kind))
            if len(found) == count:
                break
    await events.aclose()  # type: ignore[attr-defined]
    return found


async def test_from_the_beginning(client: Client, server: FakeServer) -> None:
    job = await client.submit(name="x")
    server.end(job)
    assert await taken(client, 2, after=0) == [(1, 1, "submitted"), (2, 1, "completed")]
    assert await taken(client, 1, after=1) == [(2, 1, "completed")]


async def test_from_now_on(client: Client, server: FakeServer) -> None:
    await client.submit(name="before")
    watching = asyncio.create_task(taken(client, 1))
    while not server.faults.calls["WatchJobs"]:
        await asyncio.sleep(0.01)
    await client.submit(name="after")
    assert await watching == [(2, 2, "submitted")]


async def test_a_watch_goes_on_after_cuts_and_a_restart(client: Client, server: FakeServer) -> None:
    for _ in range(6):
        await client.submit(name="x")
    server.faults.cut("WatchJobs", after_messages=2, times=2)
    watching = asyncio.create_task(taken(client, 8, after=0))
    while server.faults.calls["WatchJobs"] < 3:
        await asyncio.sleep(0.01)
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)
    for _ in range(2):
        await client.submit(name="later")
    assert [sequence for sequence, *_ in await watching] == list(range(1, 9))


async def test_a_break_between_events_of_one_number(client: Client, server: FakeServer) -> None:
    """Jobs of one batch have one fact in the journal, and an event each."""
    for number, job in ((1, 1), (2, 2), (2, 3), (2, 4), (3, 5)):
        server.state.events.append(JobEvent(sequence=number, job_id=job, kind="submitted"))
    server.faults.cut("WatchJobs", after_messages=2)
    server.faults.cut("WatchJobs", after_messages=2)
    assert [job for _, job, _ in await taken(client, 5, after=0)] == [1, 2, 3, 4, 5]


async def test_history_that_is_gone(client: Client, server: FakeServer) -> None:
    server.state.oldest_kept = 50
    with pytest.raises(HistoryGone, match="no longer kept"):
        await taken(client, 1, after=3)


async def test_a_server_that_does_not_come_back_ends_a_watch(client: Client, server: FakeServer) -> None:
    server.stop()
    with pytest.raises(Unavailable):
        await taken(client, 1, after=0)


async def test_waiting_bears_a_restart(client: Client, server: FakeServer) -> None:
    job = await client.submit(name="x")
    waiting = asyncio.create_task(client.wait([job], timeout_s=300))
    while not server.faults.calls["WaitJobs"]:
        await asyncio.sleep(0.01)
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)
    server.end(job)
    waited = await waiting
    assert (waited.all_ended, waited.jobs[0].state) == (True, JobState.COMPLETED)


async def test_waiting_returns_soon_after_the_end(client: Client, server: FakeServer) -> None:
    job = await client.submit(name="x")
    waiting = asyncio.create_task(client.wait([job]))
    while not server.faults.calls["WaitJobs"]:
        await asyncio.sleep(0.01)
    server.end(job)
    async with asyncio.timeout(20):
        assert (await waiting).all_ended


async def test_waiting_for_what_there_is_not(client: Client, server: FakeServer) -> None:
    with pytest.raises(NotFound, match="no job 9"):
        await client.wait([9])
    server.faults.fail("WaitJobs", grpc.StatusCode.UNAVAILABLE, "Socket closed")
    assert (await client.wait([])).all_ended


def _event(sequence: int) -> JobEvent:
    return JobEvent(sequence=sequence)


def test_what_was_seen_is_passed_over_once_and_nothing_else() -> None:
    place = _Place(3)
    assert place.resume() == 3
    assert [place.is_new(_event(one)) for one in (5, 5, 6, 6)] == [True] * 4
    # A break between two events of number 6, of which there are three: the two that were seen come again.
    assert place.resume() == 5
    assert [place.is_new(_event(6)) for _ in range(3)] == [False, False, True]
    assert place.resume() == 5
    # The server has no more of number 6 for this watch: all that follows is new.
    assert [place.is_new(_event(one)) for one in (7, 7, 7, 7)] == [True] * 4


def test_pauses_grow_to_a_bound_and_are_as_long_as_a_busy_server_asks_for() -> None:
    pauses = Pauses(Patience(first_pause_s=1.0, longest_pause_s=4.0))
    lost = Unavailable("x")
    for longest_s in (1.0, 2.0, 4.0, 4.0, 4.0):
        assert 0.5 * longest_s <= pauses.next_s(lost) <= longest_s
    busy = Busy("x")
    busy.retry_after_s = 7.0
    for _ in range(50):
        assert 7.0 <= pauses.next_s(busy) <= 8.75
    pauses.reset()
    assert 0.5 <= pauses.next_s(lost) <= 1.0
