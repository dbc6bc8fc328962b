"""The journal says where a pass was; of those that do not, recovery sees it by what happened."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from molokini.model.codec import Entry, decode, encode
from molokini.model.facts import Fact, JobEnded, JobStarted, PassMade, ServerStarted
from molokini.server.journal.port import Busy
from molokini.server.persistence.recovery import recovered
from tests.kit.live import MemoryJournal, Story, live


def older(entries: list[Entry]) -> list[Entry]:
    """The same journal as a release wrote it that did not say passes."""
    found: list[Entry] = []
    for entry in entries:
        fact = decode(entry)
        if isinstance(fact, ServerStarted):
            fact = replace(fact, says_passes=False)
        if not isinstance(fact, PassMade):
            found.append(encode(fact, len(found) + 1, entry.time_s))
    return found


def kinds(journal: MemoryJournal, after: int = 0) -> list[type[Fact]]:
    return [type(decode(entry)) for entry in journal.entries[after:]]


async def holes(entries: list[Entry]) -> int:
    state = await recovered(MemoryJournal(entries))
    return int(state.tables.holes.count)


async def early_end(story: Story, **beside: int) -> int:
    """A job that was to run for 100 s has ended after 10; how long the journal was before that."""
    await story.submit(run_s=10.0, processors=16)
    for _ in range(beside.get("waiting", 0)):
        await story.submit(run_s=50.0, processors=16)
    before = story.journal.last_serial
    await story.advance(20.0)
    return before


async def test_a_pass_that_decides_is_said_before_what_it_decides() -> None:
    async with live("conservative") as story:
        before = await early_end(story, waiting=1)
        said = kinds(story.journal, before)
        assert said.index(JobEnded) < said.index(PassMade) < said.index(JobStarted)
        assert story.state.tables.holes.count == await holes(story.journal.entries) == 0
        # Killed before the pass was kept, it is still to come.
        upto = before + said.index(PassMade)
        assert await holes(story.journal.entries[:upto]) == 1


async def test_a_pass_that_decides_nothing_is_said_with_what_comes_next() -> None:
    async with live("conservative") as story:
        await early_end(story)
        assert PassMade not in kinds(story.journal)
        quiet = story.journal.last_serial
        await story.submit(held=True)
        assert kinds(story.journal, quiet)[0] is PassMade
        assert story.state.tables.holes.count == await holes(story.journal.entries) == 0


@pytest.mark.parametrize("policy", ["easy", "fcfs"])
async def test_nothing_is_said_under_a_policy_that_does_not_plan(policy: str) -> None:
    async with live(policy) as story:
        await early_end(story, waiting=2)
        assert PassMade not in kinds(story.journal)
        assert await holes(story.journal.entries) == 0


async def test_a_pass_that_could_not_be_kept_is_not_said() -> None:
    async with live("conservative") as story:
        await story.submit(run_s=10.0, processors=16)
        await story.submit(run_s=50.0, processors=16)
        before, tried = story.journal.last_serial, list[Entry]()

        def fails(entries: Sequence[Entry]) -> Busy | None:
            decides = any(entry.kind == "JobStarted" for entry in entries)
            tried.extend(entries if decides else [])
            return Busy("away") if decides and len(tried) == len(entries) else None

        story.journal.fails = fails
        await story.advance(20.0)
        said = kinds(story.journal, before)
        assert [entry.kind for entry in tried].count("PassMade") == 2, "tried twice"
        assert said.count(PassMade) == 1
        assert await holes(story.journal.entries) == 0


async def test_a_journal_that_does_not_say_passes_is_read_by_what_they_decided() -> None:
    async with live("conservative") as story:
        await early_end(story, waiting=1)
        journal = older(story.journal.entries)
    assert "PassMade" not in {entry.kind for entry in journal}
    ended = max(entry.serial for entry in journal if entry.kind == "JobEnded")
    assert await holes(journal[:ended]) == 1
    assert await holes(journal) == 0


async def test_a_server_that_goes_on_from_such_a_journal_says_passes() -> None:
    async with live("conservative") as story:
        await early_end(story)
        journal = MemoryJournal(older(story.journal.entries), 2)
    taken_over = journal.last_serial
    async with live("conservative", journal=journal) as story:
        await early_end(story, waiting=1)
        assert PassMade in kinds(journal, taken_over)
        assert await holes(journal.entries) == 0
