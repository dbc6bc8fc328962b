"""What facts about jobs that are planned, start, move and stop for a while make of a state."""

from molokini.cycle.entries import Change
from molokini.model import happened as h
from molokini.model.decisions import Rule
from molokini.server.state.effects.entering import tell_dependents
from molokini.server.state.jobs import Element, Standing
from molokini.server.state.loads import Cut
from molokini.server.state.state import NO_PROMISE_S, State
from molokini.tables import transitions
from molokini.tables.tables import NEVER


def job_reserved(state: State, fact: h.JobReserved) -> None:
    """The policy has planned its start, or gives the plan up."""
    element = state.element(fact.job, fact.index)
    promised = fact.start_s < NO_PROMISE_S
    element.reserved_s = fact.start_s if promised else None
    start_s = fact.start_s if promised else NEVER
    state.rows.change(element, Change.RESERVE, state.now, start_s)


def job_bypassed(state: State, fact: h.JobBypassed) -> None:
    """Others were started before it."""
    row = state.element(fact.job, fact.index).row
    transitions.bypass(state.tables, row, fact.times)


def job_accrues(state: State, fact: h.JobAccrues) -> None:
    """When its waiting begins to count."""
    row = state.element(fact.job, fact.index).row
    transitions.accrue(state.tables, row, fact.after_s if fact.after_s < NO_PROMISE_S else NEVER)


def job_deferred(state: State, fact: h.JobDeferred) -> None:
    """It is not looked at for a while."""
    row = state.element(fact.job, fact.index).row
    rule = Rule[fact.rule.upper().replace("-", "_")]
    transitions.defer(state.tables, row, int(rule), fact.until_s)


def job_molded(state: State, fact: h.JobMolded) -> None:
    """The policy has cut a load to so many processors."""
    element = state.element(fact.job, fact.index)
    element.cut = Cut(fact.rule, fact.processors, fact.execution_s)
    transitions.mold(state.tables, element.row, fact.processors, fact.execution_s)


def job_started(state: State, fact: h.JobStarted) -> None:
    """It runs, on what it was given."""
    element = state.element(fact.job, fact.index)
    element.attempt, element.start_s = fact.attempt, state.now
    if element.first_start_s is None:
        element.first_start_s = state.now
    element.standing, element.reason, element.reserved_s = Standing.RUNNING, "", None
    element.job.version += 1
    _go(state, element, Change.START, fact.placed, fact.rate, fact.exclusive)
    if element.job.communicates:
        element.parts = state.machine.processors_by_cluster(element.nodes)
    _leave_agent(state, element, element.left_at)
    tell_dependents(state, element.job)


def job_resumed(state: State, fact: h.JobResumed) -> None:
    """It goes on after a suspension."""
    element = state.element(fact.job, fact.index)
    element.standing, element.reason = Standing.RUNNING, ""
    before = state.agent_of(element)
    _go(state, element, Change.RESUME, fact.placed, fact.rate, fact.exclusive)
    _leave_agent(state, element, before)


def job_moved(state: State, fact: h.JobMoved) -> None:
    """It goes on elsewhere."""
    element = state.element(fact.job, fact.index)
    before = state.agent_of(element)
    _go(state, element, Change.MOVE, fact.placed, 1.0, True)
    if not element.left_at and state.agent_of(element) != before:
        # Another agent goes on with the work that was done so far, however long it waits for the first one.
        transitions.account(state.tables, element.row, state.now)
    _leave_agent(state, element, before)


def _leave_agent(state: State, element: Element, before: str) -> None:
    """*element* has its place; *before* was told to run it and may still do so.

    An agent that was never told, because another might still run it, has nothing to leave.
    """
    before = element.left_at or before
    set_left(state, element, "" if before == state.agent_of(element) else before)


def set_left(state: State, element: Element, agent: str) -> None:
    """*agent* may still run *element*; empty: nobody else may."""
    if agent != element.left_at:
        element.left_at, element.left_attempt = agent, element.attempt if agent else 0
    if agent:
        state.left[element.job.id, element.index] = element
    else:
        state.left.pop((element.job.id, element.index), None)


def attempt_gone(state: State, fact: h.AttemptGone) -> None:
    """The agent from which it was taken has let it go."""
    set_left(state, state.element(fact.job, fact.index), "")


def _go(state: State, element: Element, change: int, placed: h.Placed, rate: float, exclusive: bool) -> None:
    t, used = state.tables, dict[int, int]()
    # What shares processors runs on the nodes that were placed and holds nothing of them in the tables.
    held = placed if exclusive else ()
    for k, (node, tasks, component) in enumerate(placed):
        t.placed_node[k], t.placed_tasks[k], t.placed_component[k] = node, tasks, component
        used[node] = used.get(node, 0) + tasks * int(t.component_need[component, 0])
    element.nodes = tuple(used.items())
    state.rows.change(element, change, state.now, rate, int(exclusive), len(held))


def job_suspended(state: State, fact: h.JobSuspended) -> None:
    """It stops, and keeps its work."""
    element = state.element(fact.job, fact.index)
    element.standing, element.reason = Standing.SUSPENDED, fact.reason
    state.rows.change(element, Change.SUSPEND, state.now)


def job_shared(state: State, fact: h.JobShared) -> None:
    """It goes on at another rate."""
    element = state.element(fact.job, fact.index)
    state.rows.change(element, Change.SHARE, state.now, fact.rate)
