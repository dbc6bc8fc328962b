"""Dependencies beside other features: arrays, requeues, suspension, holds, and places in queues."""

from typing import Any

import pytest

from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter, Requeue
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import SetQueue
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import after, live
from tests.kit.live_picture import assert_kept

ONE_BY_ONE = {"first": 1, "last": 3, "running_limit": 1}


@pytest.mark.parametrize(
    ("kind", "cancelled", "starts_s"),
    [
        ("AFTER", None, 5.0),
        ("AFTER_ANY", None, 35.0),
        ("AFTER_OK", None, 35.0),
        ("AFTER_NOT_OK", None, None),
        ("AFTER_ANY", 3, 25.0),
        ("AFTER_OK", 3, None),
        ("AFTER_NOT_OK", 3, 25.0),
        ("AFTER_OK", 1, None),
        ("AFTER_NOT_OK", 1, 27.0),
    ],
)
async def test_an_array_has_ended_well_if_all_its_elements_have(
    kind: str, cancelled: int | None, starts_s: float | None
) -> None:
    async with live() as story:
        array = await story.submit(begin_at_s=5.0, run_s=10.0, array=ONE_BY_ONE)
        job = await story.submit(dependencies=after(kind, array), run_s=1.0)
        assert story.status(job) == "held"
        await story.advance(7.0)
        if cancelled is not None:
            await story.cancel(array, cancelled)
        await assert_kept(story)
        await story.advance(60.0)
        assert story.run(job).start_s == starts_s
        assert story.status(job) == ("cancelled" if starts_s is None else "completed")
        await assert_kept(story)


async def test_an_array_whose_elements_have_not_all_ended_is_not_over_for_what_comes_later() -> None:
    async with live() as story:
        array = await story.submit(run_s=10.0, array=ONE_BY_ONE)
        await story.advance(12.0)
        jobs = [
            await story.submit(dependencies=after(kind, array), run_s=1.0)
            for kind in ("AFTER", "AFTER_OK", "AFTER_ANY")
        ]
        await story.advance(60.0)
        assert [story.run(job).start_s for job in jobs] == [12.0, 30.0, 30.0]


async def test_a_singleton_waits_for_all_elements_of_an_earlier_array_and_is_one_itself() -> None:
    async with live() as story:
        array = await story.submit(name="x", run_s=10.0, array=ONE_BY_ONE)
        then = await story.submit(name="x", run_s=10.0, array=ONE_BY_ONE, dependencies=after("SINGLETON"))
        last = await story.submit(name="x", run_s=1.0, dependencies=after("SINGLETON"))
        await story.advance(100.0)
        assert story.run(array, 3).end_s == 30.0
        assert [story.run(then, index).start_s for index in (1, 2, 3)] == [30.0, 40.0, 50.0]
        assert story.run(last).start_s == 60.0
        await assert_kept(story)


async def test_an_array_that_can_never_start_is_cancelled_with_all_its_elements() -> None:
    async with live() as story:
        first = await story.submit(run_s=10.0, outcome={"exit_code": 1})
        array = await story.submit(run_s=1.0, array=ONE_BY_ONE, dependencies=after("AFTER_OK", first))
        await story.hold(array)
        await story.advance(11.0)
        assert story.status(array) == "cancelled", "a hold does not keep what can never be"
        assert story.state.open_jobs == {}
        await assert_kept(story)


@pytest.mark.parametrize("lost", [False, True])
async def test_a_job_that_goes_back_to_the_queue_has_started_and_not_ended(lost: bool) -> None:
    async with live() as story:
        first = await story.submit(processors=16, run_s=10.0)
        ended = [
            await story.submit(dependencies=after(kind, first), run_s=1.0)
            for kind in ("AFTER_OK", "AFTER_ANY", "AFTER_NOT_OK")
        ]
        await story.advance(4.0)
        await story.hold(first)
        if lost:
            await story.do(LoseNodes(["n1"], "root", "a fan"))
        else:
            await story.do(Requeue(first, -1, "root"))
            await story.advance(0.5)
        assert story.status(first) == "held"
        started = await story.submit(dependencies=after("AFTER", first), run_s=1.0)
        assert story.status(started) == "running"
        assert [story.status(job) for job in ended] == ["held"] * 3
        await assert_kept(story)
        await story.cancel(first)
        await story.advance(5.0)
        assert [story.status(job) for job in ended] == ["cancelled", "completed", "completed"]
        await assert_kept(story)


async def test_a_suspended_job_has_started_and_not_ended() -> None:
    async with live() as story:
        first = await story.submit(run_s=10.0)
        then = await story.submit(dependencies=after("AFTER_OK", first), run_s=1.0)
        await story.advance(5.0)
        await story.do(SuspendJob(first, -1, "root"))
        started = await story.submit(dependencies=after("AFTER", first), run_s=1.0)
        await story.advance(20.0)
        assert (story.status(started), story.status(then)) == ("completed", "held")
        await story.do(ResumeJob(first, -1, "root"))
        await story.advance(20.0)
        assert story.run(then).start_s == 30.0


async def test_a_job_that_becomes_eligible_stands_behind_those_that_wait_for_a_place() -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("default", max_running_per_user=1), "root"))
        other = await story.submit("bob", run_s=5.0)
        running = await story.submit(run_s=10.0)
        later = await story.submit(begin_at_s=3.0, run_s=10.0)
        waits = await story.submit(run_s=10.0)
        freed = await story.submit(dependencies=after("AFTER_ANY", running), run_s=10.0)
        await story.advance(100.0)
        assert story.run(other).start_s == 0.0
        assert [story.run(job).start_s for job in (running, waits, later, freed)] == [0.0, 10.0, 20.0, 30.0]
        await assert_kept(story)


@pytest.mark.parametrize("rule", ["cancel", "hold", "move", "put off", "stop and start"])
async def test_whatever_becomes_of_the_first_in_line_the_next_has_the_place(rule: str) -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("default", max_running_per_user=1), "root"))
        await story.do(SetQueue(Queue("other"), "root"))
        running, first, then, last = [await story.submit(run_s=10.0, queue="default") for _ in range(4)]
        await story.advance(1.0)
        changes: dict[str, dict[str, Any]] = {"move": {"queue": "other"}, "put off": {"begin_at_s": 12.0}}
        if rule == "cancel":
            await story.cancel(first)
        elif rule == "hold":
            await story.hold(first)
        elif rule in changes:
            await story.do(Alter(first, "ann", changes[rule], story.limits, False))
        else:
            await story.do(SetQueue(Queue("default", started=False, max_running_per_user=1), "root"))
            await story.do(SetQueue(Queue("default", max_running_per_user=1), "root"))
        await assert_kept(story)
        await story.advance(60.0)
        order = [then, last]
        starts = {"cancel": None, "hold": None, "move": 1.0, "put off": 30.0, "stop and start": 10.0}
        begin = 20.0 if rule == "stop and start" else 10.0
        assert story.run(running).end_s == 10.0
        assert story.run(first).start_s == starts[rule]
        assert [story.run(job).start_s for job in order] == [begin, begin + 10.0]
        await assert_kept(story)
