"""Jobs that a live server suspends for others, which take their CPUs, on their nodes until those have ended.

By the policy slurm, with PreemptMode SUSPEND,GANG.
"""

from typing import Any

import pytest

from molokini.model.facts import JobResumed, JobSuspended
from molokini.model.site import CONFIGURATION
from molokini.server.state.queues import Queue
from molokini.server.turn.changing import NotNow
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import MemoryJournal, live, nodes
from tests.kit.live_picture import assert_kept, assert_sound

CONF = """\
ClusterName=tiny
SchedulerParameters=bf_interval=10,batch_sched_delay=0
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=1
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
NodeName=n[1-2] CPUs=4 RealMemory=1000
PartitionName=low Nodes=n[1-2] Default=YES
PartitionName=high Nodes=n[1-2] PriorityTier=10
"""
SITE: dict[str, Any] = {
    "policy": "slurm",
    "parameters": {CONFIGURATION: CONF},
    "queues": (Queue("low"), Queue("high")),
}
OFFERS = [nodes("n[1-2]", memory_kb=1_024_000)]


async def test_it_stops_for_another_and_goes_on_where_it_was() -> None:
    async with live(offers=OFFERS, **SITE) as story:
        low = await story.submit(queue="low", processors=6, run_s=50.0)
        await story.advance(10.0)
        high = await story.submit(queue="high", nodes=1, processors_per_node=4, run_s=20.0)
        assert (story.status(low), story.status(high)) == ("suspended", "running")
        assert (story.run(low).nodes, story.run(high).nodes) == (((0, 4), (1, 2)), ((0, 4),))
        assert_sound(story.state)
        await assert_kept(story)
        await story.advance(20.0)
        assert (story.status(low), story.status(high)) == ("running", "completed")
        assert story.run(low).nodes == ((0, 4), (1, 2))
        await story.advance(40.0)
        assert (story.status(low), story.run(low).end_s) == ("completed", 70.0)
        assert story.journal.facts(JobSuspended) == [JobSuspended(low, -1, in_place=True)]
        [resumed] = story.journal.facts(JobResumed)
        assert (resumed.placed, resumed.exclusive, resumed.in_place) == (((0, 4, 0), (1, 2, 0)), True, True)
        assert_sound(story.state)
        await assert_kept(story)


async def test_elements_of_an_array_stop_each_by_itself() -> None:
    async with live(offers=OFFERS, **SITE) as story:
        low = await story.submit(queue="low", processors=4, run_s=50.0, array={"indices": [1, 2]})
        assert story.counted(low) == {"running": 2}
        high = await story.submit(queue="high", processors=8, run_s=20.0)
        assert (story.counted(low), story.status(high)) == ({"suspended": 2}, "running")
        await story.advance(25.0)
        assert story.counted(low) == {"running": 2}
        await assert_kept(story)


async def test_another_process_goes_on_with_what_is_suspended() -> None:
    """The jobs keep their places: one of a lower tier does not start, and the suspended one goes on."""
    journal = MemoryJournal()
    async with live(offers=OFFERS, journal=journal, **SITE) as story:
        low = await story.submit(queue="low", processors=8, run_s=50.0)
        await story.advance(10.0)
        high = await story.submit(queue="high", nodes=1, processors_per_node=4, run_s=20.0)
        assert (story.status(low), story.status(high)) == ("suspended", "running")
        before = story.state.now
    journal.epoch += 1
    async with live(offers=OFFERS, journal=journal, **SITE) as story:
        assert story.state.now == before
        other = await story.submit(queue="low", processors=1, run_s=5.0)
        assert (story.status(low), story.status(high), story.status(other)) == (
            *("suspended", "running", "waiting"),
        )
        await story.advance(20.0)
        assert (story.status(low), story.status(other)) == ("running", "waiting")
        await story.advance(60.0)
        assert [story.status(job) for job in (low, high, other)] == ["completed"] * 3
        assert story.run(low).end_s == 70.0
        assert_sound(story.state)


async def test_who_stops_runs_again_where_its_node_is_lost() -> None:
    async with live(offers=OFFERS, **SITE) as story:
        low = await story.submit(queue="low", processors=8, run_s=50.0)
        await story.advance(10.0)
        high = await story.submit(queue="high", nodes=1, processors_per_node=4, run_s=20.0)
        await story.do(LoseNodes(["n2"], "root", "cable"))
        assert (story.status(low), story.status(high)) == ("waiting", "running")
        assert story.state.tables.nodes.free[0, 0] == 0.0
        assert_sound(story.state)
        await assert_kept(story)
        await story.do(ReturnNodes(["n2"], "root"))
        await story.advance(200.0)
        assert story.status(low) == "running"
        await story.advance(60.0)
        assert (story.status(low), story.run(low).attempt) == ("completed", 2)
        assert_sound(story.state)


async def test_one_that_is_cancelled_while_it_is_suspended_leaves_all_that_it_kept() -> None:
    async with live(offers=OFFERS, **SITE) as story:
        low = await story.submit(queue="low", processors=8, run_s=50.0, memory_kb=102_400)
        high = await story.submit(queue="high", nodes=1, processors_per_node=4, run_s=20.0)
        assert (story.status(low), story.status(high)) == ("suspended", "running")
        await story.cancel(low)
        assert story.status(low) == "cancelled"
        assert story.state.tables.nodes.free[1].tolist() == story.state.tables.nodes.total[1].tolist()
        assert_sound(story.state)
        await assert_kept(story)


async def test_a_command_lets_it_go_on_where_its_processors_are_free_and_not_before() -> None:
    async with live(offers=OFFERS, **SITE) as story:
        low = await story.submit(queue="low", processors=8, run_s=50.0)
        high = await story.submit(queue="high", nodes=1, processors_per_node=4, run_s=20.0)
        assert story.status(low) == "suspended"
        with pytest.raises(NotNow, match="there is no room for it now"):
            await story.do(ResumeJob(low, -1, "root"))
        await story.do(SuspendJob(high, -1, "root"))
        assert story.status(low) == "running"
        await assert_kept(story)


async def test_what_a_command_has_suspended_goes_on_by_a_command() -> None:
    async with live(offers=OFFERS, **SITE) as story:
        low = await story.submit(queue="low", processors=4, run_s=50.0)
        await story.do(SuspendJob(low, -1, "root"))
        await story.advance(100.0)
        assert story.status(low) == "suspended"
        await story.do(ResumeJob(low, -1, "root"))
        assert story.status(low) == "running"


@pytest.mark.parametrize("policy", ["easy", "srpt", "gs"])
async def test_under_another_policy_nothing_of_it_is_lost(policy: str) -> None:
    """Not all of them let suspended jobs go on; all leave them what they keep."""
    async with live(offers=OFFERS, **SITE) as story:
        low = await story.submit(queue="low", processors=8, run_s=50.0)
        await story.advance(10.0)
        await story.submit(queue="high", processors=4, run_s=20.0)
        await story.choose(policy)
        await story.advance(30.0)
        assert story.core.reactor.policy_failures == 0
        assert story.core.reactor.running_policy.policy.name == policy
        assert story.status(low) in ("suspended", "running")
        assert story.run(low).nodes == ((0, 4), (1, 4))
        assert_sound(story.state)
        if story.status(low) == "suspended":
            await story.do(ResumeJob(low, -1, "root"))
        await story.advance(60.0)
        assert story.status(low) == "completed"
        assert_sound(story.state)
