"""Accounts that pay beside other features: nodes that are lost, arrays, requeues, kept work, alterations."""

import pytest

from molokini.model.banks import Booking
from molokini.server.turn.banking import BookAccount
from molokini.server.turn.changing import Alter
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import SetPolicy
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept
from tests.server.turn.test_bank import bank, deposit, held

KEEPS_WORK = (
    "PREEMPTPOLICY CHECKPOINT\nCREDWEIGHT 1\nQOSWEIGHT 1\n"
    "USERCFG[ann] QDEF=low\nUSERCFG[bob] QDEF=high\n"
    "QOSCFG[high] PRIORITY=1000 QFLAGS=PREEMPTOR\nQOSCFG[low] QFLAGS=PREEMPTEE\n"
)


async def assert_told(story: Story) -> None:
    """Statements say how each account has come to its balance, and a recovery gives the same."""
    told = dict.fromkeys(story.state.ledger.accounts, 0)
    for one in story.state.ledger.entries:
        told[one.account] += -one.amount if one.what in ("debit", "withdrawal") else one.amount
        assert one.balance == told[one.account]
    assert told == {name: held(story, name)[0] for name in told}
    await assert_kept(story, by_snapshot=True)


@pytest.mark.parametrize(("policy", "first"), [("DEBITALLWC", 20), ("DEBITSUCCESSFULWC", 0)])
async def test_what_a_lost_node_cost_is_paid_by_who_pays_for_all(policy: str, first: int) -> None:
    async with live(**bank(policy=policy), offers=[nodes("n1")]) as story:
        job = await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
        await story.advance(5.0)
        await story.do(LoseNodes(["n1"], "root", "a fan"))
        assert story.status(job) == "waiting"
        assert held(story) == (1000 - first, 0, first)
        await assert_told(story)
        await story.do(ReturnNodes(["n1"], "root"))
        assert held(story) == (1000 - first, 80, first)
        await story.advance(10.0)
        assert story.status(job) == "completed"
        assert held(story) == (960 - first, 0, 40 + first)
        await assert_told(story)


async def test_a_suspended_job_on_a_node_that_is_lost_pays_for_the_time_before() -> None:
    async with live(**bank(), offers=[nodes("n1")]) as story:
        job = await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
        await story.advance(3.0)
        await story.do(SuspendJob(job, -1, "root"))
        await story.advance(50.0)
        await story.do(LoseNodes(["n1"], "root", "a fan"))
        assert (story.status(job), held(story)) == ("waiting", (988, 0, 12))
        await story.do(ReturnNodes(["n1"], "root"))
        assert story.run(job).attempt == 2
        await story.advance(10.0)
        assert held(story) == (948, 0, 52)
        await assert_told(story)


async def test_each_element_of_an_array_has_a_lien_and_pays_for_itself() -> None:
    async with live(**bank()) as story:
        # Two liens of 400 are 800, and there is no third.
        array = {"first": 1, "last": 3}
        job = await story.submit(run_s=10.0, processors=4, account="physics", array=array)
        assert held(story) == (1000, 800, 0)
        assert [story.status(job, index) for index in (1, 2, 3)] == ["running", "running", "waiting"]
        await story.advance(5.0)
        await story.cancel(job, 2)
        await story.advance(1.0)
        assert story.status(job, 3) == "running"
        assert held(story) == (980, 800, 20)
        await assert_told(story)
        await story.do(SuspendJob(job, 3, "root"))
        await story.advance(10.0)
        assert held(story) == (940, 400, 60)
        await story.do(ResumeJob(job, 3, "root"))
        await story.advance(20.0)
        assert (story.job(job).over, held(story)) == (True, (900, 0, 100))
        assert [(one.index, one.amount) for one in story.state.ledger.entries if one.what == "debit"] == [
            (2, 20),
            (1, 40),
            (3, 40),
        ]
        await assert_told(story)


async def test_a_waiting_job_is_paid_by_the_account_that_it_is_altered_to() -> None:
    async with live(**bank()) as story:
        await deposit(story, 5)
        job = await story.submit(held=True, run_s=10.0, processors=4, estimate_s=20.0, account="chemistry")
        await story.release(job)
        assert (story.status(job), held(story, "chemistry")) == ("waiting", (10, 0, 0))
        await story.do(Alter(job, "root", {"account": "physics"}, story.limits, True))
        assert (story.status(job), held(story), held(story, "chemistry")) == (
            "running",
            (1005, 80, 0),
            (10, 0, 0),
        )
        await story.advance(10.0)
        assert (held(story), held(story, "chemistry")) == ((965, 0, 40), (10, 0, 0))
        await assert_told(story)


async def test_an_account_that_a_job_is_altered_to_gets_its_opening() -> None:
    async with live(**bank()) as story:
        job = await story.submit(held=True, run_s=5.0, processors=1, estimate_s=10.0, account="physics")
        await story.do(Alter(job, "root", {"account": "biology"}, story.limits, True))
        assert held(story, "biology") == (10, 0, 0)
        await story.release(job)
        assert held(story, "biology") == (10, 10, 0)
        await story.advance(5.0)
        assert (held(story, "biology"), held(story)) == ((5, 0, 5), (1000, 0, 0))
        await assert_told(story)


@pytest.mark.parametrize("ends", ["requeued", "cancelled while it waits", "cancelled while it runs"])
async def test_what_was_paid_for_kept_work_is_forgotten_with_the_work(ends: str) -> None:
    async with live(**bank(KEEPS_WORK)) as story:
        low = await story.submit(run_s=30.0, estimate_s=40.0, processors=8, account="physics")
        await story.advance(5.0)
        await deposit(story, 1000)
        high = await story.submit("bob", run_s=10.0, estimate_s=10.0, processors=16, account="physics")
        assert (story.status(low), story.status(high)) == ("waiting", "running")
        [bill] = story.state.ledger.bills.values()
        assert bill[1] == 40
        if ends == "cancelled while it waits":
            await story.cancel(low)
            paid = 40
        else:
            await story.advance(12.0)
            assert story.status(low) == "running"
            paid = 40 + 8 * 2
            if ends == "requeued":
                await story.requeue(low)
                paid += 8 * 30
            else:
                await story.cancel(low)
        await story.advance(100.0)
        assert story.status(low) == ("completed" if ends == "requeued" else "cancelled")
        assert story.state.ledger.bills == {}
        assert story.state.kept_work == {}
        assert held(story) == (2000 - 160 - paid, 0, 160 + paid)
        await assert_told(story)


async def test_a_deposit_sees_the_accounts_of_a_policy_that_is_set_in_the_same_turn() -> None:
    async with live(**bank()) as story:
        more = bank("ACCOUNTCFG[biology] ALLOCATION=50\n")
        setting = story.core.reactor.post(SetPolicy(more["policy"], more["parameters"], "root"))
        booking = story.core.reactor.post(BookAccount("biology", Booking.DEPOSIT, 5, "root"))
        await story.settled()
        await setting
        await booking
        assert held(story, "biology") == (55, 0, 0)
        await assert_told(story)
