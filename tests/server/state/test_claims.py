"""Places in queues: stopped queues, limits of running jobs, and who has the next place that becomes free."""

from typing import Any

import pytest

from molokini.model.job_specs import JobSpec
from molokini.server.server import recovered
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetQueue
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, Story, after, spec_of
from tests.kit.live_picture import assert_kept, assert_sound


async def set_default_queue(story: Story, **fields: Any) -> None:
    await story.do(SetQueue(Queue("default", **fields), "root"))


async def test_jobs_of_a_stopped_queue_wait_outside_and_keep_their_order(story: Story) -> None:
    running = await story.submit(run_s=30.0, processors=16)
    first = await story.submit(run_s=10.0, processors=16)
    await set_default_queue(story, started=False)
    second = await story.submit(run_s=10.0, processors=16)
    await story.advance(40.0)
    assert story.status(running) == "completed", "what runs goes on"
    assert [story.status(job) for job in (first, second)] == ["held", "held"]
    assert story.run(first).reason == "queue default is stopped"
    await set_default_queue(story, started=True)
    await story.advance(30.0)
    assert (story.run(first).start_s, story.run(second).start_s) == (40.0, 50.0)


async def test_a_user_runs_no_more_jobs_in_a_queue_than_its_limit(story: Story) -> None:
    await set_default_queue(story, max_running_per_user=2)
    ann = [await story.submit("ann", run_s=10.0) for _ in range(5)]
    bob = await story.submit("bob", run_s=10.0)
    assert [story.status(job) for job in ann] == ["running"] * 2 + ["held"] * 3
    assert "its limit" in story.run(ann[2]).reason
    assert story.status(bob) == "running", "the limit is each user's own"
    await story.advance(40.0)
    assert [story.run(job).start_s for job in ann] == [0.0, 0.0, 10.0, 10.0, 20.0]


async def test_a_higher_limit_lets_more_in_and_a_cancelled_job_gives_its_place(story: Story) -> None:
    await set_default_queue(story, max_running_per_user=1)
    jobs = [await story.submit(run_s=100.0) for _ in range(4)]
    await story.cancel(jobs[1])
    await set_default_queue(story, max_running_per_user=2)
    await story.advance(1.0)
    assert [story.status(job) for job in jobs] == ["running", "cancelled", "running", "held"]
    await story.cancel(jobs[0])
    await story.advance(1.0)
    assert story.status(jobs[3]) == "running"


@pytest.mark.parametrize("array", [None, {"first": 1, "last": 2}])
async def test_a_held_job_keeps_no_other_from_the_place_that_is_free(story: Story, array: Any) -> None:
    await set_default_queue(story, max_running_per_user=1)
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


async def test_a_job_that_is_moved_to_another_queue_gives_its_place_in_the_old_one(story: Story) -> None:
    await set_default_queue(story, max_running_per_user=1)
    await story.do(SetQueue(Queue("other"), "root"))
    jobs = [await story.submit(run_s=100.0, queue="default") for _ in range(3)]
    await story.do(Alter(jobs[1], "ann", {"queue": "other"}, Limits(), False))
    await story.advance(1.0)
    assert [story.status(job) for job in jobs] == ["running", "running", "held"]


async def test_a_limit_that_comes_later_counts_what_runs_already(story: Story) -> None:
    running = [await story.submit(run_s=10.0 * (k + 1)) for k in range(3)]
    await set_default_queue(story, max_running_per_user=2)
    waits = [await story.submit(run_s=100.0) for _ in range(2)]
    assert [story.status(job) for job in (*running, *waits)] == ["running"] * 3 + ["held"] * 2
    assert_sound(story.state)
    await story.advance(25.0)
    assert [story.status(job) for job in waits] == ["running", "held"]
    assert story.run(waits[0]).start_s == 20.0


async def test_elements_of_an_array_count_each(story: Story) -> None:
    await set_default_queue(story, max_running_per_user=3)
    job = await story.submit(run_s=10.0, array={"first": 1, "last": 7})
    await story.advance(5.0)
    statuses = [element.status.value for element in story.job(job).known_elements()]
    assert statuses.count("running") == 3
    await story.advance(60.0)
    assert story.status(job) == "completed"


async def test_recovery_knows_who_waits_for_a_place(story: Story) -> None:
    await set_default_queue(story, max_running_per_user=1)
    jobs = [await story.submit(run_s=10.0) for _ in range(3)]
    state = await recovered(MemoryJournal(story.journal.entries))
    assert state.claims.waits(state.jobs[jobs[1]])
    assert state.claims.room(state.jobs[jobs[1]]) == 0


async def test_a_submission_key_that_is_known_is_said_to_be(story: Story) -> None:
    said: list[Any] = []
    for _ in range(2):
        command = Submit("ann", [spec_of(submission_key="k")], Limits())
        said.append((await story.do(command), command.repeated))
    assert said == [([1], [False]), ([1], [True])]


async def test_a_job_that_becomes_eligible_stands_behind_those_that_wait_for_a_place(story: Story) -> None:
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
async def test_whatever_becomes_of_the_first_in_line_the_next_has_the_place(story: Story, rule: str) -> None:
    await story.do(SetQueue(Queue("default", max_running_per_user=1), "root"))
    await story.do(SetQueue(Queue("other"), "root"))
    running, first, then, last = [await story.submit(run_s=10.0, queue="default") for _ in range(4)]
    await story.advance(1.0)
    changes: dict[str, JobSpec] = {"move": {"queue": "other"}, "put off": {"begin_at_s": 12.0}}
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
