"""Decisions that are written down and applied from what is written: the same as applied at once."""

import numpy as np
import pytest

from molokini.cycle.complaints import NOT_IN_STATE
from molokini.cycle.cycle import apply_decided, close_pass
from molokini.cycle.dry_run import dry_run
from molokini.cycle.entries import (
    Change,
    apply_change,
    begin_pass_entry,
    check_decisions,
    submit_rows,
    take_allocation,
)
from molokini.model.decisions import DECISION_RULES, Decision, Rule
from molokini.model.machine import Machine
from molokini.model.reservations import Reservation
from molokini.model.states import JobState
from molokini.tables import transitions
from molokini.tables.reservation_changes import set_reservations
from molokini.tables.tables import NEVER, Tables
from tests.kit.decision_rules import MACHINES, NOW, contents, say, tables_of
from tests.kit.replays import prepared
from tests.kit.workloads import Job


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


def places(t: Tables, row: int) -> list[tuple[int, int, int]]:
    """Node, tasks and component of each entry."""
    found, entry = [], int(t.jobs.entries[row])
    while t.nodes.count and entry >= 0:
        columns = (t.entries.node, t.entries.tasks, t.entries.component)
        node, tasks, component = (int(column[entry]) for column in columns)
        found.append((node, tasks, component))
        entry = int(t.entries.next[entry])
    return found


def free_entries(t: Tables) -> int:
    entry, count = int(t.entries.free), 0
    while t.nodes.count and entry >= 0:
        entry, count = int(t.entries.next[entry]), count + 1
    return count


@pytest.mark.parametrize("machine", [*MACHINES, "narrow nodes"])
@pytest.mark.parametrize("decision", Decision)
def test_a_decision_written_down_is_as_one_applied_at_once(decision: Decision, machine: str) -> None:
    made = MACHINES.get(machine, Machine.uniform(16, 1))
    both = []
    for written in (False, True):
        t, rows = tables_of(made)
        row = rows[DECISION_RULES[decision].needs][0]
        say(t, decision, row)
        if check_decisions(t) == 0:
            return
        if not written:
            apply_decided(t, 0, NOW)
            close_pass(t)
        else:
            kind, _, argument, more = (int(one) for one in t.cycle.decisions[0])
            before = places(t, row)
            count = take_allocation(t, 0)
            assert (count > 0) == (DECISION_RULES[decision].placed and made.nodes != ())
            columns = (t.placing.node, t.placing.tasks, t.placing.component)
            noted = list(zip(*(column[:count].tolist() for column in columns), strict=True))
            assert noted == (before[::-1] if count else []), "in the order in which they were placed"
            value = float(t.cycle.decision_time_s[0])
            assert apply_change(t, kind, row, NOW, value, argument, more, count) == 1
        both.append((contents(t), places(t, row), free_entries(t), t.queue.leaving))
    assert both[0] == both[1]
    assert both[0][3] == 0


def test_other_facts_about_a_row() -> None:
    t, rows = tables_of(MACHINES["nodes"])
    [held], [running] = rows[JobState.HELD], rows[JobState.RUNNING]
    assert apply_change(t, Change.RELEASE, held, NOW, 0.0, 0, 0, 0) == 1
    assert t.jobs.state[held] == JobState.WAITING
    assert held in t.queue.waiting[t.queue.head : t.queue.tail]
    assert apply_change(t, Change.END, running, NOW, 0.0, 0, 0, 0) == 1
    assert (t.jobs.state[running], t.machine.free) == (JobState.FREE, 16)
    row = transitions.new_row(t)
    t.jobs.width[row], t.jobs.estimate_s[row], t.jobs.submit_s[row] = 2, 10.0, 5.0
    assert apply_change(t, Change.SUBMIT, row, NOW, 0.0, 0, 0, 0) == 1
    assert t.queue.waiting[t.queue.tail - 1] == row
    more = [transitions.new_row(t), transitions.new_row(t)]
    for k, one in enumerate(more):
        t.jobs.submit_s[one], t.jobs.width[one] = 7.0 - k, 1
    t.cycle.order[:2] = more
    assert submit_rows(t, 2) == 2
    assert t.queue.waiting[t.queue.tail - 3 : t.queue.tail].tolist() == [row, more[1], more[0]]


@pytest.mark.parametrize(("each", "possible"), [(2, 1), (3, 0)])
def test_a_wish_that_no_empty_machine_can_fulfil_is_told_at_once(each: int, possible: int) -> None:
    t, _ = tables_of(MACHINES["nodes"])
    row, component = transitions.new_row(t), int(t.components.free)
    t.components.free = int(t.components.next[component])
    t.components.tasks[component], t.components.need[component, 0] = 8, each
    t.components.where[component], t.components.next[component] = -1, -1
    t.jobs.width[row], t.jobs.components[row] = 8 * each, component
    assert apply_change(t, Change.WISH, row, NOW, 0.0, 0, 0, 0) == possible
    assert (t.queue.wishing, t.jobs.needs_placement[row]) == (1, 1)


@pytest.mark.parametrize("waits", ["nobody", "waiting", "suspended"])
def test_a_boundary_of_a_reservation_wakes_where_a_job_waits_for_room(waits: str) -> None:
    t, rows = tables_of(MACHINES["counted"])
    for state, name in ((JobState.WAITING, "waiting"), (JobState.SUSPENDED, "suspended")):
        if name != waits:
            transitions.cancel(t, rows[state][0], NOW)
    one = Reservation("r", 2, 30.0, 40.0)
    for roll_s, wakes in (
        (NEVER, (30.0, 40.0, 40.0, NEVER)),
        (35.0, (30.0, 35.0, 40.0, NEVER)),
        (50.0, (30.0, 40.0, 40.0, 50.0)),
    ):
        set_reservations(t, [one], lambda *_: 1, roll_s)
        for now, wake_s in zip((NOW, 30.0, 35.0, 40.0), wakes, strict=True):
            t.cycle.pass_s = -1.0
            begin_pass_entry(t, now)
            assert t.cycle.pass_s == now
            assert t.cycle.wake_s == (wake_s if waits != "nobody" else NEVER), (roll_s, now)
    set_reservations(t, [], lambda *_: 1, 45.0)
    begin_pass_entry(t, NOW)
    assert (t.cycle.pass_s, t.cycle.wake_s) == (NOW, 45.0 if waits != "nobody" else NEVER)


def test_a_policy_plans_anew_where_that_is_due_or_a_job_runs_beyond_its_estimate() -> None:
    t, rows = tables_of(MACHINES["counted"])
    t.cycle.replan = 0
    assert begin_pass_entry(t, NOW) == 0
    t.cycle.replan = 1
    assert begin_pass_entry(t, NOW) == 1
    t.cycle.replan = 0
    assert begin_pass_entry(t, 100.0) == 0, "without overrun it has just ended"
    t.machine.overrun = 1
    assert begin_pass_entry(t, 99.0) == 0
    assert begin_pass_entry(t, 100.0) == 1
    assert t.jobs.expected_end_s[rows[JobState.RUNNING][0]] == 101.0


def test_what_a_policy_has_sorted_by_says_nothing_of_what_it_has_decided() -> None:
    t, rows = tables_of(MACHINES["counted"])
    t.cycle.order_key[:] = 5.0
    say(t, Decision.START, rows[JobState.WAITING][0])
    say(t, Decision.SUSPEND, rows[JobState.RUNNING][0])
    assert (check_decisions(t), t.cycle.complaint) == (2, 0)


def test_a_dry_run_says_why_jobs_wait_and_leaves_the_tables_as_they_are() -> None:
    replay = prepared([Job(0, 50, 6), Job(1, 10, 4), Job(2, 10, 1)], "fcfs", 8)
    replay.run(5.0)
    t, policy = replay.tables, replay.policy
    before, replan = contents(t), t.cycle.replan
    twin = dry_run(t, policy.begin, policy.schedule, 5.0)
    head, behind = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    assert twin.reasons.rule[[head, behind]].tolist() == [Rule.NOT_ENOUGH_FREE, Rule.BEHIND_THE_HEAD]
    assert (twin.reasons.limit[head], twin.reasons.value[head]) == (2.0, 4.0)
    assert (contents(t), t.cycle.replan, t.cycle.explain) == (before, replan, 0)
    assert not t.reasons.rule.any()
