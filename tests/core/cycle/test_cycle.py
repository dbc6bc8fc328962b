"""A pass: what was decided and is not yet true changes nothing; what becomes true is what its row says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.cycle.cycle import apply_decided, close_pass, end_pass, ends_turn, is_legal
from molokini.model.decisions import DECISION_RULES, Decision
from molokini.tables.tables import Tables
from tests.kit.decision_rules import MACHINES, NOW, contents, say, tables_of


def decided(machine: str, decision: Decision) -> tuple[Tables, int] | None:
    """Tables after a pass that has decided this alone, and about which row; None: not on this machine."""
    t, rows = tables_of(MACHINES[machine])
    row = rows[DECISION_RULES[decision].needs][0]
    say(t, decision, row)
    if not t.cycle.decided:
        return None
    end_pass(t)
    return t, row


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("decision", Decision)
def test_a_decision_is_nothing_until_it_is_applied(decision: Decision, machine: str) -> None:
    untouched, _ = tables_of(MACHINES[machine])
    end_pass(untouched)
    if (found := decided(machine, decision)) is None:
        return
    t, row = found
    before = contents(t)
    assert before == contents(untouched)
    assert is_legal(t, 0)
    apply_decided(t, 0, NOW)
    close_pass(t)
    assert t.jobs.state[row] == DECISION_RULES[decision].after
    assert contents(t) != before, "the decision has no effect"


@pytest.mark.parametrize("decision", Decision)
def test_nothing_more_is_decided_about_a_job_that_is_left_in_another_state(decision: Decision) -> None:
    for machine in MACHINES:
        if (found := decided(machine, decision)) is not None:
            t, _ = found
            assert ends_turn(t, 0) == (DECISION_RULES[decision].after is not DECISION_RULES[decision].needs)
            apply_decided(t, 0, NOW)
            assert is_legal(t, 0) == (not ends_turn(t, 0))


@given(
    st.lists(
        st.sampled_from(
            [one for one in Decision if DECISION_RULES[one].placed or DECISION_RULES[one].vacates]
        )
    )
)
def test_whatever_a_pass_does_with_places_its_end_gives_all_of_them_back(wanted: list[Decision]) -> None:
    t, rows = tables_of(MACHINES["nodes"], each=2)
    before = t.nodes.free.copy()
    for decision in wanted:
        left = rows[DECISION_RULES[decision].needs]
        if left and (not DECISION_RULES[decision].begins or t.jobs.width[left[-1]] <= t.machine.idle):
            say(t, decision, left.pop())
    end_pass(t)
    assert not t.cycle.complaint
    assert np.array_equal(t.nodes.free, before)


@pytest.mark.parametrize("decision", Decision)
def test_what_begins_takes_room_from_the_pass_and_what_vacates_gives_it(decision: Decision) -> None:
    t, rows = tables_of(MACHINES["nodes"])
    free, idle = t.nodes.free[:, 0].sum(), t.machine.idle
    say(t, decision, rows[DECISION_RULES[decision].needs][0])
    if not t.cycle.decided:
        return
    by = 2 * (DECISION_RULES[decision].vacates - DECISION_RULES[decision].begins)
    assert t.machine.idle - idle == by
    # A job that moves needs both places until it has moved.
    assert t.nodes.free[:, 0].sum() - free == by - 2 * DECISION_RULES[decision].moves
