"""Work beside the loop: in turn, heard of, and told when nobody waits."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from molokini.server.background import Background, GivenUp
from tests.kit.waiting import DEADLINE_S


async def test_the_loop_goes_on_and_the_result_comes() -> None:
    go = threading.Event()

    def work(_: GivenUp) -> int:
        assert go.wait(DEADLINE_S)
        return 7

    running = asyncio.create_task(Background().run(lambda: work))
    await asyncio.sleep(0)
    go.set()
    assert await asyncio.wait_for(running, DEADLINE_S) == 7


async def test_what_it_raises_is_raised() -> None:
    def work(_: GivenUp) -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await Background().run(lambda: work)


async def test_one_at_a_time_and_each_prepared_at_its_turn() -> None:
    aside, go, prepared = Background(), threading.Event(), list[str]()

    def first(_: GivenUp) -> str:
        assert go.wait(DEADLINE_S)
        return "first"

    def prepare(name: str, work: Callable[[GivenUp], str]) -> Callable[[GivenUp], str]:
        prepared.append(name)
        return work

    one = asyncio.create_task(aside.run(lambda: prepare("one", first)))
    two = asyncio.create_task(aside.run(lambda: prepare("two", lambda _: "second")))
    while not prepared:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert prepared == ["one"]
    go.set()
    assert [await asyncio.wait_for(task, DEADLINE_S) for task in (one, two)] == ["first", "second"]
    assert prepared == ["one", "two"]


async def test_when_nobody_waits_the_work_hears_of_it() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(given_up: GivenUp) -> None:
        begun.set()
        pause = threading.Event()
        while not given_up():
            pause.wait(0.001)
        ended.set()

    aside = Background()
    running = asyncio.create_task(aside.run(lambda: work))
    assert await asyncio.to_thread(begun.wait, DEADLINE_S)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await asyncio.to_thread(ended.wait, DEADLINE_S)
    assert await asyncio.wait_for(aside.run(lambda: lambda _: 1), DEADLINE_S) == 1
