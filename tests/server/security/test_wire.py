"""B4, B6, B7: what reaches the port without being a call; after each, another caller is served as before."""

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from molokini.server.security import serving
from tests.server.security.kit import GET_JOB, SUBMIT_STREAM, Channel, Running, Town, running
from tests.server.security.raw_http2 import (
    END_HEADERS,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    call,
    connected,
    frame,
    headers,
)

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path) as one:
        yield one
        async with one.channel() as channel:
            assert (await channel.who(one.as_("witness"))) == ("witness", "user")


@pytest.mark.parametrize("size", [17_000, 65_536])
async def test_metadata_above_the_hard_limit(server: Running, size: int) -> None:
    async with server.channel() as channel:
        await channel.who(server.owner)
        error = await channel.status(GET_JOB, metadata=(*server.owner, ("x", "y" * size)))
        assert error.code() is EXHAUSTED
        assert (await channel.who(server.owner))[1] == "administrator"  # the connection goes on


async def test_metadata_above_the_soft_limit(server: Running) -> None:
    """Refused with growing likelihood, so either is right; nothing else is."""
    async with server.channel() as channel:
        for _ in range(20):
            code = await channel.code(GET_JOB, metadata=(*server.owner, ("x", "y" * 9000)))
            assert code in (EXHAUSTED, grpc.StatusCode.OK)


async def test_a_binary_header_that_is_none(server: Running) -> None:
    token = server.owner[0][1].encode()
    async with connected(server.port) as wire:
        await wire.send(call(1, GET_JOB, more=[(b"authorization", token), (b"x-bin", b"!!not base64!!")]))
        assert await wire.frame_of(HEADERS)  # an answer, whichever; the connection goes on
        await wire.send(frame(PING, 0, 0, b"12345678"))
        assert await wire.frame_of(PING) == b"12345678"


async def test_a_method_that_does_not_exist(server: Running) -> None:
    async with server.channel() as channel:
        for method in ("/molokini.v1.JobService/Nothing", "/nothing.Nothing/No", "/", "/a"):
            assert await channel.code(method, metadata=server.owner) is grpc.StatusCode.UNIMPLEMENTED
            assert await channel.code(method) is grpc.StatusCode.UNIMPLEMENTED


async def test_a_stream_where_one_message_belongs_and_the_reverse(server: Running) -> None:
    async with server.channel() as channel:
        assert await channel.code(SUBMIT_STREAM, metadata=server.owner) is not grpc.StatusCode.UNKNOWN
        codes = await several_messages(channel, server)
        assert codes is not grpc.StatusCode.UNKNOWN


async def several_messages(channel: Channel, server: Running) -> grpc.StatusCode:
    from typing import Any

    multi: Any = channel.channel.stream_unary(GET_JOB)
    try:
        await multi(iter([b"", b"", b""]), metadata=server.owner, timeout=60)
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


@pytest.mark.parametrize(
    "greeting",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        bytes(range(256)) * 40,
        PREFACE + b"\xff" * 100,
        PREFACE + frame(SETTINGS, 0, 0, b"\0" * 5),
    ],
    ids=["HTTP/1", "TLS", "bytes", "frame too large", "bad settings"],
)
async def test_what_is_no_grpc_is_closed(server: Running, greeting: bytes) -> None:
    async with connected(server.port, greeting) as wire:
        await wire.frames()


async def test_a_plain_client_on_a_tls_port(tmp_path: Path) -> None:
    town = Town(tmp_path)
    async with running(tmp_path, **town.settings("tls")) as server:
        async with connected(server.port) as wire:
            await wire.frames()
        async with server.channel(town.credentials()) as channel:
            assert await channel.who(server.as_("alice")) == ("alice", "user")


@pytest.mark.parametrize("mode", ["token", "tls"])
@pytest.mark.parametrize("greeting", [b"", PREFACE[:10]])
async def test_silence_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, greeting: bytes
) -> None:
    monkeypatch.setattr(serving, "HANDSHAKE_MS", 500)
    settings = Town(tmp_path).settings("tls") if mode == "tls" else {}
    async with running(tmp_path, **settings) as server, connected(server.port, greeting) as silent:
        kinds = {kind for kind, _, _ in await silent.frames()}  # returns when the server closes
        assert kinds <= {SETTINGS, WINDOW_UPDATE, GOAWAY}


async def test_who_greets_and_calls_nothing_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "IDLE_MS", 500)
    async with running(tmp_path) as server, connected(server.port) as greeted:
        # Neither a setting nor a ping is answered; the connection ends all the same.
        kinds = {kind for kind, _, _ in await greeted.frames()}
        assert kinds <= {SETTINGS, WINDOW_UPDATE, PING, GOAWAY}
        # Nor does one that made a call and makes none now stay; its client does not notice.
        async with server.channel() as channel:
            for _ in range(2):
                assert await channel.who(server.owner)
                await asyncio.sleep(1.5)


def test_a_greeting_alone_is_borne_no_longer_than_silence() -> None:
    assert serving.IDLE_MS <= serving.HANDSHAKE_MS == 10_000


async def test_tls_on_a_plain_port(server: Running) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with pytest.raises((ssl.SSLError, ConnectionError)):
        await asyncio.open_connection("127.0.0.1", server.port, ssl=context)


async def test_a_flood_of_pings_is_sent_away(server: Running) -> None:
    async with connected(server.port) as wire:
        await wire.send(b"".join(frame(PING, 0, 0, bytes(8)) for _ in range(5)))
        assert b"too_many_pings" in await wire.frame_of(GOAWAY)


async def test_a_storm_of_resets_keeps_nobody_out(server: Running) -> None:
    """Rapid reset: calls that are opened and taken back at once, while another caller goes on."""
    storm = b"".join(
        frame(HEADERS, END_HEADERS, stream, headers(GET_JOB))
        + frame(RST_STREAM, 0, stream, bytes([0, 0, 0, 8]))
        for stream in range(1, 4001, 2)
    )
    async with connected(server.port) as wire, server.channel() as channel:
        with contextlib.suppress(ConnectionError):
            await wire.send(storm)
        began = time.monotonic()
        assert await channel.who(server.as_("alice")) == ("alice", "user")
        assert time.monotonic() - began < 30


async def test_open_calls_are_bounded(tmp_path: Path) -> None:
    """Beyond the limit callers are refused at once instead of waiting."""
    gate = asyncio.Event()

    async def slow(request: object, context: object) -> object:
        from molokini.proto.v1 import jobs_pb2

        await gate.wait()
        return jobs_pb2.Job()

    limits = {"limits__concurrent_rpcs": 5}
    async with (
        running(tmp_path, {"GetJob": slow}, None, None, **limits) as server,
        server.channel() as channel,
    ):
        calls = [asyncio.create_task(channel.code(GET_JOB, metadata=server.owner)) for _ in range(12)]
        async with asyncio.timeout(60):
            while sum(one.done() for one in calls) < 7:
                await asyncio.wait(
                    [one for one in calls if not one.done()], return_when=asyncio.FIRST_COMPLETED
                )
        assert {one.result() for one in calls if one.done()} == {EXHAUSTED}
        gate.set()
        codes = await asyncio.gather(*calls)
        assert codes.count(grpc.StatusCode.OK) == 5
