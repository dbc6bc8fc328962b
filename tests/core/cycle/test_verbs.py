"""Verbs: what each does, what it refuses, and what a pass takes back as if it had not been asked for."""

import inspect
from collections.abc import Callable

import numpy as np
import pytest

from molokini.cycle import verbs
from molokini.cycle.complaints import (
    COMPLAINTS,
    NOT_A_JOB,
    NOT_ENOUGH,
    NOT_IN_STATE,
    TOO_MUCH,
    UNRESERVABLE,
    complain,
)
from molokini.cycle.cycle import begin_pass, end_pass
from molokini.cycle.entries import check_decisions
from molokini.cycle.verbs import start_molded, start_shared
from molokini.model.decisions import DECISION_RULES, Decision
from molokini.model.reservations import Reservation
from molokini.model.states import JobState, NodeState
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.tables import NEVER, Tables
from tests.kit.decision_rules import MACHINES, NOW, STATES, contents, say, tables_of


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


TAKES_OFF = [one for one in Decision if DECISION_RULES[one].vacates]
BEGINS: dict[str, tuple[JobState, Callable[[Tables, int], bool]]] = {
    "start": (JobState.WAITING, verbs.start),
    "resume": (JobState.SUSPENDED, verbs.resume),
    "molded": (JobState.WAITING, lambda t, row: verbs.start_molded(t, row, 2)),
    "planned": (JobState.WAITING, lambda t, row: _start_planned(t, row)),
    "within": (JobState.WAITING, lambda t, row: verbs.begin_within(t, row, t.nodes.free, Decision.START)),
}
"""The verbs that take idle processors, about a job of two."""


def _start_planned(t: Tables, row: int) -> bool:
    t.planned_tasks[row, 0] = t.jobs.width[row]
    return bool(verbs.start_planned(t, row))


def picture(t: Tables) -> tuple[object, ...]:
    """What verbs change during a pass."""
    return (
        t.machine.idle,
        t.nodes.free.tolist(),
        t.cycle.decided,
        t.cycle.decisions[: t.cycle.decided].tolist(),
        t.jobs.entries.tolist(),
    )


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("first", TAKES_OFF)
@pytest.mark.parametrize("then", TAKES_OFF)
def test_who_runs_on_after_all_holds_its_processors(first: Decision, then: Decision, machine: str) -> None:
    t, rows = tables_of(MACHINES[machine], each=3)
    one, *others = rows[JobState.RUNNING]
    for kept in (1, 0):
        pictures = [picture(t)]
        epoch = t.cycle.start_epoch
        for decision, row in zip((first, then, then), (one, *others), strict=True):
            say(t, decision, row)
            pictures.append(picture(t))
        assert t.machine.idle == pictures[0][0] + 6  # type: ignore[operator]
        seen = t.cycle.start_epoch
        verbs.never_mind(t, kept)
        assert picture(t) == pictures[kept]
        if machine == "nodes":
            assert t.cycle.start_epoch > seen > epoch, "what was counted without them counts no longer"
        verbs.never_mind(t, 0)
        assert picture(t) == pictures[0]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("way", BEGINS)
def test_the_last_idle_processors_are_enough_and_one_less_is_not(way: str, machine: str) -> None:
    state, begin = BEGINS[way]
    if way == "within" and machine == "counted":
        return
    t, rows = tables_of(MACHINES[machine])
    [row] = rows[state]
    t.machine.idle = 1
    before = picture(t)
    assert not begin(t, row)
    assert picture(t) == before
    assert (t.cycle.complaint, t.cycle.complaint_row, t.cycle.complaint_idle) == (NOT_ENOUGH, row, 1)
    t.cycle.complaint, t.machine.idle = 0, 2
    assert begin(t, row)
    assert (t.cycle.complaint, t.machine.idle, t.cycle.decided) == (0, 0, 1)


@pytest.mark.parametrize("way", BEGINS)
def test_a_job_that_has_no_room_on_nodes_leaves_nothing_behind(way: str) -> None:
    """As many are idle as it wants, but on no node: it is not to start, and that is no fault."""
    state, begin = BEGINS[way]
    t, rows = tables_of(MACHINES["nodes"])
    [row] = rows[state]
    free = t.nodes.free.copy()
    t.nodes.free[:, 0] = 0.0
    before = picture(t)
    assert not begin(t, row)
    assert picture(t) == before
    assert (t.cycle.complaint, t.placing.molding) == (0, 0)
    t.nodes.free[:] = free
    t.cycle.room_epoch += 1
    assert begin(t, row)
    assert (t.placing.molding, t.machine.idle) == (0, 12)


def test_a_job_that_cannot_move_stays_where_it_is() -> None:
    t, rows = tables_of(MACHINES["nodes"])
    [row] = rows[JobState.RUNNING]
    t.nodes.free[:, 0] = 0.0
    before = picture(t)
    assert not verbs.migrate(t, row)
    assert (picture(t), t.cycle.complaint) == (before, 0)
    t, rows = draining("nodes")
    [row] = rows[JobState.RUNNING]
    t.entries.free = -1
    before = picture(t)
    assert not verbs.migrate(t, row), "there is room, but nothing to write it down with"
    assert (picture(t), t.cycle.complaint) == (before, 0)


@pytest.mark.parametrize(
    ("machine", "processors", "given"),
    [("counted", 1, True), ("counted", 2, False), ("counted", 3, False), ("nodes", 1, False)],
)
def test_a_job_gives_back_all_processors_but_one(machine: str, processors: int, given: bool) -> None:
    t, rows = tables_of(MACHINES[machine])
    [row] = rows[JobState.RUNNING]
    idle = t.machine.idle
    verbs.give_back(t, row, processors)
    assert t.machine.idle - idle == (processors if given else 0)
    assert (t.cycle.decided, t.cycle.complaint) == ((1, 0) if given else (0, NOT_IN_STATE))


@pytest.mark.parametrize("decision", Decision)
def test_what_is_no_row_is_no_job(decision: Decision) -> None:
    t, _ = tables_of(MACHINES["counted"])
    verb: Callable[..., object] = getattr(verbs, DECISION_RULES[decision].verb)
    for row in (-1, t.jobs.state.size):
        t.cycle.complaint = 0
        asked = list(inspect.signature(verb).parameters.values())[2:]
        verb(t, row, *(one.annotation(1) for one in asked))
        assert (t.cycle.decided, t.cycle.complaint, t.cycle.complaint_row) == (0, NOT_A_JOB, row)


def test_the_buffer_of_decisions_has_an_end() -> None:
    t, rows = tables_of(MACHINES["counted"])
    [row] = rows[JobState.WAITING]
    most = t.cycle.decision_time_s.size
    for k in range(most):
        verbs.reserve(t, row, float(k))
    assert (t.cycle.decided, t.cycle.complaint) == (most, 0)
    last = t.cycle.decisions[most - 1].tolist()
    verbs.refuse_over(t, row, 1, 7, 5.0)
    assert (t.cycle.decided, t.cycle.complaint, t.cycle.complaint_row) == (most, TOO_MUCH, row)
    assert t.cycle.decisions[most - 1].tolist() == last


def test_the_first_complaint_stands() -> None:
    t, _ = tables_of(MACHINES["counted"])
    t.machine.idle = 5
    complain(t, NOT_ENOUGH, 3)
    t.machine.idle = 4
    complain(t, NOT_A_JOB, 2)
    assert (t.cycle.complaint, t.cycle.complaint_row, t.cycle.complaint_idle) == (NOT_ENOUGH, 3, 5)


@pytest.mark.parametrize("asked", [(30.0, 40.0), (40.0, 30.0), (40.0, 30.0, NEVER)])
def test_of_several_wishes_the_first_instant_wakes(asked: tuple[float, ...]) -> None:
    t, _ = tables_of(MACHINES["counted"])
    for at_s in asked:
        verbs.wake_at(t, at_s)
    assert t.cycle.wake_s == 30.0


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("first", [one for one in Decision if DECISION_RULES[one].leaves is not None])
def test_a_pass_that_decides_twice_about_a_job_is_thrown_away(first: Decision, machine: str) -> None:
    """Whatever the second decision is; a decision that leaves the job in its state may stand before it.

    Of room, and of what keeps places, nothing is lost.
    """
    untouched, _ = draining(machine)
    check_decisions(untouched)
    for then in [one for one in Decision if DECISION_RULES[one].needs is DECISION_RULES[first].needs]:
        for order in ((first, then), (then, first)):
            t, rows = draining(machine)
            [row] = rows[DECISION_RULES[first].needs]
            for decision in order:
                say(t, decision, row)
            fine = order[0] is then and DECISION_RULES[then].leaves is None
            if fine and (t.cycle.complaint or t.cycle.decided < 2):
                # It is none on this machine.
                continue
            if then is Decision.MIGRATE and machine == "counted":
                continue
            assert check_decisions(t) == (2 if fine else 0), order
            if not fine:
                assert (t.cycle.complaint, t.cycle.complaint_row) == (NOT_IN_STATE, row)
                assert contents(t) == contents(untouched), order
                assert free_entries(t) == free_entries(untouched), order


def draining(machine: str) -> tuple[Tables, dict[JobState, list[int]]]:
    """As ``tables_of``; a job that runs would not be placed again where it is."""
    t, rows = tables_of(MACHINES[machine])
    for row in rows[JobState.RUNNING]:
        if t.nodes.count:
            t.nodes.state[t.entries.node[t.jobs.entries[row]]] = NodeState.DRAINING
    return t, rows


def free_entries(t: Tables) -> int:
    entry, count = int(t.entries.free), 0
    while t.nodes.count and entry >= 0:
        entry, count = int(t.entries.next[entry]), count + 1
    return count


def test_a_pass_begins_with_nothing_of_the_last_one() -> None:
    t, rows = tables_of(MACHINES["nodes"])
    verbs.start(t, rows[JobState.WAITING][0])
    verbs.wake_at(t, 30.0)
    t.placing.choice, t.placing.rules, t.holes.count, t.queue.arrived, t.cycle.replan = 2, 1, 3, 4, 1
    room, started = t.cycle.room_epoch, t.cycle.start_epoch
    end_pass(t)
    assert (t.placing.choice, t.placing.rules) == (0, 0)
    assert (t.holes.count, t.queue.arrived, t.cycle.replan) == (0, 0, 0)
    assert t.cycle.start_epoch > started
    assert np.array_equal(t.nodes.free[:, 0].sum(), t.machine.free)
    t.placing.choice, t.placing.rules, started = 2, 1, t.cycle.start_epoch
    begin_pass(t, NOW + 1.0)
    assert (t.machine.idle, t.cycle.decided, t.cycle.wake_s) == (t.machine.free, 0, NEVER)
    assert (t.placing.choice, t.placing.rules) == (0, 0)
    assert t.cycle.room_epoch > room
    assert t.cycle.start_epoch > started


def test_reasons_are_written_where_they_are_asked_for() -> None:
    t, rows = tables_of(MACHINES["counted"])
    [row] = rows[JobState.WAITING]
    for explain, written in ((0, (0, 0.0, 0.0, 0)), (1, (3, 4.0, 5.0, 6))):
        t.cycle.explain = explain
        verbs.because(t, row, 3, 4.0, 5.0, 6)
        reasons = (t.reasons.rule, t.reasons.limit, t.reasons.value, t.reasons.front)
        assert tuple(column[row] for column in reasons) == written
