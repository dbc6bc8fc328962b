"""Real servers on loopback with a tiny servicer, and callers of every kind."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from molokini.proto.v1 import agent_service_pb2, cluster_service_pb2, job_service_pb2, jobs_pb2
from molokini.server.config import Config, load_config
from molokini.server.security import Role, Security, add_services, caller, server_security
from molokini.server.security.certificates import Authority, Issued, Kind
from tests.kit.streams import heard

JOBS: ServiceDescriptor = job_service_pb2.DESCRIPTOR.services_by_name["JobService"]
CLUSTER: ServiceDescriptor = cluster_service_pb2.DESCRIPTOR.services_by_name["ClusterService"]
AGENTS: ServiceDescriptor = agent_service_pb2.DESCRIPTOR.services_by_name["AgentService"]
SERVICES = (JOBS, CLUSTER, AGENTS)

SUBMIT = "/molokini.v1.JobService/Submit"
GET_JOB = "/molokini.v1.JobService/GetJob"
LIST_JOBS = "/molokini.v1.JobService/ListJobs"
SUBMIT_STREAM = "/molokini.v1.JobService/SubmitStream"
SET_POLICY = "/molokini.v1.ClusterService/SetPolicy"
CONNECT = "/molokini.v1.AgentService/Connect"

Metadata = tuple[tuple[str, str], ...]


class Servicer:
    """Answers every method of a service with an empty message, and what *answers* says otherwise."""

    def __init__(self, service: ServiceDescriptor, answers: Mapping[str, Any]) -> None:
        for method in service.methods:
            setattr(self, method.name, answers.get(method.name) or _empty(method))


def _empty(method: MethodDescriptor) -> Any:
    kind = GetMessageClass(method.output_type)

    async def once(request: Any, context: Any) -> Any:
        if method.client_streaming:
            async for _ in request:
                pass
        return kind()

    async def many(request: Any, context: Any) -> AsyncIterator[Any]:
        if not method.client_streaming:
            yield kind()
            return
        async for _ in request:
            yield kind()

    return many if method.server_streaming else once


async def who(request: Any, context: Any) -> jobs_pb2.Job:
    """GetJob of the tests: says who calls."""
    one = caller()
    return jobs_pb2.Job(user=one.name, reason=one.role.value)


@dataclass
class Clock:
    """A clock to turn."""

    now_s: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass
class Running:
    """A server that answers."""

    port: int
    security: Security
    server: aio.Server

    @asynccontextmanager
    async def channel(
        self, credentials: grpc.ChannelCredentials | None = None, **options: Any
    ) -> AsyncIterator["Channel"]:
        target = f"127.0.0.1:{self.port}"
        given = [
            ("grpc.use_local_subchannel_pool", 1),
            *((f"grpc.{name}", one) for name, one in options.items()),
        ]
        if credentials is None:
            channel = aio.insecure_channel(target, given)
        else:
            channel = aio.secure_channel(target, credentials, given)
        async with channel:
            yield Channel(channel)

    @property
    def owner(self) -> Metadata:
        """Metadata with the token of the owner's file."""
        assert self.security.token_file is not None
        return bearer(self.security.token_file.read_text().strip())

    def as_(self, name: str, role: Role = Role.USER, **lifetime: float) -> Metadata:
        """Metadata with a short token."""
        assert self.security.tokens is not None
        from molokini.server.security.roles import Caller

        return bearer(
            self.security.tokens.issue(Caller("root", Role.ADMINISTRATOR), name, role, **lifetime).text
        )


@dataclass
class Channel:
    """Calls with bytes, as a hostile client would."""

    channel: aio.Channel

    async def call(self, method: str, body: bytes = b"", metadata: Metadata = ()) -> bytes:
        multi: Any = self.channel.unary_unary(method)
        answer: bytes = await multi(body, metadata=metadata, timeout=60)
        return answer

    async def status(self, method: str, body: bytes = b"", metadata: Metadata = ()) -> aio.AioRpcError:
        """The status of a call that must fail."""
        with pytest.raises(aio.AioRpcError) as caught:
            await self.call(method, body, metadata)
        return caught.value

    async def code(self, method: str, body: bytes = b"", metadata: Metadata = ()) -> grpc.StatusCode:
        try:
            await self.call(method, body, metadata)
        except aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    async def connect(self, metadata: Metadata = ()) -> grpc.StatusCode:
        """The end of an agent's call that says one thing."""
        return await self.end(CONNECT, [b""], metadata)

    async def end(self, method: str, bodies: list[bytes], metadata: Metadata) -> grpc.StatusCode:
        """The end of a call of *method*, both ways a stream, that says *bodies*."""

        async def once() -> grpc.StatusCode:
            multi: Any = self.channel.stream_stream(method)
            call = multi(iter(bodies), metadata=metadata, timeout=60)
            async for _ in call:
                pass
            code: grpc.StatusCode = await call.code()
            return code

        try:
            return await heard(once)
        except aio.AioRpcError as error:
            return error.code()

    async def who(self, metadata: Metadata = ()) -> tuple[str, str]:
        job = jobs_pb2.Job.FromString(await self.call(GET_JOB, metadata=metadata))
        return job.user, job.reason


def bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


@asynccontextmanager
async def running(
    folder: Path,
    answers: Mapping[str, Any] | None = None,
    wall: Callable[[], float] | None = None,
    monotonic: Callable[[], float] | None = None,
    **overrides: Any,
) -> AsyncIterator[Running]:
    """A server with the services of the wire; *overrides* by key, dots written as two underscores."""
    config = configuration(**overrides)
    clocks = {name: one for name, one in (("wall", wall), ("monotonic", monotonic)) if one}
    security = server_security(config, folder, **clocks)
    server = security.new_server()
    given = {"GetJob": who, **(answers or {})}
    add_services(server, {service: Servicer(service, given) for service in SERVICES})
    port = security.bind(server)
    await server.start()
    try:
        yield Running(port, security, server)
    finally:
        await server.stop(0)


def configuration(**overrides: Any) -> Config:
    dotted = {name.replace("__", "."): value for name, value in overrides.items()}
    return load_config(None, {"server.listen": "127.0.0.1:0", **dotted})


@dataclass
class Town:
    """An authority and what it has signed, as files."""

    folder: Path
    authority: Authority = field(default_factory=lambda: Authority.made("test", 3600))

    def put(self, name: str, issued: Issued) -> tuple[Path, Path]:
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        certificate.write_bytes(issued.certificate)
        key.write_bytes(issued.key)
        key.chmod(0o600)
        return certificate, key

    def settings(self, mode: str, lifetime_s: float = 3600) -> dict[str, Any]:
        """The keys of a configuration with a new certificate of a server."""
        issued = self.authority.issue(Kind.SERVER, "head", lifetime_s, ("localhost", "127.0.0.1"))
        certificate, key = self.put("server", issued)
        ca = self.folder / "ca.pem"
        ca.write_bytes(self.authority.pem.certificate)
        given = {"security__mode": mode, "security__certificate": certificate, "security__key": key}
        return {**given, "security__ca": ca} if mode == "mtls" else given

    def credentials(self, issued: Issued | None = None) -> grpc.ChannelCredentials:
        """A client's side, with *issued* as its own."""
        ca = self.authority.pem.certificate
        if issued is None:
            return grpc.ssl_channel_credentials(ca)
        return grpc.ssl_channel_credentials(ca, issued.key, issued.certificate)

    def person(self, kind: Kind, name: str, lifetime_s: float = 3600) -> grpc.ChannelCredentials:
        return self.credentials(self.authority.issue(kind, name, lifetime_s))
