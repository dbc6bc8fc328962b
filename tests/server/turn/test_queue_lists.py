"""Jobs that name several queues, live: the policy chooses one, and what it has chosen is kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from molokini.model.errors import UnknownName
from molokini.model.job_specs import JobSpec
from molokini.model.site import CONFIGURATION
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.server.journal.port import Finished
from molokini.server.link.session import launch_of
from molokini.server.state.past import records_of
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import Alter
from molokini.server.turn.operating import RemoveQueue, SetQueue
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept

CONF = """\
ClusterName=tiny
SchedulerParameters=bf_interval=10,batch_sched_delay=0
NodeName=a[1-2] CPUs=4
NodeName=b[1-2] CPUs=4
PartitionName=aa Nodes=a[1-2] Default=YES
PartitionName=bb Nodes=b[1-2]
PartitionName=all Nodes=a[1-2],b[1-2] {all}
"""
QUEUES = (
    Queue("aa", nodes=("a1", "a2")),
    Queue("bb", nodes=("b1", "b2")),
    Queue("all", nodes=("a1", "a2", "b1", "b2")),
)
ROOT = "root"


@asynccontextmanager
async def cluster(policy: str = "slurm", of_all: str = "", **more: Any) -> AsyncIterator[Story]:
    offers = [nodes("a[1-2]", processors=4), nodes("b[1-2]", processors=4)]
    parameters = {CONFIGURATION: CONF.format(all=of_all)} if policy == "slurm" else {}
    async with live(policy, offers=offers, parameters=parameters, queues=QUEUES, **more) as story:
        yield story


async def submitted(story: Story, queue: str, *further: str, **more: Any) -> int:
    """A job of a whole node for 100 s."""
    asked = {"processors": 4, "estimate_s": 100.0, "run_s": 100.0, **more}
    if further:
        asked["further_queues"] = list(further)
    return await story.submit(queue=queue, **asked)


def places(story: Story, *jobs: int) -> list[tuple[str, str]]:
    """The queue in which each runs, and its node."""
    return [
        (story.run(job).queue, story.state.machine.nodes[story.run(job).nodes[0][0]].name) for job in jobs
    ]


async def test_the_policy_chooses_and_what_it_has_chosen_is_kept() -> None:
    async with cluster() as story:
        jobs = [await submitted(story, "aa", "bb") for _ in range(5)]
        await story.advance(5.0)
        assert places(story, *jobs[:4]) == [("aa", "a1"), ("aa", "a2"), ("bb", "b1"), ("bb", "b2")]
        assert story.status(jobs[4]) == "waiting"
        await assert_kept(story, by_snapshot=True)
        await story.advance(200.0)
        assert story.run(jobs[4]).queue == "aa"
        assert [story.status(job) for job in jobs] == ["completed"] * 5
        await assert_kept(story, by_snapshot=True)
        # By these records ended jobs of a queue are found.
        records = [next(iter(records_of(story.state.jobs[job], story.state.machine))) for job in jobs]
        assert [one.queue for one in records if isinstance(one, Finished)] == ["aa", "aa", "bb", "bb", "aa"]


async def test_after_a_restart_it_knows_where_jobs_run() -> None:
    # Both partitions have the node: without the fact the one of the higher tier would be taken.
    async with cluster(of_all="PriorityTier=9 MaxNodes=0") as story:
        job = await submitted(story, "all", "bb")
        await story.advance(5.0)
        assert story.run(job).queue == "bb"
        t, row = story.state.tables, story.run(job).row
        assert mine(t).place[row] == 2
        # As a policy that has just taken over: it finds out again where jobs are.
        story.core.reactor.running_policy.take_over(story.state)
        await submitted(story, "aa")
        await story.advance(5.0)
        assert mine(t).place[row] == 2


async def test_a_job_is_told_in_which_queue_it_runs() -> None:
    async with cluster() as story:
        await story.do(SetQueue(Queue("aa", nodes=("a1", "a2"), started=False), ROOT))
        several, one = await submitted(story, "aa", "bb"), await submitted(story, "all")
        await story.advance(20.0)
        told = [launch_of(story.run(job), story.state, 1.0).spec for job in (several, one)]
        assert [(spec.queue, list(spec.further_queues)) for spec in told] == [("bb", []), ("all", [])]
        # What was asked for is kept.
        assert story.state.jobs[several].spec["queue"] == "aa"


async def test_a_requeued_job_may_start_in_any_of_its_queues_again() -> None:
    async with cluster() as story:
        job = await submitted(story, "aa", "bb")
        await story.advance(5.0)
        await story.do(SetQueue(Queue("aa", nodes=("a1", "a2"), started=False), ROOT))
        await story.requeue(job)
        assert story.run(job).queue == ""
        # A job that was put back begins two minutes later at the earliest.
        await story.advance(200.0)
        assert places(story, job) == [("bb", "b1")]
        await assert_kept(story, by_snapshot=True)


async def test_a_job_waits_outside_while_all_of_its_queues_are_stopped() -> None:
    async with cluster() as story:
        for name in ("aa", "bb"):
            await story.do(SetQueue(Queue(name, nodes=(f"{name[0]}1", f"{name[0]}2"), started=False), ROOT))
        job = await submitted(story, "aa", "bb")
        await story.advance(20.0)
        assert (story.status(job), story.run(job).reason) == ("held", "queues aa, bb are stopped")
        await story.do(SetQueue(QUEUES[1], ROOT))
        await story.advance(20.0)
        assert places(story, job) == [("bb", "b1")]
        await assert_kept(story, by_snapshot=True)


async def test_a_new_list_of_queues_leaves_usage_and_priorities_alone() -> None:
    async with cluster() as story:
        await submitted(story, "aa", run_s=500.0, estimate_s=500.0)
        await story.advance(50.0)
        t = story.state.tables
        before = (mine(t).sized, mine(t).begun)
        epoch = t.cycle.replan
        await submitted(story, "bb", "aa")
        await story.advance(0.0)
        assert ((mine(t).sized, mine(t).begun), t.cycle.replan) == (before, epoch)


@pytest.mark.parametrize(
    ("queues", "kept"),
    [
        (("aa", "aa", "bb"), ("aa", "bb")),
        (("closed", "bb"), ("bb",)),
        (("theirs", "bb", "all"), ("bb", "all")),
        (("bb", "closed"), ("bb",)),
    ],
)
async def test_queues_that_do_not_take_a_job_are_left_out(
    queues: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    async with cluster() as story:
        await story.do(SetQueue(Queue("closed", enabled=False), ROOT))
        await story.do(SetQueue(Queue("theirs", users=("bob",)), ROOT))
        job = await submitted(story, *queues)
        assert story.state.jobs[job].queues == kept


async def test_a_queue_that_there_is_not_is_refused_by_name() -> None:
    async with cluster() as story:
        with pytest.raises(UnknownName, match=r"queue named 'gone'.*aa, all, bb"):
            await submitted(story, "aa", "gone")
        job = await submitted(story, "aa", held=True)
        changes: JobSpec = {"further_queues": ["gone"]}
        with pytest.raises(UnknownName, match="gone"):
            await story.do(Alter(job, ROOT, changes, story.limits, operator=True))


async def test_a_policy_that_does_not_choose_has_the_job_in_its_first_queue() -> None:
    async with cluster("easy") as story:
        jobs = [await submitted(story, "bb", "aa") for _ in range(3)]
        assert story.state.jobs[jobs[0]].queues == ("bb",)
        await story.advance(1.0)
        assert [story.status(job) for job in jobs] == ["running", "running", "waiting"]


async def test_queues_are_changed_together_while_a_job_waits() -> None:
    async with cluster() as story:
        for _ in range(2):
            await submitted(story, "aa")
        job = await submitted(story, "aa")
        await story.advance(5.0)
        assert story.status(job) == "waiting"
        both: JobSpec = {"queue": "aa", "further_queues": ["bb"]}
        await story.do(Alter(job, ROOT, both, story.limits, operator=True))
        assert story.state.jobs[job].queues == ("aa", "bb")
        await story.advance(20.0)
        assert places(story, job) == [("bb", "b1")]
        await assert_kept(story, by_snapshot=True)


async def test_another_queue_alone_takes_the_place_of_all() -> None:
    async with cluster() as story:
        job = await submitted(story, "aa", "bb", held=True)
        one: JobSpec = {"queue": "all"}
        await story.do(Alter(job, ROOT, one, story.limits, operator=True))
        assert story.state.jobs[job].queues == ("all",)
        await assert_kept(story)


async def test_a_queue_that_a_job_may_still_start_in_stays() -> None:
    async with cluster() as story:
        await submitted(story, "aa", "bb", held=True)
        with pytest.raises(Exception, match="queue bb has jobs that have not ended"):
            await story.do(RemoveQueue("bb", ROOT))
