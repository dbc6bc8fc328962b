"""What was accepted is not checked again, unless something that it was judged by has changed."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from molokini.model.errors import BadValue, Conflict
from molokini.model.facts import JobsSubmitted
from molokini.server.state.queues import Queue
from molokini.server.turn.asked import AskedSpec
from molokini.server.turn.operating import SetQueue
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, spec_of
from tests.kit.live_picture import assert_kept

QUEUE = Queue("q", default_estimate_s=60.0)


async def both(story: Story, asked: AskedSpec, operator: bool = False) -> list[Any]:
    """What is answered to *asked* twice, and to the same as a plain dictionary, in one turn."""
    answers: list[Any] = await story.do(Submit("ann", [asked, asked, asked.spec], story.limits, operator))
    return answers


def texts(story: Story) -> Sequence[dict[str, Any]]:
    """What the last submission has left in the journal."""
    return [json.loads(one.text) for one in story.journal.facts(JobsSubmitted)[-1].specs]


async def test_like_jobs_share_what_was_made_of_the_first_and_leave_what_others_leave(story: Story) -> None:
    await story.do(SetQueue(QUEUE, "root"))
    asked = AskedSpec({"queue": "q", "name": "x", "array": {"last": 3}, "resources": {"processors": 2}})
    for _ in range(2):
        await both(story, asked)
        first, second, plain = texts(story)
        assert first == second == plain
    assert first["array"] == {"first": 0, "last": 3, "step": 1, "running_limit": 0}
    assert asked.spec == {"queue": "q", "name": "x", "array": {"last": 3}, "resources": {"processors": 2}}
    await assert_kept(story)


async def test_a_changed_default_is_that_of_the_next_job(story: Story) -> None:
    asked = AskedSpec({"queue": "q"})
    for default_s in (60.0, 90.0):
        await story.do(SetQueue(replace(QUEUE, default_estimate_s=default_s), "root"))
        await both(story, asked)
        assert [spec["estimate_s"] for spec in texts(story)] == [default_s] * 3


@pytest.mark.parametrize(
    "stricter",
    [
        replace(QUEUE, max_processors=1),
        replace(QUEUE, max_estimate_s=50.0),
        replace(QUEUE, users=("bob",)),
        replace(QUEUE, enabled=False),
        replace(QUEUE, max_jobs=3),
    ],
)
async def test_what_a_queue_took_it_may_refuse_once_it_is_changed(story: Story, stricter: Queue) -> None:
    await story.do(SetQueue(QUEUE, "root"))
    asked = AskedSpec(spec_of(queue="q", processors=2))
    assert await both(story, asked) == [1, 2, 3]
    await story.do(SetQueue(stricter, "root"))
    assert all(isinstance(answer, BadValue | Conflict) for answer in await both(story, asked))
    await story.do(SetQueue(QUEUE, "root"))
    assert await both(story, asked) == [4, 5, 6]


async def test_stricter_limits_and_a_lesser_role_are_looked_at_again(story: Story) -> None:
    urgent = AskedSpec(spec_of(user_priority=5))
    assert await both(story, urgent, operator=True) == [1, 2, 3]
    assert all(isinstance(answer, BadValue | Conflict) for answer in await both(story, urgent))
    named = AskedSpec(spec_of(name="long enough"))
    assert await both(story, named) == [4, 5, 6]
    story.limits = replace(story.limits, text_characters=5)
    assert all(isinstance(answer, BadValue | Conflict) for answer in await both(story, named))


async def test_dependencies_are_looked_at_each_time(story: Story) -> None:
    asked = AskedSpec(spec_of(dependencies=[{"kind": "AFTER_OK", "job_id": 1}]))
    assert all(isinstance(answer, BadValue | Conflict) for answer in await both(story, asked))
    assert await story.submit() == 1
    assert await both(story, asked) == [2, 3, 4]


async def test_what_a_queue_without_its_nodes_means_is_the_same_in_life_and_in_recovery(story: Story) -> None:
    await story.do(SetQueue(replace(QUEUE, nodes=("n1",)), "root"))
    asked = AskedSpec(spec_of(queue="q", processors=4))
    assert await both(story, asked) == [1, 2, 3]
    # The queue is bound to nodes in the very turn of the next submit of the same.
    posts = [
        story.core.reactor.post(command)
        for command in (SetQueue(replace(QUEUE, nodes=()), "root"), Submit("ann", [asked], story.limits))
    ]
    assert [await post for post in posts] == [None, [4]]
    await story.settled()
    await assert_kept(story)


async def test_a_submission_key_is_known_the_second_time(story: Story) -> None:
    asked = AskedSpec(spec_of(submission_key="k"))
    assert await both(story, asked) == [1, 1, 1]
    assert await both(story, asked) == [1, 1, 1]
