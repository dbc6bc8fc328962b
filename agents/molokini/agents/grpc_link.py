"""An agent's connections over gRPC: one channel for its whole life, one stream after the other on it.

A stream that breaks (the server restarts, GOAWAY, a cut network, words that cannot be read) is followed by
another one. Only an answer that would be the same next time ends the agent: a refusal, a wrong token, a
server that knows no such service. A server that says when to come again (the name may still be another
agent's) is asked again then, and not before.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from molokini.agents.backoff import Backoff
from molokini.agents.session import Agent, PutOff, WireBroken
from molokini.model.errors import BadInput
from molokini.proto.v1.agent_service_pb2 import AgentMessage, ServerMessage

_log = logging.getLogger(__name__)

_METHOD = "/molokini.v1.AgentService/Connect"

_FINAL = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INVALID_ARGUMENT,
    }
)

_OPTIONS = (
    # A welcome names every attempt of up to 10,000 nodes, scripts included; the server is trusted with that.
    ("grpc.max_receive_message_length", 256 << 20),
    # The channel's own waits stay below ours, a part of the lease: a stream would fail on an old verdict.
    # The channel tries only when a stream is opened, so its short waits put no load on the server.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1000),
    ("grpc.max_reconnect_backoff_ms", 300),
    # A connection that died without a word (a router forgot it) is noticed, or every stream would wait on it.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)


_ALL_TRIED = "failed to connect to all addresses"


class ConnectionDenied(BadInput):
    """The server is there and will not talk to this agent; trying again would meet the same answer."""


async def run_agent(
    server: str,
    agent: Agent,
    token: str | None,
    tls: grpc.ChannelCredentials | None = None,
    backoff: Backoff | None = None,
) -> None:
    """Keep *agent* connected to *server* ("HOST:PORT") until cancelled.

    *token* goes with every stream as a bearer token. Raises ConnectionDenied or RegistrationRefused.
    """
    wait = backoff or Backoff()
    async with _channel(server, tls) as channel:
        while True:
            began_s, least_s = time.monotonic(), 0.0
            try:
                cause = f"lost the connection to {server}: {await _connect_once(channel, agent, token)}"
            except PutOff as refusal:
                cause, least_s = str(refusal), refusal.retry_s
            wait.keep_within(agent.lease_s)
            if agent.welcomed and time.monotonic() - began_s >= wait.most_s:
                # One that ends as soon as it is there is no good one, however often it is welcomed.
                wait.reset()
            wait_s = max(least_s, wait.next_s())
            _log.warning("%s; next try in %.1f s", cause, wait_s)
            await asyncio.sleep(wait_s)


def _channel(server: str, tls: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
    if tls is None:
        return grpc.aio.insecure_channel(server, options=_OPTIONS)
    return grpc.aio.secure_channel(server, tls, options=_OPTIONS)


async def _connect_once(channel: grpc.aio.Channel, agent: Agent, token: str | None) -> str:
    """One stream, to its end; why it ended."""
    connect = channel.stream_stream(
        _METHOD, request_serializer=AgentMessage.SerializeToString, response_deserializer=_decode
    )
    call = connect(metadata=[("authorization", f"Bearer {token}")] if token else None)
    try:
        await agent.run(_messages(call), call.write)
    except grpc.aio.AioRpcError as failure:
        if failure.code() in _FINAL:
            raise ConnectionDenied(f"the server answers {failure.code().name}: {failure.details()}") from None
        said = failure.details() or ""
        # Of addresses that were tried gRPC tells at length, with each try; its last words say why.
        return f"{failure.code().name}: {said.rpartition(': ')[2] if said.startswith(_ALL_TRIED) else said}"
    except (WireBroken, asyncio.InvalidStateError) as failure:
        # InvalidStateError: a write after the end, before the reader has learned of it.
        return str(failure)
    finally:
        call.cancel()
    return "closed by the server, or the server was silent"


def _decode(raw: bytes) -> ServerMessage | None:
    """None for what is no message: gRPC's own way would be a traceback in the log."""
    try:
        return ServerMessage.FromString(raw)
    except DecodeError:
        return None


async def _messages(
    call: grpc.aio.StreamStreamCall[Message, ServerMessage | None],
) -> AsyncIterator[ServerMessage]:
    async for message in call:
        if message is None:
            raise WireBroken("the server sent bytes that are not a message")
        yield message
