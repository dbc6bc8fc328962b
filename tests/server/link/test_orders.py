"""What agents are told of attempts that they have: another limit, another place."""

from molokini.model.facts import JobEnded
from molokini.model.site import CONFIGURATION
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from molokini.server.turn.operating import SetPolicy
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit.live import Story, live, nodes
from tests.kit.voices import spoken


async def alter(story: Story, job: int, **changes: object) -> None:
    await story.do(Alter(job, "root", changes, Limits(), True))


async def test_a_new_estimate_is_told_to_the_agent_of_what_runs_and_of_what_is_suspended() -> None:
    async with spoken() as (story, voice):
        runs, stopped, waits = [await story.submit(processors=8) for _ in range(3)]
        await voice.hears("launch", 2)
        await story.do(SuspendJob(stopped, -1, "root"))
        await voice.hears("launch", 3)
        for job in (runs, stopped):
            await alter(story, job, estimate_s=250.0, comment="longer")
        await alter(story, runs, comment="no new limit")
        orders = [one for one in await voice.hears("order", 3) if one.kind == wire.Order.SET_LIMIT]
        assert [(one.attempt.job_id, one.limit_s) for one in orders] == [(runs, 250.0), (stopped, 250.0)]
        assert waits


async def test_every_element_of_an_array_that_runs_gets_the_new_limit() -> None:
    async with live() as story:
        job = await story.submit(array={"first": 1, "last": 3}, estimate_s=50.0, run_s=70.0)
        await alter(story, job, estimate_s=80.0)
        await story.advance(100.0)
        assert {fact.ending for fact in story.journal.facts(JobEnded)} == {"completed"}


async def test_a_job_with_a_longer_limit_runs_on_and_one_with_a_shorter_is_ended_sooner() -> None:
    async with live() as story:
        longer = await story.submit(run_s=70.0, estimate_s=50.0)
        shorter = await story.submit(run_s=70.0, estimate_s=80.0)
        over = await story.submit(run_s=70.0, estimate_s=80.0)
        unscripted = await story.submit(estimate_s=50.0)
        await story.advance(30.0)
        await alter(story, longer, estimate_s=100.0)
        await alter(story, shorter, estimate_s=40.0)
        await alter(story, over, estimate_s=10.0)
        await alter(story, unscripted, estimate_s=90.0)
        await story.advance(100.0)
        assert [(story.status(job), story.run(job).end_s) for job in (longer, shorter, over, unscripted)] == [
            ("completed", 70.0),
            ("timed-out", 40.0),
            ("timed-out", 30.0),
            ("completed", 90.0),
        ]


async def test_an_agent_that_was_away_learns_the_limit_when_it_comes_again() -> None:
    async with live() as story:
        job = await story.submit(run_s=70.0, estimate_s=50.0)
        await story.leave()
        await alter(story, job, estimate_s=60.0)
        await story.connect()
        await story.advance(100.0)
        assert (story.status(job), story.run(job).end_s) == ("timed-out", 60.0)


async def test_a_limit_outlives_server_and_agent() -> None:
    async with live() as story:
        job = await story.submit(run_s=70.0, estimate_s=50.0)
        await story.advance(20.0)
        await alter(story, job, estimate_s=100.0)
    async with live(journal=story.journal) as again:
        await again.advance(100.0)
        assert (again.status(job), again.run(job).end_s) == ("completed", 70.0)


async def test_what_is_resumed_on_other_nodes_of_its_agent_is_told_which() -> None:
    async with spoken() as (story, voice):
        moving = await story.submit(nodes=1, processors_per_node=4)
        [launch] = await voice.hears("launch")
        assert [part.node for part in launch.allocation] == ["n1"]
        await story.do(SuspendJob(moving, -1, "root"))
        blocking = await story.submit(nodes=1, processors_per_node=4)
        await voice.hears("launch", 2)
        await story.do(ResumeJob(moving, -1, "root"))
        resumed = (await voice.hears("order", 2))[-1]
        assert resumed.kind == wire.Order.RESUME
        assert [(part.node, part.processors) for part in resumed.allocation] == [("n2", 4)]
        assert blocking


async def test_what_was_resumed_elsewhere_is_not_lost_with_the_node_where_it_was() -> None:
    async with live(offers=[nodes("n[1-2]")]) as story:
        moving = await story.submit(nodes=1, processors_per_node=4, run_s=60.0)
        await story.advance(10.0)
        await story.do(SuspendJob(moving, -1, "root"))
        dies = await story.submit(
            nodes=1, processors_per_node=4, requeue=False, outcome={"run_s": 60.0, "node_dies_after_s": 20.0}
        )
        await story.do(ResumeJob(moving, -1, "root"))
        await story.advance(100.0)
        assert story.status(dies) == "node-lost"
        assert (story.status(moving), story.run(moving).attempt, story.run(moving).end_s) == (
            "completed",
            1,
            60.0,
        )


async def test_limits_follow_overruns_that_are_switched_on_off_and_on_again() -> None:
    """Each time what runs hears of it; where nothing may run past its limit as before, nothing is said."""
    async with spoken(policy="maui") as (story, voice):
        job = await story.submit(processors=1, estimate_s=100.0)
        stopped = await story.submit(processors=1, estimate_s=10.0)
        await voice.hears("launch", 2)
        await story.do(SuspendJob(stopped, -1, "root"))
        told = []
        for overrun_s in (0, 50, 0, 0, 20, 0):
            before = len(voice.of("order"))
            text = f"JOBMAXOVERRUN {overrun_s}\n"
            await story.do(SetPolicy("maui", {CONFIGURATION: text}, "root"))
            orders = voice.of("order")[before:]
            assert all(one.kind == wire.Order.SET_LIMIT for one in orders)
            told.append({one.attempt.job_id: one.limit_s for one in orders})
        usual = {job: 100.0, stopped: 10.0}
        assert told == [{}, {job: 150.0, stopped: 60.0}, usual, {}, {job: 120.0, stopped: 30.0}, usual]
