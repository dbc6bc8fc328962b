"""What users and queues say of their rank: kept, altered, listed, and where policies read it."""

from typing import Any

from molokini.proto.v1 import jobs_pb2
from molokini.server.state.queues import Queue
from molokini.server.translate import job_to_wire
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetQueue
from tests.kit.live import Story, again, live
from tests.kit.live_picture import picture


def row_of(story: Story, job: int) -> tuple[Any, ...]:
    """User priority, deadline and the queue's priority as a policy sees them."""
    t, row = story.state.tables, story.run(job).row
    queue_priority = t.credentials.queue_priority[t.jobs.credential[row]]
    return int(t.jobs.user_priority[row]), float(t.jobs.deadline_s[row]), int(queue_priority)


async def test_what_is_submitted_and_altered_stands_in_the_tables() -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("q", priority=7), "root"))
        counted = await story.submit(queue="q", user_priority=-5, deadline_s=900.0, qos="gold")
        plain = await story.submit(processors=1)
        placed = await story.submit(queue="q", nodes=1, user_priority=-9)
        assert [row_of(story, job) for job in (counted, plain, placed)] == [
            (-5, 900.0, 7),
            (0, 0.0, 0),
            (-9, 0.0, 7),
        ]
        changes = {"user_priority": 20, "deadline_s": 50.0, "qos": "iron"}
        await story.do(Alter(counted, "root", changes, Limits(), True))
        assert row_of(story, counted) == (20, 50.0, 7)
        shown: jobs_pb2.JobSpec = job_to_wire(story.job(counted), None, story.state).spec
        assert (shown.user_priority, shown.deadline_s, shown.qos) == (20, 50.0, "iron")
        assert picture(await again(story.journal)) == picture(story.state)


async def test_the_priority_of_a_queue_reaches_those_that_wait_in_it() -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("q", priority=7), "root"))
        job = await story.submit(queue="q")
        await story.do(SetQueue(Queue("q", priority=-3), "root"))
        assert row_of(story, job)[2] == -3
        assert picture(await again(story.journal)) == picture(story.state)


async def test_a_row_says_nothing_of_the_job_that_had_it_before() -> None:
    async with live() as story:
        first = await story.submit(user_priority=-5, deadline_s=900.0, run_s=1.0)
        row = story.run(first).row
        await story.advance(1.0)
        second = await story.submit(run_s=1.0)
        assert story.run(second).row == row
        assert row_of(story, second) == (0, 0.0, 0)


async def test_plain_policies_go_by_the_time_of_submission() -> None:
    async with live("easy") as story:
        blocking = await story.submit(processors=16, run_s=10.0)
        first = await story.submit(processors=16, run_s=10.0, user_priority=-1024)
        second = await story.submit(
            processors=16, run_s=10.0, user_priority=1023, deadline_s=15.0, qos="gold", operator=True
        )
        await story.advance(30.0)
        assert [story.run(job).start_s for job in (blocking, first, second)] == [0.0, 10.0, 20.0]
