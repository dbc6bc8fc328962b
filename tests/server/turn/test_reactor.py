"""A turn: when an answer comes, and what happens when the journal or the policy fails."""

import asyncio
from typing import Any

import pytest

from molokini.model.actors import Origin
from molokini.model.errors import BadInput
from molokini.model.facts import JobEnded, JobStarted, PolicySet
from molokini.server.journal.port import Busy, JournalError, StateBroken, StateFull
from molokini.server.server import Server, Settings
from molokini.server.state.state import State
from molokini.server.time.clock import ClockKind
from molokini.server.turn.changing import Cancel, Hold, NoSuchJob
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command, Draft
from molokini.server.turn.operating import NoteCommand
from molokini.server.turn.submitting import Submit
from tests.kit.live import MemoryJournal, Story, after, live, spec_of
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.waiting import DEADLINE_S


class Late(Command):
    """Waits for the pass, unless it is refused."""

    def __init__(self, refused: bool) -> None:
        super().__init__()
        self.after_pass, self.refused = True, refused

    def check(self, state: State, draft: Draft) -> str:
        if self.refused:
            raise BadInput("no")
        NoteCommand("ann", "late").check(state, draft)
        return "done"


def answered_at_the_pass(
    story: Story, commands: list[Command], monkeypatch: pytest.MonkeyPatch
) -> list[list[bool]]:
    """Filled at each pass: which of *commands* have their answers by then."""
    found: list[list[bool]] = []
    think = story.core.reactor.running_policy.decide

    def watched(state: State, now: float) -> Any:
        found.append([one.answer is not None and one.answer.done() for one in commands])
        return think(state, now)

    monkeypatch.setattr(story.core.reactor.running_policy, "decide", watched)
    return found


async def test_commands_are_answered_before_the_pass(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    job = await story.submit(run_s=50.0)
    commands: list[Command] = [
        Hold(job, "ann", "user"),
        Submit("ann", [spec_of(run_s=1.0)], Limits()),
        Cancel(77, -1, "ann"),
        Late(refused=True),
        Late(refused=False),
    ]
    answered = answered_at_the_pass(story, commands, monkeypatch)
    posts = [story.core.reactor.post(one) for one in commands]
    held, submitted, unknown, refused, late = await asyncio.wait_for(
        asyncio.gather(*posts, return_exceptions=True), DEADLINE_S
    )
    assert (held, submitted, late) == (None, [2], "done")
    assert isinstance(unknown, NoSuchJob)
    assert str(refused) == "no"
    assert answered[0] == [True, True, True, True, False]


# A journal that is full or away.


TROUBLES = [StateFull("no room"), Busy("the database is away")]


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_a_user_gets_the_error_and_nothing_is_kept(story: Story, trouble: JournalError) -> None:
    job = await story.submit(held=True)
    before = story.journal.last_serial
    story.journal.failures = [trouble]
    with pytest.raises(type(trouble), match=str(trouble)):
        await story.submit()
    assert story.journal.last_serial == before
    assert list(story.state.jobs) == [job]
    assert await story.submit() == job + 1


async def test_all_users_of_a_batch_hear_of_it_and_a_key_is_not_taken(story: Story) -> None:
    story.journal.failures = [StateFull("no room")]
    posts = [
        story.core.reactor.post(Submit("ann", [spec_of(submission_key="k")], story.limits)),
        story.core.reactor.post(Submit("bob", [spec_of()], story.limits)),
    ]
    answers = await asyncio.gather(*posts, return_exceptions=True)
    assert all(isinstance(answer, StateFull) for answer in answers)
    assert await story.submit(submission_key="k") == 1


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("trouble", TROUBLES)
async def test_reports_are_kept_until_the_journal_works(story: Story, trouble: JournalError) -> None:
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


@pytest.mark.quick(one_in=5)
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


def _array(limits: Limits) -> Submit:
    return Submit("ann", [spec_of(run_s=1.0, array={"first": 0, "last": 9})], limits)


async def test_elements_of_an_array_come_when_the_journal_works(story: Story) -> None:
    story.journal.fails = lambda entries: (
        Busy("away") if any(e.kind == "ElementsReady" for e in entries) else None
    )
    job = await story.core.reactor.post(_array(story.limits))
    await story.until(lambda: story.core.reactor.troubled)
    story.journal.fails = None
    await story.advance(1000.0)
    assert story.status(job[0]) == "completed"


async def test_what_was_due_while_the_journal_was_full_comes_when_it_works_again() -> None:
    async with live() as story:
        other = await story.submit(run_s=10.0)
        job = await story.submit(dependencies=after("AFTER_OK", other))
        timed = await story.submit(begin_at_s=10.0)
        # The end is kept; what follows from it is not, three times.
        story.journal.fails = lambda entries: (
            StateFull("no room") if story.core.reactor.passes and entries[0].kind == "JobEligible" else None
        )
        story.core.clock.advance(10.0)
        await story.until(lambda: story.run(other).over)
        await story.until(lambda: story.core.reactor.troubled)
        story.journal.fails = None
        await story.until(lambda: story.status(job) == "running" and story.status(timed) == "running")
        assert story.run(job).start_s == 10.0


async def test_a_journal_that_is_broken_stops_the_server(story: Story) -> None:
    story.journal.failures = [StateBroken("a sync has failed")]
    answer = story.core.reactor.post(_array(story.limits))
    with pytest.raises(StateBroken):
        await story.until(answer.done)
    story.forgive()


async def test_trouble_since_the_first_turn_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
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


# A policy that fails.


async def test_a_policy_that_raises_three_times_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    async with live("easy") as story:
        wide = await story.submit(processors=16, run_s=10.0)
        running_policy, passes = story.core.reactor.running_policy, list[float]()

        def broken(view: Any, now: float) -> None:
            passes.append(now)
            raise ZeroDivisionError("halves of nothing")

        monkeypatch.setattr(running_policy, "_functions", (broken, broken))
        job = await story.submit(processors=1)
        await story.until(lambda: story.core.reactor.running_policy.policy.name == "fcfs")
        await story.settled()
        assert passes == [0.0, 0.0, 0.0]
        assert "easy" in story.core.reactor.last_policy_error
        assert "halves of nothing" in story.core.reactor.last_policy_error
        assert story.journal.facts(PolicySet)[-1] == PolicySet("fcfs", {}, Origin.SYSTEM)
        assert (story.status(wide), story.status(job)) == ("running", "waiting")
        await story.advance(10.0)
        assert story.status(job) == "running"
        assert_sound(story.state)


async def test_one_bad_pass_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    async with live("easy") as story:
        running_policy = story.core.reactor.running_policy
        begin, schedule = running_policy.functions(story.state.tables)
        calls = 0

        def moody(view: Any, now: float) -> None:
            nonlocal calls
            calls += 1
            if calls <= 2:
                raise RuntimeError("not today")
            schedule(view, now)

        monkeypatch.setattr(running_policy, "_functions", (begin, moody))
        job = await story.submit()
        await story.until(lambda: story.status(job) == "running")
        assert story.core.reactor.running_policy.policy.name == "easy"
        assert story.core.reactor.policy_failures == 0
