"""Requests of a stream that come together are handled together; none is lost, and none waits for nothing."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import pytest

from molokini.server.services.arriving import Arriving, one_ahead
from molokini.server.turn import gathering
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
async def test_all_come_in_order_in_batches(source: Callable[[int], AsyncIterator[int]], count: int) -> None:
    batches = await all_batches(Arriving(source(count), 100))
    assert [number for batch in batches for number in batch] == list(range(count))
    assert all(len(batch) <= 100 for batch in batches)


async def test_a_sender_that_does_not_wait_gets_growing_batches(monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_the_next_is_made_while_one_is_used_and_no_further() -> None:
    made: list[int] = []

    async def items() -> AsyncIterator[int]:
        for number in range(5):
            made.append(number)
            yield number

    async with asyncio.timeout(DEADLINE_S), aclosing(one_ahead(items())) as found:
        async for number in found:
            while len(made) < min(number + 2, 5):
                await asyncio.sleep(0)
            for _ in range(20):
                await asyncio.sleep(0)
            assert made == list(range(min(number + 2, 5)))
    assert made == [0, 1, 2, 3, 4]


async def test_one_is_given_before_the_next_has_come() -> None:
    used = asyncio.Event()

    async def items() -> AsyncIterator[int]:
        yield 1
        await used.wait()
        yield 2

    async with asyncio.timeout(DEADLINE_S), aclosing(one_ahead(items())) as found:
        assert await anext(found) == 1
        used.set()
        assert await anext(found) == 2
        with pytest.raises(StopAsyncIteration):
            await anext(found)


async def test_an_error_of_the_next_comes_behind_what_is_before_it() -> None:
    async def items() -> AsyncIterator[int]:
        yield 1
        raise ValueError("no message")

    async with aclosing(one_ahead(items())) as found:
        assert await anext(found) == 1
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="no message"):
            await anext(found)


async def test_nothing_is_made_after_the_close_and_no_error_is_left() -> None:
    heard: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context))
    closed: list[int] = []

    async def waits() -> AsyncIterator[int]:
        yield 1
        try:
            await asyncio.Event().wait()
        finally:
            closed.append(1)

    async def breaks() -> AsyncIterator[int]:
        yield 1
        raise ValueError("no message")

    for items in (waits, breaks):
        async with asyncio.timeout(DEADLINE_S), aclosing(one_ahead(items())) as found:
            assert await anext(found) == 1
            for _ in range(5):
                await asyncio.sleep(0)
        await asyncio.sleep(0)
    gc.collect()
    assert (closed, heard) == ([1], [])
