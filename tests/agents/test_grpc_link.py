"""An agent against a real gRPC server on loopback."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from typing import Any

import grpc
import grpc.aio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from molokini.agents.agent import EmulatedAgent
from molokini.agents.backoff import Backoff
from molokini.agents.grpc_link import ConnectionDenied, run_agent
from molokini.agents.session import RegistrationRefused
from molokini.proto.v1.agent_service_pb2 import AgentMessage, Refused, Report, ServerMessage, Welcome
from tests.kit.agents import Hands, agent, launch, said
from tests.kit.waiting import DEADLINE_S

Context = grpc.aio.ServicerContext[AgentMessage, ServerMessage]
Serve = Callable[[AsyncIterator[AgentMessage], Context], Awaitable[None]]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def server_of(
    serve: Serve, port: int = 0, raw: bool = False, tls: grpc.ServerCredentials | None = None
) -> AsyncIterator[str]:
    """A server whose every stream is played by *serve*; *raw*: it sends bytes as they are."""
    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(
        serve,
        request_deserializer=AgentMessage.FromString,
        response_serializer=None if raw else ServerMessage.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("molokini.v1.AgentService", {"Connect": handler}),)
    )
    at = f"127.0.0.1:{port}"
    bound = server.add_secure_port(at, tls) if tls else server.add_insecure_port(at)
    await server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        await server.stop(None)


@asynccontextmanager
async def running(work: Awaitable[None]) -> AsyncIterator[asyncio.Future[None]]:
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def talking(
    serve: Serve,
    one: EmulatedAgent | None = None,
    *,
    token: str | None = None,
    raw: bool = False,
    **given: Any,
) -> AsyncIterator[asyncio.Future[None]]:
    """An agent at work with a server whose every stream is played by *serve*; not for ever."""
    async with (
        server_of(serve, raw=raw) as address,
        running(run_agent(address, one or agent(), token or None, **given)) as task,
        asyncio.timeout(DEADLINE_S),
    ):
        yield task


async def first(stream: AsyncIterator[AgentMessage]) -> AgentMessage:
    return await anext(stream)


async def test_a_job_over_a_real_stream_with_its_token() -> None:
    reports: asyncio.Queue[Report] = asyncio.Queue()
    tokens: list[object] = []

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        tokens.extend(value for key, value in context.invocation_metadata() or () if key == "authorization")
        assert (await first(stream)).register.agent == "a"
        await context.write(ServerMessage(welcome=Welcome(now_s=50.0)))
        await context.write(ServerMessage(launch=launch(1, 50.0, 0.0)))
        async for message in stream:
            await reports.put(message.report)

    async with talking(serve, agent(follows_clock=False), token="secret"):
        assert said(await reports.get()) == ("ENDED", 1, 50.0)
    assert tokens == ["Bearer secret"]


async def test_streams_that_end_break_or_speak_nonsense_are_followed_by_others() -> None:
    """Each stream delivers what the ones before did not acknowledge, once each by serial."""
    seen: asyncio.Queue[tuple[int, list[int]]] = asyncio.Queue()
    streams = 0

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        nonlocal streams
        streams += 1
        await first(stream)
        begun = streams
        names = [launch(job, 0.0, 0.0) for job in range(1, begun + 1)]
        await _write(context, ServerMessage(welcome=Welcome(now_s=1.0, attempts=names)))
        serials = [(await anext(stream)).report.serial for _ in names]
        seen.put_nowait((begun, serials))
        if begun == 1:
            return
        if begun == 2:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "going away")
        if begun == 3:
            await context.write(b"\xff\xff no message")  # type: ignore[arg-type]
        await asyncio.sleep(DEADLINE_S)

    one = agent()
    async with talking(serve, one, backoff=Backoff(0.01, 0.02), raw=True):
        for stream in range(1, 5):
            assert await seen.get() == (stream, list(range(1, stream + 1)))


async def _write(context: Context, message: ServerMessage) -> None:
    await context.write(message.SerializeToString())  # type: ignore[arg-type]


async def test_a_server_that_is_not_there_yet_or_was_restarted_is_found() -> None:
    port = free_port()
    came = asyncio.Event()
    boots: list[str] = []

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        boots.append((await first(stream)).register.boot_id)
        await context.write(ServerMessage(welcome=Welcome()))
        came.set()
        await asyncio.sleep(DEADLINE_S)

    async with running(run_agent(f"127.0.0.1:{port}", agent(), None, backoff=Backoff(0.01, 0.05))):
        await asyncio.sleep(0.05)
        for _ in range(3):
            came.clear()
            async with server_of(serve, port), asyncio.timeout(DEADLINE_S):
                await came.wait()
    assert len(boots) >= 3
    assert len(set(boots)) == 1, "it is the same agent that comes again"


async def test_a_refusal_ends_the_agent() -> None:
    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        await first(stream)
        await context.write(ServerMessage(refused=Refused(reason="no such node")))

    async with server_of(serve) as address, asyncio.timeout(DEADLINE_S):
        with pytest.raises(RegistrationRefused, match="no such node"):
            await run_agent(address, agent(), None)


async def test_an_agent_that_is_put_off_comes_again_when_it_was_told_and_not_before() -> None:
    asked_s: asyncio.Queue[float] = asyncio.Queue()
    put_off_s = [0.3, 0.2]

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        await first(stream)
        asked_s.put_nowait(time.monotonic())
        if put_off_s:
            refused = Refused(reason="another agent a was here", retry_s=put_off_s.pop(0))
            await context.write(ServerMessage(refused=refused))
            return
        await context.write(ServerMessage(welcome=Welcome()))
        await asyncio.sleep(DEADLINE_S)

    async with talking(serve, backoff=Backoff(0.01, 0.02)) as task:
        times_s = [await asked_s.get() for _ in range(3)]
        assert not task.done()
    assert times_s[1] - times_s[0] >= 0.3
    assert times_s[2] - times_s[1] >= 0.2


class Told(Backoff):
    """Its pauses are told, and not made."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.bounds: asyncio.Queue[float] = asyncio.Queue()

    def next_s(self) -> float:
        self.bounds.put_nowait(super().next_s())
        return 0.001


@pytest.mark.parametrize(
    ("welcome", "first_s", "most_s", "bounds"),
    [
        (Welcome(), 1.0, 60.0, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]),
        (Welcome(lease_s=6.0), 0.4, 60.0, [0.4, 0.8, 1.0, 1.0]),
        (None, 0.001, 0.01, [0.001, 0.002, 0.004, 0.008, 0.01]),
    ],
    ids=["ended at once", "with a short lease", "never welcomed for longer than the longest pause"],
)
async def test_connections_that_were_no_good_come_with_growing_pauses(
    welcome: Welcome | None, first_s: float, most_s: float, bounds: list[float]
) -> None:
    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        await first(stream)
        if welcome is None:
            await asyncio.sleep(2 * most_s)
        else:
            await context.write(ServerMessage(welcome=welcome))

    told = Told(first_s, most_s, lambda: 1.0)
    async with talking(serve, backoff=told):
        assert [await told.bounds.get() for _ in bounds] == bounds


async def test_after_a_long_connection_the_first_pause_is_short_again() -> None:
    streams = 0

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        nonlocal streams
        streams += 1
        await first(stream)
        await context.write(ServerMessage(welcome=Welcome()))
        if streams == 3:
            # Longer than the longest pause.
            await asyncio.sleep(0.05)

    told = Told(0.001, 0.05, lambda: 1.0)
    async with talking(serve, backoff=told):
        seen = [await told.bounds.get() for _ in range(3)]
    assert seen[2] == 0.001


async def test_a_word_after_the_end_of_a_stream_opens_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer may hear of the end before the reader does, in a way of its own."""
    one, runs, again = agent(), 0, asyncio.Event()

    async def run(incoming: object, send: object) -> None:
        nonlocal runs
        runs += 1
        if runs > 1:
            again.set()
        raise asyncio.InvalidStateError("RPC already finished.")

    monkeypatch.setattr(one, "run", run)

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        await asyncio.sleep(DEADLINE_S)

    async with talking(serve, one, backoff=Backoff(0.01, 0.02)):
        await again.wait()


async def test_a_welcome_may_be_as_large_as_ten_thousand_nodes_with_scripts_make_it() -> None:
    welcomed = asyncio.Event()

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        await first(stream)
        large = launch(1, 0.0, 0.0)
        large.spec.script = "#" * (8 << 20)
        await context.write(ServerMessage(welcome=Welcome(now_s=1.0, attempts=[large])))
        assert (await anext(stream)).report.attempt.job_id == 1
        welcomed.set()
        await asyncio.sleep(DEADLINE_S)

    async with talking(serve):
        await welcomed.wait()


@pytest.mark.parametrize(
    "name", ["UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_ARGUMENT", "UNIMPLEMENTED"]
)
async def test_so_does_a_wrong_token(name: str) -> None:
    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        await context.abort(grpc.StatusCode[name], "not you")

    async with server_of(serve) as address, asyncio.timeout(DEADLINE_S):
        with pytest.raises(ConnectionDenied, match=f"{name}: not you"):
            await run_agent(address, agent(), "wrong")


async def test_a_server_without_the_service_is_none_of_ours() -> None:
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(ConnectionDenied, match="UNIMPLEMENTED"):
            await run_agent(f"127.0.0.1:{port}", agent(), None)
    await server.stop(None)


async def test_a_port_that_speaks_something_else_is_tried_again_and_again() -> None:
    """B6: random bytes from a port that is no gRPC server."""
    tries = asyncio.Semaphore(0)

    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tries.release()
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    other = await asyncio.start_server(babble, "127.0.0.1", 0)
    port = other.sockets[0].getsockname()[1]
    async with (
        other,
        running(run_agent(f"127.0.0.1:{port}", agent(), None, backoff=Backoff(0.01, 0.05))) as task,
        asyncio.timeout(DEADLINE_S),
    ):
        for _ in range(3):
            await tries.acquire()
        assert not task.done()


async def test_a_silent_server_is_left_when_the_lease_is_over() -> None:
    """F16: the stream stands, and nothing comes any more."""
    clock = Hands()
    streams: asyncio.Queue[int] = asyncio.Queue()
    left = asyncio.Event()

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        registration = (await first(stream)).register
        await context.write(ServerMessage(welcome=Welcome(lease_s=20.0, attempts=[launch(1, 0.0, 90.0)])))
        streams.put_nowait(len(registration.attempts))
        try:
            await asyncio.sleep(DEADLINE_S)
        finally:
            left.set()

    one = agent(clock)
    async with talking(serve, one, backoff=Backoff(0.01, 0.02)):
        assert await streams.get() == 0
        while not one.welcomed:
            await asyncio.sleep(0.001)
        clock.now += 20.0
        # The server is told that nobody hears it any more.
        await left.wait()
        assert await streams.get() == 0


def certificate() -> tuple[bytes, bytes]:
    """A key and a certificate of its own for 127.0.0.1, PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    here, now = x509.IPAddress(IPv4Address("127.0.0.1")), datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([here]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return secret, made.public_bytes(Encoding.PEM)


async def test_over_tls_and_only_to_a_server_that_proves_itself() -> None:
    key, mine = certificate()
    _, other = certificate()
    came: asyncio.Queue[str] = asyncio.Queue()

    async def serve(stream: AsyncIterator[AgentMessage], context: Context) -> None:
        came.put_nowait((await first(stream)).register.agent)

    one, tries = agent(), asyncio.Semaphore(0)

    class Counted(Backoff):
        def next_s(self) -> float:
            tries.release()
            return 0.01

    async with server_of(serve, tls=grpc.ssl_server_credentials([(key, mine)])) as address:
        wrong = grpc.ssl_channel_credentials(other)
        async with running(run_agent(address, one, None, wrong, Counted())), asyncio.timeout(DEADLINE_S):
            for _ in range(3):
                await tries.acquire()
        assert came.empty()
        right = grpc.ssl_channel_credentials(mine)
        async with running(run_agent(address, one, None, right)), asyncio.timeout(DEADLINE_S):
            assert await came.get() == "a"


def test_waits_grow_to_a_bound_spread_and_start_again() -> None:
    low, high = Backoff(0.1, 1.0, lambda: 0.0), Backoff(0.1, 1.0, lambda: 1.0)
    assert [high.next_s() for _ in range(6)] == [0.1, 0.2, 0.4, 0.8, 1.0, 1.0]
    assert [low.next_s() for _ in range(3)] == [0.05, 0.1, 0.2]
    high.reset()
    assert high.next_s() == 0.1


def test_no_wait_takes_a_large_part_of_the_lease() -> None:
    wait = Backoff(0.1, 5.0, lambda: 1.0)
    for _ in range(10):
        wait.next_s()
    wait.keep_within(6.0)
    assert [wait.next_s() for _ in range(2)] == [1.0, 1.0]
    wait.keep_within(0.3)
    assert [wait.next_s() for _ in range(2)] == [0.1, 0.1], "never shorter than the first"
    for lease_s in (60.0, float("inf")):
        wait.reset()
        wait.keep_within(lease_s)
        assert [wait.next_s() for _ in range(8)][-1] == 5.0
