"""A policy is compiled before it decides, so that no turn waits for its compilation."""

from typing import Any

import pytest

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
