"""The facts and decisions of an instant, applied to tables and agenda together.

The transitions change the tables; these functions also keep the true ends and the results, which
tables and policies never hold.
"""

from molokini.availability.placement import could_ever_place
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import apply_decision, apply_other
from molokini.model.decisions import LIMITED, MOVES_END, OF_ALL, TRACED, Decision, Refusal
from molokini.model.outages import DRAINED
from molokini.model.ranks import EventKind
from molokini.model.requests import MOST_CHOICES, MOST_LICENSES
from molokini.model.resources import Resource
from molokini.model.states import JobState, NodeState
from molokini.shared.placed_kernels import run_of
from molokini.sim.agenda import (
    EACH,
    EVERY_JOB,
    Agenda,
    add_end,
    drop_end,
    first_ends,
    move_all_ends,
    move_end,
)
from molokini.sim.arrays import give_place
from molokini.sim.placed_runs import set_run
from molokini.tables import transitions
from molokini.tables.allocations import uses_node
from molokini.tables.bank_changes import settle
from molokini.tables.job_limits import accept_less
from molokini.tables.rows import first_column, in_matrix, occupied_by, stands_between, work_by
from molokini.tables.tables import NEVER, Tables


@inner
def end_job(a: Agenda, t: Tables, now: float) -> None:
    """The job with the first true end of the agenda ends."""
    row = first_ends(a, t)
    job = t.jobs.serial[row]
    keep_start(a, t, row, job)
    a.results.ended_s[job] = now
    if a.facts.count > 0:
        a.results.row_of[job] = -1
    if a.workload.arrays > 0:
        give_place(a, job)
    if t.liens.count > 0 and a.workload.failed.size > 0 and a.workload.failed[job]:
        settle(t, row, now, False)
    transitions.end(t, row, now)


@inner
def keep_start(a: Agenda, t: Tables, row: int, job: int) -> None:
    """Note the first start of a job that leaves its processors (a second attempt does not count)."""
    if not t.jobs.uneven or t.jobs.attempt[row] == 1:
        a.results.started_s[job] = t.jobs.start_s[row]


@inner
def arrive(a: Agenda, t: Tables, job: int) -> None:
    """The next job of the workload joins the queue, or is refused for good."""
    refusal = 0
    if a.workload.width[job] > t.machine.processors_in_all:
        refusal = Refusal.WIDER_THAN_MACHINE
    elif a.workload.wishes > 0 and a.workload.component_count[job] > 0 and a.counted_only:
        refusal = Refusal.NEEDS_NODES
    if refusal:
        a.results.refusal[job] = refusal
        if a.workload.arrays > 0:
            give_place(a, job)
        return
    row = transitions.new_row(t)
    t.jobs.serial[row] = job
    t.jobs.number[row] = a.workload.number[job]
    t.jobs.submit_s[row] = a.workload.submit_s[job]
    t.jobs.estimate_s[row] = a.workload.estimate_s[job]
    t.jobs.credential[row] = a.workload.credential[job]
    if a.facts.count > 0:
        a.results.row_of[job] = row
    t.jobs.width[row] = a.workload.width[job]
    if a.workload.wishes > 0 and a.workload.component_count[job] > 0 and not _wish(a, t, row, job):
        t.jobs.state[row] = JobState.HELD
        transitions.cancel(t, row, a.workload.submit_s[job])
        if a.facts.count > 0:
            a.results.row_of[job] = -1
        if a.workload.arrays > 0:
            give_place(a, job)
        a.results.refusal[job] = Refusal.NEVER_PLACEABLE
        return
    if a.workload.memory_kb.size > 0:
        transitions.expect_memory(t, row, a.workload.memory_kb[job])
    if a.workload.elements and a.workload.of_array[job] > 0:
        transitions.belong_to(t, row, a.workload.of_array[job])
    if a.workload.shorter and a.workload.least_s[job] > 0.0:
        accept_less(t, row, a.workload.least_s[job])
    if a.workload.molded:
        transitions.give_load(
            t, row, a.workload.amount[job], a.workload.deadline_s[job], a.workload.costs_row
        )
    transitions.submit(t, row)


@kernel
def _wish(a: Agenda, t: Tables, row: int, job: int) -> bool:
    """Copy the components of a job that wishes for more; False when the machine cannot hold it."""
    seldom()
    first, count = a.workload.request[job], a.workload.component_count[job]
    t.jobs.component_count[row] = count
    t.jobs.shape[row] = a.workload.shape[job]
    columns = t.components.need.shape[1]
    following = -1
    for k in range(first + count - 1, first - 1, -1):
        component = t.components.free
        t.components.free = t.components.next[component]
        t.components.spare -= 1
        t.components.tasks[component] = a.components.tasks[k]
        t.components.where[component] = a.components.where[k]
        t.components.per_node[component] = a.components.per_node[k]
        t.components.features[component] = a.components.features[k]
        t.components.one_of[component] = a.components.one_of[k]
        t.components.apart[component] = a.components.apart[k]
        for choice in range(MOST_CHOICES):
            t.components.any_of[component, choice] = a.components.any_of[k * MOST_CHOICES + choice]
        t.components.spread[component] = a.components.spread[k]
        t.components.least_nodes[component] = a.components.least_nodes[k]
        t.components.most_nodes[component] = a.components.most_nodes[k]
        t.components.alone[component] = a.components.alone[k]
        if a.components.licenses.size > 0:
            for kind in range(MOST_LICENSES):
                t.components.licenses[component, kind] = a.components.licenses[k * MOST_LICENSES + kind]
        for resource in range(columns):
            t.components.need[component, resource] = a.components.need[k * columns + resource]
        t.components.next[component] = following
        following = component
    t.jobs.components[row] = following
    transitions.wish(t, row)
    return t.nodes.count > 0 and could_ever_place(t, row)


@kernel
def apply_fact(a: Agenda, t: Tables, k: int, now: float) -> None:
    """Fact *k* of the agenda."""
    seldom()
    kind, subject, amount = a.facts.kind[k], a.facts.subject[k], a.facts.amount[k]
    if kind == EventKind.NODE_LOST and subject >= 0 and amount == DRAINED:
        drain(t, subject)
    elif kind == EventKind.NODE_LOST:
        if subject >= 0:
            _end_drain(t, subject)
        _lose(a, t, subject, amount, now)
    elif kind == EventKind.NODE_RETURNED:
        if subject < 0:
            transitions.change_processors(t, amount)
        elif t.nodes.state[subject] == NodeState.DRAINING:
            _end_drain(t, subject)
            t.cycle.replan = 1
        else:
            transitions.return_node(t, subject)
            if amount == DRAINED:
                drain(t, subject)
    elif kind == EventKind.CANCELLED:
        _cancel(a, t, subject, now)
    elif kind == EventKind.HELD:
        row = a.results.row_of[subject]
        if row >= 0 and t.jobs.state[row] == JobState.WAITING:
            transitions.hold(t, row)
    elif kind == EventKind.RELEASED:
        row = a.results.row_of[subject]
        if row >= 0:
            transitions.forget_deferrals(t, row)
        if row >= 0 and t.jobs.state[row] == JobState.HELD:
            transitions.release(t, row)


@kernel
def drain(t: Tables, node: int) -> None:
    """The node takes no new jobs; those that run there go on."""
    t.nodes.state[node] = NodeState.DRAINING
    # Its free processors are still counted, so counting is not enough while it drains.
    t.queue.wishing += 1
    t.cycle.replan = 1


@kernel
def _end_drain(t: Tables, node: int) -> None:
    """The node takes jobs again, if it drained."""
    if t.nodes.state[node] == NodeState.DRAINING:
        t.nodes.state[node] = NodeState.UP
        t.queue.wishing -= 1


@kernel
def _cancel(a: Agenda, t: Tables, job: int, now: float) -> None:
    row = a.results.row_of[job]
    if row >= 0:
        _note_cancel(a, t, row, now)
        transitions.cancel(t, row, now)


@kernel
def _note_cancel(a: Agenda, t: Tables, row: int, now: float) -> None:
    """The job of *row* is about to be over, whether it waits, runs or is suspended."""
    job = t.jobs.serial[row]
    if a.workload.arrays > 0:
        give_place(a, job)
    if t.jobs.state[row] == JobState.RUNNING or t.jobs.state[row] == JobState.SUSPENDED:
        t.jobs.uneven = 1
        transitions.account(t, row, now)
        keep_start(a, t, row, job)
        a.results.ended_s[job] = now
        a.results.done_s[job] = t.jobs.work_s[row]
    drop_end(a, t, row)
    if a.facts.count > 0:
        a.results.row_of[job] = -1


@kernel
def _lose(a: Agenda, t: Tables, node: int, amount: int, now: float) -> None:
    """A node, or so many counted processors, are lost; the jobs that ran there go back to the queue.

    Where processors are only counted, the jobs that started last go back.
    """
    if node >= 0:
        k = t.queue.running_count - 1
        while k >= 0:
            row = t.queue.running[k]
            if uses_node(t, row, node):
                _put_back(a, t, row, now)
            k = min(k, t.queue.running_count) - 1
        if t.queue.suspended_count > 0:
            _lose_suspended(a, t, node, now)
        if t.matrix.count > 0:
            first = first_column(t, node)
            _lose_columns(a, t, first, first + int(t.nodes.total[node, 0]), now)
        transitions.lose_node(t, node)
        return
    amount = min(amount, t.machine.processors)
    if t.matrix.count > 0:
        _lose_columns(a, t, t.machine.processors - amount, t.machine.processors_in_all, now)
    while t.machine.free < amount and t.queue.running_count > 0:
        latest = t.queue.running[0]
        for k in range(1, t.queue.running_count):
            row = t.queue.running[k]
            if t.jobs.start_s[row] > t.jobs.start_s[latest] or (
                t.jobs.start_s[row] == t.jobs.start_s[latest] and t.jobs.number[row] > t.jobs.number[latest]
            ):
                latest = row
        _put_back(a, t, latest, now)
    transitions.change_processors(t, -amount)


@kernel
def _lose_suspended(a: Agenda, t: Tables, node: int, now: float) -> None:
    """Jobs that were suspended in place on a node that is lost go back to the queue."""
    seldom()
    k = t.queue.suspended_count - 1
    while k >= 0:
        row = t.queue.suspended[k]
        if uses_node(t, row, node):
            _put_back(a, t, row, now)
        k -= 1


@kernel
def _lose_columns(a: Agenda, t: Tables, first: int, last: int, now: float) -> None:
    """The columns from *first* up to *last* are lost: jobs that stand there go back to the queue."""
    k = t.queue.running_count - 1
    while k >= 0:
        row = t.queue.running[k]
        if stands_between(t, row, first, last):
            _put_back(a, t, row, now)
        k = min(k, t.queue.running_count) - 1


@kernel
def _put_back(a: Agenda, t: Tables, row: int, now: float) -> None:
    """The job of *row* has lost its processors: it goes back to the queue, and its work is lost."""
    _note_requeue(a, t, row, now, False)
    transitions.requeue(t, row, now, False)
    _trace(a, t, row, t.jobs.serial[row], now, 0.0)


@kernel
def _note_requeue(a: Agenda, t: Tables, row: int, now: float, keep: bool) -> None:
    """The job of *row* is about to go back to the queue."""
    drop_end(a, t, row)
    job = t.jobs.serial[row]
    keep_start(a, t, row, job)
    if a.workload.whole_s.size > 0:
        a.workload.run_s[job] = a.workload.whole_s[job]
        a.results.limit_s[job] = 0.0
    a.results.requeues[job] += 1
    if keep:
        a.results.checkpoints[job] += 1
    else:
        a.results.lost_s[job] += work_by(t, row, now)


@inner
def carry_out(a: Agenda, t: Tables, k: int, now: float) -> None:
    """Decision *k* of the pass becomes true, in the tables and on the agenda."""
    if t.cycle.decisions[k, 0] != Decision.START:
        _carry_out_other(a, t, k, now)
        return
    row, rate = t.cycle.decisions[k, 1], t.cycle.decision_time_s[k]
    apply_decision(t, Decision.START, row, t.cycle.decisions[k, 2], 0, rate, now)
    if t.cycle.decisions[k, 2] == LIMITED:
        rate = 1.0
        _shorten(a, t, row)
    if a.ties == EACH:
        a.ends.starts += 1
        a.ends.order[row] = a.ends.starts
    job = t.jobs.serial[row]
    if a.workload.kind > 0:
        set_run(a, t, row, job)
    add_end(a, t, row, transitions.end_after(t, row, now, a.workload.run_s[job] - t.jobs.work_s[row], rate))
    if t.nodes.count > 0:
        _keep_place(a, t, row, job)
    if a.results.came_by.size > 0:
        _keep_told(a, t, k, job)
    if t.cycle.decisions[k, 2] not in (1, LIMITED) or (t.jobs.uneven and t.jobs.attempt[row] > 1):
        _trace(a, t, row, job, now, 0.0)


@kernel
def _keep_told(a: Agenda, t: Tables, k: int, job: int) -> None:
    """Note what the policy says of the start that is decision *k*."""
    seldom()
    row = t.cycle.decisions[k, 1]
    a.results.came_by[job] = t.cycle.decisions[k, 3]
    a.results.priority[job] = t.cycle.rank_key[row]
    a.results.ran_in[job] = t.cycle.starts_in[row]


@kernel
def _keep_place(a: Agenda, t: Tables, row: int, job: int) -> None:
    """Note the nodes on which the job of *row* starts, and its processors on each; there is room for them."""
    seldom()
    a.places.first[job], a.places.nodes[job] = a.places.used, 0
    entry, before = t.jobs.entries[row], -1
    while entry >= 0:
        node, each = t.entries.node[entry], t.components.need[t.entries.component[entry], Resource.PROCESSORS]
        if node != before:
            a.places.node[a.places.used], a.places.processors[a.places.used] = node, 0
            a.places.used += 1
            a.places.nodes[job] += 1
        a.places.processors[a.places.used - 1] += int(t.entries.tasks[entry] * each)
        before, entry = node, t.entries.next[entry]


@kernel
def places_wanted(t: Tables) -> int:
    """Entries that the starts of this pass will note."""
    seldom()
    wanted = 0
    for k in range(t.cycle.decided):
        if t.cycle.decisions[k, 0] == Decision.START:
            entry = t.jobs.entries[t.cycle.decisions[k, 1]]
            while entry >= 0:
                wanted += 1
                entry = t.entries.next[entry]
    return wanted


@kernel
def _carry_out_other(a: Agenda, t: Tables, k: int, now: float) -> None:
    seldom()
    kind, row, argument, more = (
        t.cycle.decisions[k, 0],
        t.cycle.decisions[k, 1],
        t.cycle.decisions[k, 2],
        t.cycle.decisions[k, 3],
    )
    job = t.jobs.serial[row]
    if kind == Decision.SET_SHARE and argument == OF_ALL:
        apply_other(t, kind, row, argument, more, t.cycle.decision_time_s[k], now)
        move_all_ends(a, t, now)
        _trace(a, t, row, EVERY_JOB, now, 0.0)
        return
    if kind == Decision.REQUEUE:
        _note_requeue(a, t, row, now, argument == 1)
    elif kind == Decision.CANCEL:
        _note_cancel(a, t, row, now)
    apply_other(t, kind, row, argument, more, t.cycle.decision_time_s[k], now)
    if kind == Decision.RESERVE:
        if a.results.first_reserved_s[job] == NEVER:
            a.results.first_reserved_s[job] = t.jobs.reserved_s[row]
    elif kind == Decision.REFUSE:
        a.results.refusal[job] = argument
        if a.workload.arrays > 0:
            give_place(a, job)
        if t.cycle.offering:
            a.results.offer_s[job] = t.cycle.decision_time_s[k]
        if a.facts.count > 0:
            a.results.row_of[job] = -1
    elif kind == Decision.MOLD:
        # The time that it really takes, by the same costs: the tables hold the time that the policy gave.
        a.workload.width[job] = t.jobs.width[row]
        a.workload.estimate_s[job] = t.jobs.estimate_s[row]
        if a.results.ran_as.size > 0:
            a.results.ran_as[job] = more
        a.workload.run_s[job] = run_of(t, row, more, t.jobs.width[row])
    elif kind == Decision.SUSPEND:
        drop_end(a, t, row)
        a.results.suspensions[job] += 1
    elif kind == Decision.SET_ROWS and t.jobs.updated_s[row] != now:
        # It stands elsewhere, and progresses as before.
        pass
    elif MOVES_END >> kind & 1:
        left_s = max(0.0, a.workload.run_s[job] - t.jobs.work_s[row])
        move_end(a, t, row, transitions.end_after(t, row, now, left_s, t.jobs.rate[row]))
    if TRACED >> kind & 1:
        _trace(a, t, row, job, now, t.cycle.decision_time_s[k] if kind == Decision.SET_ROWS else 0.0)


@kernel
def _shorten(a: Agenda, t: Tables, row: int) -> None:
    """The job has started with another limit than its estimate, at which it is ended where jobs are."""
    seldom()
    job = t.jobs.serial[row]
    if a.results.limit_s.size == 0:
        return
    limit_s = t.jobs.estimate_s[row]
    a.results.limit_s[job] = limit_s
    if a.workload.overrun_s.size > 0:
        limit_s += a.workload.overrun_s[job]
    elif t.machine.overrun:
        return
    a.workload.run_s[job] = min(a.workload.whole_s[job], limit_s)


@kernel
def _trace(a: Agenda, t: Tables, row: int, job: int, now: float, stall_s: float) -> None:
    seldom()
    k = a.rates.count
    a.rates.time_s[k] = now
    a.rates.job[k] = job
    a.rates.rate[k] = t.jobs.rate[row]
    a.rates.held[k] = t.jobs.held[row]
    if t.matrix.count > 0 and in_matrix(t, row):
        a.rates.held[k] = occupied_by(t, row)
        a.rates.home[k] = t.matrix.home[row]
    elif t.jobs.held[row] == 0:
        a.rates.held[k] = t.jobs.width[row] * t.jobs.rate[row]
    a.rates.rows[k] = t.matrix.rows[row]
    a.rates.turns[k] = t.matrix.turns[row]
    a.rates.stall_s[k] = stall_s
    a.rates.count = k + 1
