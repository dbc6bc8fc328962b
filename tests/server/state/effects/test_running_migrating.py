"""Policies that migrate, after a restart in the middle of a slice: they decide as if there had been none."""

from dataclasses import replace
from typing import Any

import pytest

from molokini.model.codec import Entry, decode, encode
from molokini.model.facts import JobEnded, JobStarted, RowsSet
from tests.kit.live import MemoryJournal, again, live, nodes
from tests.kit.live_picture import assert_kept

GIVEN = {"mpl": "3", "quantum_s": "40", "migration_cost": "1", "migrated_tasks": "4"}

JOBS = [
    *((3, 9), (2, 31), (4, 7), (1, 23), (2, 12), (3, 18)),
    *((5, 26), (1, 40), (2, 5), (4, 14), (6, 11), (2, 21)),
]
"""Processors and seconds of work of jobs on six processors, all there from the beginning."""

END_S = 500.0


def decided(entries: list[Entry]) -> list[Any]:
    """What passes have decided, with its instants: starts, and places in the matrix."""
    found: list[Any] = []
    for entry in entries:
        fact = decode(entry)
        if isinstance(fact, JobStarted):
            found.append((entry.time_s, fact.job, fact.rows))
        elif isinstance(fact, RowsSet):
            found.append((entry.time_s, fact.places, fact.budget))
    return found


async def whole_run(policy: str, given: dict[str, str] = GIVEN) -> list[Entry]:
    """The journal of a run without a restart."""
    async with live(policy, [nodes("n1", 6)], parameters=given) as story:
        for width, run_s in JOBS:
            await story.submit(processors=width, run_s=float(run_s))
        await story.advance(END_S)
        return list(story.journal.entries)


async def gone_on(policy: str, entries: list[Entry], at_s: float) -> list[Any]:
    """What is decided in all by a server that ends at *at_s* and by the one that takes over."""
    return await gone_on_after(policy, [entry for entry in entries if entry.time_s <= at_s])


async def gone_on_after(policy: str, entries: list[Entry], given: dict[str, str] = GIVEN) -> list[Any]:
    """The same where the first server has journalled no more than *entries*."""
    journal = MemoryJournal(entries, 2)
    async with live(policy, [nodes("n1", 6)], journal, parameters=given) as story:
        await story.advance(END_S - entries[-1].time_s)
    return decided(journal.entries)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("policy", ["mgs", "mbgs"])
async def test_a_restart_in_a_slice_changes_no_decision(policy: str) -> None:
    """Neither does one whose predecessor has spent all that may migrate in the slice."""
    entries = await whole_run(policy)
    wanted = decided(entries)
    assert (0.0, (1, 0)) in [(at_s, said[-1]) for at_s, *said in wanted]
    instants = sorted({at_s for at_s, *_ in wanted})
    assert len(instants) > 10
    for at_s in instants[:-1]:
        assert await gone_on(policy, entries, at_s) == wanted


@pytest.mark.parametrize("policy", ["bgs", "mbgs"])
async def test_a_restart_between_the_end_of_a_job_and_the_next_pass_changes_no_decision(policy: str) -> None:
    """The plan of the rows is yet to be made then: that room has become free counts all the same."""
    given = GIVEN if policy == "mbgs" else {"mpl": "3", "quantum_s": "40"}
    entries = await whole_run(policy, given)
    wanted = decided(entries)
    ends = [k for k, entry in enumerate(entries) if isinstance(decode(entry), JobEnded)]
    assert len(ends) == len(JOBS)
    for k in ends[:-1]:
        assert await gone_on_after(policy, entries[: k + 1], given) == wanted


async def test_without_what_was_spent_more_would_migrate() -> None:
    """So it is the journal that keeps a server to the bound of its predecessor."""
    entries = await whole_run("mgs")
    forgetful = []
    for entry in entries:
        fact = decode(entry)
        if isinstance(fact, RowsSet):
            entry = encode(replace(fact, budget=()), entry.serial, entry.time_s)
        forgetful.append(entry)
    assert await gone_on("mgs", forgetful, 0.0) != decided(entries)


async def test_the_journal_says_what_is_left_in_the_slice() -> None:
    async with live("mgs", [nodes("n1", 6)], parameters=GIVEN) as story:
        for width, run_s in JOBS:
            await story.submit(processors=width, run_s=float(run_s))
        matrix = (await again(story.journal)).tables.matrix
        assert (matrix.slice, matrix.allowance) == (1, 0)
        await assert_kept(story)
