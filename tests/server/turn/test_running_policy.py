"""A policy is compiled before it decides, so that no turn waits for its compilation."""

from typing import Any

import pytest

from molokini.model.facts import NO_INDEX, Fact, JobHeld, RowsSet
from molokini.server.turn import running_policy as passes
from molokini.server.turn.running_policy import RunningPolicy


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
