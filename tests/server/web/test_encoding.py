"""Long answers are written in pieces, and are then what they would have been at once."""

import asyncio
from typing import Any

import pytest
from google.protobuf.message import Message

from molokini.proto.v1 import cluster_service_pb2, job_service_pb2, jobs_pb2
from molokini.server import cooperative
from molokini.server.cooperative import Yielder
from molokini.server.web.answers import written
from molokini.server.web.documents import MOST_KEPT, to_document
from molokini.server.web.encoding import ROWS, encoded


def jobs(count: int) -> list[jobs_pb2.Job]:
    return [
        jobs_pb2.Job(id=number, user="ä", spec={"resources": {"processors": number}})
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS, 5 * ROWS + 3])
@pytest.mark.parametrize("token", ["", "9:1"])
async def test_a_list_of_any_length(count: int, token: str) -> None:
    message = job_service_pb2.ListJobsResponse(jobs=jobs(count), next_page_token=token)
    assert await encoded(message) == written(to_document(message))


@pytest.mark.parametrize(
    "message",
    [
        cluster_service_pb2.Statement(),
        job_service_pb2.SubmitManyResponse(
            job_ids=range(1000), promises={n: jobs_pb2.Promise(processors=n) for n in range(99)}
        ),
        job_service_pb2.WaitJobsResponse(jobs=jobs(ROWS * 3), all_ended=True),
        cluster_service_pb2.ListNodesResponse(
            nodes=[cluster_service_pb2.Node(name="n", generic={"gpu": 1})] * 200
        ),
    ],
    ids=lambda one: one.DESCRIPTOR.name,
)
async def test_other_answers(message: Message) -> None:
    assert await encoded(message) == written(to_document(message))


def test_what_many_jobs_have_alike_is_shared_and_forgotten() -> None:
    rows = [to_document(job) for job in jobs(3 * MOST_KEPT)]
    assert [row["spec"]["resources"].get("processors", 0) for row in rows] == list(range(3 * MOST_KEPT))
    again = [to_document(jobs(8)[7]) for _ in range(2)]
    assert again[0]["spec"]["resources"] is again[1]["spec"]["resources"]


async def test_others_have_their_turn_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cooperative, "LONGEST_S", -1.0)  # every step is too long
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await encoded(job_service_pb2.ListJobsResponse(jobs=jobs(ROWS * 10)))
    assert turns >= 10
    task.cancel()


async def test_a_breath_is_taken_when_it_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        now_s = 0.0

        def __call__(self) -> float:
            return self.now_s

    one: Any = Yielder()
    clock = one._time = Clock()
    one._since_s, turns = 0.0, 0

    async def slept(_: float) -> None:
        nonlocal turns
        turns += 1

    monkeypatch.setattr(asyncio, "sleep", slept)
    for now_s, expected in ((0.9, 0), (1.1, 1), (2.0, 1), (2.2, 2)):
        clock.now_s = now_s * cooperative.LONGEST_S
        await one.maybe_yield()
        assert turns == expected
