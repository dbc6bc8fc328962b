"""Random messages to every method of a live server: it never fails, keeps its invariants, and goes on.

Messages are built from their descriptors, so a new field or method is fuzzed without a word here.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molokini.policies import policy_names
from molokini.proto.v1 import agent_service_pb2, cluster_service_pb2, job_service_pb2
from molokini.server.security.roles import Role
from molokini.server.server import recovered
from molokini.server.turn.running_policy import RunningPolicy
from molokini.sim.compiled import compiled_engine
from tests.kit.depth import deep
from tests.kit.live import nodes
from tests.kit.live_picture import assert_same, assert_sound
from tests.kit.serving import Served, served

FOR_S = 30.0 if deep() else 5.0
SERVICES: list[ServiceDescriptor] = [
    job_service_pb2.DESCRIPTOR.services_by_name["JobService"],
    cluster_service_pb2.DESCRIPTOR.services_by_name["ClusterService"],
    agent_service_pb2.DESCRIPTOR.services_by_name["AgentService"],
]
METHODS: list[MethodDescriptor] = [method for service in SERVICES for method in service.methods]
FAULTS = (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE)
SHORT_S, LONG_S = 0.05, 5.0
"""Deadlines: watches, waits and conversations have no end of their own, other calls must have one."""

OVERTAKEN = object()
"""In place of a status: a stream that was refused while it was still being sent."""
ENDLESS = frozenset({"WatchJobs", "WaitJobs", "Connect", "ChangeClock", "ShadowPolicy"})
TEXTS = [
    *(
        "",
        "default",
        "x",
        "n1",
        "n[1-3]",
        "easy",
        "fcfs",
        "gpu",
        "fast",
        "ann",
        "user",
        "estimate_s",
        "resources",
    )
]
Field = FieldDescriptor
Call = tuple[MethodDescriptor, list[Message]]
_small = st.integers(-1, 12)
_float = st.one_of(st.sampled_from([0.0, -1.0, 1.0, 10.0, 1e300, float("inf"), float("nan")]), st.floats())


def _whole(bits: int) -> st.SearchStrategy[int]:
    return st.one_of(_small, _small, _small, st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))


SCALARS: dict[int, st.SearchStrategy[Any]] = {
    Field.TYPE_STRING: st.one_of(
        st.sampled_from(TEXTS), st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    ),
    Field.TYPE_BOOL: st.booleans(),
    Field.TYPE_DOUBLE: _float,
    Field.TYPE_INT32: _whole(32),
    Field.TYPE_INT64: _whole(64),
    Field.TYPE_ENUM: st.integers(-1, 12),
}


LIKELY: dict[str, list[Any]] = {
    "names": ["n1", "n[1-3]", "n2"],
    "name": ["easy", "fcfs", "default", "q", "x"],
    "state": [1, 2, 3],
    "jobs": [],
}
"""What is likely to be taken, by the name of the field; without, one chance in many would get anywhere."""


def _random(draw: st.DrawFn, kind: Any, depth: int = 0) -> Message:
    """A message of *kind* with few or many of its fields set to something."""
    made: Message = GetMessageClass(kind)()
    density = draw(st.sampled_from([1, 1, 3, 6]))
    for field in kind.fields:
        if depth > 3 or (draw(st.integers(0, 7)) >= density and field.name not in LIKELY):
            continue
        _set(draw, made, field, depth)
    return made


def _scalar(draw: st.DrawFn, field: FieldDescriptor) -> Any:
    likely = LIKELY.get(field.name)
    if likely and draw(st.integers(0, 3)):
        return draw(st.sampled_from(likely))
    return draw(SCALARS[field.type])


def _set(draw: st.DrawFn, made: Message, field: FieldDescriptor, depth: int) -> None:
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        key, value = message.fields_by_name["key"], message.fields_by_name["value"]
        for _ in range(draw(st.integers(0, 2))):
            getattr(made, field.name)[draw(SCALARS[key.type])] = draw(SCALARS[value.type])
    elif field.is_repeated:
        for _ in range(draw(st.integers(0, 3))):
            if message is not None:
                getattr(made, field.name).add().CopyFrom(_random(draw, message, depth + 1))
            else:
                getattr(made, field.name).append(_scalar(draw, field))
    elif message is not None:
        getattr(made, field.name).CopyFrom(_random(draw, message, depth + 1))
    else:
        setattr(made, field.name, _scalar(draw, field))


@st.composite
def calls(draw: st.DrawFn, methods: Sequence[MethodDescriptor] = METHODS) -> Call:
    method = draw(st.sampled_from(methods))
    count = draw(st.integers(0, 3)) if method.client_streaming else 1
    return method, [_random(draw, method.input_type) for _ in range(count)]


def plain() -> list[Call]:
    """Every method once, nothing said: a Submit then asks for one processor, a listing for all there is."""
    return [(method, [GetMessageClass(method.input_type)()]) for method in METHODS]


async def call(
    one: Served,
    channel: grpc.aio.Channel,
    method: MethodDescriptor,
    said: list[Message],
    tokens: dict[Role, str],
) -> Any:
    """The status of a call; a stream is read until its deadline. A token that is refused leaves *tokens*."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    how = ("stream" if method.client_streaming else "unary") + "_"
    how += "stream" if method.server_streaming else "unary"
    role = Role.NODE if method.containing_service.name == "AgentService" else Role.ADMINISTRATOR
    name = "*" if role is Role.NODE else "root"
    multi: Any = getattr(channel, how)(path)
    if role not in tokens:
        tokens[role] = one.token(name, role)
    bodies = [message.SerializeToString() for message in said]
    started = multi(
        *(() if method.client_streaming else bodies),
        timeout=SHORT_S if method.name in ENDLESS else LONG_S,
        metadata=(("authorization", f"Bearer {tokens[role]}"),),
    )
    try:
        if method.client_streaming and not await _written(started, bodies):
            return OVERTAKEN
        if method.server_streaming:
            async for _ in started:
                pass
        else:
            await started
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNAUTHENTICATED:
            tokens.pop(role, None)
        return error
    return None


async def _written(started: Any, bodies: Sequence[bytes]) -> bool:
    """Whether all of *bodies* could be sent before the server ended the call.

    If not, gRPC's client puts a status of its own in the place of the server's.
    """
    try:
        for body in bodies:
            await started.write(body)
        await started.done_writing()
    except (grpc.aio.AioRpcError, grpc.aio.InternalError, asyncio.InvalidStateError):
        return False
    return True


def test_whatever_is_said_the_server_answers_with_a_status_of_its_own_and_goes_on(tmp_path: Path) -> None:
    # Compiling takes longer than an answer may: it is not what is looked at here.
    compiled_engine()
    for name in policy_names():
        RunningPolicy(name, {}).compile()
    asyncio.run(fuzzed(tmp_path))


async def fuzzed(folder: Path) -> None:
    machine = [nodes("n[1-3]", 4, memory_kb=1000, generic={"gpu": 1}, features=["fast"])]
    loop = asyncio.get_running_loop()
    done: set[str] = set()
    good: set[str] = set()
    async with served(folder, "easy", machine, limits__requests_per_second=1e5) as one:
        end_s = time.monotonic() + FOR_S
        async with grpc.aio.insecure_channel(f"127.0.0.1:{one.server.port}") as channel:
            # One a role, as long as it is good: one for each call would be more than a server keeps.
            tokens: dict[Role, str] = {}

            async def say(round_: Sequence[Call]) -> None:
                answers = await asyncio.gather(*(call(one, channel, *each, tokens) for each in round_))
                for (method, said), error in zip(round_, answers, strict=True):
                    done.add(method.name)
                    if error is OVERTAKEN:
                        continue
                    good.add(method.name if error is None else "")
                    if error is not None:
                        late = error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
                        assert not late or method.name in ENDLESS, f"{method.name} {said} has no answer"
                        assert error.code() not in FAULTS, f"{method.name} {said}: {error}"
                        assert "Traceback" not in (error.details() or "")
                assert_sound(one.core.state)

            @settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            @given(st.lists(calls(), min_size=1, max_size=12))
            def run(round_: Sequence[Call]) -> None:
                asyncio.run_coroutine_threadsafe(say(round_), loop).result(60)

            # Whatever chance draws and however slow the machine is, each method has its turn.
            await say(plain())
            each = [calls([method]) for method in METHODS]

            @settings(max_examples=3, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            @given(st.tuples(*each))
            def run_each(round_: Sequence[Call]) -> None:
                asyncio.run_coroutine_threadsafe(say(round_), loop).result(60)

            await asyncio.to_thread(run_each)
            while time.monotonic() < end_s:
                await asyncio.to_thread(run)
        assert done == {method.name for method in METHODS}
        # Not all of it bounces off the first check.
        assert good >= {"Submit", "ListJobs", "GetCluster", "ListNodes"}
        async with one.client("root", Role.ADMINISTRATOR) as root:
            assert (await root.cluster()).epoch == 1
        assert_same(one.core.state, await recovered(one.core.journal))
