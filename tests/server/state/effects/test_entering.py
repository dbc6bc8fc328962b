"""Jobs enter the queue: those that come before the first node wait for nodes that can hold them."""

from typing import Any

import pytest

from molokini.model.errors import BadValue
from molokini.server.queries.explanations import explain
from molokini.server.state.queues import Queue
from molokini.server.translate import job_to_wire
from molokini.server.turn.asked import AskedSpec
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from molokini.server.turn.retiring import Retire
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, Story, after, live, nodes, spec_of
from tests.kit.live_picture import assert_kept, assert_sound


def why(story: Story, number: int) -> tuple[str, str]:
    told = explain(story.core, story.job(number), story.run(number))
    assert job_to_wire(story.job(number), story.run(number), story.state).reason == told.text
    return told.rule, told.text


async def test_a_job_that_comes_before_the_first_node_starts_on_it() -> None:
    async with live(offers=[]) as story:
        number = await story.submit(processors=4, run_s=10.0)
        assert story.status(number) == "held"
        assert why(story, number) == ("no-nodes", "no node has registered yet")
        assert_sound(story.state)
        await story.advance(5.0)
        await story.join([nodes()])
        assert story.status(number) == "running"
        await story.advance(100.0)
        assert (story.run(number).start_s, story.run(number).end_s) == (5.0, 15.0)
        await assert_kept(story)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
async def test_a_job_that_no_node_holds_waits_for_more_and_is_in_the_way_of_no_other(policy: str) -> None:
    async with live(policy, offers=[]) as story:
        wide = await story.submit(processors=20, run_s=10.0)
        narrow = await story.submit(processors=4, run_s=10.0)
        await story.join([nodes("n[1-4]", 4)])
        assert (story.status(wide), story.status(narrow)) == ("held", "running")
        wanted = ("no-nodes", "20 processors are needed, and the nodes that have registered have 16")
        assert why(story, wide) == wanted
        await assert_kept(story)
        with pytest.raises(BadValue, match="at most the machine's 16"):
            await story.submit(processors=20)
        await story.join_beside([nodes("m1", 4)], "another")
        await story.advance(100.0)
        assert [story.run(number).start_s for number in (wide, narrow)] == [10.0, 0.0]


async def test_whether_nodes_could_hold_a_job_is_checked_when_they_come() -> None:
    async with live(offers=[]) as story:
        number = await story.submit(nodes=2, processors_per_node=8, run_s=10.0)
        await story.join([nodes("n[1-4]", 4)])
        wanted = "the nodes that have registered could not hold it if all were up and empty"
        assert why(story, number)[1] == wanted
        await story.do(
            Alter(number, "ann", {"resources": {"nodes": 2, "processors_per_node": 4}}, Limits(), False)
        )
        assert story.status(number) == "running"


async def test_a_job_that_was_refused_is_taken_when_nodes_have_come_that_can_hold_it(story: Story) -> None:
    wish: dict[str, Any] = {"nodes": 2, "processors_per_node": 8, "run_s": 10.0}
    with pytest.raises(BadValue):
        await story.submit(**wish)
    await story.join_beside([nodes("m[1-2]", 8)], "another")
    assert story.status(await story.submit(**wish)) == "running"


async def test_another_change_does_not_place_what_waits_for_the_first_node() -> None:
    async with live(offers=[]) as story:
        number = await story.submit(run_s=10.0)
        await story.do(Alter(number, "ann", {"name": "other"}, Limits(), False))
        assert (story.status(number), story.state.unplaced) == ("held", {number})
        await assert_kept(story)


async def test_when_the_first_nodes_come_other_reasons_to_wait_stay() -> None:
    async with live(offers=[]) as story:
        held = await story.submit(held=True, run_s=1.0)
        first = await story.submit(run_s=3.0)
        then = await story.submit(dependencies=after("AFTER_OK", first), run_s=1.0)
        later = await story.submit(begin_at_s=7.0, run_s=1.0)
        many = await story.submit(array={"first": 1, "last": 3, "running_limit": 2}, run_s=2.0)
        await story.advance(1.0)
        await story.join([nodes()])
        states = [story.status(number) for number in (held, first, then, later)]
        assert states == ["held", "running", "held", "held"]
        assert [story.run(many, index).status for index in (1, 2)] == ["running", "running"]
        await story.advance(100.0)
        assert [story.run(number).end_s for number in (first, then, later)] == [4.0, 5.0, 8.0]
        assert story.job(many).over
        assert story.status(held) == "held"


async def test_a_job_that_waits_for_the_first_node_can_be_cancelled_and_limits_of_queues_hold() -> None:
    async with live(offers=[], queues=(Queue("narrow", max_processors=2),)) as story:
        with pytest.raises(BadValue, match="at most 2 in queue narrow"):
            await story.submit(processors=4)
        number = await story.submit(processors=2)
        await story.cancel(number)
        assert story.status(number) == "cancelled"
        # Nodes that come do not look for it, even if it has left the memory.
        assert story.state.unplaced == set()
        await story.do(Retire([number]))
        await story.join([nodes()])
        assert number not in story.state.jobs
        assert story.status(await story.submit(processors=2)) == "running"
        assert_sound(story.state)


async def test_what_was_taken_before_the_first_node_is_looked_at_again_when_it_has_come() -> None:
    asked = AskedSpec(spec_of(processors=20))
    async with live(offers=[]) as story:
        assert await story.do(Submit("ann", [asked, asked], story.limits)) == [1, 2]
        await story.join([nodes()])
        [refused] = await story.do(Submit("ann", [asked], story.limits))
        assert "at most the machine's 16" in str(refused)


async def test_a_second_server_goes_on_from_a_snapshot() -> None:
    journal = MemoryJournal()
    async with live(offers=[], journal=journal, snapshot_every=1, release="one") as story:
        number = await story.submit(processors=4, run_s=10.0)
    assert journal.snapshots
    other = MemoryJournal(journal.entries, 2)
    other.snapshots = journal.snapshots
    async with live(journal=other, release="one") as story:
        assert story.status(number) == "running"
