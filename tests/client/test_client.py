"""The client against a server that loses answers, is late, goes away, or says no."""

import time
from typing import Any

import grpc
import pytest

from molokini.client.calls import Caller
from molokini.client.client import Client
from molokini.client.endpoint import Endpoint
from molokini.client.errors import (
    Busy,
    HistoryGone,
    NoAnswer,
    NotAllowed,
    NotFound,
    NotNow,
    NotSignedIn,
    NotSupported,
    OverLimit,
    Refused,
    ServerError,
    ServerFault,
    Unavailable,
)
from molokini.client.specs import SpecFields
from molokini.model.errors import BadInput, MolokiniError
from molokini.proto.v1.jobs_pb2 import JobState
from tests.kit.connected import QUICK
from tests.kit.fake_server import FakeServer

JOB: SpecFields = {"argv": ["true"], "processors": 2}


async def test_an_attempt_gets_its_own_time_and_no_more_than_is_left() -> None:
    given: list[float] = []

    class Read:
        async def __call__(self, request: str, /, **options: Any) -> str:
            given.append(options["timeout"])
            return request

        def may_repeat(self, request: str) -> bool:
            return True

    caller = Caller(Endpoint("127.0.0.1:1"), QUICK)
    assert await caller.call(Read(), "asked") == "asked"
    # The server may reckon for longer than a client bears that it is away.
    await caller.call(Read(), "asked", timeout_s=3 * QUICK.timeout_s)
    await caller.close()
    assert given == pytest.approx([QUICK.attempt_s, 3 * QUICK.timeout_s], rel=0.1)


async def test_a_job_from_submit_to_end(client: Client, server: FakeServer) -> None:
    job = await client.submit(argv=["sleep", "5"], processors=2, memory="4G", name="one", estimate="1:00:00")
    found = await client.job(job)
    assert (found.id, found.spec.name, found.spec.estimate_s) == (job, "one", 3600.0)
    assert (found.spec.resources.processors, found.spec.resources.memory_kb) == (2, 4 << 20)
    assert not (await client.wait([job], timeout_s=0.05)).all_ended
    server.end(job, exit_code=3)
    waited = await client.wait([job], timeout_s=300)
    assert waited.all_ended
    assert [(one.state, one.exit_code) for one in waited.jobs] == [(JobState.FAILED, 3)]


@pytest.mark.parametrize("stall_s", [0.0, 5.0], ids=["cut", "silent"])
async def test_a_submit_whose_answer_is_lost_makes_one_job(
    client: Client, server: FakeServer, stall_s: float
) -> None:
    server.faults.lose_answers("Submit", times=2, stall_s=stall_s)
    job = await client.submit(**JOB)
    assert server.faults.calls["Submit"] == 3
    assert list(server.state.jobs) == [job]


async def test_the_same_key_is_the_same_job(client: Client, server: FakeServer) -> None:
    first, second = await client.submit(key="mine", **JOB), await client.submit(key="mine", **JOB)
    other = await client.submit(**JOB)
    assert (first, second, other) == (1, 1, 2)


async def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(client: Client, server: FakeServer) -> None:
    quiet = (("retry-after", "0.4"),)
    server.faults.fail("Submit", grpc.StatusCode.RESOURCE_EXHAUSTED, "too many", quiet)
    start_s = time.monotonic()
    assert await client.submit(**JOB) == 1
    assert time.monotonic() - start_s >= 0.4


async def test_a_busy_server_that_asks_for_too_long_is_an_error(client: Client, server: FakeServer) -> None:
    quiet = (("retry-after", "3600"),)
    server.faults.fail("Submit", grpc.StatusCode.RESOURCE_EXHAUSTED, "the disk /state is full", quiet)
    with pytest.raises(Busy, match="disk /state") as caught:
        await client.submit(**JOB)
    assert caught.value.retry_after_s == 3600


async def test_calls_that_must_not_happen_twice_are_not_repeated(client: Client, server: FakeServer) -> None:
    job = await client.submit(**JOB)
    for method in ("SignalJobs", "RequeueJobs", "ChangeClock"):
        server.faults.lose_answers(method)
    with pytest.raises(Unavailable):
        await client.signal([job], 10)
    with pytest.raises(Unavailable):
        await client.requeue([job])
    with pytest.raises(Unavailable):
        await client.advance(60)
    assert server.state.signals == [(job, 10)]
    assert (await client.clock()).now_s == 160.0


async def test_whatever_a_busy_server_has_refused_is_asked_again(client: Client, server: FakeServer) -> None:
    """It has not carried it out, so a call that must not happen twice does not."""
    job = await client.submit(**JOB)
    quiet = (("retry-after", "0.01"),)
    server.faults.fail("SignalJobs", grpc.StatusCode.RESOURCE_EXHAUSTED, "too many", quiet)
    await client.signal([job], 10)
    assert server.state.signals == [(job, 10)]


async def test_a_lost_answer_to_cancel(client: Client, server: FakeServer) -> None:
    jobs = [await client.submit(**JOB) for _ in range(3)]
    server.end(jobs[0])
    server.faults.lose_answers("CancelJobs", times=2)
    assert await client.cancel(jobs) == ["", "", ""]
    states = [(await client.job(job)).state for job in jobs]
    assert states == [JobState.COMPLETED, JobState.CANCELLED, JobState.CANCELLED]
    endings = [event.kind for event in server.state.events if event.kind == "cancelled"]
    assert len(endings) == 2


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.NOT_FOUND, NotFound),
        (grpc.StatusCode.UNAUTHENTICATED, NotSignedIn),
        (grpc.StatusCode.PERMISSION_DENIED, NotAllowed),
        (grpc.StatusCode.INVALID_ARGUMENT, Refused),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, OverLimit),
        (grpc.StatusCode.FAILED_PRECONDITION, NotNow),
        (grpc.StatusCode.ABORTED, NotNow),
        (grpc.StatusCode.ALREADY_EXISTS, NotNow),
        (grpc.StatusCode.OUT_OF_RANGE, HistoryGone),
        (grpc.StatusCode.UNIMPLEMENTED, NotSupported),
        (grpc.StatusCode.INTERNAL, ServerFault),
        (grpc.StatusCode.UNKNOWN, ServerFault),
        (grpc.StatusCode.DATA_LOSS, ServerFault),
    ],
)
async def test_every_code_has_its_error(
    client: Client, server: FakeServer, code: grpc.StatusCode, kind: type[ServerError]
) -> None:
    server.faults.fail("GetJob", code, "because", (("molokini-reason", "a_word"),))
    with pytest.raises(kind, match="because") as caught:
        await client.job(1)
    assert type(caught.value) is kind
    assert caught.value.reason == "a_word"
    assert isinstance(caught.value, MolokiniError)
    assert caught.value.exit_code == (2 if kind is Refused else 1)
    assert server.faults.calls["GetJob"] == 1


async def test_a_refusal_names_the_field(client: Client, server: FakeServer) -> None:
    with pytest.raises(Refused, match=r"resources\.processors: 5000 .* from 1 to 1024") as caught:
        await client.submit(processors=5000)
    assert caught.value.reason == "bad_value"
    assert server.state.jobs == {}


async def test_an_unknown_job(client: Client) -> None:
    with pytest.raises(NotFound, match="no job 7"):
        await client.job(7)
    assert await client.cancel([7]) == ["no job 7"]


async def test_no_server(server: FakeServer) -> None:
    server.stop()
    async with Client.connect(server.target, patience=QUICK) as client:
        with pytest.raises(Unavailable, match=f"{server.target}: no server can be reached"):
            await client.cluster()


async def test_a_server_that_is_away_for_a_moment(client: Client, server: FakeServer) -> None:
    await client.cluster()
    server.stop()
    server.start()
    assert await client.submit(**JOB) == 1


async def test_a_server_that_never_answers(client: Client, server: FakeServer) -> None:
    await client.submit(**JOB)
    server.faults.delay("GetJob", 60, times=100)
    start_s = time.monotonic()
    async with Client.connect(server.target, patience=type(QUICK)(timeout_s=1.0, attempt_s=0.3)) as impatient:
        with pytest.raises(NoAnswer, match="did not answer in time"):
            await impatient.job(1)
    assert time.monotonic() - start_s < 30


async def test_jobs_come_page_by_page_and_filtered(client: Client, server: FakeServer) -> None:
    for n in range(7):
        await client.submit(queue="even" if n % 2 == 0 else "odd")
    server.end(1)
    assert [job.id async for job in client.jobs(page_size=2)] == [2, 3, 4, 5, 6, 7]
    assert server.faults.calls["ListJobs"] == 3
    assert [job.id async for job in client.jobs(queues=["even"], include_ended=True)] == [1, 3, 5, 7]
    assert [job.id async for job in client.jobs(states=["completed"])] == [1]
    with pytest.raises(BadInput, match="did you mean 'completed'"):
        [job async for job in client.jobs(states=["complete"])]


async def test_altering_one_resource_keeps_the_others(client: Client) -> None:
    job = await client.submit(processors=4, memory="1G", features=["fast"], name="before")
    altered = await client.alter(job, memory="2G", name="after")
    resources = altered.spec.resources
    assert (resources.processors, resources.memory_kb, list(resources.features)) == (4, 2 << 20, ["fast"])
    assert altered.spec.name == "after"
    changed = (await client.alter(job, features=["slow"])).spec
    assert (list(changed.resources.features), changed.name) == (["slow"], "after")


async def test_the_token_is_sent(server: FakeServer) -> None:
    async with Client.connect(server.target, token="secret", patience=QUICK) as client:
        await client.cluster()
    assert server.faults.metadata["authorization"] == "Bearer secret"


async def test_nodes_queues_policy_and_clock(client: Client) -> None:
    assert await client.drain(["node1", "node9"], "memory") == ["", "there is no node node9"]
    assert [node.name async for node in client.nodes(states=["draining"])] == ["node1"]
    await client.resume_nodes(["node1"])
    assert len([node async for node in client.nodes(states=["up"], page_size=3)]) == 4
    await client.set_queue("night", max_processors=64)
    changed = await client.set_queue("night", priority=5)
    assert (changed.max_processors, changed.priority, changed.enabled) == (64, 5, True)
    await client.remove_queue("night")
    assert [queue.name for queue in await client.queues()] == ["batch"]
    assert (await client.set_policy("fcfs")).name == (await client.policy()).name == "fcfs"
    assert (await client.advance(3600)).now_s == 3700.0
    assert (await client.pause_clock()).paused
    with pytest.raises(NotNow, match="rate"):
        await client.set_rate(10)


async def test_explain_and_forecast(client: Client) -> None:
    job = await client.submit(processors=8)
    explanation, forecast = await client.explain(job), await client.forecast(job)
    assert (explanation.rule, explanation.value) == ("not_enough_free", 8)
    assert (forecast.possible, forecast.start_s) == (True, 3700.0)
