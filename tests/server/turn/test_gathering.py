"""A turn waits for the callers that it knows of: not for one more, and not for one that does not come."""

import asyncio

import pytest

from molokini.server.turn import gathering as module
from molokini.server.turn.gathering import Gathering
from tests.kit.waiting import DEADLINE_S


async def test_expected_callers_are_waited_for_until_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SILENCE_S", DEADLINE_S)
    mailbox: list[int] = []
    gathering = Gathering(mailbox)
    gathering.expect(40)
    mailbox.append(0)
    waiting = asyncio.create_task(gathering.wait())
    for number in range(1, 40):
        await asyncio.sleep(0)
        assert not waiting.done()
        mailbox.append(number)
        gathering.note()
    await asyncio.wait_for(waiting, DEADLINE_S)
    assert len(mailbox) == 40


async def test_where_all_are_there_nothing_is_waited_for() -> None:
    gathering = Gathering([1])
    waiting = asyncio.create_task(gathering.wait())
    await asyncio.sleep(0)
    assert waiting.done()


async def test_callers_who_missed_a_turn_are_still_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SILENCE_S", DEADLINE_S)
    mailbox = [1] * 34
    gathering = Gathering(mailbox)
    gathering.expect(40)
    # That turn had but three; the next waits for seven eighths of those before.
    gathering.expect(3)
    waiting = asyncio.create_task(gathering.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    mailbox.append(1)
    gathering.note()
    await asyncio.wait_for(waiting, DEADLINE_S)


async def test_callers_who_do_not_come_back_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SILENCE_S", DEADLINE_S)
    gathering = Gathering([1])
    gathering.expect(32)
    for _ in range(21):
        gathering.expect(1)
    waiting = asyncio.create_task(gathering.wait())
    await asyncio.sleep(0)
    assert waiting.done()


async def test_one_that_stays_silent_is_not_waited_for() -> None:
    mailbox = [1]
    gathering = Gathering(mailbox)
    gathering.expect(1000)
    await asyncio.wait_for(gathering.wait(), DEADLINE_S)
    assert mailbox == [1]


async def test_a_trickle_does_not_keep_a_turn_from_ever_beginning() -> None:
    mailbox: list[int] = []
    gathering = Gathering(mailbox)
    gathering.expect(2**62)
    waiting = asyncio.create_task(gathering.wait())
    async with asyncio.timeout(DEADLINE_S):
        while not waiting.done():
            mailbox.append(1)
            gathering.note()
            await asyncio.sleep(0)


async def test_a_second_turn_waits_for_as_many_as_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SILENCE_S", DEADLINE_S)
    mailbox = [1, 1, 1]
    gathering = Gathering(mailbox)
    gathering.expect(3)
    gathering.note()
    await gathering.wait()
    mailbox[:] = [1]
    waiting = asyncio.create_task(gathering.wait())
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    mailbox += [1, 1]
    gathering.note()
    await asyncio.wait_for(waiting, DEADLINE_S)
