"""What facts about nodes and queues make of a state."""

import pytest

from molokini.model.errors import BadValue
from molokini.model.facts import NodesAdded
from molokini.server.state.queues import Queue
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import RemoveQueue, SetQueue
from molokini.server.turn.reporting import AddNodes
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.matrix_rows import picture


async def test_a_recovery_gives_generic_resources_the_columns_that_they_had() -> None:
    """An agent says them in any order, and a journal has them in one."""
    async with live(offers=[]) as story:
        for name, order in (("a1", ("z", "b")), ("a2", ("y", "a"))):
            generic = dict.fromkeys(order, 2)
            await story.do(AddNodes([NodesAdded("agent", (name,), 4, generic=generic)]))
        await assert_kept(story)


async def test_blocks_lie_on_nodes_that_are_there() -> None:
    """A machine of blocks goes on when it is no power of two any more, as a node joins or is lost."""
    async with live("buddy-gang", [nodes("n[1-2]", 4)]) as story:
        await story.choose("buddy-gang", {"several_slots": "no", "slots": "4"})
        await story.join_beside([nodes("n3", 4)], "other")
        jobs = [await story.submit(processors=4, run_s=10.0) for _ in range(4)]
        assert picture(story.state.tables)[:2] == ["111122223333", "4444........"]
        await story.do(LoseNodes(["n2"], "root", "power"))
        assert_sound(story.state)
        assert picture(story.state.tables)[:2] == ["1111....3333", "4444....2222"]
        await story.advance(200.0)
        assert [story.status(number) for number in jobs] == ["completed"] * 4


async def test_a_queue_that_has_no_nodes_of_its_own_any_more_has_them_all() -> None:
    async with live("firstfit") as story:
        await story.do(SetQueue(Queue("small", nodes=("n1", "n2")), "root"))
        with pytest.raises(BadValue, match="resources"):
            await story.submit(queue="small", processors=9)
        await story.do(SetQueue(Queue("small"), "root"))
        job = await story.submit(queue="small", processors=9)
        assert story.status(job) == "running"
        await assert_kept(story)


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


async def test_what_is_done_to_a_queue_is_not_done_to_one_whose_name_goes_on(story: Story) -> None:
    await story.do(SetQueue(Queue("night2"), "root"))
    await story.submit(queue="default", processors=16, run_s=10.0)
    job = await story.submit(queue="night2", processors=16, run_s=10.0)
    await story.do(SetQueue(Queue("night", started=False, priority=7), "root"))
    assert story.status(job) == "waiting"
    assert_sound(story.state)
    await story.do(RemoveQueue("night", "root"))
    await story.advance(10.0)
    assert story.run(job).start_s == 10.0
