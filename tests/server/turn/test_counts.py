"""How many unfinished jobs there may be, counting those that come in the same batch or turn."""

from typing import Any

import pytest

from molokini.model.errors import MolokiniError
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.job_service_pb2 import SubmitManyRequest
from molokini.server.services.batching import batch_from_wire
from molokini.server.state.queues import Queue
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetQueue
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, spec_of


@pytest.mark.parametrize(
    ("limits", "fields"),
    [(Limits(jobs_per_user=5), {}), (Limits(), {"max_jobs_per_user": 5}), (Limits(), {"max_jobs": 5})],
)
async def test_a_limit_counts_all_jobs_of_a_turn(
    story: Story, limits: Limits, fields: dict[str, Any]
) -> None:
    await story.do(SetQueue(Queue("default", **fields), "root"))
    story.limits = limits
    for _ in range(2):
        await story.submit(held=True)
    # Of two submissions of one turn the second has the room that the first has left.
    asked = [
        story.core.reactor.post(Submit("ann", [spec_of(held=True) for _ in range(count)], limits))
        for count in (2, 4)
    ]
    await story.settled()
    taken = [[isinstance(one, int) for one in await answer] for answer in asked]
    assert taken == [[True, True], [True, False, False, False]]


@pytest.mark.parametrize("limit", ["max_jobs", "max_jobs_per_user"])
async def test_limits_hold_within_a_batch_and_count_their_own_queue_only(story: Story, limit: str) -> None:
    await story.do(SetQueue(Queue("q", **{limit: 2}), "root"))  # type: ignore[arg-type]
    specs = [spec_of(queue="default"), *(spec_of(queue="q", held=True) for _ in range(4))]
    answers = await story.submit_many(specs)
    assert [isinstance(answer, MolokiniError) for answer in answers] == [False, False, False, True, True]
    mine = await story.submit_many([spec_of(queue="q")], "bob")
    assert isinstance(mine[0], MolokiniError) == (limit == "max_jobs")
    await story.cancel(2)
    assert isinstance((await story.submit_many([spec_of(queue="q")]))[0], int)


LIMITS = Limits(script_bytes=30, text_characters=20, most_estimate_s=1000.0, jobs_per_user=30)


@pytest.mark.parametrize("limit", ["max_jobs", "max_jobs_per_user"])
async def test_a_limit_of_jobs_counts_all_kinds_of_a_batch(story: Story, limit: str) -> None:
    several = [
        jobs_pb2.JobSpec(queue="five", estimate_s=50, resources=jobs_pb2.Resources(processors=processors))
        for processors in (1, 1, 1, 2, 2, 2)
    ]
    await story.do(SetQueue(Queue("five", **{limit: 5}), "root"))  # type: ignore[arg-type]
    taken = await story.do(Submit("ann", batch_from_wire(SubmitManyRequest(specs=several)), LIMITS))
    assert [isinstance(one, int) for one in taken] == [True] * 5 + [False]
    assert len(story.state.jobs) == 5


async def test_a_limit_of_a_users_jobs_counts_those_of_a_batch_for_all_queues(story: Story) -> None:
    batch = [jobs_pb2.JobSpec(queue=queue, estimate_s=50) for queue in ("default", "other") * 2]
    limits = Limits(jobs_per_user=3)
    await story.do(SetQueue(Queue("other"), "root"))
    taken = await story.do(Submit("ann", batch_from_wire(SubmitManyRequest(specs=batch)), limits))
    assert [isinstance(one, int) for one in taken] == [True] * 3 + [False]
