"""Nodes that are lost: what becomes of the jobs there, and who may bring the nodes back."""

import asyncio
from dataclasses import replace

import pytest

from molokini.model.actors import Origin
from molokini.model.codec import encode
from molokini.model.errors import UnknownName
from molokini.model.facts import AttemptGone, JobRequeued, JobStarted, NodeReturned
from molokini.server.turn.changing import NotNow, Requeue
from molokini.server.turn.losing import LoseNodes, ReleaseAttempt
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import MemoryJournal, Story, again, live
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.voices import Voice, joined, moved, spoken


async def test_the_loss_of_a_node_requeues_what_ran_there_elsewhere(story: Story) -> None:
    jobs = [await story.submit(processors=4, run_s=20.0) for _ in range(4)]
    await story.advance(5.0)
    await story.do(LoseNodes(["n2"], "root", ""))
    assert [story.status(job) for job in jobs] == ["running", "waiting", "running", "running"]
    assert (story.state.tables.machine.processors, story.state.tables.machine.free) == (12, 0)
    await story.advance(15.0)
    assert story.run(jobs[1]).attempt == 2
    await story.do(ReturnNodes(["n2"], "root"))
    await story.advance(20.0)
    assert [story.status(job) for job in jobs] == 4 * ["completed"]
    assert story.state.tables.machine.free == 16


async def test_what_may_not_run_again_is_not_requeued_and_ends_with_its_node(story: Story) -> None:
    job = await story.submit(requeue=False, run_s=50.0)
    with pytest.raises(NotNow, match="must not run again"):
        await story.do(Requeue(job, -1, "ann"))
    await story.advance(7.0)
    await story.do(LoseNodes(["n1"], "root", "smoke"))
    assert story.status(job) == "node-lost"
    assert "smoke" in story.run(job).reason
    assert story.run(job).end_s == 7.0


async def test_after_a_scripted_death_of_one_node_the_second_attempt_ends_well(story: Story) -> None:
    job = await story.submit(processors=1, outcome={"run_s": 30.0, "node_dies_after_s": 10.0})
    await story.advance(100.0)
    assert (story.status(job), story.run(job).attempt, story.run(job).end_s) == ("completed", 2, 40.0)
    assert [str(node.status) for node in story.state.machine.nodes] == ["down", "up", "up", "up"]


async def test_a_scripted_death_of_a_node_takes_its_job_and_leaves_the_node_down(story: Story) -> None:
    job = await story.submit(processors=8, outcome={"run_s": 30.0, "node_dies_after_s": 10.0})
    assert {node for node, _ in story.run(job).nodes} == {0, 1}
    await story.advance(11.0)
    assert str(story.state.machine.nodes[0].status) == "down"
    assert story.run(job).attempt == 2
    assert_sound(story.state)


async def test_a_node_that_is_drained_and_lost_in_one_turn_is_down_and_returns_whole(story: Story) -> None:
    posts = [
        story.core.reactor.post(DrainNodes(["n1"], "root", "")),
        story.core.reactor.post(LoseNodes(["n1"], "root", "")),
    ]
    await asyncio.gather(*posts)
    assert_sound(story.state)
    assert str(story.state.machine.nodes[0].status) == "down"
    await story.do(ReturnNodes(["n1"], "root"))
    assert story.state.tables.machine.free == 16
    assert_sound(story.state)


async def test_a_command_for_nodes_of_which_one_is_unknown_changes_none(story: Story) -> None:
    for make in (lambda n: DrainNodes(n, "root", ""), lambda n: LoseNodes(n, "root", "")):
        with pytest.raises(UnknownName, match="n9"):
            await story.do(make(["n1", "n9"]))
    assert {str(record.status) for record in story.state.machine.nodes} == {"up"}


async def test_a_job_that_was_suspended_goes_on_elsewhere_and_survives_the_loss_of_its_old_node() -> None:
    async with live("firstfit") as story:
        job = await story.submit(processors=4, run_s=20.0)
        await story.advance(5.0)
        await story.do(SuspendJob(job, -1, "ann"))
        taker = await story.submit(processors=4, run_s=500.0, estimate_s=500.0)
        assert story.run(taker).nodes[0][0] == 0
        await story.advance(5.0)
        await story.do(ResumeJob(job, -1, "ann"))
        assert story.run(job).nodes[0][0] != 0
        await story.do(LoseNodes(["n1"], "root", ""))
        assert story.status(job) == "running"
        await story.advance(20.0)
        assert story.run(job).end_s == 25.0


async def test_a_resume_does_not_go_to_a_node_that_is_lost_in_the_same_turn(story: Story) -> None:
    first = await story.submit(processors=4, run_s=5.0)
    job = await story.submit(processors=4, run_s=50.0)
    await story.advance(6.0)
    await story.do(SuspendJob(job, -1, "root"))
    # The first node is idle, and has the first place for it.
    losing = story.core.reactor.post(LoseNodes(["n1"], "root", "a fan"))
    resuming = story.core.reactor.post(ResumeJob(job, -1, "root"))
    await losing
    await resuming
    assert (story.status(first), story.status(job)) == ("completed", "running")
    assert story.run(job).nodes == ((1, 4),)
    await assert_kept(story)


@pytest.mark.parametrize("name", ["ann", *map(str, Origin)])
async def test_a_loss_by_a_user_is_not_the_policys(story: Story, voice: Voice, name: str) -> None:
    # As wide as the machine, so that it cannot run elsewhere at once.
    job = await story.submit(processors=16, estimate_s=100.0)
    assert story.status(job) == "running"
    await story.do(LoseNodes(["n1"], name, "smoke"))
    [fact] = story.journal.facts(JobRequeued)
    assert fact.by == name
    assert story.state.left == {}
    assert (await again(story.journal)).left == {}
    assert_sound(story.state)


async def lost_and_heard_again(by: str, reason: str) -> list[NodeReturned]:
    """What returns of a node that *by* took out of service, when its agent comes back."""
    async with spoken() as (story, voice):
        await story.do(LoseNodes(["n1"], by, reason))
        await voice.gone()
        back = await joined(story)
        await story.settled()
        facts: list[NodeReturned] = story.journal.facts(NodeReturned)
        assert (str(story.state.machine.node("n1").status) == "up") is bool(facts)
        await back.gone()
        return facts


@pytest.mark.parametrize("name", ["ann", *map(str, Origin)])
@pytest.mark.parametrize("reason", ["smoke", *(f"{word}: smoke" for word in Origin)])
async def test_what_a_user_took_out_of_service_does_not_return_by_itself(name: str, reason: str) -> None:
    assert await lost_and_heard_again(name, reason) == []


async def test_nodes_of_which_nothing_was_heard_return_with_their_agent(story: Story, voice: Voice) -> None:
    await story.do(LoseNodes(["n1"], Origin.LEASE, "nothing was heard"))
    await voice.gone()
    back = await joined(story)
    await story.settled()
    assert [fact.by for fact in story.journal.facts(NodeReturned)] == [Origin.LEASE]
    assert (await again(story.journal)).machine.node("n1").lost_by == ""
    await back.gone()


async def test_an_agent_that_has_lost_all_its_nodes_runs_nothing_any_more() -> None:
    async with moved() as (story, first, second, moving):
        await story.do(LoseNodes(["n1", "n2", "n3"], "root", "a fire"))
        assert not story.journal.facts(AttemptGone)
        await story.do(LoseNodes(["n4"], "root", "a fire"))
        assert [fact.agent for fact in story.journal.facts(AttemptGone)] == [first.name]
        [launch] = await second.hears("launch")
        assert launch.attempt.job_id == moving


async def test_only_the_agent_that_had_it_says_that_it_is_gone() -> None:
    async with moved() as (story, first, _, moving):
        for agent in ("other", "nobody"):
            await story.do(ReleaseAttempt(moving, -1, agent))
        assert story.run(moving).left_at == (first.name,)
        assert not story.journal.facts(AttemptGone)


async def unheard(requeue: bool = True) -> MemoryJournal:
    """A journal by which a job runs on no node, as servers once wrote it under this policy."""
    async with live("ps") as story:
        await story.submit(processors=2, run_s=10.0, requeue=requeue)
    journal, kept = MemoryJournal(epoch=2), list(story.journal.entries)
    for place, fact in enumerate(story.journal.facts()):
        if isinstance(fact, JobStarted):
            kept[place] = encode(replace(fact, placed=()), place + 1, kept[place].time_s)
    journal.entries = kept
    return journal


async def test_what_no_agent_has_heard_of_starts_anew_with_the_server() -> None:
    async with live("ps", journal=await unheard()) as story:
        await story.advance(100.0)
        assert (story.status(1), story.run(1).attempt, story.run(1).end_s) == ("completed", 2, 10.0)
        [fact] = story.journal.facts(JobRequeued)
        assert fact.reason == "no agent had heard of it"


async def test_what_no_agent_has_heard_of_and_must_not_run_again_is_over() -> None:
    async with live("ps", journal=await unheard(requeue=False)) as story:
        assert story.status(1) == "node-lost"
