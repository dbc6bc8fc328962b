"""Running jobs that a policy moves: to other nodes of their agent, and to another agent."""

from molokini.model.facts import JobMoved, JobStarted
from molokini.proto.v1 import agent_service_pb2 as wire
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.voices import Voice, spoken
from tests.server.releases.life import Say

MOVES_S = 10.0


async def move(story: Story, job: int, onto: dict[int, int]) -> None:
    """From these nodes to those: what a policy from a file may decide; none at hand does."""
    await story.advance(MOVES_S)
    [started] = story.journal.facts(JobStarted)
    placed = tuple((onto[node], tasks, component) for node, tasks, component in started.placed)
    await story.do(Say(JobMoved(job, -1, placed)))


async def test_what_is_moved_has_its_new_nodes_and_no_others_and_goes_on_with_its_work() -> None:
    async with live(offers=[nodes("n[1-2]")]) as story:
        job = await story.submit(nodes=1, processors_per_node=4, run_s=60.0)
        assert story.run(job).nodes == ((0, 4),)
        await move(story, job, {0: 1})
        assert story.run(job).nodes == ((1, 4),)
        beside = await story.submit(nodes=1, processors_per_node=4, run_s=5.0)
        assert story.run(beside).nodes == ((0, 4),)
        await assert_kept(story)
        await story.advance(100.0)
        assert (story.status(job), story.run(job).attempt, story.run(job).end_s) == ("completed", 1, 60.0)


async def test_another_agent_goes_on_with_the_work_that_the_first_has_done() -> None:
    async with live(offers=[nodes("n1")]) as story:
        job = await story.submit(processors=4, run_s=60.0)
        await story.join_beside([nodes("m1")], "other")
        await move(story, job, {0: 1})
        assert story.run(job).nodes == ((1, 4),)
        await story.advance(100.0)
        assert (story.status(job), story.run(job).attempt, story.run(job).end_s) == ("completed", 1, 60.0)
        await assert_kept(story)


async def test_an_agent_is_told_to_which_of_its_nodes_a_job_moves() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(nodes=1, processors_per_node=4)
        await move(story, job, {0: 1})
        [order] = await voice.hears("order")
        assert (order.kind, order.attempt.job_id, order.at_s) == (wire.Order.MOVE, job, MOVES_S)
        assert [(part.node, part.processors) for part in order.allocation] == [("n2", 4)]
        assert not story.state.left


async def test_the_agent_to_which_a_job_moves_waits_until_the_other_has_let_it_go() -> None:
    async with spoken() as (story, first):
        second = Voice(story, "other", "b2")
        job = await story.submit(processors=16)
        await second.joined(nodes("m[1-4]"))
        await move(story, job, {node: node + 4 for node in range(4)})
        [order] = await first.hears("order")
        assert (order.kind, order.attempt.job_id) == (wire.Order.KILL, job)
        await story.settled()
        assert story.run(job).left_at == (first.name,)
        assert second.of("launch") == []
        await assert_kept(story)
        await story.advance(5.0)
        first.report(wire.Report.KILLED, job)
        [launch] = await second.hears("launch")
        assert (launch.attempt.job_id, launch.attempt.attempt) == (job, 1)
        assert (launch.work_s, launch.updated_s) == (MOVES_S, MOVES_S + 5.0)
        assert [part.node for part in launch.allocation] == ["m1", "m2", "m3", "m4"]
        assert_sound(story.state)
        second.task.cancel()
