"""Stopped queues, and limits of what one user may run in a queue: who is in the queue at all."""

from typing import Any

import pytest

from molokini.server.server import recovered
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetQueue
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, Story, live, spec_of
from tests.kit.live_picture import assert_sound


async def queue(story: Story, **fields: Any) -> None:
    await story.do(SetQueue(Queue("default", **fields), "root"))


async def test_jobs_of_a_stopped_queue_wait_outside_and_keep_their_order() -> None:
    async with live() as story:
        running = await story.submit(run_s=30.0, processors=16)
        first = await story.submit(run_s=10.0, processors=16)
        await queue(story, started=False)
        second = await story.submit(run_s=10.0, processors=16)
        await story.advance(40.0)
        assert story.status(running) == "completed", "what runs goes on"
        assert [story.status(job) for job in (first, second)] == ["held", "held"]
        assert story.run(first).reason == "queue default is stopped"
        await queue(story, started=True)
        await story.advance(30.0)
        assert (story.run(first).start_s, story.run(second).start_s) == (40.0, 50.0)


async def test_a_user_runs_no_more_jobs_in_a_queue_than_its_limit() -> None:
    async with live() as story:
        await queue(story, max_running_per_user=2)
        ann = [await story.submit("ann", run_s=10.0) for _ in range(5)]
        bob = await story.submit("bob", run_s=10.0)
        assert [story.status(job) for job in ann] == ["running"] * 2 + ["held"] * 3
        assert "its limit" in story.run(ann[2]).reason
        assert story.status(bob) == "running", "the limit is each user's own"
        await story.advance(40.0)
        assert [story.run(job).start_s for job in ann] == [0.0, 0.0, 10.0, 10.0, 20.0]


async def test_a_higher_limit_lets_more_in_and_a_cancelled_job_gives_its_place() -> None:
    async with live() as story:
        await queue(story, max_running_per_user=1)
        jobs = [await story.submit(run_s=100.0) for _ in range(4)]
        await story.cancel(jobs[1])
        await queue(story, max_running_per_user=2)
        await story.advance(1.0)
        assert [story.status(job) for job in jobs] == ["running", "cancelled", "running", "held"]
        await story.cancel(jobs[0])
        await story.advance(1.0)
        assert story.status(jobs[3]) == "running"


@pytest.mark.parametrize("array", [None, {"first": 1, "last": 2}])
async def test_a_job_that_is_held_keeps_no_other_from_the_place_that_becomes_free(array: Any) -> None:
    async with live() as story:
        await queue(story, max_running_per_user=1)
        first = await story.submit(run_s=10.0)
        held = await story.submit(run_s=10.0, **({"array": array} if array else {}))
        last = await story.submit(run_s=10.0)
        await story.hold(held)
        await story.advance(10.0)
        assert [story.status(job) for job in (first, held, last)] == ["completed", "held", "running"]
        assert_sound(story.state)
        await story.release(held)
        await story.advance(40.0)
        assert [story.status(job) for job in (held, last)] == ["completed"] * 2
        assert story.run(last).start_s == 10.0


async def test_a_job_that_is_moved_to_another_queue_gives_its_place_in_the_old_one() -> None:
    async with live() as story:
        await queue(story, max_running_per_user=1)
        await story.do(SetQueue(Queue("other"), "root"))
        jobs = [await story.submit(run_s=100.0, queue="default") for _ in range(3)]
        await story.do(Alter(jobs[1], "ann", {"queue": "other"}, Limits(), False))
        await story.advance(1.0)
        assert [story.status(job) for job in jobs] == ["running", "running", "held"]


async def test_a_limit_that_comes_later_counts_what_runs_already() -> None:
    async with live() as story:
        running = [await story.submit(run_s=10.0 * (k + 1)) for k in range(3)]
        await queue(story, max_running_per_user=2)
        waits = [await story.submit(run_s=100.0) for _ in range(2)]
        assert [story.status(job) for job in (*running, *waits)] == ["running"] * 3 + ["held"] * 2
        assert_sound(story.state)
        await story.advance(25.0)
        assert [story.status(job) for job in waits] == ["running", "held"]
        assert story.run(waits[0]).start_s == 20.0


@pytest.mark.parametrize(
    ("limits", "fields"),
    [(Limits(jobs_per_user=5), {}), (Limits(), {"max_jobs_per_user": 5}), (Limits(), {"max_jobs": 5})],
)
async def test_a_limit_of_jobs_counts_those_that_are_there_and_those_that_come_together(
    limits: Limits, fields: dict[str, int]
) -> None:
    async with live() as story:
        await queue(story, **fields)
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


async def test_elements_of_an_array_count_each() -> None:
    async with live() as story:
        await queue(story, max_running_per_user=3)
        job = await story.submit(run_s=10.0, array={"first": 1, "last": 7})
        await story.advance(5.0)
        statuses = [element.status.value for element in story.job(job).known_elements()]
        assert statuses.count("running") == 3
        await story.advance(60.0)
        assert story.status(job) == "completed"


async def test_recovery_knows_who_waits_for_a_place() -> None:
    async with live() as story:
        await queue(story, max_running_per_user=1)
        jobs = [await story.submit(run_s=10.0) for _ in range(3)]
        state = await recovered(MemoryJournal(story.journal.entries))
        assert state.claims.waits(state.jobs[jobs[1]])
        assert state.claims.room(state.jobs[jobs[1]]) == 0


async def test_a_submission_key_that_is_known_is_said_to_be() -> None:
    async with live() as story:
        said: list[Any] = []
        for _ in range(2):
            command = Submit("ann", [spec_of(submission_key="k")], Limits())
            said.append((await story.do(command), command.repeated))
        assert said == [([1], [False]), ([1], [True])]
