"""Connections that bring no call: they end on a timer, make room, and hold nobody else up."""

import asyncio
import socket
import ssl
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from molokini.server.web import bodies, connections
from tests.kit.waiting import eventually
from tests.kit.web import JOBS, Wire, chunk_of, request_of
from tests.server.security.kit import Town
from tests.server.web.conftest import Gatewayed, gatewayed

LIST, SUBMIT, WATCH = JOBS + "ListJobs", JOBS + "Submit", JOBS + "WatchJobs"
FULL = {"code": "RESOURCE_EXHAUSTED", "message": "too many calls are open", "reason": "too_much"}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience is short."""
    monkeypatch.setattr(connections, "IDLE_S", 0.3)
    monkeypatch.setattr(connections, "LOOK_S", 0.05)


@pytest.mark.parametrize(
    "said",
    [b"", b"\r\n", b"P", b"POST / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nHost: a\r\nX-More: ", b"\r\n\r\n\r\n"],
)
@pytest.mark.usefixtures("quick")
async def test_who_says_no_whole_request_is_cut(at: Gatewayed, said: bytes) -> None:
    for web in (at.web, at.tcp):
        async with web.connected() as wire:
            await wire.send(said)
            assert await wire.closed() == b""


@pytest.mark.usefixtures("quick")
async def test_who_says_it_letter_by_letter_is_cut(at: Gatewayed) -> None:
    """It is the whole request that counts, not the last letter of it."""
    async with at.web.connected() as wire:
        closed = asyncio.create_task(wire.closed())
        with suppress(ConnectionError):
            while not closed.done():
                await wire.send(b"GET / HTTP/1.1\r\n" if not wire.reader.at_eof() else b"")
                await asyncio.sleep(0.02)
                wire.writer.write(b"X: y\r\n")
        assert b"200" not in await closed


@pytest.mark.usefixtures("quick")
async def test_who_is_done_is_cut_some_time_later(at: Gatewayed) -> None:
    async with at.web.connected() as wire:
        for _ in range(2):
            await wire.send(request_of(LIST, b"{}"))
            assert (await wire.answer()).status == 200
        assert await wire.closed() == b""


@pytest.mark.usefixtures("quick")
async def test_who_waits_for_an_answer_is_not_cut(at: Gatewayed) -> None:
    await at.web.call(SUBMIT, {"spec": {"held": True}})
    async with at.web.connected() as wire:
        await wire.send(request_of(JOBS + "WaitJobs", b'{"jobs":[{"id":1}],"timeout_s":1}'))
        assert not (await wire.answer()).document.get("all_ended", False)


async def test_a_body_that_does_not_come(at: Gatewayed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_S", 0.3)
    async with at.web.connected() as wire:
        await wire.send(request_of(SUBMIT, b"", {"Content-Length": "100"}) + b'{"spec":')
        found = await wire.answer()
        assert (found.status, found.error["code"]) == (400, "INVALID_ARGUMENT")
        assert found.error["message"] == "the body has not come within 0.3 s"
    async with at.web.connected() as wire:
        await wire.send(request_of(SUBMIT, None))
        for _ in range(10):
            await wire.send(chunk_of(b" "))
            await asyncio.sleep(0.05)
        assert (await wire.answer()).status == 400


async def test_a_body_that_breaks_off_is_no_request(at: Gatewayed) -> None:
    async with at.web.connected() as wire:
        await wire.send(request_of(SUBMIT, b'{"spec":{"estimate_s":1}}', {"Content-Length": "100"}))
        await eventually(lambda: at.open_calls == 1)
        wire.writer.write_eof()
        await eventually(lambda: not at.open_calls)
    assert not at.core.state.jobs


async def test_a_thousand_that_say_nothing(at: Gatewayed) -> None:
    silent = []
    assert at.web.path is not None
    for _ in range(1000):
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        while one.connect_ex(str(at.web.path)):
            await asyncio.sleep(0.001)  # the kernel's queue is full: the server takes them in turn
        silent.append(one)
    await eventually(lambda: len(at.gateway.local) == 1000)
    for _ in range(20):
        assert (await at.web.call(SUBMIT, {"spec": {"held": True}})).status == 200
    for one in silent:
        one.close()
    await eventually(lambda: not len(at.gateway.local))


async def test_the_longest_idle_makes_room(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, limits__concurrent_rpcs=3) as at, AsyncExitStack() as stack:
        wires: list[Wire] = [await stack.enter_async_context(at.web.connected()) for _ in range(3)]
        await eventually(lambda: len(at.gateway.local) == 3)
        await wires[0].send(request_of(LIST, b"{}"))  # now the second has been idle for longest
        assert (await wires[0].answer()).status == 200
        assert (await at.web.call(LIST, {})).status == 200
        assert await wires[1].closed() == b""
        for wire in (wires[0], wires[2]):
            await wire.send(request_of(LIST, b"{}"))
            assert (await wire.answer()).status == 200
        # The two roads have as many each.
        assert (await at.tcp.with_token(at.one.token("ann")).call(LIST, {})).status == 200


async def test_where_all_have_calls_one_more_is_refused(tmp_path: Path) -> None:
    async with gatewayed(tmp_path, limits__concurrent_rpcs=3) as at, AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(at.web.connected()) for _ in range(3)]
        for wire in wires:
            await wire.send(request_of(WATCH, b"{}"))
            assert (await wire.head())[0] == 200
        found = await at.web.call(LIST, {})
        assert (found.status, found.error) == (429, FULL)
        wires[0].abort()
        await eventually(lambda: len(at.gateway.local) == 2)
        assert (await at.web.call(LIST, {})).status == 200


async def test_who_takes_nothing_is_cut(at: Gatewayed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "STUCK_S", 0.5)
    monkeypatch.setattr(connections, "LOOK_S", 0.05)
    await at.web.call(JOBS + "SubmitMany", [{"specs": [{"held": True, "comment": "x" * 1000}] * 1000}] * 5)
    for path in (LIST, WATCH):
        async with at.web.connected() as wire:
            # A reader that is asked for nothing reads some 128 KiB all the same.
            wire.writer.transport.pause_reading()  # type: ignore[attr-defined]
            await wire.send(request_of(path, b'{"page_size":5000}' if path == LIST else b"{}"))
            await eventually(lambda: len(at.gateway.local) == 1)
            await eventually(lambda: not len(at.gateway.local))
    await eventually(lambda: not at.open_calls)


async def test_requests_that_come_together_are_answered_in_turn(at: Gatewayed) -> None:
    count = 200
    async with at.web.connected() as wire:
        one = request_of(SUBMIT, b'{"spec":{"held":true}}')
        sending = asyncio.create_task(wire.send(one * count))
        found = [(await wire.answer()).document["job_id"] for _ in range(count)]
        await sending
    assert found == list(range(1, count + 1))


async def test_what_follows_a_refused_request_is_its_own(at: Gatewayed) -> None:
    """The body of a request that was not read is not taken for the next request."""
    inner = request_of(SUBMIT, b'{"spec":{"held":true}}')
    async with at.web.connected() as wire:
        await wire.send(request_of(JOBS + "Nothing", inner) + request_of(LIST, b"{}"))
        assert (await wire.answer()).status == 404
        assert (await wire.answer()).document == {}
    assert not at.core.state.jobs


async def test_a_connection_has_an_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that who shows a certificate must show it again; a call that is open has some grace."""
    monkeypatch.setattr(connections, "CLOSING_GRACE_S", 0.5)
    monkeypatch.setattr(connections, "LOOK_S", 0.05)
    town = Town(tmp_path)
    async with gatewayed(tmp_path, **town.settings("tls"), security__max_connection_age_s=0.5) as at:
        at.tcp.context = ssl.create_default_context(cadata=town.authority.pem.certificate.decode())
        ann = at.tcp.with_token(at.one.token("ann"))
        async with ann.connected() as idle, ann.connected() as busy, ann.connected() as watching:
            await watching.send(request_of(WATCH, b"{}", ann.headers))
            await watching.head()
            assert await idle.closed() == b""
            assert await watching.closed() == b""
            with suppress(ConnectionError):
                await busy.send(request_of(LIST, b"{}", ann.headers))
            assert await busy.closed() == b""
        assert (await ann.call(LIST, {})).status == 200
        # Over the socket no proof grows old: only who idles is cut.
        async with at.web.connected() as local:
            await eventually(lambda: len(at.gateway.local) == 1)
            at.gateway.local.look(asyncio.get_running_loop().time() + 5.0)
            await local.send(request_of(LIST, b"{}"))
            assert (await local.answer()).status == 200
