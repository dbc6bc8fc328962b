"""Jobs that are cancelled, requeued and altered."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from molokini.model.errors import BadValue, Conflict, MolokiniError
from molokini.model.facts import JobEnded
from molokini.model.job_specs import JobSpec
from molokini.proto.v1 import jobs_pb2
from molokini.server.state.queues import Queue
from molokini.server.translate import job_to_wire
from molokini.server.turn.changing import Alter, Hold, Release
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetQueue
from tests.kit.live import Story, live, nodes, spec_of
from tests.kit.live_picture import assert_kept, assert_sound

# Whatever a job waits for, once it is cancelled nothing of it is left.


async def _begins_later(story: Story) -> int:
    return await story.submit(run_s=1.0, begin_at_s=100.0)


async def _is_put_off(story: Story) -> int:
    job = await story.submit(run_s=1.0, held=True)
    await story.do(Alter(job, "ann", {"begin_at_s": 100.0}, Limits(), False))
    return job


async def _is_held(story: Story) -> int:
    return await story.submit(run_s=1.0, held=True)


async def _waits_for_another(story: Story) -> int:
    first = await story.submit(run_s=50.0)
    return await story.submit(run_s=1.0, dependencies=[{"kind": "AFTER_OK", "job_id": first}])


async def _waits_for_a_place(story: Story) -> int:
    await story.do(SetQueue(Queue("default", max_running_per_user=1), "root"))
    await story.submit(run_s=50.0)
    return await story.submit(run_s=1.0)


async def _is_moved_while_it_waits_for_a_place(story: Story) -> int:
    job = await _waits_for_a_place(story)
    await story.do(SetQueue(Queue("other", started=False), "root"))
    await story.do(Alter(job, "ann", {"queue": "other"}, Limits(), False))
    return job


async def _has_elements_apart(story: Story) -> int:
    job = await story.submit(run_s=30.0, array={"first": 1, "last": 90, "running_limit": 1})
    for index in (3, 4, 80):
        await story.do(Hold(job, "ann", "user", "", index))
    await story.do(Release(job, "ann", ["user"], 4))
    return job


async def _has_an_element_apart_in_an_array_that_is_held(story: Story) -> int:
    job = await story.submit(run_s=30.0, held=True, array={"first": 1, "last": 3})
    await story.do(Hold(job, "ann", "user", "", 2))
    await story.do(Release(job, "ann", ["user"], 2))
    return job


@pytest.mark.parametrize(
    "submit",
    [
        _begins_later,
        _is_put_off,
        _is_held,
        _waits_for_another,
        _waits_for_a_place,
        _is_moved_while_it_waits_for_a_place,
        _has_elements_apart,
        _has_an_element_apart_in_an_array_that_is_held,
    ],
)
async def test_cancelled_jobs_go(story: Story, submit: Callable[[Story], Coroutine[Any, Any, int]]) -> None:
    job = await submit(story)
    await story.settled()
    assert_sound(story.state)
    await story.cancel(job)
    await story.advance(5.0)
    await assert_kept(story)
    await story.advance(200.0)
    assert story.job(job).over
    assert "cancelled" in {one.status.value for one in story.job(job).known_elements()}
    assert_sound(story.state)


async def test_elements_that_are_cancelled_one_by_one_are_gone(story: Story) -> None:
    job = await _has_elements_apart(story)
    for index in (3, 4, 80, 81):
        await story.cancel(job, index)
    await assert_kept(story)


async def test_a_thousand_cancels_race_with_ends_and_each_job_has_one_end() -> None:
    async with live(offers=[nodes("n[1-10]", 10)]) as story:
        for _ in range(10):
            jobs = await story.submit_many([spec_of(run_s=10.0)] * 100)
            story.core.clock.advance(10.0)
            from molokini.server.turn.changing import Cancel

            posts = []
            for k, job in enumerate(jobs):
                if k % 10 == 0:
                    await asyncio.sleep(0)
                posts.append(story.core.reactor.post(Cancel(job, -1, "ann")))
            answers = await asyncio.gather(*posts, return_exceptions=True)
            assert all(a is None or isinstance(a, MolokiniError) for a in answers)
            await story.advance(1.0)
            assert all(story.run(job).over for job in jobs)
        ended = [fact.job for fact in story.journal.facts(JobEnded)]
        assert len(ended) == len(set(ended)) == 1000
        assert_sound(story.state)


# Altered: estimates and ranks, where policies read them.


async def test_a_new_estimate_moves_the_reservation_of_others() -> None:
    async with live("easy") as story:
        runs = await story.submit(processors=16, estimate_s=100.0, run_s=100.0)
        waits = await story.submit(processors=16, estimate_s=10.0)
        await story.do(Alter(runs, "ann", {"estimate_s": 50.0}, Limits(), False))
        t = story.state.tables
        assert t.jobs.expected_end_s[story.run(runs).row] == 50.0
        with pytest.raises(Conflict, match="only an operator may lengthen"):
            await story.do(Alter(runs, "ann", {"estimate_s": 60.0}, Limits(), False))
        assert story.status(waits) == "waiting"
        await assert_kept(story)


def row_of(story: Story, job: int) -> tuple[Any, ...]:
    """User priority, deadline and the queue's priority as a policy sees them."""
    t, row = story.state.tables, story.run(job).row
    queue_priority = t.credentials.queue_priority[t.jobs.credential[row]]
    return int(t.jobs.user_priority[row]), float(t.jobs.deadline_s[row]), int(queue_priority)


async def test_what_is_submitted_and_altered_stands_in_the_tables(story: Story) -> None:
    await story.do(SetQueue(Queue("q", priority=7), "root"))
    counted = await story.submit(queue="q", user_priority=-5, deadline_s=900.0, qos="gold")
    plain = await story.submit(processors=1)
    placed = await story.submit(queue="q", nodes=1, user_priority=-9)
    wanted = [(-5, 900.0, 7), (0, 0.0, 0), (-9, 0.0, 7)]
    assert [row_of(story, job) for job in (counted, plain, placed)] == wanted
    changes: JobSpec = {"user_priority": 20, "deadline_s": 50.0, "qos": "iron"}
    await story.do(Alter(counted, "root", changes, Limits(), True))
    assert row_of(story, counted) == (20, 50.0, 7)
    shown: jobs_pb2.JobSpec = job_to_wire(story.job(counted), None, story.state).spec
    assert (shown.user_priority, shown.deadline_s, shown.qos) == (20, 50.0, "iron")
    await assert_kept(story)


async def test_what_is_altered_while_a_job_runs_counts_when_it_is_requeued(story: Story) -> None:
    changes: JobSpec = {"user_priority": 20, "deadline_s": 900.0, "system_priority": 7}
    job = await story.submit(processors=16)
    await story.do(Alter(job, "root", changes, Limits(), True))
    await story.hold(job)
    for status in ("running", "held"):
        assert story.status(job) == status
        assert row_of(story, job)[:2] == (20, 900.0)
        assert story.state.tables.jobs.boost[story.run(job).row] == 7.0
        await story.requeue(job) if status == "running" else None
    await assert_kept(story)


async def test_the_priority_of_a_queue_reaches_those_that_wait_in_it(story: Story) -> None:
    await story.do(SetQueue(Queue("q", priority=7), "root"))
    job = await story.submit(queue="q")
    await story.do(SetQueue(Queue("q", priority=-3), "root"))
    assert row_of(story, job)[2] == -3
    await assert_kept(story)


async def test_a_row_says_nothing_of_the_job_that_had_it_before(story: Story) -> None:
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


async def test_a_system_priority_is_added_to_what_maui_finds_and_is_an_operators() -> None:
    async with live("maui") as story:
        await story.submit(processors=16, run_s=100.0)
        first, second = [await story.submit(processors=16, run_s=10.0) for _ in range(2)]
        urgent = await story.submit(processors=16, run_s=10.0, system_priority=7, operator=True)

        def order() -> list[int]:
            t = story.core.reactor.running_policy.dry_run(story.state, story.state.now)
            ranked = story.core.reactor.running_policy.policy.insight.ranked(t)
            return [int(t.jobs.number[row]) for row in ranked]

        assert order() == [urgent, first, second]
        await story.do(Alter(second, "root", {"system_priority": 10**9 + 5}, Limits(), True))
        assert order() == [second, urgent, first]
        with pytest.raises(BadValue, match="changed by operators alone"):
            await story.submit(processors=1, system_priority=1)
        with pytest.raises(BadValue, match="changed by operators alone"):
            await story.do(Alter(second, "ann", {"system_priority": 0}, Limits(), False))
        # What is left as it is needs no operator.
        await story.do(Alter(second, "ann", {"comment": "mine"}, Limits(), False))
        await assert_kept(story)
        await story.do(Alter(second, "root", {"system_priority": 0}, Limits(), True))
        assert order() == [urgent, first, second]
        # Rows of jobs that have ended are those of others later.
        for job in (urgent, first, second):
            await story.cancel(job)
        later = [await story.submit(processors=16) for _ in range(3)]
        assert order() == later
        t = story.state.tables
        assert [float(t.jobs.boost[story.run(job).row]) for job in later] == [0.0] * 3


@pytest.mark.parametrize("value", [-(10**9) - 1, 2 * 10**9 + 1])
async def test_a_system_priority_has_bounds(story: Story, value: int) -> None:
    with pytest.raises(BadValue, match="from -1,000,000,000 to 2,000,000,000"):
        await story.submit(system_priority=value, operator=True)


async def test_system_priorities_of_jobs_that_come_together(story: Story) -> None:
    await story.submit(processors=16, run_s=100.0)
    specs = [spec_of(system_priority=value) for value in (0, 5, -5)]
    jobs = await story.submit_many(specs, operator=True)
    t = story.state.tables
    assert [float(t.jobs.boost[story.run(job).row]) for job in jobs] == [0.0, 5.0, -5.0]
    await assert_kept(story)
