"""Reflection and health, as clients use them that have never seen our files: grpcurl and its like."""

import asyncio
import re
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, Parse
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from tests.kit.serving import Served, served


class _WithToken(grpc.UnaryUnaryClientInterceptor, grpc.StreamStreamClientInterceptor):
    """Shows a token with each call, as ``grpcurl -H`` does."""

    def __init__(self, token: str) -> None:
        self._metadata = [("authorization", f"Bearer {token}")]

    def intercept_unary_unary(self, call: Any, details: Any, request: Any) -> Any:
        return call(details._replace(metadata=self._metadata), request)

    def intercept_stream_stream(self, call: Any, details: Any, requests: Any) -> Any:
        return call(details._replace(metadata=self._metadata), requests)


class Stranger:
    """A client that knows an address, a token, and what the server says of itself."""

    def __init__(self, target: str, token: str) -> None:
        self.channel = grpc.intercept_channel(grpc.insecure_channel(target), _WithToken(token))
        self.known = ProtoReflectionDescriptorDatabase(self.channel)
        self.pool = DescriptorPool(self.known)

    def call(self, service: str, method: str, **fields: Any) -> Any:
        described = self.pool.FindServiceByName(service).FindMethodByName(method)
        ask, answer = GetMessageClass(described.input_type), GetMessageClass(described.output_type)
        stub = self.channel.unary_unary(
            f"/{service}/{method}",
            request_serializer=ask.SerializeToString,
            response_deserializer=answer.FromString,
        )
        return stub(ask(**fields), timeout=60)


async def test_a_stranger_finds_the_services_submits_and_looks(one: Served) -> None:
    def talk(target: str, token: str) -> None:
        stranger = Stranger(target, token)
        names = set(stranger.known.get_services())
        assert {"molokini.v1.JobService", "molokini.v1.ClusterService", "grpc.health.v1.Health"} <= names
        spec = {
            "name": "from afar",
            "resources": {"processors": 4},
            "outcome": {"run_s": 5},
            "estimate_s": 10,
        }
        job = stranger.call("molokini.v1.JobService", "Submit", spec=spec).job_id
        found = stranger.call("molokini.v1.JobService", "GetJob", job={"id": job})
        assert (found.spec.name, found.spec.resources.processors, found.user) == ("from afar", 4, "ann")
        state = found.DESCRIPTOR.fields_by_name["state"].enum_type.values_by_number[found.state].name
        assert state == "RUNNING"
        cluster = stranger.call("molokini.v1.ClusterService", "GetCluster")
        assert (cluster.processors, cluster.jobs_running) == (16, 1)
        stranger.channel.close()

    await asyncio.to_thread(talk, f"127.0.0.1:{one.server.port}", one.token("ann"))


async def test_the_calls_of_the_page_are_carried_out(tmp_path: Path) -> None:
    """What docs/client.md has grpcurl send, by what the server says of itself."""
    page = (Path(__file__).parents[3] / "docs" / "client.md").read_text(encoding="utf-8")
    lines = re.findall(r"^grpcurl .*$", page, re.MULTILINE)
    calls = [re.search(r"-d '(.+)' \"\$SERVER\" ([\w.]+)/(\w+)$", line) for line in lines if " -d " in line]
    [described] = [line.rpartition(" ")[2] for line in lines if " describe " in line]

    def talk(target: str, token: str) -> list[Any]:
        stranger = Stranger(target, token)
        service, _, method = described.rpartition(".")
        wanted = "SubmitRequest"
        assert stranger.pool.FindServiceByName(service).FindMethodByName(method).input_type.name == wanted
        found = []
        for call in calls:
            assert call
            fields = stranger.pool.FindServiceByName(call[2]).FindMethodByName(call[3]).input_type
            request = Parse(call[1], GetMessageClass(fields)())
            found.append(
                stranger.call(call[2], call[3], **{field.name: one for field, one in request.ListFields()})
            )
        stranger.channel.close()
        return found

    async with served(tmp_path) as one:
        made, job, why = await asyncio.to_thread(talk, f"127.0.0.1:{one.server.port}", one.token("ann"))
    assert MessageToDict(made) == {"jobId": "1", "emulated": True}
    assert (list(job.spec.argv), job.id) == (["hostname"], 1)
    assert why.DESCRIPTOR.name == "Explanation"


async def test_health_says_of_each_service_that_it_serves_and_needs_no_token(tmp_path: Path) -> None:
    async with served(tmp_path) as one, grpc.aio.insecure_channel(f"127.0.0.1:{one.server.port}") as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        for name in ("", "molokini.v1.JobService", "molokini.v1.ClusterService", "molokini.v1.AgentService"):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING, name
