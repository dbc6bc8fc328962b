"""A live server beside the plain world: whatever operators do, both have every job in the same place.

The steps, and how a story that failed is pasted as a test, are in ``tests/kit/living_world.py``.
"""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from molokini.server.turn.changing import Hold
from tests.kit.living_story import POLICIES
from tests.kit.living_world import LivingWorld


class Deaf(LivingWorld):
    """A fault: holds do not reach the server."""

    deaf_to = (Hold,)


def tell(world: type[LivingWorld], stories: int, steps: int) -> None:
    """Have hypothesis tell *stories* to *world*."""
    how = settings(max_examples=stories, stateful_step_count=steps, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(world, settings=how)


def one_with(*policies: str) -> type[LivingWorld]:
    """Stories that begin with one of *policies*, which count their own steps."""
    return type("LivingWorld", (LivingWorld,), {"begins_with": policies, "told": Counter()})


@pytest.mark.hypothesis
def test_every_job_is_where_the_plain_world_has_it_whatever_is_done() -> None:
    world = one_with(*POLICIES)
    tell(world, 15, 20)
    assert len(world.told) >= 16, f"too little has been done: {world.told}"


@pytest.mark.deep
@pytest.mark.hypothesis
@pytest.mark.parametrize("policy", POLICIES)
def test_every_job_is_where_the_plain_world_has_it_in_long_stories(policy: str) -> None:
    world = one_with(policy)
    if settings.default is not None and settings.default.derandomize:
        # Else all policies would get the same stories.
        seed(sorted(POLICIES).index(policy))(world)
    tell(world, 40, 60)
    assert len(world.told) >= 22, f"too little has been done: {world.told}"


@pytest.mark.deep
def test_a_story_that_failed_is_printed_as_a_test_that_fails() -> None:
    with pytest.raises(AssertionError) as failure:
        tell(Deaf, 60, 20)
    printed = failure.value.__notes__
    # hypothesis adds a line of its own where a CI runs the tests.
    story = "\n".join(printed[printed.index("state = Deaf()") : printed.index("state.teardown()")])
    assert "state.hold" in story
    with pytest.raises(AssertionError) as again:
        paste(story, Deaf)
    assert str(again.value) == str(failure.value)
    paste(story, LivingWorld)


def paste(story: str, world: type[LivingWorld]) -> None:
    """Run *story* as the body of a test; *world* takes the place of the one with the fault."""
    names: dict[str, Any] = {"Deaf": world}
    try:
        exec(story, names)
    finally:
        names["state"].teardown()


def test_a_printed_story_runs_as_it_is() -> None:
    # Nodes go and come while jobs run, and the server and its policy with them.
    state = LivingWorld()
    state.begin(policy="conservative", nodes=[(4, 8), (2, 8)], jobs=[(6, 3, 9, 1), (4, 5, 5, 2)])
    state.same()
    state.submit_array(begin_s=0, count=3, estimate_s=4, run_s=4, then_s=1, user=3, width=2)
    state.same()
    state.drain(node="b", then_s=2)
    state.same()
    state.restart(by_snapshot=True, then_s=1)
    state.same()
    state.change_policy(policy="srpt", then_s=0)
    state.same()
    state.lose_agent(then_s=4)
    state.same()
    state.agent_returns(restarts=True, then_s=1)
    state.same()
    assert state.jobs("running") == ["3[1]", "3[2]"]
    state.teardown()
    assert state.jobs() == []


def test_a_reservation_keeps_nothing_of_a_node_that_is_being_drained() -> None:
    # Three of five are kept of processors anywhere; what is reserved of "b" takes no more from others.
    state = LivingWorld()
    state.begin(policy="conservative", nodes=[(3, 4), (2, 2)], jobs=[(12, 2, 5, 2)])
    state.submit_array(begin_s=0, count=4, estimate_s=7, run_s=14, then_s=0, user=1, width=1)
    state.drain(node="b", then_s=1)
    state.reserve_nodes(
        access=[], denied=0, for_s=3, hosts={"b": 2}, in_s=3, shared=True, short_s=0, then_s=0
    )
    state.reserve(for_s=11, in_s=1, processors=3, shared=False, then_s=1, user=0)
    state.same()
    assert state.jobs("running") == ["2[1]", "2[2]"]
    state.teardown()
    assert state.jobs() == []
