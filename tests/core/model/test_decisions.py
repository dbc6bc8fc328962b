"""The table of decisions is whole, and true of the states of jobs."""

import pytest

from molokini.model.decisions import DEEDS, ENDS_TURN, Decision
from molokini.model.states import LEGAL_MOVES


def test_each_decision_has_one_row() -> None:
    assert list(DEEDS) == list(Decision)


@pytest.mark.parametrize("decision", Decision)
def test_a_decision_leaves_its_job_in_a_state_that_it_may_come_to(decision: Decision) -> None:
    deed = DEEDS[decision]
    assert deed.after is deed.needs or deed.after in LEGAL_MOVES[deed.needs]
    assert bool(ENDS_TURN >> decision & 1) == (deed.after is not deed.needs)


def test_what_is_remembered_is_a_column_of_jobs_that_no_other_decision_remembers() -> None:
    columns = [name for deed in DEEDS.values() for name in deed.remembered]
    assert len(set(columns)) == len(columns)
