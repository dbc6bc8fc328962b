"""Requests of a stream that come together are handled together; none is lost, and none waits for nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from molokini.server.services.arriving import Arriving
from molokini.server.time import gathering
from tests.kit.waiting import DEADLINE_S


async def all_batches(arriving: Arriving[int]) -> list[list[int]]:
    found = []
    async with asyncio.timeout(DEADLINE_S):
        while batch := await arriving.next_batch():
            found.append(batch)
            await asyncio.sleep(0)
    return found


async def at_once(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


async def one_a_step(count: int) -> AsyncIterator[int]:
    for number in range(count):
        await asyncio.sleep(0)
        yield number


@pytest.mark.parametrize("source", [at_once, one_a_step])
@pytest.mark.parametrize("count", [0, 1, 2, 99, 100, 101, 1234])
async def test_all_come_in_order_and_never_too_many_at_once(
    source: Callable[[int], AsyncIterator[int]], count: int
) -> None:
    batches = await all_batches(Arriving(source(count), 100))
    assert [number for batch in batches for number in batch] == list(range(count))
    assert all(len(batch) <= 100 for batch in batches)


async def test_whoever_sends_without_waiting_is_answered_in_growing_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # However long a step of this machine takes, it is no silence.
    monkeypatch.setattr(gathering, "SILENCE_S", DEADLINE_S)
    monkeypatch.setattr(gathering, "LONGEST_S", DEADLINE_S)
    sizes = [len(batch) for batch in await all_batches(Arriving(one_a_step(1000), 100))]
    # Each batch is larger than the one before, by what comes while that one is handled.
    assert sizes[0] == 1
    assert len(sizes) < 100


async def test_whoever_waits_for_each_answer_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "SILENCE_S", DEADLINE_S)
    answered: asyncio.Queue[int] = asyncio.Queue()

    async def requests() -> AsyncIterator[int]:
        for number in range(50):
            yield number
            assert await answered.get() == number

    arriving = Arriving(requests(), 100)
    async with asyncio.timeout(DEADLINE_S / 2):
        while batch := await arriving.next_batch():
            assert len(batch) == 1
            answered.put_nowait(batch[0])


async def test_what_ends_the_stream_comes_after_what_was_sent_before() -> None:
    async def broken() -> AsyncIterator[int]:
        yield 1
        yield 2
        raise ValueError("no message")

    arriving = Arriving(broken(), 100)
    assert await arriving.next_batch() == [1, 2]
    with pytest.raises(ValueError, match="no message"):
        await arriving.next_batch()
