"""What operators change: queues, nodes that are drained, and the policy."""

import asyncio

import pytest

from molokini.model.actors import Origin
from molokini.model.errors import BadValue, Conflict, UnknownName
from molokini.model.job_specs import JobSpec
from molokini.model.reservations import Reservation
from molokini.server.state.node_names import MOST_FEATURES
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter, NotNow
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import DrainNodes, RemoveQueue, SetPolicy, SetQueue
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.reserving import MakeReservation
from tests.kit.live import Story, again, live
from tests.kit.live_picture import assert_kept, assert_sound

# Queues.


@pytest.mark.parametrize(
    ("removed", "refusal", "left"),
    [(("other", "other"), UnknownName, ["default"]), (("default", "other"), Conflict, ["other"])],
)
async def test_a_queue_is_removed_once_and_the_last_one_stays(
    story: Story, removed: tuple[str, str], refusal: type[Exception], left: list[str]
) -> None:
    await story.do(SetQueue(Queue("other"), "root"))
    posts = [story.core.reactor.post(RemoveQueue(name, "root")) for name in removed]
    answers = await asyncio.gather(*posts, return_exceptions=True)
    assert [type(answer) for answer in answers] == [type(None), refusal]
    assert list(story.state.queues) == left


async def test_a_queue_with_jobs_is_not_removed_even_when_they_come_in_the_same_turn(story: Story) -> None:
    await story.do(SetQueue(Queue("other"), "root"))
    job = await story.submit(held=True)
    moving = story.core.reactor.post(Alter(job, "ann", {"queue": "other"}, Limits(), False))
    removing = story.core.reactor.post(RemoveQueue("other", "root"))
    await moving
    with pytest.raises(NotNow, match="other"):
        await removing


async def test_one_queue_with_nodes_more_than_there_are_bits_is_refused(story: Story) -> None:
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


@pytest.mark.parametrize(
    ("queue", "wish", "field"),
    [
        (Queue("q", enabled=False), {}, "queue"),
        (Queue("q", users=("bob",)), {}, "queue"),
        (Queue("q", max_processors=2), {"processors": 3}, "processors"),
        (Queue("q", max_estimate_s=50.0), {"estimate_s": 51.0}, "estimate_s"),
    ],
)
async def test_rules_of_queues_for_submits_and_moves(
    story: Story, queue: Queue, wish: dict[str, float], field: str
) -> None:
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
async def test_no_change_makes_a_refusable_job(story: Story, changes: JobSpec, cause: str) -> None:
    await story.do(SetQueue(Queue("night", max_processors=8, max_estimate_s=50.0), "root"))
    job = await story.submit(queue="night", held=True, processors=8, estimate_s=50.0)
    before = story.journal.last_serial
    with pytest.raises(BadValue, match=cause):
        await story.do(Alter(job, "ann", changes, Limits(), False))
    assert story.journal.last_serial == before


@pytest.mark.parametrize(("most_s", "given_s"), [(50.0, 50.0), (70.0, 60.0), (0.0, 60.0)])
async def test_default_estimates_within_the_queues_most(story: Story, most_s: float, given_s: float) -> None:
    queue = Queue("q", default_estimate_s=60.0, max_estimate_s=most_s)
    await story.do(SetQueue(queue, "root"))
    assert story.job(await story.submit(queue="q", estimate_s=0.0)).estimate_s == given_s


# Nodes that are drained.


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "srpt"])
async def test_a_draining_node_finishes_its_jobs_and_takes_none(policy: str) -> None:
    async with live(policy) as story:
        old = await story.submit(processors=4, run_s=20.0)
        [(node, _)] = story.run(old).nodes
        name = story.state.machine.nodes[node].name
        await story.do(DrainNodes([name], "root", "tired"))
        new = [await story.submit(processors=2, run_s=5.0) for _ in range(10)]
        await story.advance(100.0)
        assert story.run(old).end_s == 20.0
        assert all(story.status(job) == "completed" for job in new)
        assert not any(node in dict(story.run(job).nodes) for job in new)
        await story.do(ReturnNodes([name], "root"))
        wide = await story.submit(processors=16)
        assert story.status(wide) == "running"
        assert_sound(story.state)


@pytest.mark.parametrize("policy", ["easy", "easy-depth", "conservative", "conservative-worstfit", "maui"])
async def test_a_drained_node_makes_way_for_a_job_behind_one_that_needs_the_node(policy: str) -> None:
    async with live(policy) as story:
        await story.submit(processors=16, run_s=10.0, estimate_s=10.0)
        wide = await story.submit(processors=16, run_s=10.0, estimate_s=10.0)
        small = await story.submit(processors=4, run_s=5.0, estimate_s=5.0)
        await story.advance(3.0)
        await story.do(DrainNodes(["n1"], "root", "new memory"))
        await story.advance(8.0)
        assert (story.status(wide), story.run(small).start_s) == ("waiting", 10.0)
        await assert_kept(story)
        await story.do(ReturnNodes(["n1"], "root"))
        await story.advance(4.0)
        assert story.run(wide).start_s == 15.0
        assert_sound(story.state)
        assert story.core.reactor.policy_failures == 0


@pytest.mark.parametrize("policy", ["easy", "conservative", "maui"])
async def test_a_node_that_is_up_again_before_its_job_ends_is_planned_with(policy: str) -> None:
    async with live(policy) as story:
        await story.do(DrainNodes(["n1"], "root", "new memory"))
        await story.submit(processors=12, run_s=10.0, estimate_s=10.0)
        wide = await story.submit(processors=16, run_s=10.0, estimate_s=10.0)
        await story.advance(3.0)
        await story.do(ReturnNodes(["n1"], "root"))
        # It would end behind the three others, at which the wide job is to start.
        long = await story.submit(processors=4, run_s=20.0, estimate_s=20.0)
        short = await story.submit(processors=4, run_s=7.0, estimate_s=7.0)
        assert (story.status(long), story.run(short).start_s) == ("waiting", 3.0)
        await story.advance(40.0)
        assert (story.run(wide).start_s, story.run(long).start_s) == (10.0, 20.0)
        assert_sound(story.state)


# The policy.


@pytest.mark.parametrize("name", ["ann", *map(str, Origin)])
async def test_what_a_user_sets_is_not_what_the_configuration_says(story: Story, name: str) -> None:
    before = dict(story.state.configured_queues), story.state.configured_policy
    await story.do(SetQueue(Queue("night"), name))
    await story.do(SetPolicy("easy", {}, name))
    await story.do(MakeReservation(Reservation("demo", 4, 10.0, 20.0), name))
    for state in (story.state, await again(story.journal)):
        assert (dict(state.configured_queues), state.configured_policy) == before
        assert state.configured_reservations == set()
    await story.do(RemoveQueue("night", name))
    for queue in before[0]:
        await story.do(RemoveQueue(queue, name))
    assert dict(story.state.configured_queues) == before[0]


POLICY = "edf-opr-mn"


async def test_a_policy_that_wants_more_nodes_than_there_are_does_not_take_over() -> None:
    async with live(POLICY) as story:
        with pytest.raises(BadValue, match="k: 17 is not allowed; it must be at most the machine's 16"):
            await story.do(SetPolicy("edf-opr-k", {"k": "17"}, "root"))
        with pytest.raises(BadValue, match="release: 'each' is not allowed"):
            await story.do(SetPolicy("edf-epr-mn", {"release": "each"}, "root"))
        await story.do(SetPolicy("edf-opr-k", {"k": "16"}, "root"))
        assert story.state.policy == ("edf-opr-k", {"k": "16"})
