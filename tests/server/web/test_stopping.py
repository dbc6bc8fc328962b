"""A server that starts says so, one that stops says so, and one that was killed leaves nothing in the way."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from molokini.app.serving import LiveServer
from molokini.model.errors import MolokiniError
from molokini.server.config import load_config
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S, eventually
from tests.kit.web import JOBS, Web, request_of
from tests.server.web.conftest import Gatewayed, gatewayed

LIST, SUBMIT, WATCH, WAIT = (JOBS + name for name in ("ListJobs", "Submit", "WatchJobs", "WaitJobs"))


async def test_a_starting_server_says_so(tmp_path: Path) -> None:
    async with gatewayed(tmp_path) as at:
        at.server.opened = False
        for web in (at.web, at.tcp.with_token(at.one.token("ann"))):
            found = await web.call(LIST, {})
            wanted = (503, "UNAVAILABLE", "not_ready")
            assert (found.status, found.error["code"], found.error["reason"]) == wanted
            assert found.error["message"].startswith("the server is starting")
            health = await web.call("/health", verb="GET")
            assert (health.status, health.document) == (503, {"status": "starting"})
        # Who may not call is told that, and not how things stand.
        assert (await at.tcp.call(LIST, {})).status == 401
        at.server.opened = True
        assert (await at.web.call(LIST, {})).status == 200


async def test_a_stopping_server_ends_watches_and_waits_with_why(tmp_path: Path) -> None:
    async with gatewayed(tmp_path) as at:
        await at.web.call(SUBMIT, {"spec": {"held": True}})
        async with at.web.connected() as watching, at.web.connected() as waiting, at.web.connected() as idle:
            await watching.send(request_of(WATCH, b'{"only_new":true}'))
            assert (await watching.head())[0] == 200
            await waiting.send(request_of(WAIT, b'{"jobs":[{"id":1}]}'))
            await eventually(lambda: at.open_calls == 2)
            stopping = asyncio.create_task(at.gateway.stop(0.2))
            last = await watching.rest()
            assert b'"code":"UNAVAILABLE"' in last
            assert b'"reason":"stopping"' in last
            found = await waiting.answer()
            assert (found.status, found.error["message"]) == (503, "the server is stopping")
            assert await idle.closed() == b""
            await stopping
        assert not at.open_calls
        assert at.web.path is not None
        assert not at.web.path.exists()


async def test_a_call_that_is_quick_ends_well_while_the_server_stops(at: Gatewayed) -> None:
    await at.web.call(SUBMIT, {"spec": {"held": True}})
    async with at.web.connected() as wire:
        await wire.send(request_of(WAIT, b'{"jobs":[{"id":1}],"timeout_s":0.3}'))
        await eventually(lambda: at.open_calls == 1)
        calls = asyncio.create_task(at.gateway.calls.stop(DEADLINE_S))
        assert (await wire.answer()).status == 200
        await calls
    at.gateway.calls._stopping = False


@pytest.mark.deep
async def test_a_client_that_takes_nothing_does_not_hold_the_stop_up(tmp_path: Path) -> None:
    async with gatewayed(tmp_path) as at:
        await at.web.call(
            JOBS + "SubmitMany", [{"specs": [{"held": True, "comment": "x" * 1000}] * 1000}] * 5
        )
        _, writer = await asyncio.open_unix_connection(str(at.web.path))
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(request_of(LIST, b'{"page_size":5000}'))
        await eventually(lambda: bool(at.gateway.local._behind))
        began = time.monotonic()
        await at.gateway.stop(0.2)
        assert time.monotonic() - began < 60
        writer.transport.abort()


async def test_the_socket_goes_with_the_server(tmp_path: Path) -> None:
    async with served(tmp_path) as one:
        path = tmp_path / "state" / "socket"
        assert path.is_socket()
        assert one.server.gateway is not None
        assert one.server.gateway.port == 0
    assert not path.exists()


async def test_the_state_says_where_the_gateway_is_while_it_is(tmp_path: Path) -> None:
    said = tmp_path / "state" / "web-endpoint"
    async with gatewayed(tmp_path) as at:
        assert said.read_text() == f"127.0.0.1:{at.gateway.port}\n"
    assert not said.exists()


async def test_a_server_without_the_socket(tmp_path: Path) -> None:
    async with served(tmp_path, web__gateway=False):
        assert not (tmp_path / "state" / "web-endpoint").exists()
        assert not (tmp_path / "state" / "socket").exists()


async def test_a_place_that_is_taken_ends_the_start(tmp_path: Path) -> None:
    taken = tmp_path / "here"
    taken.write_text("precious")
    given = {"server.listen": "127.0.0.1:0", "server.journal": str(tmp_path / "state"), "server.new": True}
    with pytest.raises(MolokiniError, match=r"web\.socket: .*here exists already, and is not a socket"):
        await LiveServer.started(load_config(None, {**given, "web.socket": str(taken)}))
    assert taken.read_text() == "precious"
    socket = tmp_path / "state" / "socket"
    async with gatewayed(tmp_path / "other") as at:
        listen = f"127.0.0.1:{at.gateway.port}"
        with pytest.raises(MolokiniError, match=f"web.listen: cannot listen on {listen}: "):
            await LiveServer.started(load_config(None, {**given, "server.new": False, "web.listen": listen}))
        assert (await at.tcp.call("/health", verb="GET")).status == 200
    assert not socket.exists()


@pytest.mark.deep
async def test_a_killed_servers_socket_is_taken_over(tmp_path: Path) -> None:
    """A real process, killed; the next one on its state serves at the same place."""
    words = [sys.executable, "-m", "molokini.clients.command", "up", "--nodes", "2", "--clock", "stepped"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    path = tmp_path / "molokini-state" / "socket"
    submitted = 0
    for end in (signal.SIGKILL, signal.SIGTERM):
        given = words[: 4 if submitted else None]  # the state has the rest
        server = subprocess.Popen(given, cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
        try:
            assert server.stdout is not None
            line = await asyncio.to_thread(server.stdout.readline)
            assert line.startswith(b"molokini is ready: 127.0.0.1:")
            made = await Web(path).call(SUBMIT, {"spec": {"held": True}})
            submitted += 1
            assert made.document == {"job_id": submitted, "emulated": True}
        finally:
            server.send_signal(end)
            await asyncio.to_thread(server.wait, DEADLINE_S)
            if server.stdout is not None:
                server.stdout.close()
        assert path.exists() == (end is signal.SIGKILL)
