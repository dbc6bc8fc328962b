"""A policy is compiled before it decides, and one that decides what cannot be decides nothing."""

from pathlib import Path
from typing import Any

import pytest

from molokini.model.decisions import Decision
from molokini.model.facts import NO_INDEX, Fact, JobHeld, RowsSet
from molokini.server.state.effects.table import MAKERS
from molokini.server.turn import running_policy as passes
from molokini.server.turn.running_policy import RunningPolicy
from tests.kit.live import live
from tests.kit.live_picture import assert_sound
from tests.kit.preempting import wide_first


@pytest.mark.parametrize("name", ["fcfs", "easy", "maui", "ps"])
def test_all_of_a_policy_is_compiled_before_it_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    running_policy = RunningPolicy(name, {})
    monkeypatch.setattr(passes, "compiled_function", found.append)
    running_policy.compile()
    assert None not in found
    assert found[-1] is running_policy.policy.schedule
    assert len(found) == 2


@pytest.mark.parametrize("budget", [(), (7, 3)])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_what_a_pass_changes_in_rows_is_one_fact(count: int, budget: tuple[int, ...]) -> None:
    rows: list[Fact] = [RowsSet(((number, NO_INDEX, 1, 0, "1", 0.0, 1.0),)) for number in range(count)]
    others: list[Fact] = [JobHeld(number, "user", "ann") for number in range(count)]
    facts = [fact for both in zip(others, rows, strict=True) for fact in both]
    found = passes._together(facts, budget)
    places = [place for fact in rows if isinstance(fact, RowsSet) for place in fact.places]
    made = [fact for fact in found if isinstance(fact, RowsSet)]
    # Tasks may have migrated although no place is another one in the end.
    assert [(fact.places, fact.budget) for fact in made] == [(tuple(places), budget)] * bool(count or budget)
    assert [fact for fact in found if not isinstance(fact, RowsSet)] == others


async def test_a_policy_that_cheats_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from molokini.cycle.verbs import start

    async with live("firstfit") as story:
        await story.submit(processors=10, run_s=10.0)

        def cheat(view: Any, now: float) -> None:
            for row in view.queue.waiting[view.queue.head : view.queue.tail].tolist():
                start(view, row)
                start(view, row)

        monkeypatch.setattr(story.core.reactor.running_policy, "_functions", (lambda v, n: None, cheat))
        job = await story.submit(processors=10)
        await story.until(lambda: story.core.reactor.running_policy.policy.name == "fcfs")
        assert "firstfit" in story.core.reactor.last_policy_error
        assert story.status(job) == "waiting"
        assert_sound(story.state)


async def test_a_policy_that_decides_twice_about_a_job_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "twice.py"
    path.write_text(
        """
from molokini.model.policy import Policy
from molokini.cycle.verbs import requeue, start, suspend
POLICY = Policy(name="twice", summary="twice", promise="none", source="a test")
def schedule(view, now):
    for k in range(view.queue.running_count):
        suspend(view, view.queue.running[k])
        requeue(view, view.queue.running[k])
    for k in range(view.queue.head, view.queue.tail):
        start(view, view.queue.waiting[k])
"""
    )
    async with live(str(path)) as story:
        first = await story.submit()
        await story.submit()
        assert "asked twice" in story.core.reactor.last_policy_error
        # After three failures in a row another policy has taken over, and nothing is broken.
        assert story.status(first) == "running"
        assert_sound(story.state)


@pytest.mark.deep
async def test_a_simulator_only_decision_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(MAKERS, Decision.REQUEUE)
    async with live(wide_first(tmp_path, "requeue")) as story:
        narrow = await story.submit(processors=2)
        wide = await story.submit(processors=16)
        assert "decided to requeue, which a live cluster cannot do" in story.core.reactor.last_policy_error
        # Nothing of that pass was done, and another policy has taken over.
        assert (story.status(narrow), story.status(wide)) == ("running", "waiting")
        assert_sound(story.state)
