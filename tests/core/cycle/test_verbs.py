"""Every row of the table of decisions has a verb that keeps to it."""

import pytest

from molokini.cycle.complaints import COMPLAINTS, NOT_IN_STATE, UNRESERVABLE
from molokini.cycle.verbs import start_molded, start_shared
from molokini.model.decisions import DECISION_RULES, Decision
from molokini.model.reservations import Reservation
from molokini.model.states import JobState
from molokini.tables.reservation_changes import set_reservations
from tests.kit.decision_rules import MACHINES, STATES, say, tables_of


def machines(decision: Decision) -> list[str]:
    """Those on which the verb decides about a job in the state that it needs; one at least."""
    found = []
    for name, machine in MACHINES.items():
        t, rows = tables_of(machine)
        say(t, decision, rows[DECISION_RULES[decision].needs][0])
        if t.cycle.decided:
            assert t.cycle.decisions[: t.cycle.decided, :2].tolist() == [
                [decision, rows[DECISION_RULES[decision].needs][0]]
            ]
            found.append(name)
    return found


@pytest.mark.parametrize("decision", Decision)
def test_a_verb_writes_its_decision_about_a_job_in_the_state_that_it_needs(decision: Decision) -> None:
    assert machines(decision)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("decision", Decision)
def test_a_verb_decides_nothing_about_a_job_in_another_state(decision: Decision, state: JobState) -> None:
    for machine in MACHINES.values():
        t, rows = tables_of(machine)
        say(t, decision, rows[state][0])
        if state is not DECISION_RULES[decision].needs:
            assert (t.cycle.decided, t.cycle.complaint, t.cycle.complaint_row) == (
                0,
                NOT_IN_STATE,
                rows[state][0],
            )


def test_a_job_is_moved_once_in_a_pass() -> None:
    t, rows = tables_of(MACHINES["nodes"])
    [row] = rows[JobState.RUNNING]
    say(t, Decision.MIGRATE, row)
    assert (t.cycle.decided, t.cycle.complaint) == (1, 0)
    say(t, Decision.MIGRATE, row)
    assert (t.cycle.decided, t.cycle.complaint, t.cycle.complaint_row) == (1, NOT_IN_STATE, row)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("shared", [False, True], ids=["molded", "shared"])
def test_a_start_that_no_reservation_can_check_is_none_beside_them(machine: str, shared: bool) -> None:
    """Such a policy declares that it keeps no job out of reservations, and then none is made."""
    t, rows = tables_of(MACHINES[machine])
    [row] = rows[JobState.WAITING]
    set_reservations(t, [Reservation("all", t.machine.processors, 0.0, 100.0)], lambda *_: 1)
    if shared:
        start_shared(t, row, 0.5)
    else:
        assert not start_molded(t, row, 1)
    assert (t.cycle.decided, t.cycle.complaint, t.cycle.complaint_row) == (0, UNRESERVABLE, row)
    assert "reservable=False" in COMPLAINTS[UNRESERVABLE]
