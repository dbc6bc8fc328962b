"""Two commands of one turn: the second is judged by what the first has made, and not by what was before."""

import asyncio
from typing import Any

import pytest

from molokini.model.calendars import Calendar
from molokini.model.errors import MolokiniError
from molokini.model.reservations import Reservation, StandingReservation
from molokini.server.state.node_names import MOST_FEATURES
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter
from molokini.server.turn.command import Command
from molokini.server.turn.operating import RemoveQueue, SetPolicy, SetQueue
from molokini.server.turn.reporting import AddNodes
from molokini.server.turn.reserving import MakeReservation, ReleaseReservation
from molokini.server.turn.retiring import Retire
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, live, nodes, spec_of
from tests.kit.live_picture import assert_kept


async def told(story: Story, *commands: Command) -> list[Any]:
    """What is answered to *commands*, posted for one turn: an error in words."""
    posts = [story.core.reactor.post(command) for command in commands]
    # Raises what the server has failed with, if it has.
    await story.settled()
    answers = await asyncio.gather(*posts, return_exceptions=True)
    await assert_kept(story)
    for answer in answers:
        assert not isinstance(answer, Exception) or isinstance(answer, MolokiniError), answer
    return [str(one) if isinstance(one, Exception) else one for one in answers]


def move(story: Story, job: int, queue: str) -> Alter:
    return Alter(job, "ann", {"queue": queue}, story.limits, False)


@pytest.mark.parametrize("limit", ["max_jobs", "max_jobs_per_user"])
async def test_of_two_moves_into_the_last_place_of_a_queue_one_is_made(story: Story, limit: str) -> None:
    await story.do(SetQueue(Queue("one", **{limit: 1}), "root"))  # type: ignore[arg-type]
    jobs = [await story.submit(queue="default", held=True) for _ in range(2)]
    first, second = await told(story, *(move(story, job, "one") for job in jobs))
    assert (first, "at most 1 unfinished job" in second) == (None, True)
    assert [story.job(job).queue for job in jobs] == ["one", "default"]


@pytest.mark.parametrize("limit", ["max_jobs", "max_jobs_per_user"])
async def test_a_job_that_comes_beside_a_move_into_the_last_place_is_refused(
    story: Story, limit: str
) -> None:
    await story.do(SetQueue(Queue("one", **{limit: 1}), "root"))  # type: ignore[arg-type]
    job = await story.submit(queue="default", held=True)
    moved, [refused] = await told(
        story, move(story, job, "one"), Submit("ann", [spec_of(queue="one")], story.limits)
    )
    assert (moved, "at most 1 unfinished job" in str(refused)) == (None, True)


async def test_a_job_that_comes_with_another_policy_is_judged_by_that() -> None:
    async with live("easy") as story:
        changed, [refused, taken] = await told(
            story,
            SetPolicy("srpt", {}, "root"),
            Submit("ann", [spec_of(nodes=1), spec_of(held=True)], story.limits),
        )
        assert (changed, taken) == (None, 1)
        assert "policy srpt only counts processors" in str(refused)


async def test_a_job_that_is_altered_as_the_policy_changes_is_judged_by_the_new_one() -> None:
    async with live("easy") as story:
        job = await story.submit(held=True)
        change = Alter(job, "ann", {"resources": {"nodes": 1}}, story.limits, False)
        changed, refused = await told(story, SetPolicy("srpt", {}, "root"), change)
        assert (changed, "policy srpt only counts processors" in refused) == (None, True)
        assert story.job(job).request.counted


@pytest.mark.parametrize("new", [False, True])
async def test_a_job_must_have_room_on_nodes_that_its_queue_gets_with_it(story: Story, new: bool) -> None:
    if not new:
        await story.do(SetQueue(Queue("q", nodes=("n1", "n2")), "root"))
    else:
        await story.do(SetQueue(Queue("q"), "root"))
    job = await story.submit(queue="default", processors=8, held=True)
    bind = SetQueue(Queue("q", nodes=("n3",)), "root")
    submit = Submit("ann", [spec_of(queue="q", processors=count) for count in (8, 4)], story.limits)
    bound, moved, [refused, taken] = await told(story, bind, move(story, job, "q"), submit)
    assert (bound, taken) == (None, 2)
    assert all("resources" in str(one) for one in (moved, refused))
    assert story.run(taken).nodes == ((2, 4),)


def offer(story: Story, agent: str, **said: Any) -> AddNodes:
    return AddNodes([story.core.hub._offer(agent, nodes(**said))])


async def test_a_job_that_is_altered_as_the_first_nodes_come_must_have_room_on_them() -> None:
    async with live(offers=[]) as story:
        job = await story.submit(processors=2, held=True)
        change = Alter(job, "ann", {"resources": {"processors": 20}}, story.limits, False)
        come, refused = await told(story, offer(story, "a", names="a1", processors=16), change)
        assert (come, "at most the machine's 16" in refused) == (None, True)


async def test_the_last_bit_for_a_queue_with_nodes_is_given_once(story: Story) -> None:
    for k in range(MOST_FEATURES - 1):
        await story.do(SetQueue(Queue(f"q{k}", nodes=("n1",)), "root"))
    bound = [SetQueue(Queue(name, nodes=("n1",)), "root") for name in ("a", "b")]
    first, second = await told(story, *bound)
    assert (first, "at most 62" in second) == (None, True)
    assert "b" not in story.state.queues


@pytest.mark.parametrize("said", [{"features": ["f61"]}, {"generic": {"g3": 1}}])
async def test_the_last_bit_for_a_feature_or_generic_resource_is_given_once(said: dict[str, Any]) -> None:
    full = nodes(features=[f"f{k}" for k in range(MOST_FEATURES - 1)], generic={f"g{k}": 1 for k in range(3)})
    other: dict[str, Any] = {
        name: ["f62"] if isinstance(value, list) else {"g4": 1} for name, value in said.items()
    }
    async with live(offers=[full]) as story:
        first, second = await told(
            story, offer(story, "a", names="a1", **said), offer(story, "b", names="b1", **other)
        )
        assert (first, "at most" in str(second)) == (None, True)
        assert "b1" not in story.state.machine.by_name


async def test_a_feature_that_comes_beside_a_queue_with_nodes_has_the_last_bit() -> None:
    full = nodes(features=[f"f{k}" for k in range(MOST_FEATURES - 1)])
    async with live(offers=[full]) as story:
        come = offer(story, "a", names="a1", features=["last"])
        first, second = await told(story, come, SetQueue(Queue("a", nodes=("n1",)), "root"))
        assert (first, "at most 62" in second) == (None, True)


async def test_of_two_agents_that_come_with_one_node_the_first_has_it(story: Story) -> None:
    first, second = await told(story, offer(story, "a", names="a[1-2]"), offer(story, "b", names="a[2-3]"))
    assert (first, second) == (None, "nodes: node a2 belongs to agent a")
    assert "a3" not in story.state.machine.by_name


async def test_a_policy_that_moves_jobs_is_refused_where_real_nodes_come_with_it(story: Story) -> None:
    come, refused = await told(
        story, offer(story, "a", names="a[1-2]", real=True), SetPolicy("srpt", {}, "root")
    )
    assert (come, "srpt moves jobs between nodes" in refused) == (None, True)
    assert story.state.policy == ("fcfs", {})


async def test_a_queue_stays_where_a_job_comes_as_it_is_removed(story: Story) -> None:
    await story.do(SetQueue(Queue("other"), "root"))
    taken, refused = await told(
        story, Submit("ann", [spec_of(queue="other")], story.limits), RemoveQueue("other", "root")
    )
    assert (taken, refused) == ([1], "queue other has jobs that have not ended")
    assert "other" in story.state.queues


async def test_a_queue_that_is_made_and_removed_is_gone(story: Story) -> None:
    assert await told(story, SetQueue(Queue("other"), "root"), RemoveQueue("other", "root")) == [None] * 2
    assert list(story.state.queues) == ["default"]


DEMO = Reservation("demo", 4, 10.0, 20.0)


async def test_what_is_reserved_as_the_policy_changes_is_judged_by_the_new_one(story: Story) -> None:
    changed, refused = await told(story, SetPolicy("ps", {}, "root"), MakeReservation(DEMO, "root"))
    assert (changed, refused) == (None, "policy ps cannot keep jobs out of reservations")


async def test_a_reservation_may_have_the_name_of_one_that_is_given_up_in_the_same_turn(story: Story) -> None:
    await story.do(MakeReservation(DEMO, "root"))
    gone, made = await told(story, ReleaseReservation("demo", "root"), MakeReservation(DEMO, "root"))
    assert (gone, made) == (None, DEMO)
    gone, refused = await told(story, *(ReleaseReservation("demo", "root") for _ in range(2)))
    assert (gone, "no reservation named 'demo'" in refused) == (None, True)


async def test_a_job_leaves_the_memory_once_however_often_it_is_let_go(story: Story) -> None:
    over, here = await story.submit(run_s=0.0), await story.submit(held=True)
    await story.advance(1.0)
    assert await told(story, Retire([over, here]), Retire([here, over, 77])) == [None, None]
    assert list(story.state.jobs) == [here]


NIGHTS = StandingReservation("nights", 4, Calendar(start_s=0.0, end_s=3600.0), 2)


async def test_a_reservation_and_an_instance_of_a_standing_one_have_not_the_same_name() -> None:
    """Whichever comes first: by its name an instance is told from what can be given up."""
    instance = Reservation("nights.0", 1, 10.0, 20.0)
    for first, second in ((NIGHTS, instance), (instance, NIGHTS)):
        async with live() as story:
            await story.do(MakeReservation(first, "root"))
            with pytest.raises(MolokiniError, match="an instance of a standing reservation is called"):
                await story.do(MakeReservation(second, "root"))
            assert list(story.state.reservations) == [first.name]
