"""What a policy decides becomes one fact, which does to tables what the engine does to them."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.cycle.calling import PolicyError, nothing
from molokini.cycle.cycle import apply_decided, begin_pass, close_pass, end_pass, is_legal
from molokini.model import facts as h
from molokini.model.codec import KINDS
from molokini.model.decisions import DECISION_RULES, Decision
from molokini.model.states import JobState
from molokini.model.written_specs import WrittenSpec
from molokini.server.state.applying import apply
from molokini.server.state.effects.table import MAKERS
from molokini.server.state.state import State
from molokini.server.turn.running_policy import RunningPolicy
from molokini.tables.rows import open_matrix
from molokini.tables.tables import Tables
from tests.kit.decision_rules import NOW, contents, say

Wish = tuple[Decision, int]
LIVE = [decision for decision in Decision if decision in MAKERS]
ONE_BY_ONE = [decision for decision in LIVE if decision is not Decision.SET_ROWS]
"""Decisions that become a fact each; of one pass all places in rows are one fact (test_rows.py)."""


def happen(state: State, time_s: float, *facts: h.Fact) -> None:
    for fact in facts:
        apply(state, fact, state.serial + 1, time_s)


def a_state() -> State:
    """Four nodes of four processors; jobs of two of them: three run, three are suspended, three wait."""
    state = State()
    happen(state, 0.0, h.NodesAdded("agent", ("a", "b", "c", "d"), 4))
    state.ledger.open("p1")
    specs = (WrittenSpec({"estimate_s": 100.0, "resources": {"processors": 2}}),) * 9
    happen(state, 1.0, h.JobsSubmitted(1, "ann", specs))
    for job in range(1, 7):
        happen(state, 2.0, h.JobStarted(job, h.NO_INDEX, 1, (((job - 1) // 2, 2, 0),)))
    happen(state, 5.0, *(h.JobSuspended(job, h.NO_INDEX) for job in (2, 4, 6)))
    return state


def spoken(t: Tables, wishes: list[Wish]) -> None:
    """Decide what of *wishes* a policy may decide in this pass."""
    over, moved = set[int](), set[int]()
    for decision, row in wishes:
        rule = DECISION_RULES[decision]
        full = rule.begins and t.jobs.width[row] > t.machine.idle
        if t.jobs.state[row] != rule.needs or row in over or full or (rule.moves and row in moved):
            continue
        before = t.cycle.decided
        say(t, decision, row)
        if t.cycle.decided > before and rule.leaves is not None:
            over.add(row)
        elif t.cycle.decided > before and rule.moves:
            moved.add(row)


def thinking(state: State) -> RunningPolicy:
    running_policy = RunningPolicy("fcfs", {})
    running_policy.take_over(state)
    return running_policy


def decided_live(state: State, running_policy: RunningPolicy, wishes: list[Wish]) -> list[h.Fact]:
    running_policy._functions = (nothing, lambda view, now: spoken(view, wishes))
    return running_policy.decide(state, NOW)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ONE_BY_ONE), st.integers(0, 8)), max_size=12))
def test_engine_and_server_make_the_same_tables_of_whatever_is_decided(wishes: list[Wish]) -> None:
    state = a_state()
    running_policy, rows = thinking(state), sorted(state.by_row)
    wishes = [(decision, rows[which]) for decision, which in wishes]
    t = state.tables.copy()
    begin_pass(t, NOW)
    spoken(t, wishes)
    end_pass(t)
    assert not t.cycle.complaint
    facts = decided_live(state, running_policy, wishes)
    assert len(facts) == t.cycle.decided
    for k in range(t.cycle.decided):
        assert t.cycle.decisions[k, 0] in type(facts[k]).DECISIONS
        assert is_legal(t, k)
        apply_decided(t, k, NOW)
    close_pass(t)
    happen(state, NOW, *facts)
    assert contents(state.tables) == contents(t)


@pytest.mark.parametrize("decision", LIVE)
def test_every_decision_that_can_be_made_live_has_an_effect(decision: Decision) -> None:
    state = a_state()
    if decision is Decision.SET_ROWS:
        open_matrix(state.tables, 2, 60.0, 0.0, False)
    running_policy = thinking(state)
    [row, *_] = [
        row for row in state.by_row if state.tables.jobs.state[row] == DECISION_RULES[decision].needs
    ]
    before = contents(state.tables)
    happen(state, NOW, *decided_live(state, running_policy, [(decision, row)]))
    assert contents(state.tables) != before
    assert state.tables.jobs.state[row] == DECISION_RULES[decision].after


def test_a_decision_becomes_one_kind_of_fact_or_none_and_then_it_is_refused_live() -> None:
    kinds = Counter(decision for kind in KINDS.values() for decision in kind.DECISIONS)
    assert kinds == dict.fromkeys(LIVE, 1)


@pytest.mark.parametrize("decision", [one for one in Decision if one not in LIVE])
def test_a_simulator_only_decision_is_named(decision: Decision) -> None:
    state = a_state()
    state.tables.cycle.decisions[0, :2] = decision, 0
    state.tables.cycle.decided = 1
    verb = DECISION_RULES[decision].verb.replace("_", " ")
    with pytest.raises(PolicyError, match=f"decided to {verb}, which a live cluster cannot do"):
        RunningPolicy("fcfs", {})._facts(state, NOW)


def test_the_state_of_these_tests_has_a_job_for_each_decision() -> None:
    states = {int(one) for one in a_state().tables.jobs.state}
    assert states == {JobState.FREE} | {rule.needs for rule in DECISION_RULES.values()}
