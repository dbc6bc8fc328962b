"""What a shadow reports of a period: whose starts differ, by how much, the largest differences first."""

from typing import Any

import pytest

from molokini.model.site import CONFIGURATION
from molokini.server.queries import shadowing
from molokini.server.queries.shadowing import Line, Period, Shadow
from molokini.server.services.shadows import report_to_wire
from tests.kit.live import Story, live


async def watched(story: Story, period_s: float = 5000.0) -> Shadow:
    """``easy`` looks on while ``fcfs`` decides; behind a wide job small ones wait that it would let pass."""
    shadow = Shadow("easy", {}, story.state, 0.0, period_s)
    story.core.reactor.watching.append(shadow)
    await story.submit(processors=8, estimate_s=1000.0, run_s=1000.0)
    await story.submit(processors=16, estimate_s=2000.0, run_s=2000.0)
    return shadow


async def small(story: Story, **more: Any) -> int:
    return await story.submit(processors=2, estimate_s=100.0, run_s=100.0, **more)


def numbers(period: Period) -> tuple[int, ...]:
    return (period.started, period.same, period.sooner, period.not_yet, period.waiting, period.failures)


async def test_differences_are_named_the_largest_first_and_counted() -> None:
    async with live("fcfs") as story:
        shadow = await watched(story)
        await story.advance(100.0)
        late = await small(story, user="bob")
        await story.advance(50.0)
        later = await small(story)
        await story.advance(3850.0)
        await story.submit(processors=16, estimate_s=9000.0, run_s=9000.0)
        await story.submit(processors=16, estimate_s=10.0)
        await story.advance(1000.0)
        shadow.close_until(5000.0)
        [period] = shadow.reports
        assert (period.from_s, period.to_s) == (0.0, 5000.0)
        assert numbers(period) == (5, 3, 2, 0, 0, 0)
        assert period.sooner_s == 2900.0 + 2850.0
        assert period.lines == [
            Line(late, -1, "bob", 2, 100.0, 3000.0),
            Line(later, -1, "ann", 2, 150.0, 3000.0),
        ]
        assert [line.apart_s for line in period.lines] == [2900.0, 2850.0]
        told = report_to_wire(period)
        assert (told.from_s, told.to_s, told.looks) == (0.0, 5000.0, period.looks)
        assert (told.started, told.same, told.sooner, told.not_yet, told.waiting) == (5, 3, 2, 0, 0)
        assert (told.sooner_s, told.failures, told.last_failure) == (5750.0, 0, "")
        assert [(one.job_id, one.user, one.processors) for one in told.jobs] == [
            (late, "bob", 2),
            (later, "ann", 2),
        ]
        assert [(one.wished_s, one.started_s) for one in told.jobs] == [(100.0, 3000.0), (150.0, 3000.0)]


async def test_those_that_wait_are_told_by_how_long_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    async with live("fcfs") as story:
        shadow = await watched(story, period_s=500.0)
        first = await small(story)
        await story.advance(100.0)
        second, gone = await small(story), await small(story)
        await story.cancel(gone)
        shadow.close_until(600.0)
        [period] = shadow.reports
        assert numbers(period) == (1, 1, 0, 0, 2, 0)
        assert period.lines == [Line(first, -1, "ann", 2, 0.0, None), Line(second, -1, "ann", 2, 100.0, None)]
        # They are told again as long as they wait.
        monkeypatch.setattr(shadowing, "MOST_LINES", 1)
        await small(story)
        shadow.close_until(1000.0)
        [_, period] = shadow.reports
        assert (period.from_s, period.to_s, period.waiting) == (500.0, 1000.0, 3)
        assert period.lines == [Line(first, -1, "ann", 2, 0.0, None)]


async def test_times_in_which_nothing_was_looked_at_have_no_report() -> None:
    async with live("fcfs") as story:
        shadow = await watched(story, period_s=100.0)
        shadow.close_until(99.0)
        assert not shadow.reports
        await story.advance(1000.0)
        shadow.close_until(1050.0)
        assert [(one.from_s, one.to_s) for one in shadow.reports] == [(0.0, 100.0)]
        shadow.close_until(1100.0)
        assert [(one.from_s, one.looks > 0) for one in shadow.reports] == [(0.0, True), (1000.0, True)]


@pytest.mark.parametrize("asks", [True, False])
async def test_a_shadow_asks_accounts_where_its_own_configuration_has_a_bank(asks: bool) -> None:
    bank = {CONFIGURATION: "DEFERTIME 0\nAMCFG[bank] TYPE=FILE\nACCOUNTCFG[physics] ALLOCATION=1000\n"}
    async with live("maui", parameters=bank) as story:
        shadow = Shadow("maui", bank if asks else {}, story.state, 0.0, 100.0)
        story.core.reactor.watching.append(shadow)
        # So much nobody has: it does not start, and only who asks no account would start it.
        poor = await story.submit(processors=16, estimate_s=100.0, account="physics")
        shadow.close_until(100.0)
        [period] = shadow.reports
        assert story.status(poor) == "waiting"
        assert numbers(period) == (0, 0, 0, 0, 0 if asks else 1, 0)


async def test_a_shadow_goes_on_when_the_tables_have_got_more_rows() -> None:
    async with live("fcfs") as story:
        shadow = await watched(story)
        rows = story.state.tables.jobs.state.size
        for _ in range(rows):
            await story.submit(processors=16, estimate_s=2000.0)
        assert story.state.tables.jobs.state.size > rows
        late = await small(story)
        shadow.close_until(5000.0)
        [period] = shadow.reports
        assert numbers(period) == (1, 1, 0, 0, 1, 0)
        assert period.lines == [Line(late, -1, "ann", 2, 0.0, None)]
