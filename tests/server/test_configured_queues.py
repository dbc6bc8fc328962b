"""The queues of the configuration: which of them is the first, and which go when it no longer names them."""

from collections.abc import Sequence

import pytest

from molokini.model.errors import BadValue
from molokini.server.state.queues import Queue
from molokini.server.turn.operating import RemoveQueue, SetQueue
from tests.kit.live import MemoryJournal, live, nodes
from tests.kit.live_picture import assert_kept


async def names(journal: MemoryJournal, queues: Sequence[Queue]) -> list[str]:
    async with live(journal=journal, queues=queues) as story:
        return list(story.state.queues)


async def test_the_first_one_takes_the_jobs_that_name_none() -> None:
    async with live(queues=[Queue("batch"), Queue("short")]) as story:
        assert list(story.state.queues) == ["batch", "short"]
        assert story.job(await story.submit()).queue == "batch"


async def test_a_queue_called_as_the_one_before_any_was_named_is_the_first_only_where_it_stands_first() -> (
    None
):
    assert await names(MemoryJournal(), [Queue("batch"), Queue("default", priority=3)]) == [
        "batch",
        "default",
    ]
    assert await names(MemoryJournal(), [Queue("default"), Queue("batch")]) == ["default", "batch"]
    assert await names(MemoryJournal(), [Queue("default", max_jobs=3)]) == ["default"]


async def test_one_that_is_no_longer_named_goes_at_a_start_and_one_with_jobs_when_they_have_ended() -> None:
    journal = MemoryJournal()
    async with live(journal=journal, queues=[Queue("a"), Queue("b"), Queue("c")]) as story:
        job = await story.submit(queue="b", held=True)
        await story.do(SetQueue(Queue("mine"), "root"))
    async with live(journal=journal, queues=[Queue("a")]) as story:
        assert list(story.state.queues) == ["a", "b", "mine"]
        await story.cancel(job)
    assert await names(journal, [Queue("a")]) == ["a", "mine"]
    assert await names(journal, [Queue("a"), Queue("b")]) == ["a", "mine", "b"]
    assert await names(journal, [Queue("a"), Queue("b")]) == ["a", "mine", "b"]


async def test_what_the_configuration_still_names_stays_at_each_start_whatever_it_is_called() -> None:
    journal, named = MemoryJournal(), [Queue("batch"), Queue("default", priority=3)]
    for _ in range(3):
        assert await names(journal, named) == ["batch", "default"]
    assert await names(journal, named[:1]) == ["batch"]


async def test_one_queue_stays_although_somebody_has_removed_what_the_configuration_names() -> None:
    journal = MemoryJournal()
    async with live(journal=journal, queues=[Queue("a"), Queue("b")]) as story:
        await story.do(RemoveQueue("a", "root"))
    assert await names(journal, [Queue("a")]) == ["a"]


async def test_commands_take_the_names_that_the_configuration_takes_and_no_others() -> None:
    async with live(queues=[Queue("a.b")]) as story:
        await story.do(SetQueue(Queue("a.b", max_jobs=3), "root"))
        assert story.state.queues["a.b"].max_jobs == 3
        for name in ("", ".a", "a b", "é", "x" * 65, "a\n"):
            with pytest.raises(BadValue, match="first a letter or digit"):
                await story.do(SetQueue(Queue(name), "root"))


async def test_nodes_that_a_queue_has_in_the_configuration_are_its_own_when_they_come() -> None:
    """At the first start the queues are there before any node is."""
    async with live(queues=[Queue("all"), Queue("special", nodes=("n3", "n4"))], offers=[]) as story:
        waits = await story.submit(queue="special", processors=8, run_s=10.0)
        await story.join([nodes()])
        await story.settled()
        machine = story.state.machine
        assert sorted(machine.nodes[number].name for number, _ in story.run(waits).nodes) == ["n3", "n4"]
        with pytest.raises(BadValue, match=r"^resources: "):
            await story.submit(queue="special", processors=12)
        await assert_kept(story)
