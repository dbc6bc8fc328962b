"""A live server keeps what ``adaptive`` has chosen, and decides as a simulation does."""

import json
import logging

import pytest

from molokini.model.choices import StandingChoice
from molokini.model.codec import decode
from molokini.model.facts import CandidateChosen
from molokini.server.queries.choices import choices_now
from molokini.server.queries.forecasting import forecast
from molokini.server.state.snapshot import copy_state
from tests.kit.live import MemoryJournal, Story, live


async def test_choices_are_kept_and_said(caplog: pytest.LogCaptureFixture) -> None:
    values = {"candidates": "fcfs,sjf", "every_s": "0", "hysteresis": "0", "objective": "mean-wait"}
    with caplog.at_level(logging.INFO, "molokini.server.policy"):
        async with live("fcfs") as story:
            await story.choose("adaptive", values)
            await story.submit(processors=16, estimate_s=100.0)
            await story.submit(processors=16, estimate_s=1000.0)
            await story.submit(processors=16, estimate_s=10.0)
            found = json.loads(choices_now(story.core))
            await story.advance(2000.0)
            assert [story.run(k).start_s for k in (1, 2, 3)] == [0.0, 110.0, 100.0]
    first, last = found["choices"][0], found["choices"][-1]
    assert (found["policy"], first["chosen"], first["before"]) == ("adaptive", "fcfs", None)
    assert (last["chosen"], last["before"], last["jobs"], last["reason"]) == (
        "sjf",
        "fcfs",
        2,
        "least mean-wait",
    )
    # By hand: the short one first: 100 and 110 s; else 100 and 1100 s.
    assert last["expected"] == {"fcfs": 600.0, "sjf": 105.0}
    assert "sjf decides from 0 s on: least mean-wait; fcfs 600, sjf 105" in caplog.text


ASKED = {"candidates": "fcfs,sjf", "every_s": "1000", "hysteresis": "0", "objective": "mean-wait"}


def chosen(journal: MemoryJournal, after: int = 0) -> list[CandidateChosen]:
    facts = map(decode, journal.entries[after:])
    return [fact for fact in facts if isinstance(fact, CandidateChosen)]


async def _choice_of_sjf(story: Story) -> None:
    await story.choose("adaptive", ASKED)
    for estimate_s in (100.0, 1000.0, 10.0):
        await story.submit(processors=16, estimate_s=estimate_s)


async def test_another_process_goes_on_with_the_candidate_that_was_chosen() -> None:
    async with live("fcfs") as story:
        await _choice_of_sjf(story)
        # The first alone, then the one that is better for two that wait.
        assert chosen(story.journal) == [CandidateChosen("fcfs"), CandidateChosen("sjf", period=1.0)]
        assert story.state.choice == StandingChoice("sjf", period=1.0)
        assert copy_state(story.state, "0").small["choice"] == {"chosen": "sjf", "wanted": "", "period": 1.0}
        before = list(story.journal.entries)
    again = MemoryJournal(before, 2)
    async with live("fcfs", journal=again) as story:
        assert story.state.choice == StandingChoice("sjf", period=1.0)
        await story.submit(processors=16, estimate_s=50.0)
        await story.advance(50.0)
        # Nothing is chosen anew before the next period.
        assert chosen(again, len(before)) == []
        assert [one.chosen for one in story.core.reactor.running_policy.choices] == []
        # With other parameters it begins anew.
        await story.choose("adaptive", {**ASKED, "every_s": "500"})
        assert [one.chosen for one in chosen(again, len(before))] == ["sjf"]


async def test_forecasts_begin_with_the_candidate_that_was_chosen() -> None:
    async with live("fcfs") as story:
        # sjf would be better for those that wait (100 and 1000 s, not 100 and 1100), but not by so much.
        await story.choose("adaptive", {**ASKED, "hysteresis": "0.9"})
        for estimate_s in (100.0, 1000.0, 900.0):
            await story.submit(processors=16, estimate_s=estimate_s)
        assert story.state.choice == StandingChoice("fcfs", period=1.0)
        told = [await forecast(story.core, story.state.jobs[k], None) for k in (2, 3)]
        assert [one.start_s for one in told] == [100.0, 1100.0]
        await story.advance(2000.0)
        assert [story.run(k).start_s for k in (2, 3)] == [100.0, 1100.0]
