"""What a live server calls after a pass: decisions that may not be are dropped, and leave nothing behind."""

import numpy as np

from molokini.cycle.complaints import NOT_IN_STATE
from molokini.cycle.entries import check_decisions
from molokini.model.decisions import DECISION_RULES, Decision
from molokini.model.states import JobState
from tests.kit.decision_rules import MACHINES, contents, say, tables_of


def test_decisions_of_which_one_may_not_be_are_dropped_with_their_places() -> None:
    untouched, _ = tables_of(MACHINES["nodes"])
    check_decisions(untouched)
    t, rows = tables_of(MACHINES["nodes"])
    row = rows[DECISION_RULES[Decision.START].needs][0]
    say(t, Decision.START, row)
    assert t.jobs.entries[row] >= 0
    [held] = rows[JobState.HELD]
    say(t, Decision.SUSPEND, held)
    assert t.cycle.decided == 1
    assert check_decisions(t) == t.cycle.decided == 0
    assert (t.cycle.complaint, t.cycle.complaint_row) == (NOT_IN_STATE, held)
    assert t.jobs.entries[row] == -1
    assert np.array_equal(t.nodes.free, untouched.nodes.free)
    assert contents(t) == contents(untouched)
