"""Many jobs over streams that break: each is one job, and the answers keep their order."""

from collections.abc import AsyncIterator, Iterator

import grpc
import pytest

from molokini.client.client import Client
from molokini.client.errors import NotAllowed, Refused, Unavailable
from molokini.client.specs import job_spec
from molokini.client.submitting import SubmitRefused
from molokini.model.errors import BadInput
from molokini.proto.v1.jobs_pb2 import JobSpec
from tests.kit.fake_server import FakeServer


def specs(count: int) -> Iterator[JobSpec]:
    return (job_spec({"name": f"job{n}", "processors": 1}) for n in range(count))


async def test_many(client: Client, server: FakeServer) -> None:
    assert await client.submit_many(specs(25), batch=10) == list(range(1, 26))
    assert [job.spec.name for job in server.state.jobs.values()] == [f"job{n}" for n in range(25)]
    assert await client.submit_many([]) == []


async def test_a_refused_one_does_not_keep_its_neighbours_out(client: Client) -> None:
    given = [JobSpec(name="a"), job_spec({"processors": 5000}), JobSpec(name="b")]
    one, refused, two = await client.submit_many(given)
    assert (one, two) == (1, 2)
    assert isinstance(refused, SubmitRefused)
    assert "from 1 to 1024" in refused.reason
    streamed = [outcome async for outcome in client.submit_stream(given)]
    assert [type(outcome) for outcome in streamed] == [int, SubmitRefused, int]


@pytest.mark.parametrize("after", [1, 2, 3])
async def test_a_batch_whose_answer_is_lost(client: Client, server: FakeServer, after: int) -> None:
    server.faults.cut("SubmitMany", after_messages=after, times=3)
    assert await client.submit_many(specs(40), batch=4) == list(range(1, 41))
    assert len(server.state.jobs) == 40
    assert server.faults.calls["SubmitMany"] == 4


async def test_a_stream_that_breaks_and_falls_silent(client: Client, server: FakeServer) -> None:
    server.faults.cut("SubmitStream", after_messages=3)
    server.faults.lose_answers("SubmitStream", stall_s=60)
    found = [outcome async for outcome in client.submit_stream(specs(30), window=5)]
    assert found == list(range(1, 31))
    assert len(server.state.jobs) == 30


async def test_a_stream_over_a_server_that_starts_again(client: Client, server: FakeServer) -> None:
    found = []
    async for outcome in client.submit_stream(specs(50), window=4):
        found.append(outcome)
        if len(found) == 20:
            server.stop()
            server.start()
    assert found == list(range(1, 51))
    assert len(server.state.jobs) == 50


async def test_what_goes_in_may_come_slowly(client: Client) -> None:
    answered: list[int | SubmitRefused] = []

    async def one_after_the_other() -> AsyncIterator[JobSpec]:
        for n in range(5):
            assert len(answered) == n  # each is asked for when the one before is answered
            yield JobSpec(name=str(n))

    async for outcome in client.submit_stream(one_after_the_other(), window=1):
        answered.append(outcome)
    assert answered == [1, 2, 3, 4, 5]


async def test_a_mistake_in_what_goes_in_is_raised(client: Client, server: FakeServer) -> None:
    def broken() -> Iterator[JobSpec]:
        yield JobSpec(name="good")
        raise LookupError("of the caller")

    with pytest.raises(LookupError, match="of the caller"):
        await client.submit_many(broken(), batch=1)
    with pytest.raises(BadInput, match="not as dict"):
        await client.submit_many([{"name": "x"}])  # type: ignore[list-item]


async def test_an_error_that_repeating_does_not_help(client: Client, server: FakeServer) -> None:
    """gRPC may lose the status of a stream that is refused while it is written to; ours finds it."""
    server.faults.fail("SubmitMany", grpc.StatusCode.PERMISSION_DENIED, "not you", times=1000)
    for _ in range(20):
        with pytest.raises(NotAllowed, match="not you"):
            await client.submit_many(specs(30), batch=1)


async def test_a_server_that_stays_away(client: Client, server: FakeServer) -> None:
    server.stop()
    with pytest.raises(Unavailable):
        await client.submit_many(specs(3))


async def test_leaving_a_stream_early(client: Client) -> None:
    stream = client.submit_stream(specs(1000), window=2)
    assert await anext(stream) == 1
    await stream.aclose()  # type: ignore[attr-defined]
    assert await client.submit(name="after") > 1


async def test_keys_of_the_caller(client: Client, server: FakeServer) -> None:
    given = [JobSpec(name=str(n), submission_key=f"key{n}") for n in range(3)]
    assert await client.submit_many(given) == await client.submit_many(given) == [1, 2, 3]
    unkeyed = JobSpec(name="x")
    await client.submit(unkeyed)
    assert unkeyed.submission_key == ""
    with pytest.raises(BadInput, match="1 to 128"):
        await client.submit(name="x", key="k" * 129)
    with pytest.raises(BadInput, match="1 to 128"):
        await client.submit(name="x", key="")


async def test_a_message_that_is_too_large(client: Client) -> None:
    with pytest.raises(Refused, match="larger than max"):
        await client.submit(script="#" * (5 << 20))
