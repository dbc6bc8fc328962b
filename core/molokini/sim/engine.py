"""The engine: one loop that goes to the next instant, applies its facts in their ranks, calls the
policy, and carries out its decisions.

The same function runs compiled, with a policy passed as a first-class function, and as plain Python.
It depends on no policy and no file. It returns when the agenda is empty, when ``until_s`` is reached, when it
needs more room, or when its budget of instants is used up, and goes on where it was when called again.
"""

from molokini.compiled.compilation import INT, inner, kernel, seldom
from molokini.cycle.complaints import NOT_IN_STATE, complain
from molokini.cycle.cycle import begin_pass, close_pass, end_pass, is_legal
from molokini.cycle.entries import PLAIN_POLICY_TYPE, PLAIN_TABLES, POLICY_TYPE
from molokini.cycle.ports import PolicyFunction
from molokini.model.ranks import EventKind
from molokini.sim.agenda import EACH, PLAIN_AGENDA, Agenda, next_instant
from molokini.sim.arrays import holds_back, let_go, next_element
from molokini.sim.happenings import apply_fact, arrive, carry_out, end_job, places_wanted
from molokini.tables.tables import NEVER, Tables

FINISHED = 0
STOPPED = 1
MORE_ROWS = 2
MORE_TRACE = 3
PAUSED = 4
ABORTED = 5

ENGINE_SIGNATURE = INT(Agenda.numba_type, Tables.numba_type, POLICY_TYPE, POLICY_TYPE)
PLAIN_ENGINE_SIGNATURE = INT(
    Agenda.with_zero(*PLAIN_AGENDA), PLAIN_TABLES, PLAIN_POLICY_TYPE, PLAIN_POLICY_TYPE
)
"""The signature of the engine that can replay plain workloads alone (``is_plain``)."""

# Phases: where the engine left an instant, as it needed more room.
_BETWEEN, ARRIVING, _DECIDED = 0, 1, 2


def run(a: Agenda, t: Tables, begin: PolicyFunction, schedule: PolicyFunction) -> int:
    """Go on until one of the reasons above to return; which one it was."""
    budget = a.budget
    blocked = -1
    in_order = _is_in_order(a, t)
    while True:
        if a.phase == _BETWEEN:
            now = next_instant(a, t)
            if now > a.until_s or now == NEVER:
                return FINISHED if now == NEVER else STOPPED
            if a.facts.count > 0 and a.rates.count + _may_be_lost(t) > a.rates.job.size:
                # A loss may put any of them back.
                return MORE_TRACE
            if budget == 0:
                return PAUSED
            budget -= 1
            a.now = now
            a.instants += 1
            a.phase = ARRIVING
            _leave(a, t, now)
        now = a.now
        if a.phase == ARRIVING:
            if not _join(a, t, now):
                return MORE_ROWS
            a.passes += 1
            if blocked >= 0 and a.acted == 0 and t.queue.waiting[t.queue.head] == blocked:
                # Room did not change, and arrivals stand behind the head: the pass would decide nothing.
                t.queue.arrived = 0
                a.phase = _BETWEEN
                continue
            begin_pass(t, now)
            if t.cycle.replan:
                begin(t, now)
            schedule(t, now)
            end_pass(t)
            if a.abort or t.cycle.complaint:
                return ABORTED
            a.phase = _DECIDED
        if a.rates.count + t.cycle.decided > a.rates.job.size:
            return MORE_TRACE
        if t.nodes.count > 0 and a.places.used + places_wanted(t) > a.places.node.size:
            return MORE_TRACE
        for k in range(t.cycle.decided):
            if not is_legal(t, k):
                complain(t, NOT_IN_STATE, t.cycle.decisions[k, 1])
                return ABORTED
            carry_out(a, t, k, now)
        close_pass(t)
        a.phase = _BETWEEN
        if in_order:
            blocked = _head(t)


@inner
def _is_in_order(a: Agenda, t: Tables) -> bool:
    """Whether the head of the queue, once it waits, waits until something else than an arrival happens.

    Not where reservations begin and end as time passes, jobs may exceed estimates, or reasons are asked for.
    """
    timed = t.reservations.count > 0 or t.reservations.roll_s < NEVER or t.machine.overrun > 0
    return bool(a.in_order and not timed and not t.cycle.explain)


@inner
def _may_be_lost(t: Tables) -> int:
    """How many jobs are on nodes."""
    return int(t.queue.running_count + t.queue.suspended_count)


@inner
def _head(t: Tables) -> int:
    """The first row of the queue; -1: no job waits."""
    return int(t.queue.waiting[t.queue.head]) if t.queue.head < t.queue.tail else -1


@inner
def _leave(a: Agenda, t: Tables, now: float) -> None:
    """Ends, node losses, node returns and commands of this instant.

    With ``ties`` EACH nothing leaves while an arrival of this instant is still to come, and then one fact
    a pass.
    """
    each = a.ties == EACH
    if each and a.workload.next < a.workload.count and a.workload.submit_s[a.workload.next] == now:
        return
    a.acted = 0
    while a.ends.count > 0 and a.ends.at_s[0] == now:
        end_job(a, t, now)
        a.acted = 1
        if each:
            return
    if a.facts.count > 0 and a.facts.next < a.facts.count and a.facts.time_s[a.facts.next] == now:
        _apply_facts(a, t, now, EventKind.HELD)


@inner
def _join(a: Agenda, t: Tables, now: float) -> bool:
    """Arrivals, releases, boundaries and timers of this instant; False: no row is free."""
    each = a.ties == EACH
    if a.workload.arrays > 0 and not _let_elements_in(a, t):
        return False
    while a.workload.next < a.workload.count and a.workload.submit_s[a.workload.next] == now:
        if not _has_room(a, t, a.workload.next):
            return False
        if a.workload.arrays == 0 or not holds_back(a, a.workload.next):
            arrive(a, t, a.workload.next)
        a.workload.next += 1
        if each:
            return True
    due = a.facts.count > 0 and a.facts.next < a.facts.count and a.facts.time_s[a.facts.next] == now
    if a.facts.count > 0 and due and not (each and a.acted):
        _apply_facts(a, t, now, EventKind.WAKE)
    return True


@inner
def _has_room(a: Agenda, t: Tables, job: int) -> bool:
    """Whether there is a row for a job, and what its wishes need."""
    if t.jobs.free_rows == 0:
        return False
    return not (a.workload.wishes > 0 and a.workload.component_count[job] > t.components.spare)


@kernel
def _let_elements_in(a: Agenda, t: Tables) -> bool:
    """Elements that were held back arrive where their arrays have places; False: no row is free."""
    seldom()
    job = next_element(a)
    while job >= 0:
        if not _has_room(a, t, job):
            return False
        let_go(a, job)
        arrive(a, t, job)
        job = next_element(a)
    return True


@kernel
def _apply_facts(a: Agenda, t: Tables, now: float, last_kind: int) -> None:
    """Apply the facts of this instant up to those of *last_kind*; they are sorted by rank."""
    seldom()
    while (
        a.facts.next < a.facts.count
        and a.facts.time_s[a.facts.next] == now
        and a.facts.kind[a.facts.next] <= last_kind
    ):
        apply_fact(a, t, a.facts.next, now)
        a.facts.next += 1
        a.acted = 1
        if a.ties == EACH:
            return
