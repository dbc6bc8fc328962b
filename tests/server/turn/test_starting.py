"""Starting jobs by command: past the order of the policy, and beside what its rules and reservations say."""

import asyncio
from typing import Any

import pytest

from molokini.model.errors import BadInput, MolokiniError, UnknownName
from molokini.model.facts import NO_INDEX, CommandTaken, JobStarted, LienPlaced
from molokini.model.reservations import Reservation, Terms
from molokini.server.turn.changing import NotNow
from molokini.server.turn.reserving import MakeReservation
from molokini.server.turn.starting import StartJob
from tests.kit.live import Story, after, by_maui, live, nodes
from tests.kit.live_picture import assert_kept

POLICIES = ["fcfs", "easy", "conservative", "maui"]


async def start(story: Story, job: int, index: int = NO_INDEX, **more: Any) -> None:
    policy = story.core.reactor.running_policy
    await story.do(StartJob(job, index, "olga", policy, **more))


def where(story: Story, job: int) -> dict[str, int]:
    machine = story.state.machine
    return {machine.nodes[number].name: count for number, count in story.run(job).nodes}


async def behind_a_head(story: Story) -> tuple[int, int, int]:
    """One that runs on 10 of 16, one that waits for all of them, and one of 4 that ends after the first."""
    first = await story.submit(processors=10, run_s=100.0)
    head = await story.submit(processors=16, run_s=100.0)
    late = await story.submit(processors=4, run_s=500.0, estimate_s=500.0)
    return first, head, late


@pytest.mark.parametrize("policy", POLICIES)
async def test_a_job_starts_past_the_head_which_waits_for_longer(policy: str) -> None:
    async with live(policy) as story:
        first, head, late = await behind_a_head(story)
        assert [story.status(job) for job in (first, head, late)] == ["running", "waiting", "waiting"]
        await start(story, late, reason="the demo")
        assert story.status(late) == "running"
        [noted] = story.journal.facts(CommandTaken)
        assert noted == CommandTaken("olga", "start", {"job": late, "reason": "the demo"})
        await assert_kept(story, by_snapshot=True)
        # A plan that had it elsewhere is made anew: nothing starts on its processors.
        await story.advance(150.0)
        assert story.status(head) == "waiting"
        await story.advance(400.0)
        assert (story.run(late).end_s, story.run(head).start_s) == (500.0, 500.0)
        assert story.core.reactor.policy_failures == 0
        await assert_kept(story, by_snapshot=True)


async def test_what_cannot_be_started_and_why() -> None:
    async with live("easy") as story:
        first, head, _ = await behind_a_head(story)
        held = await story.submit(processors=1, held=True)
        waits = await story.submit(processors=1, dependencies=after("AFTER_OK", first))
        array = await story.submit(processors=16, array={"first": 3, "last": 4})
        done = await story.submit(processors=1, run_s=0.0)
        await story.advance(1.0)
        for job, why in (
            (first, r"does not wait \(running\)"),
            (head, "no room for it now: 6 of 16 processors"),
            (held, r"does not wait \(held\)"),
            (waits, r"does not wait \(held\)"),
            (done, "has ended"),
        ):
            with pytest.raises(NotNow, match=why):
                await start(story, job)
        with pytest.raises(BadInput, match=rf"name one of its elements, as {array}\[3\]"):
            await start(story, array)
        with pytest.raises(BadInput, match="no job 99"):
            await start(story, 99)
        with pytest.raises(UnknownName, match="nowhere"):
            await start(story, head, nodes=["nowhere"])
        assert not story.journal.facts(CommandTaken)
        await assert_kept(story, by_snapshot=True)


async def test_one_element_of_an_array() -> None:
    async with live("easy") as story:
        await behind_a_head(story)
        array = await story.submit(processors=2, run_s=500.0, estimate_s=500.0, array={"first": 1, "last": 3})
        await start(story, array, 2)
        assert [story.status(array, index) for index in (1, 2, 3)] == ["waiting", "running", "waiting"]
        await assert_kept(story, by_snapshot=True)


async def test_two_that_have_room_for_one_are_asked_one_after_the_other() -> None:
    async with live("easy") as story:
        await behind_a_head(story)
        jobs = [await story.submit(processors=5, run_s=500.0, estimate_s=500.0) for _ in range(2)]
        answers = await asyncio.gather(*(start(story, job) for job in jobs), return_exceptions=True)
        assert sorted(isinstance(one, NotNow) for one in answers) == [False, True]
        assert sorted(story.status(job) for job in jobs) == ["running", "waiting"]
        await assert_kept(story, by_snapshot=True)


async def test_on_nodes_that_are_named() -> None:
    async with live("easy", [nodes("n[1-4]")]) as story:
        await story.submit(nodes=4, processors_per_node=2, run_s=100.0)
        await story.submit(processors=16, run_s=100.0)
        late = await story.submit(processors=3, run_s=500.0, estimate_s=500.0)
        with pytest.raises(NotNow, match="no room for it on these nodes"):
            await start(story, late, nodes=["n3"])
        await start(story, late, nodes=["n3", "n4"])
        assert where(story, late) == {"n3": 2, "n4": 1}
        await assert_kept(story, by_snapshot=True)


@pytest.mark.parametrize("terms", [Terms(), Terms(hosts={"n3": 4, "n4": 4})])
async def test_reservations_of_administrators_are_kept_unless_they_are_to_be_ignored(terms: Terms) -> None:
    async with live("easy", [nodes("n[1-4]")]) as story:
        await story.do(MakeReservation(Reservation("ours", 8, 0.0, 1e6, {"user": ("bob",)}, terms), "root"))
        job = await story.submit(processors=10, run_s=10.0)
        with pytest.raises(NotNow, match="no room for it beside reservations"):
            await start(story, job)
        await start(story, job, past_reservations=True)
        assert story.status(job) == "running"
        await assert_kept(story, by_snapshot=True)


async def test_a_place_beside_a_reservation_on_nodes() -> None:
    async with live("fcfs", [nodes("n[1-4]")]) as story:
        hosts = Terms(hosts={"n1": 4, "n2": 4})
        await story.do(MakeReservation(Reservation("ours", 8, 0.0, 1e6, {"user": ("bob",)}, hosts), "root"))
        await story.submit(processors=2, run_s=500.0, estimate_s=500.0)
        await story.submit(processors=16, run_s=10.0)
        late = await story.submit(processors=4, run_s=900.0, estimate_s=900.0)
        assert story.status(late) == "waiting"
        await start(story, late)
        assert set(where(story, late)) <= {"n3", "n4"}


async def test_limits_are_kept_unless_they_are_to_be_ignored() -> None:
    async with live(**by_maui("USERCFG[ann] MAXPROC=4\n")) as story:
        first = await story.submit(processors=4, run_s=100.0)
        second = await story.submit(processors=4, run_s=100.0)
        assert (story.status(first), story.status(second)) == ("running", "waiting")
        with pytest.raises(NotNow, match=r"MaxProcPerUser would be exceeded \(4, 4 in use, 4 requested\)"):
            await start(story, second)
        await start(story, second, past_limits=True)
        assert story.status(second) == "running"
        await assert_kept(story, by_snapshot=True)


async def test_nodes_of_one_partition_alone() -> None:
    text = "NODECFG[n3] PARTITION=B\nNODECFG[n4] PARTITION=B\nUSERCFG[ann] MAXPROC=1\n"
    async with live(offers=[nodes("n[1-4]")], **by_maui(text)) as story:
        job = await story.submit(nodes=3, processors_per_node=1, run_s=100.0)
        with pytest.raises(MolokiniError):
            await start(story, job, past_limits=True)
        wide = await story.submit(processors=7, run_s=100.0)
        await start(story, wide, past_limits=True)
        assert set(where(story, wide)) in ({"n1", "n2"}, {"n3", "n4"})


async def test_an_account_pays_for_it_first() -> None:
    text = (
        "DEFERTIME 0\nAMCFG[bank] TYPE=FILE CHARGEPOLICY=DEBITALLWC\n"
        "ACCOUNTCFG[physics] ALLOCATION=1000\nUSERCFG[ann] MAXPROC=1\n"
    )
    async with live(**by_maui(text)) as story:
        job = await story.submit(processors=4, run_s=10.0, estimate_s=200.0, account="physics")
        poor = await story.submit(processors=4, run_s=10.0, estimate_s=100.0, account="physics")
        await start(story, job, past_limits=True)
        wanted = [LienPlaced, JobStarted]
        assert [type(fact) for fact in story.journal.facts(LienPlaced, JobStarted)] == wanted
        assert int(story.state.tables.bank.lien[story.state.ledger.accounts["physics"]]) == 800
        with pytest.raises(NotNow, match=r"no account can pay for it \(400 processor-seconds\)"):
            await start(story, poor, past_limits=True)
        await assert_kept(story, by_snapshot=True)


async def test_what_a_policy_alone_can_start() -> None:
    async with live("ps") as story:
        await story.submit(processors=16, run_s=10.0)
        shares = await story.submit(processors=16, run_s=10.0)
        with pytest.raises(MolokiniError):
            await start(story, shares)
