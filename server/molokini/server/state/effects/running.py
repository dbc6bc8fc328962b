"""What facts about jobs that are planned, start, move and stop for a while make of a state."""

from molokini.applications.kinds import RULES
from molokini.feedback.aims import Aim
from molokini.model import facts as h
from molokini.model.decisions import IN_PLACE, IN_ROWS, LIMITED, Decision, Rule
from molokini.model.slicing import Slicing
from molokini.server.state.effects.entering import tell_dependents
from molokini.server.state.effects.parts import forget_parts, leave_agents, set_left
from molokini.server.state.effects.table import Decided, effect_of, maker_of
from molokini.server.state.jobs import NO_AGENTS, Element, JobStatus
from molokini.server.state.loads import Cut
from molokini.server.state.state import NO_PROMISE_S, State
from molokini.tables import transitions
from molokini.tables.rows import place_as_text, put_as_text, rate_there
from molokini.tables.tables import NEVER

_RULE_NAMES: dict[int, str] = {number: name for name, number in RULES.items()}


@maker_of(Decision.RESERVE)
def reserve(state: State, d: Decided) -> h.JobReserved:
    """*value* is when it is to start."""
    return h.JobReserved(*d.whose, min(d.value, NO_PROMISE_S))


@effect_of(h.JobReserved)
def job_reserved(state: State, fact: h.JobReserved) -> None:
    """The policy has planned its start, or gives the plan up."""
    element = state.element(fact.job, fact.index)
    promised = fact.start_s < NO_PROMISE_S
    element.reserved_s = fact.start_s if promised else None
    start_s = fact.start_s if promised else NEVER
    state.rows.change(element, Decision.RESERVE, state.now, start_s)


@maker_of(Decision.BYPASS)
def bypass(state: State, d: Decided) -> h.JobBypassed:
    """*argument* is how often."""
    return h.JobBypassed(*d.whose, d.argument)


@effect_of(h.JobBypassed)
def job_bypassed(state: State, fact: h.JobBypassed) -> None:
    """Others were started before it."""
    state.rows.change(state.element(fact.job, fact.index), Decision.BYPASS, state.now, argument=fact.times)


@maker_of(Decision.ACCRUE)
def accrue(state: State, d: Decided) -> h.JobAccrues:
    """*value* is when its waiting begins to count."""
    return h.JobAccrues(*d.whose, min(d.value, NO_PROMISE_S))


@effect_of(h.JobAccrues)
def job_accrues(state: State, fact: h.JobAccrues) -> None:
    """When its waiting begins to count."""
    after_s = fact.after_s if fact.after_s < NO_PROMISE_S else NEVER
    state.rows.change(state.element(fact.job, fact.index), Decision.ACCRUE, state.now, after_s)


@maker_of(Decision.DEFER)
def defer(state: State, d: Decided) -> h.JobDeferred:
    """*value* is until when, *argument* the rule."""
    return h.JobDeferred(*d.whose, d.value, Rule(d.argument).name.lower().replace("_", "-"))


@effect_of(h.JobDeferred)
def job_deferred(state: State, fact: h.JobDeferred) -> None:
    """It is not looked at for a while."""
    rule = Rule[fact.rule.upper().replace("-", "_")]
    state.rows.change(state.element(fact.job, fact.index), Decision.DEFER, state.now, fact.until_s, int(rule))


@maker_of(Decision.MOLD)
def mold(state: State, d: Decided) -> h.JobMolded:
    """*argument* is its width, *value* how long it takes, *more* how it is cut."""
    return h.JobMolded(*d.whose, d.argument, d.value, _RULE_NAMES[d.more])


@effect_of(h.JobMolded)
def job_molded(state: State, fact: h.JobMolded) -> None:
    """The policy has cut a load to so many processors."""
    element = state.element(fact.job, fact.index)
    element.cut = Cut(fact.rule, fact.processors, fact.execution_s)
    state.rows.change(element, Decision.MOLD, state.now, fact.execution_s, fact.processors)


@maker_of(Decision.START)
def start(state: State, d: Decided) -> h.JobStarted:
    """*value* is its rate; *argument* 0: it shares processors, ``IN_ROWS``: in rows of the matrix;
    ``LIMITED``: *value* is its limit.
    """
    t, attempt = state.tables, d.element.attempt + 1
    queue = state.rows.chosen_queue(d.element)
    if d.argument == LIMITED:
        return h.JobStarted(*d.whose, attempt, d.placed, limit_s=d.value, queue=queue)
    if d.argument != IN_ROWS:
        return h.JobStarted(*d.whose, attempt, d.placed, d.value, d.argument == 1, queue=queue)
    rows, turns = place_as_text(t, d.element.row), int(t.matrix.to_turns[d.element.row])
    return h.JobStarted(*d.whose, attempt, d.placed, d.value, False, rows, turns)


@effect_of(h.JobStarted)
def job_started(state: State, fact: h.JobStarted) -> None:
    """It runs, on what it was given."""
    element = state.element(fact.job, fact.index)
    element.attempt, element.start_s = fact.attempt, state.now
    if element.first_start_s is None:
        element.first_start_s = state.now
    element.status, element.reason, element.reserved_s = JobStatus.RUNNING, "", None
    element.job.version += 1
    element.limit_s, element.queue = fact.limit_s, fact.queue
    element.suspended_s, element.suspended_from_s = 0.0, None
    if fact.queue:
        transitions.choose_queue(state.tables, element.row, state.rows.number(fact.queue))
    how = LIMITED if fact.limit_s else IN_ROWS if fact.rows else int(fact.exclusive)
    if fact.rows:
        put_as_text(state.tables, element.row, fact.rows, turns=fact.turns)
    _go(state, element, Decision.START, fact.placed, fact.limit_s or fact.rate, how)
    if element.job.communicates:
        element.parts = state.machine.processors_by_cluster(element.nodes)
    forget_parts(state, element)
    if len(element.left_at) == 1 and element.left_at == state.agents_of(element):
        # One agent that may still run the attempt before begins none beside it.
        set_left(state, element, NO_AGENTS)
    tell_dependents(state, element.job)


@maker_of(Decision.RESUME)
def resume(state: State, d: Decided) -> h.JobResumed:
    """As ``start``; one that was sliced goes on so."""
    rate = state.sliced_rate(*d.whose, d.value)
    in_place = d.argument == IN_PLACE
    return h.JobResumed(*d.whose, d.placed, rate, d.argument == 1 or in_place, in_place=in_place)


@effect_of(h.JobResumed)
def job_resumed(state: State, fact: h.JobResumed) -> None:
    """The element goes on after a suspension."""
    element = state.element(fact.job, fact.index)
    element.suspended_s, element.suspended_from_s = element.suspended_by(state.now), None
    element.status, element.reason = JobStatus.RUNNING, ""
    if fact.in_place:
        state.rows.change(element, Decision.RESUME, state.now, fact.rate, IN_PLACE)
        return
    before = state.agents_of(element)
    _go(state, element, Decision.RESUME, fact.placed, fact.rate, int(fact.exclusive))
    leave_agents(state, element, before)


@maker_of(Decision.MIGRATE)
def migrate(state: State, d: Decided) -> h.JobMoved:
    """The element goes on at the place of the fact."""
    return h.JobMoved(*d.whose, d.placed)


@effect_of(h.JobMoved)
def job_moved(state: State, fact: h.JobMoved) -> None:
    """The element goes on elsewhere."""
    element = state.element(fact.job, fact.index)
    before = state.agents_of(element)
    _go(state, element, Decision.MIGRATE, fact.placed, 1.0, 1)
    if not element.left_at and set(state.agents_of(element)) != set(before):
        # Others go on with the work that was done so far, however long they wait for the agents before.
        transitions.account(state.tables, element.row, state.now)
    leave_agents(state, element, before)


def _go(
    state: State,
    element: Element,
    change: int,
    placed: h.Placed,
    value: float,
    how: int,
) -> None:
    """It runs on *placed* from now on; *value* and *how* are as the verb of *change* writes them."""
    t, used = state.tables, dict[int, int]()
    # What shares processors runs on the nodes that were placed and holds nothing of them in the tables.
    held = placed if how in (1, LIMITED) else ()
    for k, (node, tasks, component) in enumerate(placed):
        t.placing.node[k], t.placing.tasks[k], t.placing.component[k] = node, tasks, component
        used[node] = used.get(node, 0) + tasks * int(t.components.need[component, 0])
    # Components by features say which nodes a job has, not which of them comes first.
    apart = bool(placed) and t.components.apart[placed[0][2]]
    element.nodes = tuple(sorted(used.items()) if apart else used.items())
    state.rows.change(element, change, state.now, value, how, placed=len(held))


@maker_of(Decision.SUSPEND)
def suspend(state: State, d: Decided) -> h.JobSuspended:
    """*argument* says whether it keeps its nodes."""
    return h.JobSuspended(*d.whose, in_place=d.argument == IN_PLACE)


@effect_of(h.JobSuspended)
def job_suspended(state: State, fact: h.JobSuspended) -> None:
    """It stops, and keeps its work."""
    element = state.element(fact.job, fact.index)
    element.status, element.reason = JobStatus.SUSPENDED, fact.reason
    element.suspended_from_s = state.now
    state.rows.change(element, Decision.SUSPEND, state.now, argument=IN_PLACE if fact.in_place else 0)


@maker_of(Decision.SET_SHARE)
def set_share(state: State, d: Decided) -> h.JobShared:
    """*value* is its rate."""
    return h.JobShared(*d.whose, d.value)


@effect_of(h.JobShared)
def job_shared(state: State, fact: h.JobShared) -> None:
    """The element goes on at another rate, without slices."""
    element = state.element(fact.job, fact.index)
    state.sliced.pop((fact.job, fact.index), None)
    state.rows.change(element, Decision.SET_SHARE, state.now, fact.rate)


@maker_of(Decision.SET_ROWS)
def set_rows(state: State, d: Decided) -> h.RowsSet:
    """*value* is the slice time that it loses; the tables say where it is to stand."""
    t, row = state.tables, d.element.row
    place = (*d.whose, *place_as_text(t, row), d.value, rate_there(t, row))
    return h.RowsSet((place,), int(t.matrix.to_turns[row]))


@effect_of(h.RowsSet)
def rows_set(state: State, fact: h.RowsSet) -> None:
    """Jobs go on elsewhere in the matrix."""
    for job, index, home, rows, columns, stall_s, _ in fact.places:
        element = state.element(job, index)
        put_as_text(state.tables, element.row, (home, rows, columns), stall_s, fact.turns)
        state.rows.change(element, Decision.SET_ROWS, state.now, stall_s)
    if fact.budget:
        state.tables.matrix.slice, state.tables.matrix.allowance = fact.budget


@effect_of(h.JobAimed)
def job_aimed(state: State, fact: h.JobAimed) -> None:
    """The element goes at a target rate: in slices by deadline, once its share is known."""
    place = fact.job, fact.index
    element = state.element(*place)
    state.aims.pop(place, None)
    state.sliced.pop(place, None)
    if fact.aim:
        aim = state.aims[place] = Aim.from_json(fact.aim)
        if aim.control is not None:
            state.sliced[place] = Slicing(
                period_s=aim.control.period / 1e9,
                slice_s=aim.control.slice / 1e9,
                origin_s=fact.origin_s,
                real_time=True,
                by_deadline=True,
                cores=aim.cores,
            )
    if element.status is JobStatus.RUNNING:
        rate = state.sliced_rate(*place, 1.0)
        state.rows.change(element, Decision.SET_SHARE, state.now, rate)


@effect_of(h.JobSliced)
def job_sliced(state: State, fact: h.JobSliced) -> None:
    """The element computes in time slices, or all the time again; a suspended one from its resumption on."""
    element = state.element(fact.job, fact.index)
    state.aims.pop((fact.job, fact.index), None)
    if fact.slicing:
        state.sliced[fact.job, fact.index] = Slicing.from_json(fact.slicing)
    else:
        state.sliced.pop((fact.job, fact.index), None)
    if element.status is JobStatus.RUNNING:
        rate = state.sliced_rate(fact.job, fact.index, 1.0)
        state.rows.change(element, Decision.SET_SHARE, state.now, rate)
