"""A journal that is full or away: users hear of it, reports wait, and nothing is lost."""

import asyncio

import pytest

from molokini.model.facts import JobEnded, JobStarted
from molokini.server.journal.port import Busy, JournalError, StateBroken, StateFull
from molokini.server.server import Server, Settings
from molokini.server.time.clock import ClockKind
from molokini.server.turn.changing import Hold
from molokini.server.turn.checks import Limits
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, live, spec_of
from tests.kit.live_picture import assert_kept, assert_sound

TROUBLES = [StateFull("no room"), Busy("the database is away")]


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_a_user_gets_the_error_and_nothing_is_kept(trouble: JournalError) -> None:
    async with live() as story:
        job = await story.submit(held=True)
        before = story.journal.last_serial
        story.journal.failures = [trouble]
        with pytest.raises(type(trouble), match=str(trouble)):
            await story.submit()
        assert story.journal.last_serial == before
        assert list(story.state.jobs) == [job]
        assert await story.submit() == job + 1


async def test_all_users_of_a_batch_hear_of_it_and_a_key_is_not_taken() -> None:
    async with live() as story:
        story.journal.failures = [StateFull("no room")]
        posts = [
            story.core.reactor.post(Submit("ann", [spec_of(submission_key="k")], story.limits)),
            story.core.reactor.post(Submit("bob", [spec_of()], story.limits)),
        ]
        answers = await asyncio.gather(*posts, return_exceptions=True)
        assert all(isinstance(answer, StateFull) for answer in answers)
        assert await story.submit(submission_key="k") == 1


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_reports_are_kept_until_the_journal_works(trouble: JournalError) -> None:
    async with live() as story:
        jobs = [await story.submit(run_s=10.0) for _ in range(3)]
        story.journal.fails = lambda entries: trouble
        story.core.clock.advance(10.0)
        await story.until(lambda: story.core.reactor.troubled)
        # The loop is free for others meanwhile: somebody is told at once that it does not work.
        with pytest.raises(type(trouble)):
            await asyncio.wait_for(story.core.reactor.post(Hold(jobs[0], "ann", "user")), 5.0)
        assert all(story.status(job) == "running" for job in jobs)
        attempts = story.journal.appends
        await asyncio.sleep(0.3)
        assert story.journal.appends - attempts < 20, "a journal that is full is pressed"
        story.journal.fails = None
        await story.until(lambda: all(story.status(job) == "completed" for job in jobs))
        assert [fact.job for fact in story.journal.facts(JobEnded)] == jobs
        await assert_kept(story)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "srpt"])
async def test_decisions_that_were_not_kept_are_made_again(policy: str) -> None:
    async with live(policy) as story:
        first = await story.submit(processors=16, run_s=10.0)
        story.journal.fails = lambda entries: (
            StateFull("no room") if any(e.kind == "JobStarted" for e in entries) else None
        )
        second = await story.submit(processors=16, run_s=10.0)
        third = await story.submit(processors=4, run_s=5.0)
        story.core.clock.advance(10.0)
        await story.until(lambda: story.run(first).over and story.core.reactor.troubled)
        assert story.status(second) == "waiting"
        assert_sound(story.state)
        story.journal.fails = None
        await story.until(lambda: story.status(second) == "running" or story.status(third) == "running")
        await story.advance(40.0)
        assert [story.status(job) for job in (first, second, third)] == 3 * ["completed"]
        assert len(story.journal.facts(JobStarted)) >= 3
        await assert_kept(story)


async def test_elements_of_an_array_come_when_the_journal_works() -> None:
    async with live() as story:
        story.journal.fails = lambda entries: (
            Busy("away") if any(e.kind == "ElementsReady" for e in entries) else None
        )
        job = await story.core.reactor.post(_array(story.limits))
        await story.until(lambda: story.core.reactor.troubled)
        story.journal.fails = None
        await story.advance(1000.0)
        assert story.status(job[0]) == "completed"


def _array(limits: Limits) -> Submit:
    return Submit("ann", [spec_of(run_s=1.0, array={"first": 0, "last": 9})], limits)


async def test_a_journal_that_is_broken_stops_the_server() -> None:
    async with live() as story:
        story.journal.failures = [StateBroken("a sync has failed")]
        answer = story.core.reactor.post(_array(story.limits))
        with pytest.raises(StateBroken):
            await story.until(answer.done)
        story.forgive()


async def test_trouble_that_begins_with_the_first_turn_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    journal = MemoryJournal()
    core = await Server.open(journal, Settings("fcfs", clock=ClockKind.STEPPED))
    journal.failures = [Busy("the database is away"), Busy("the database is away")]
    for _ in range(2):
        answer = core.reactor.post(_array(Limits()))
        await core.reactor.turn(0.0)
        with pytest.raises(Busy):
            await answer
    assert core.reactor.troubled
    assert [one.getMessage() for one in caplog.records if "journal write failed" in one.getMessage()] == [
        "journal write failed: the database is away; new requests are refused until it succeeds"
    ]
