"""A server that starts again on its state: what was changed by command, and what the configuration says."""

import time
from dataclasses import replace

import pytest

from molokini.model.codec import encode
from molokini.model.errors import BadValue
from molokini.model.facts import JobEnded, JobsSubmitted
from molokini.server.server import Server, Settings
from molokini.server.state.queues import Queue
from molokini.server.time.clock import ClockKind
from molokini.server.turn.operating import SetPolicy, SetQueue
from tests.kit.live import MemoryJournal, live


async def started(journal: MemoryJournal, policy: str = "easy", **settings: object) -> Server:
    given = {"clock": ClockKind.STEPPED, **settings}
    return await Server.open(MemoryJournal(journal.entries), Settings(policy, **given))  # type: ignore[arg-type]


async def test_a_policy_that_was_set_by_command_stays_until_the_configuration_says_another() -> None:
    async with live("easy") as story:
        await story.do(SetPolicy("easy", {"order": "shortest"}, "root"))
        again = await started(story.journal)
        assert again.reactor.running_policy.site.values == {"order": "shortest"}
        other = await started(story.journal, "fcfs")
        assert other.reactor.running_policy.policy.name == "fcfs"


async def test_a_queue_that_was_changed_by_command_stays_until_the_configuration_changes_it() -> None:
    configured = Queue("night", max_jobs=5)
    async with live(queues=(configured,)) as story:
        await story.do(SetQueue(Queue("night", max_jobs=7), "root"))
        again = await started(story.journal, "fcfs", queues=(configured,))
        assert again.state.queues["night"].max_jobs == 7
        changed = await started(story.journal, "fcfs", queues=(Queue("night", max_jobs=9),))
        assert changed.state.queues["night"].max_jobs == 9


async def test_the_clock_of_the_state_goes_on_where_none_is_said() -> None:
    async with live() as story:
        await story.submit(run_s=70.0)
        await story.advance(70.0)
        again = await started(story.journal, clock=None)
        assert (again.clock.name, again.clock.now()) == ("stepped", 70.0)
        scaled = await started(story.journal, clock=ClockKind.SCALED, rate=20.0)
        more = MemoryJournal(scaled.journal.entries)  # type: ignore[attr-defined]
        assert (await started(more, clock=None)).clock.name == "scaled:20"
    assert (await started(MemoryJournal(), clock=None)).clock.kind is ClockKind.REAL


async def test_a_start_is_noted_at_the_instant_at_which_it_is() -> None:
    before_s = time.time()
    core = await started(MemoryJournal(), clock=ClockKind.REAL)
    [first, *_] = core.journal.entries  # type: ignore[attr-defined]
    assert before_s <= first.time_s <= time.time()
    assert core.state.now == first.time_s


async def test_a_real_clock_does_not_jump_to_the_present_year() -> None:
    async with live() as story:
        await story.submit(run_s=70.0)
        await story.advance(70.0)
        with pytest.raises(BadValue, match=r"clock.kind: 'real' .* stepped, .* stands at 70 s"):
            await started(story.journal, clock=ClockKind.REAL)
    real = await started(MemoryJournal(), clock=ClockKind.REAL)
    entries = MemoryJournal(real.journal.entries)  # type: ignore[attr-defined]
    # The other way round the clock stays in its year, and may run again.
    stepped = await started(entries, clock=ClockKind.STEPPED)
    assert stepped.clock.now() > 1e9
    back = await started(MemoryJournal(stepped.journal.entries), clock=ClockKind.REAL)  # type: ignore[attr-defined]
    assert back.clock.kind is ClockKind.REAL


@pytest.mark.parametrize("arrives", [False, True])
async def test_what_ended_early_is_made_use_of_where_the_last_life_had_no_time_for_it(arrives: bool) -> None:
    async with live("conservative") as story:
        await story.submit(processors=16, run_s=10.0)
        waits = await story.submit(processors=16, run_s=5.0)
        assert story.run(waits).reserved_s == 100.0
        await story.advance(10.0)
        [submitted, _] = story.journal.facts(JobsSubmitted)
    [end] = [k for k, entry in enumerate(story.journal.entries) if entry.kind == JobEnded.__name__]
    # Nothing is kept of the pass at this instant; in the same turn another job may have come.
    entries = story.journal.entries[: end + 1]
    if arrives:
        entries.append(encode(replace(submitted, first_id=3), len(entries) + 1, 10.0))
    async with live("conservative", journal=MemoryJournal(entries, 2)) as story:
        assert story.run(waits).start_s == 10.0
