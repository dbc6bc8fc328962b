"""Queues: what they let in, which nodes they use, and that one is always left."""

import asyncio
from typing import Any

import pytest

from molokini.model.errors import BadValue, Conflict, UnknownName
from molokini.server.state.node_names import MOST_FEATURES
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter, NotNow
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import RemoveQueue, SetQueue
from tests.kit.live import live
from tests.kit.live_picture import assert_kept, assert_sound


async def test_two_removals_of_one_queue_in_one_turn_remove_it_once() -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("other"), "root"))
        posts = [story.core.reactor.post(RemoveQueue("other", "root")) for _ in range(2)]
        answers = await asyncio.gather(*posts, return_exceptions=True)
        assert [type(answer) for answer in answers] == [type(None), UnknownName]
        assert list(story.state.queues) == ["default"]


async def test_the_last_queue_stays_even_when_all_are_removed_at_once() -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("other"), "root"))
        posts = [story.core.reactor.post(RemoveQueue(name, "root")) for name in ("default", "other")]
        answers = await asyncio.gather(*posts, return_exceptions=True)
        assert [type(answer) for answer in answers] == [type(None), Conflict]
        assert list(story.state.queues) == ["other"]


async def test_a_queue_with_jobs_is_not_removed_even_when_they_come_in_the_same_turn() -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("other"), "root"))
        job = await story.submit(held=True)
        moving = story.core.reactor.post(Alter(job, "ann", {"queue": "other"}, Limits(), False))
        removing = story.core.reactor.post(RemoveQueue("other", "root"))
        await moving
        with pytest.raises(NotNow, match="other"):
            await removing


async def test_one_queue_with_nodes_more_than_there_are_bits_is_refused_and_the_server_goes_on() -> None:
    async with live() as story:
        for k in range(MOST_FEATURES):
            await story.do(SetQueue(Queue(f"q{k}", nodes=("n1",)), "root"))
        with pytest.raises(BadValue, match="at most 62"):
            await story.do(SetQueue(Queue("onemore", nodes=("n1",)), "root"))
        # Those that there are can still be changed, and others without nodes made.
        await story.do(SetQueue(Queue("q0", nodes=("n1", "n2")), "root"))
        await story.do(SetQueue(Queue("plain"), "root"))
        assert await story.submit(queue="q0") == 1


async def test_jobs_of_a_queue_with_nodes_run_there_and_wider_ones_are_refused() -> None:
    async with live("firstfit") as story:
        await story.do(SetQueue(Queue("small", nodes=("n1", "n2")), "root"))
        await story.do(SetQueue(Queue("large", nodes=("n2", "n3", "n4")), "root"))
        jobs = [await story.submit(queue="small", processors=4, run_s=10.0) for _ in range(3)]
        large = await story.submit(queue="large", processors=8, run_s=10.0)
        used = [{node for node, _ in story.run(job).nodes} for job in (*jobs, large)]
        assert used == [{0}, {1}, set(), {2, 3}]
        await story.advance(10.0)
        assert {node for node, _ in story.run(jobs[2]).nodes} <= {0, 1}
        with pytest.raises(BadValue, match="resources"):
            await story.submit(queue="small", processors=9)
        with pytest.raises(UnknownName, match="small"):
            await story.submit(queue="smal")


async def test_a_queue_that_has_no_nodes_of_its_own_any_more_has_them_all() -> None:
    async with live("firstfit") as story:
        await story.do(SetQueue(Queue("small", nodes=("n1", "n2")), "root"))
        with pytest.raises(BadValue, match="resources"):
            await story.submit(queue="small", processors=9)
        await story.do(SetQueue(Queue("small"), "root"))
        job = await story.submit(queue="small", processors=9)
        assert story.status(job) == "running"
        await assert_kept(story)


@pytest.mark.parametrize(
    ("queue", "wish", "field"),
    [
        (Queue("q", enabled=False), {}, "queue"),
        (Queue("q", users=("bob",)), {}, "queue"),
        (Queue("q", max_processors=2), {"processors": 3}, "processors"),
        (Queue("q", max_estimate_s=50.0), {"estimate_s": 51.0}, "estimate_s"),
    ],
)
async def test_the_rules_of_a_queue_hold_for_submits_and_for_moves(
    queue: Queue, wish: dict[str, float], field: str
) -> None:
    async with live() as story:
        await story.do(SetQueue(queue, "root"))
        with pytest.raises((BadValue, Conflict)) as refused:
            await story.submit(queue="q", **wish)  # type: ignore[arg-type]
        assert getattr(refused.value, "field", None) == field
        job = await story.submit(held=True, **wish)  # type: ignore[arg-type]
        with pytest.raises((BadValue, Conflict)) as refused:
            await story.do(Alter(job, "ann", {"queue": "q"}, Limits(), False))
        assert getattr(refused.value, "field", None) == field
        assert story.job(job).queue == "default"


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"resources": {"processors": 9}}, "at most 8 in queue night"),
        ({"estimate_s": 51.0}, "at most 50 in queue night"),
        ({"queue": "default", "resources": {"processors": 17}}, "at most the machine's 16"),
        ({"queue": "default", "resources": {"nodes": 1, "processors_per_node": 5}}, "resources"),
    ],
)
async def test_no_change_makes_what_could_not_be_submitted(changes: dict[str, Any], cause: str) -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("night", max_processors=8, max_estimate_s=50.0), "root"))
        job = await story.submit(queue="night", held=True, processors=8, estimate_s=50.0)
        before = story.journal.last_serial
        with pytest.raises(BadValue, match=cause):
            await story.do(Alter(job, "ann", changes, Limits(), False))
        assert story.journal.last_serial == before


async def test_a_queue_whose_nodes_change_uses_the_new_ones_and_no_others() -> None:
    async with live("firstfit") as story:
        await story.do(SetQueue(Queue("q", nodes=("n1", "n2")), "root"))
        assert story.run(await story.submit(queue="q", processors=8, run_s=1.0)).nodes == ((0, 4), (1, 4))
        await story.advance(1.0)
        await story.do(SetQueue(Queue("q", nodes=("n3",)), "root"))
        with pytest.raises(BadValue, match="resources"):
            await story.submit(queue="q", processors=8)
        assert story.run(await story.submit(queue="q", processors=4)).nodes == ((2, 4),)
        await assert_kept(story)


async def test_what_is_done_to_a_queue_is_not_done_to_one_whose_name_goes_on() -> None:
    async with live() as story:
        await story.do(SetQueue(Queue("night2"), "root"))
        await story.submit(queue="default", processors=16, run_s=10.0)
        job = await story.submit(queue="night2", processors=16, run_s=10.0)
        await story.do(SetQueue(Queue("night", started=False, priority=7), "root"))
        assert story.status(job) == "waiting"
        assert_sound(story.state)
        await story.do(RemoveQueue("night", "root"))
        await story.advance(10.0)
        assert story.run(job).start_s == 10.0


@pytest.mark.parametrize(("most_s", "given_s"), [(50.0, 50.0), (70.0, 60.0), (0.0, 60.0)])
async def test_the_estimate_of_a_job_that_says_none_is_within_what_its_queue_takes(
    most_s: float, given_s: float
) -> None:
    async with live() as story:
        queue = Queue("q", default_estimate_s=60.0, max_estimate_s=most_s)
        await story.do(SetQueue(queue, "root"))
        assert story.job(await story.submit(queue="q", estimate_s=0.0)).estimate_s == given_s
