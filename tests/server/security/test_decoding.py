"""B1, B2, B3, B5: whatever arrives, and whatever a handler raises, has a proper status and never UNKNOWN."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc import aio
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio as health_aio
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import aio as reflection_aio
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadValue, MolokiniError, UnknownName
from molokini.proto.v1 import job_service_pb2 as jobs
from molokini.proto.v1 import jobs_pb2
from molokini.server.caller_errors import EventGone, text_for_caller
from molokini.server.journal.port import Busy, StateBroken, StateFull
from molokini.server.security import Role, add_services
from molokini.server.security.permissions import NoSuchJob, NotAllowed
from molokini.server.turn.changing import HasEnded, NotNow
from molokini.server.turn.counts import OverLimit, QueueDisabled
from molokini.server.turn.reactor import Stopping
from tests.kit.streams import heard
from tests.server.security.kit import (
    GET_JOB,
    JOBS,
    LIST_JOBS,
    SERVICES,
    SUBMIT,
    SUBMIT_STREAM,
    Channel,
    Metadata,
    Running,
    running,
)

INVALID = grpc.StatusCode.INVALID_ARGUMENT


def unary_methods() -> list[MethodDescriptor]:
    methods = [one for service in SERVICES for one in service.methods]
    return [one for one in methods if not one.client_streaming and not one.server_streaming]


def path_of(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xff\xff",
        b"\x0a\x05ab",  # shorter than it says
        b"\x0a\xff\xff\xff\xff\x0f",  # 4 GiB are announced
        b"\x0b" * 20_000,  # groups nested deeply
        jobs.SubmitRequest(spec=jobs_pb2.JobSpec(name="xx")).SerializeToString().replace(b"xx", b"\xc3\x28"),
    ],
)
async def test_what_is_no_message_is_an_invalid_argument(
    server: Running, channel: Channel, body: bytes
) -> None:
    error = await channel.status(SUBMIT, body, server.owner)
    assert error.code() is INVALID
    assert error.details() == "not a message of the kind molokini.v1.SubmitRequest"
    assert dict(error.trailing_metadata() or ())["molokini-reason"] == "undecodable"
    assert await channel.code(SUBMIT, b"", server.owner) is grpc.StatusCode.OK


async def test_unknown_fields_and_enums_are_let_pass(server: Running, channel: Channel) -> None:
    body = jobs.ListJobsRequest(states=[4711]).SerializeToString() + b"\xfa\x7f\x03abc"  # type: ignore[list-item]
    assert await channel.code(LIST_JOBS, body, server.owner) is grpc.StatusCode.OK


async def test_a_message_above_the_limit(tmp_path: Path) -> None:
    async with running(tmp_path, limits__message_bytes=100_000) as server, server.channel() as channel:
        spec = jobs_pb2.JobSpec(script="x" * 99_900)
        body = jobs.SubmitRequest(spec=spec).SerializeToString()
        assert await channel.code(SUBMIT, body, server.owner) is grpc.StatusCode.OK
        code = await channel.code(SUBMIT, body + b"x" * 200, server.owner)
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert await channel.code(SUBMIT, b"", server.owner) is grpc.StatusCode.OK


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (jobs_pb2.JobSpec(name="a\0b"), "spec.name"),
        (jobs_pb2.JobSpec(name="two\nlines"), "spec.name"),
        (jobs_pb2.JobSpec(queue="\x1b[31m"), "spec.queue"),
        (jobs_pb2.JobSpec(argv=["sh", "-c", "a\0b"]), "spec.argv"),
        (jobs_pb2.JobSpec(script="#!/bin/sh\n\0"), "spec.script"),
        (jobs_pb2.JobSpec(environment={"A": "x\0"}), "spec.environment['A']"),
        (jobs_pb2.JobSpec(environment={"A\n": "x"}), "name in spec.environment"),
        (jobs_pb2.JobSpec(resources=jobs_pb2.Resources(features=["ok", "\x85"])), "spec.resources.features"),
        (
            jobs_pb2.JobSpec(resources=jobs_pb2.Resources(generic={"g\t": 1})),
            "name in spec.resources.generic",
        ),
    ],
)
async def test_control_characters_are_refused(
    server: Running, channel: Channel, spec: jobs_pb2.JobSpec, field: str
) -> None:
    one = jobs.SubmitRequest(spec=spec).SerializeToString()
    error = await channel.status(SUBMIT, one, server.owner)
    assert error.code() is INVALID
    assert dict(error.trailing_metadata() or ())["molokini-field"] == field
    many = jobs.SubmitManyRequest(specs=[jobs_pb2.JobSpec(name="fine"), spec]).SerializeToString()
    assert await stream_code(channel, "SubmitMany", [many], server.owner) is INVALID


async def test_what_users_may_write_passes(server: Running, channel: Channel) -> None:
    spec = jobs_pb2.JobSpec(
        name="$(touch x); ‏✓ -rf ..",
        argv=["printf", "\x1b[1m\n\t"],
        script="#!/bin/sh\r\n\x1b\n",
        environment={"PS1": "\x1b[0m\n"},
        comment="two\nlines",
    )
    body = jobs.SubmitRequest(spec=spec).SerializeToString()
    assert await channel.code(SUBMIT, body, server.owner) is grpc.StatusCode.OK


async def test_an_agents_report_is_never_refused_for_its_words(tmp_path: Path) -> None:
    from molokini.proto.v1 import agent_service_pb2 as agents

    body = agents.AgentMessage(report=agents.Report(reason="a\0b")).SerializeToString()
    async with running(tmp_path, security__mode="open") as server, server.channel() as channel:
        multi: Any = channel.channel.stream_stream("/molokini.v1.AgentService/Connect")
        assert len([one async for one in multi(iter([body, body]), timeout=60)]) == 2


async def stream_code(
    channel: Channel, method: str, bodies: list[bytes], metadata: Metadata
) -> grpc.StatusCode:
    return await channel.end(f"/molokini.v1.JobService/{method}", bodies, metadata)


async def test_a_bad_message_ends_its_stream_after_the_good_ones(server: Running, channel: Channel) -> None:
    multi: Any = channel.channel.stream_stream(SUBMIT_STREAM)
    call = multi(iter([b"", b"", b"\xff"]), metadata=server.owner, timeout=60)
    assert [await call.read(), await call.read()] == [b"", b""]
    with pytest.raises(aio.AioRpcError) as caught:
        await call.read()
    assert caught.value.code() is INVALID


async def fuzzed(channel: Channel, metadata: Metadata, method: MethodDescriptor, body: bytes) -> None:
    code = await channel.code(path_of(method), body, metadata)
    assert code in (grpc.StatusCode.OK, INVALID), (method.full_name, body)
    if code is grpc.StatusCode.OK:
        GetMessageClass(method.input_type).FromString(body)


@pytest.mark.deep
async def test_raw_bytes_to_every_unary_method(tmp_path: Path) -> None:
    """Drawn by hypothesis' own engine, but on one server: a server an example would test the set-up."""
    limits: dict[str, Any] = {"limits__burst": 1_000_000}
    async with running(tmp_path, security__mode="open", **limits) as server, server.channel() as channel:
        bodies = drawn(
            st.binary(max_size=300) | st.builds(damaged, st.binary(max_size=9), st.integers(0)), 80
        )
        for method in unary_methods():
            for body in bodies:
                await fuzzed(channel, (), method, body)


def damaged(piece: bytes, place: int) -> bytes:
    """A real message with *piece* over a part of it."""
    spec = jobs_pb2.JobSpec(name="job", argv=["sleep", "1"], environment={"A": "b"}, estimate_s=60.0)
    spec.resources.processors = 4
    body = jobs.SubmitRequest(spec=spec, tag=7).SerializeToString()
    place %= len(body)
    return body[:place] + piece + body[place + len(piece) :]


def drawn(strategy: st.SearchStrategy[bytes], count: int) -> list[bytes]:
    """*count* examples of *strategy*, the same at every run."""
    found: list[bytes] = []

    @settings(max_examples=count, deadline=None, database=None, derandomize=True)
    @given(strategy)
    def collect(body: bytes) -> None:
        found.append(body)

    collect()
    return found


class Broken(Exception):
    """What nobody has foreseen."""


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (BadValue("name", "x", "y"), INVALID, "bad_value"),
        (UnknownName("queue", "shrt", ["short"]), grpc.StatusCode.NOT_FOUND, "unknown_name"),
        (NoSuchJob(17), grpc.StatusCode.NOT_FOUND, "no_such_job"),
        (NotAllowed("no"), grpc.StatusCode.PERMISSION_DENIED, "not_allowed"),
        (NotNow("not yet"), grpc.StatusCode.FAILED_PRECONDITION, "not_now"),
        (HasEnded("it has ended"), grpc.StatusCode.FAILED_PRECONDITION, "has_ended"),
        (QueueDisabled("queue", "it is disabled"), INVALID, "queue_disabled"),
        (OverLimit("user", "at most 2"), grpc.StatusCode.RESOURCE_EXHAUSTED, "over_limit"),
        (EventGone(3, 9), grpc.StatusCode.OUT_OF_RANGE, "event_gone"),
        (Stopping("stopping"), grpc.StatusCode.UNAVAILABLE, "stopping"),
        (StateFull("/ is full"), grpc.StatusCode.RESOURCE_EXHAUSTED, "state_full"),
        (StateBroken("broken"), grpc.StatusCode.UNAVAILABLE, "state_broken"),
        (Busy("busy"), grpc.StatusCode.UNAVAILABLE, "busy"),
    ],
)
async def test_errors_have_statuses(
    tmp_path: Path, error: Exception, code: grpc.StatusCode, reason: str
) -> None:
    async with running(tmp_path, raising(error)) as server, server.channel() as channel:
        found = await channel.status(GET_JOB, metadata=server.owner)
        assert (found.code(), found.details()) == (code, text_for_caller(error))
        assert dict(found.trailing_metadata() or ())["molokini-reason"] == reason
        assert await stream_code(channel, "SubmitStream", [b""], server.owner) is code


def raising(error: BaseException) -> dict[str, Any]:
    async def once(request: Any, context: Any) -> Any:
        raise error

    async def many(request: Any, context: Any) -> AsyncIterator[Any]:
        raise error
        yield

    return {"GetJob": once, "SubmitStream": many}


@pytest.mark.parametrize("error", [Broken("/secret/path"), MolokiniError("/secret/path"), TimeoutError()])
async def test_the_unforeseen_is_internal_and_the_log_has_it(
    tmp_path: Path, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, raising(error)) as server, server.channel() as channel:
        with caplog.at_level(logging.ERROR):
            found = await channel.status(GET_JOB, metadata=server.owner)
        assert found.code() is grpc.StatusCode.INTERNAL
        details = found.details() or ""
        assert details.startswith("internal error ")
        record = next(one for one in caplog.records if details.split()[-1] in one.getMessage())
        assert record.exc_info is not None
        assert record.exc_info[1] is error
        assert await stream_code(channel, "SubmitStream", [b""], server.owner) is grpc.StatusCode.INTERNAL


async def test_an_answer_of_the_wrong_kind_is_internal(tmp_path: Path) -> None:
    async def wrong(request: Any, context: Any) -> Any:
        return "text"

    async with running(tmp_path, {"GetJob": wrong}) as server, server.channel() as channel:
        assert await channel.code(GET_JOB, metadata=server.owner) is grpc.StatusCode.INTERNAL


@pytest.mark.parametrize("letter", ["x", "%", "é", "漢", "\U0001f600", "\x1b"])
async def test_a_long_text_still_arrives(tmp_path: Path, letter: str) -> None:
    error = BadValue("näme\n", "it", f"{letter}." * 25_000)
    async with running(tmp_path, raising(error)) as server, server.channel() as channel:
        found = await channel.status(GET_JOB, metadata=server.owner)
        assert found.code() is INVALID
        assert (found.details() or "").startswith("näme : ")
        assert 200 < len(found.details() or "") <= 3003
        assert "\n" not in (found.details() or "")


async def test_what_a_user_sent_is_not_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    spec = jobs_pb2.JobSpec(environment={"PASSWORD": "canary\0"})
    async with running(tmp_path) as server, server.channel() as channel:
        with caplog.at_level(logging.DEBUG):
            body = jobs.SubmitRequest(spec=spec).SerializeToString()
            assert await channel.code(SUBMIT, body, server.owner) is INVALID
    assert "spec.environment['PASSWORD']" in caplog.text
    assert "canary" not in caplog.text


async def test_a_servicer_must_have_every_method(server: Running) -> None:
    with pytest.raises(AttributeError, match="Submit"):
        add_services(server.security.new_server(), {JOBS: object()})


async def test_health_is_open_and_reflection_is_for_the_proven(server: Running) -> None:
    other = server.security.new_server()
    health = health_pb2.DESCRIPTOR.services_by_name["Health"]
    reflection = reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"]
    names = [JOBS.full_name, reflection.full_name]
    servicers = {
        health: health_aio.HealthServicer(),
        reflection: reflection_aio.ReflectionServicer(names),
    }
    add_services(other, servicers)
    port = server.security.bind(other)
    await other.start()
    async with aio.insecure_channel(f"127.0.0.1:{port}") as raw:
        channel = Channel(raw)
        check = "/grpc.health.v1.Health/Check"
        serving = health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)
        assert await channel.call(check) == serving.SerializeToString()
        assert await channel.code(check, b"\xff") is INVALID
        multi: Any = raw.unary_stream("/grpc.health.v1.Health/Watch")
        watch = multi(b"", timeout=60)
        assert await watch.read() == serving.SerializeToString()
        watch.cancel()
        listing = reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()
        multi = raw.stream_stream(f"/{reflection.full_name}/ServerReflectionInfo")
        with pytest.raises(aio.AioRpcError) as caught:
            await heard(lambda: multi(iter([listing]), timeout=60).read())
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        answer = await multi(iter([listing]), metadata=server.as_("n1", Role.NODE), timeout=60).read()
        found = reflection_pb2.ServerReflectionResponse.FromString(answer)
        assert {one.name for one in found.list_services_response.service} == set(names)
    await other.stop(0)
