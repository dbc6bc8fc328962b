"""The table of decisions is whole, and true of the states of jobs."""

import pytest

from molokini.model.decisions import DECISION_RULES, ENDS_TURN, Decision
from molokini.model.states import LEGAL_MOVES


def test_each_decision_has_one_row() -> None:
    assert list(DECISION_RULES) == list(Decision)


@pytest.mark.parametrize("decision", Decision)
def test_a_decision_leaves_its_job_in_a_state_that_it_may_come_to(decision: Decision) -> None:
    rule = DECISION_RULES[decision]
    assert rule.after is rule.needs or rule.after in LEGAL_MOVES[rule.needs]
    assert bool(ENDS_TURN >> decision & 1) == (rule.after is not rule.needs)


def test_what_is_remembered_is_a_column_of_jobs_that_no_other_decision_remembers() -> None:
    columns = [name for rule in DECISION_RULES.values() for name in rule.remembered]
    assert len(set(columns)) == len(columns)
