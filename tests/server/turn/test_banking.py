"""Accounts of a live cluster: bookings, liens and debits, and what a recovery knows of them."""

from pathlib import Path
from typing import Any

import pytest

from molokini.app.verifying import history_of, live_run, simulated_history
from molokini.model.banks import Booking
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.facts import AccountBooked, LienPlaced
from molokini.model.job_specs import JobSpec
from molokini.server.journal.port import StateFull
from molokini.server.state import ledger
from molokini.server.turn.banking import BookAccount
from molokini.server.turn.changing import Alter
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import SetPolicy
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, by_maui, live, nodes, spec_of
from tests.kit.live_picture import assert_kept, through_a_snapshot
from tests.kit.schedules import random_workload

LEDGER = """
DEFERTIME 0
AMCFG[bank] TYPE=FILE CHARGEPOLICY={policy}
ACCOUNTCFG[physics] ALLOCATION=1000
ACCOUNTCFG[DEFAULT] ALLOCATION=10
"""


def bank(more: str = "", policy: str = "DEBITALLWC") -> dict[str, Any]:
    return by_maui(LEDGER.format(policy=policy) + more)


def held(story: Story, account: str = "physics") -> tuple[int, int, int]:
    """Balance, liens and debits."""
    t, row = story.state.tables, story.state.ledger.accounts[account]
    return int(t.bank.balance[row]), int(t.bank.lien[row]), int(t.bank.debited[row])


async def test_a_job_is_paid_for() -> None:
    async with live(**bank()) as story:
        job = await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
        assert held(story) == (1000, 80, 0)
        [lien] = story.journal.facts(LienPlaced)
        assert (lien.job, lien.account, lien.amount, lien.price) == (job, "physics", 80, 4.0)
        await assert_kept(story, by_snapshot=True)
        await story.advance(10.0)
        assert held(story) == (960, 0, 40)
        await assert_kept(story, by_snapshot=True)
        [opening, debit] = story.state.ledger.entries
        assert (opening.what, opening.amount, opening.by) == ("opening", 1000, "configuration")
        assert (debit.what, debit.amount, debit.balance, debit.job) == ("debit", 40, 960, job)


async def test_an_opening_that_the_journal_refused_is_booked_when_it_works_again() -> None:
    async with live(**bank()) as story:
        story.journal.fails = lambda entries: (
            StateFull("no room") if entries[0].kind == "AccountBooked" else None
        )
        job = spec_of(run_s=10.0, processors=1, account="chemistry")
        await story.core.reactor.post(Submit("ann", [job], story.limits))
        await story.until(lambda: story.core.reactor.troubled)
        assert held(story, "chemistry") == (0, 0, 0)
        story.journal.fails = None
        await story.until(lambda: not story.core.reactor.troubled)
        assert held(story, "chemistry")[0] == 10
        await assert_kept(story, by_snapshot=True)


async def deposit(story: Story, amount: int, booking: Booking = Booking.DEPOSIT, **more: Any) -> None:
    await story.do(BookAccount("physics", booking, amount, "root", **more))


async def test_a_job_waits_for_a_deposit_and_starts_with_it() -> None:
    async with live(**bank()) as story:
        job = await story.submit(run_s=10.0, estimate_s=500.0, processors=4, account="physics")
        assert story.status(job) == "waiting"
        await deposit(story, 999)
        assert story.status(job) == "waiting"
        await deposit(story, 1)
        assert (story.status(job), held(story)) == ("running", (2000, 2000, 0))
        with pytest.raises(BadValue, match="at most 0, what it has beside its liens"):
            await deposit(story, 1, Booking.WITHDRAWAL)
        await story.cancel(job)
        await story.advance(1.0)
        await deposit(story, 500, Booking.WITHDRAWAL)
        await assert_kept(story, by_snapshot=True)


async def test_an_account_without_a_line_has_what_default_says() -> None:
    async with live(**bank()) as story:
        small = await story.submit(run_s=5.0, estimate_s=10.0, account="new")
        large = await story.submit(run_s=5.0, estimate_s=11.0, account="other")
        nobody = await story.submit(run_s=5.0, estimate_s=1.0)
        assert [story.status(n) for n in (small, large, nobody)] == ["running", "waiting", "waiting"]
        booked = [(one.account, one.amount) for one in story.journal.facts(AccountBooked)]
        assert booked == [("physics", 1000), ("new", 10), ("other", 10)]


@pytest.mark.parametrize(("policy", "charged"), [("DEBITALLWC", 20), ("DEBITSUCCESSFULWC", 0)])
@pytest.mark.parametrize("how", ["cancel", "failed", "requeue"])
async def test_a_job_that_fails_is_charged_where_all_are_charged(policy: str, charged: int, how: str) -> None:
    outcome = {"exit_code": 3} if how == "failed" else {}
    async with live(**bank(policy=policy)) as story:
        run_s = 5.0 if how == "failed" else 50.0
        job = await story.submit(
            run_s=run_s, estimate_s=60.0, processors=4, account="physics", outcome=outcome
        )
        await story.advance(5.0)
        if how == "cancel":
            await story.cancel(job)
            await story.advance(0.5)
        elif how == "requeue":
            await story.requeue(job)
            await story.advance(0.5)
            assert story.run(job).attempt == 2
        lien = 240 if how == "requeue" else 0
        assert held(story) == (1000 - charged, lien, charged)
        await assert_kept(story, by_snapshot=True)


async def test_a_job_that_is_killed_at_its_limit_is_charged_as_a_success() -> None:
    async with live(**bank(policy="DEBITSUCCESSFULWC")) as story:
        job = await story.submit(run_s=50.0, estimate_s=10.0, processors=4, account="physics")
        await story.advance(60.0)
        assert (story.status(job), held(story)) == ("timed-out", (960, 0, 40))


@pytest.mark.parametrize("cancelled", [False, True])
async def test_suspended_time_costs_nothing_and_keeps_the_lien(cancelled: bool) -> None:
    async with live(**bank()) as story:
        job = await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
        await story.advance(4.0)
        await story.do(SuspendJob(job, -1, "root"))
        await story.advance(100.0)
        assert held(story) == (1000, 80, 0)
        await assert_kept(story, by_snapshot=True)
        await (story.cancel(job) if cancelled else story.do(ResumeJob(job, -1, "root")))
        await story.advance(100.0)
        wanted = ("cancelled", (984, 0, 16)) if cancelled else ("completed", (960, 0, 40))
        assert (story.status(job), held(story)) == wanted
        await assert_kept(story, by_snapshot=True)


@pytest.mark.parametrize("suspended", [False, True])
async def test_a_longer_limit_has_to_be_paid_for(suspended: bool) -> None:
    async with live(**bank()) as story:
        job = await story.submit(run_s=100.0, estimate_s=20.0, processors=4, account="physics")
        if suspended:
            await story.do(SuspendJob(job, -1, "root"))

        async def longer(estimate_s: float) -> None:
            await story.do(Alter(job, "root", {"estimate_s": estimate_s}, Limits(), True))

        await longer(100.0)
        assert held(story) == (1000, 400, 0)
        with pytest.raises(BadValue, match="account physics can pay: 604 more processor-seconds"):
            await longer(251.0)
        await longer(50.0)
        assert held(story) == (1000, 200, 0)
        await assert_kept(story, by_snapshot=True)


async def test_refunds_give_back_what_was_paid_and_no_more() -> None:
    async with live(**bank()) as story:
        job = await story.submit(run_s=10.0, processors=4, account="physics")
        await story.advance(100.0)
        await deposit(story, 30, Booking.REFUND, job=job, reason="a bad node")
        assert held(story) == (990, 0, 40)
        with pytest.raises(BadValue, match="at most 10, what it has paid"):
            await deposit(story, 11, Booking.REFUND)
        await assert_kept(story, by_snapshot=True)


@pytest.mark.parametrize(
    ("account", "amount", "error"),
    [("physic", 5, UnknownName), ("physics", 0, BadValue), ("physics", 10**16, BadValue), ("", 5, BadInput)],
)
async def test_bookings_that_can_be_none(account: str, amount: int, error: type[Exception]) -> None:
    async with live(**bank()) as story:
        with pytest.raises(error):
            await story.do(BookAccount(account, Booking.DEPOSIT, amount, "root"))
        await story.do(BookAccount("chem", Booking.DEPOSIT, 7, "root", new=True))
        assert held(story, "chem") == (17, 0, 0)


async def test_adef_gives_accounts_and_alist_keeps_them() -> None:
    rules = "GROUPCFG[lab] ADEF=physics ALIST=shared\nUSERCFG[eve] ALIST=none"
    async with live(**bank(rules)) as story:
        given = await story.submit(run_s=1.0, group="lab")
        own = await story.submit(run_s=1.0, group="lab", account="shared")
        assert [story.job(n).account for n in (given, own)] == ["physics", "shared"]
        with pytest.raises(BadValue, match="one that ann may have: physics, shared"):
            await story.submit(run_s=1.0, group="lab", account="chem")
        with pytest.raises(BadValue, match="one that eve may have: none"):
            await story.submit(user="eve", run_s=1.0, account="physics")
        waits = await story.submit(run_s=1.0, processors=16, estimate_s=1.0, group="lab")
        with pytest.raises(BadValue, match="one that ann may have"):
            await story.do(Alter(waits, "ann", {"account": "chem"}, Limits(), False))


async def test_a_bank_that_goes_settles_what_it_has_begun() -> None:
    async with live(**bank()) as story:
        await story.submit(run_s=10.0, estimate_s=20.0, processors=4, account="physics")
        await story.choose("easy")
        free = await story.submit(run_s=10.0, estimate_s=1e6, processors=4, account="poor")
        assert story.status(free) == "running"
        await story.advance(30.0)
        assert held(story) == (960, 0, 40)
        await assert_kept(story, by_snapshot=True)


async def test_an_allocation_is_given_once() -> None:
    async with live(**bank()) as story:
        await story.change_maui("ACCOUNTCFG[physics]", "ALLOCATION=5000")
        await story.advance(1.0)
        assert held(story) == (1000, 0, 0)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["DEBITALLWC", "DEBITSUCCESSFULPE"])
async def test_live_and_simulated_are_equal_with_a_bank(tmp_path: Path, policy: str) -> None:
    workload = random_workload(60, 16, seed=3)
    file = tmp_path / "maui.cfg"
    file.write_text(
        f"AMCFG[bank] TYPE=FILE CHARGEPOLICY={policy} FALLBACKACCOUNT=pool\nRESERVATIONPOLICY HIGHEST\n"
        "ACCOUNTCFG[DEFAULT] ALLOCATION=150000\nACCOUNTCFG[pool] ALLOCATION=45000\nSYSCFG ADEF=all\n"
    )
    await live_run(workload, 16, "maui", tmp_path / "state", config=str(file))
    found = await history_of(tmp_path / "state", len(workload))
    simulated = simulated_history(workload, 16, "maui", str(file))
    assert not any(found.differences(simulated).values())
    assert found.accounts
    assert any(found.start_s != found.start_s), "nobody waited for money"
    assert found.accounts == simulated.accounts


@pytest.mark.parametrize(("policy", "first"), [("DEBITALLWC", 40), ("DEBITSUCCESSFULWC", 0)])
async def test_work_that_is_kept_is_paid_for_once(policy: str, first: int) -> None:
    rules = (
        "PREEMPTPOLICY CHECKPOINT\nCREDWEIGHT 1\nQOSWEIGHT 1\n"
        "USERCFG[ann] QDEF=low\nUSERCFG[bob] QDEF=high\n"
        "QOSCFG[high] PRIORITY=1000 QFLAGS=PREEMPTOR\nQOSCFG[low] QFLAGS=PREEMPTEE\n"
    )
    async with live(**bank(rules, policy)) as story:
        low = await story.submit(run_s=30.0, estimate_s=40.0, processors=8, account="physics")
        await story.advance(5.0)
        await deposit(story, 1000)
        await story.submit("bob", run_s=10.0, estimate_s=10.0, processors=16, account="physics")
        assert story.status(low) == "waiting"
        assert held(story) == (2000 - first, 160, first)
        await assert_kept(story, by_snapshot=True)
        await story.hold(low)
        await story.release(low)
        await assert_kept(story, by_snapshot=True)
        await story.advance(11.0)
        assert story.status(low) == "running"
        assert held(story) == (2000 - 160 - first, 320 - first, 160 + first)
        await assert_kept(story, by_snapshot=True)
        await story.advance(100.0)
        assert held(story) == (2000 - 160 - 240, 0, 400)
        await assert_kept(story, by_snapshot=True)


async def test_two_jobs_that_are_to_run_for_longer_share_what_their_account_has_left() -> None:
    async with live(**bank()) as story:
        jobs = [await story.submit(processors=4, estimate_s=100.0, account="physics") for _ in range(2)]
        assert held(story) == (1000, 800, 0)
        # Each would cost 160 more, and 200 are left.
        changes: JobSpec = {"estimate_s": 140.0}
        asked = [story.core.reactor.post(Alter(job, "root", changes, Limits(), True)) for job in jobs]
        await story.settled()
        await asked[0]
        with pytest.raises(BadValue, match="160 more processor-seconds are needed, it has 40"):
            await asked[1]


async def test_a_partial_statement_is_partial_after_a_start_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST_ENTRIES", 3)
    async with live(**bank()) as story:
        for amount in range(1, 6):
            await deposit(story, amount)
        # What the file gives the account is an entry, too.
        assert [entry.amount for entry in story.state.ledger.entries] == [3, 4, 5]
        assert story.state.ledger.forgotten == 3
        state = through_a_snapshot(story.state)
        assert state.ledger.forgotten == 3


# Beside lost nodes, arrays, requeues, kept work and alterations.


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
        wanted = ("running", (1005, 80, 0), (10, 0, 0))
        assert (story.status(job), held(story), held(story, "chemistry")) == wanted
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


KEEPS_WORK = (
    "PREEMPTPOLICY CHECKPOINT\nCREDWEIGHT 1\nQOSWEIGHT 1\n"
    "USERCFG[ann] QDEF=low\nUSERCFG[bob] QDEF=high\n"
    "QOSCFG[high] PRIORITY=1000 QFLAGS=PREEMPTOR\nQOSCFG[low] QFLAGS=PREEMPTEE\n"
)


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
