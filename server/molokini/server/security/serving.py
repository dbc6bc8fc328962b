"""A server as the configuration wants it protected: options, credentials, the door, the address."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from molokini.model.errors import BadValue, MolokiniError
from molokini.server.config.addresses import is_loopback
from molokini.server.config.model import Config
from molokini.server.security import private_files
from molokini.server.security.authentication import ByCertificate, ByNothing, ByToken, Prover, owner_name
from molokini.server.security.interceptor import Door
from molokini.server.security.issued import IssuedTokens
from molokini.server.security.keys import server_credentials
from molokini.server.security.peers import ByPeer
from molokini.server.security.rates import Rates
from molokini.server.security.roles import ANY_NODE, Role
from molokini.server.security.tokens import KeyRing, Tokens, keep_local_token

log = logging.getLogger("molokini.server.access")

KEYS = "token-keys.json"
ISSUED = "tokens.json"
TOKEN = "token"
AGENT_TOKEN = "agent-token"

CLOSING_GRACE_S = 30
"""Calls that are open when a connection has reached its age have so long to end."""

HANDSHAKE_MS = 10_000
"""A connection that has not become one of gRPC's by then is closed."""

_PING_FLOOR_MS = 10_000
IDLE_MS = 10_000
"""And so is one without an open call for so long: a connection that never makes one looks the same to gRPC.

A client that comes back later reconnects by itself, which costs it a millisecond or two. Agents and
watchers have a call open all the time.
"""
_STREAMS_A_CONNECTION = 1000

Clock = Callable[[], float]
Options = Sequence[tuple[str, Any]]


@dataclass
class Security:
    """What a server needs to be protected; ``new_server`` and ``bind`` put it in place."""

    config: Config
    door: Door
    local_door: Door
    """Of callers over the Unix socket, whom the kernel knows."""
    options: Options
    tokens: Tokens | None
    token_file: Path | None
    agent_token_file: Path | None
    wall: Clock
    _calls: Rates
    _failures: Rates

    @property
    def credentials(self) -> grpc.ServerCredentials | None:
        """New ones for each address: gRPC asks one value of these for the first certificate once only."""
        return server_credentials(self.config.security, self.wall)

    @property
    def interceptors(self) -> Sequence[aio.ServerInterceptor]:
        """For ``grpc.aio.server``."""
        return (self.door,)

    def new_server(self) -> aio.Server:
        """A server that checks every caller; it has no services and no port yet."""
        return aio.server(
            interceptors=self.interceptors,
            options=self.options,
            maximum_concurrent_rpcs=self.config.limits.concurrent_rpcs,
        )

    def bind(self, server: aio.Server, listen: str | None = None) -> int:
        """Listen, on the configured address unless another is given, and return the port.

        BadValue for an address that others can reach where there is no certificate.
        """
        listen = self.config.server.listen if listen is None else listen
        credentials = self.credentials
        if credentials is None and not is_loopback(listen):
            raise BadValue("server.listen", listen, "a loopback address, since there is no certificate")
        try:
            if credentials is None:
                return server.add_insecure_port(listen)
            return server.add_secure_port(listen, credentials)
        except RuntimeError as error:
            raise MolokiniError(
                f"cannot listen on {listen}: the address is taken or is not this machine's"
            ) from error

    def apply(self, config: Config) -> None:
        """Go on by *config*, as far as its keys may change at a reload."""
        limits = config.limits
        self._calls.change(limits.requests_per_second, limits.burst)
        self._failures.change(limits.bad_credentials_per_second, limits.bad_credentials_per_second)
        if self.tokens is not None:
            self.tokens.lifetime_s = config.security.token_lifetime_s
            self.tokens.skew_s = config.security.clock_skew_s
        self._prove_by(config)
        self.config = config

    def rotate(self) -> None:
        """Sign tokens with a new key from now on; the owner's token files are written again."""
        if self.tokens is None:
            raise MolokiniError("an open server has no keys")
        self.tokens.ring.rotate()
        self._prove_by(self.config)
        try:
            _keep_files(self)
        except private_files.NotWritten as error:
            # They are valid until the next rotation, which writes them again, as a start does.
            log.error(
                "the keys are rotated, but a token of the owner is still signed by the previous key: %s",
                error,
            )

    def _prove_by(self, config: Config) -> None:
        self.door.prover = _prover(config, self.tokens, self.wall)
        self.local_door.prover = _local_prover(config, self.tokens, self.wall)


def server_security(
    config: Config, state_folder: Path, wall: Clock = time.time, monotonic: Clock = time.monotonic
) -> Security:
    """The protection that *config* asks for; keys and token files are made in *state_folder* at first.

    Lifetimes are judged on *wall*, rates on *monotonic*; the scheduling clock has no say. BadFile names a
    certificate or key that cannot be used.
    """
    limits, settings = config.limits, config.security
    server_credentials(settings, wall)  # what is wrong with the files is said before anything is made
    tokens = None
    if settings.mode != "open":
        ring = KeyRing(state_folder / KEYS)
        issued = IssuedTokens(state_folder / ISSUED, wall)
        lifetime_s, skew_s = settings.token_lifetime_s, settings.clock_skew_s
        tokens = Tokens(config.server.name, ring, issued, lifetime_s, skew_s, wall)
    calls = Rates(limits.requests_per_second, limits.burst, monotonic)
    rate = limits.bad_credentials_per_second
    failures = Rates(rate, rate, monotonic)
    owned = settings.mode in ("token", "tls")
    security = Security(
        config=config,
        door=Door(_prover(config, tokens, wall), calls, failures),
        local_door=Door(_local_prover(config, tokens, wall), calls, failures),
        options=server_options(config),
        tokens=tokens,
        token_file=(settings.token_file or state_folder / TOKEN) if owned else None,
        agent_token_file=state_folder / AGENT_TOKEN if settings.mode == "token" else None,
        wall=wall,
        _calls=calls,
        _failures=failures,
    )
    _keep_files(security)
    return security


def server_options(config: Config) -> Options:
    """The options of gRPC: sizes, pings, ages."""
    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", config.limits.message_bytes),
        ("grpc.max_metadata_size", 8192),
        ("grpc.absolute_max_metadata_size", 16_384),
        # Without, two servers could share one port, each with a part of the calls.
        ("grpc.so_reuseport", 0),
        ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS),
        ("grpc.max_concurrent_streams", _STREAMS_A_CONNECTION),
        ("grpc.max_connection_idle_ms", IDLE_MS),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        # Agents ping twice a minute; gRPC would allow one ping in five minutes.
        ("grpc.http2.min_ping_interval_without_data_ms", _PING_FLOOR_MS),
        ("grpc.http2.max_ping_strikes", 2),
    ]
    age_s = config.security.max_connection_age_s
    if config.security.mode in ("tls", "mtls") and age_s:
        options += [
            ("grpc.max_connection_age_ms", int(age_s * 1000)),
            ("grpc.max_connection_age_grace_ms", CLOSING_GRACE_S * 1000),
        ]
    return options


def _prover(config: Config, tokens: Tokens | None, wall: Clock) -> Prover:
    settings = config.security
    if tokens is None:
        return ByNothing()
    by_token = ByToken(tokens, settings.users, wall)
    return ByCertificate(by_token, settings, wall) if settings.mode == "mtls" else by_token


def _local_prover(config: Config, tokens: Tokens | None, wall: Clock) -> Prover:
    settings = config.security
    others: Prover = ByNothing() if tokens is None else ByToken(tokens, settings.users, wall)
    return ByPeer(others, settings.users, is_open=tokens is None)


def _keep_files(security: Security) -> None:
    """Keep the owner's token and that of the owner's agents, where the server is for one machine."""
    files = (
        (security.token_file, owner_name(), Role.ADMINISTRATOR),
        (security.agent_token_file, ANY_NODE, Role.NODE),
    )
    for path, name, role in files:
        if path is not None and security.tokens is not None:
            keep_local_token(security.tokens, path, name, role)
