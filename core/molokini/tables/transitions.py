"""Transitions: the only functions that change the tables, in the engine and in the server alike.

Each applies one fact or one decision that has become a fact. They check nothing: a policy's verbs
and the server's checks come before. Work is counted here and nowhere else: a job's work grows by its
rate, piecewise constant, between transitions. Long because nothing else may change the tables.
"""

from molokini.applications import work
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.states import JobState, NodeState
from molokini.tables.allocations import give_entries, give_kept, give_place, processors_of, take_entries
from molokini.tables.bank_changes import forget_lien, settle, settle_attempt
from molokini.tables.job_limits import forget_limits, unlimit
from molokini.tables.rows import (
    account_in_rows,
    alters_work,
    average_rate,
    end_of_row,
    enter_rows,
    in_matrix,
    leave_rows,
    open_hole_in_row,
    stand,
)
from molokini.tables.running import (
    forget_suspended,
    join_running,
    join_suspended,
    leave_running,
    leave_suspended,
)
from molokini.tables.tables import NEVER, Tables
from molokini.tables.usage import charge, charge_no_more
from molokini.tables.waiting import close_queue, join_queue


@inner
def new_row(t: Tables) -> int:
    """A free row for a job; there must be one (``jobs.free_rows`` > 0).

    A free row holds the values of a plain job that has not started; only the others are to be filled in.
    """
    t.jobs.free_rows -= 1
    return int(t.jobs.free_row[t.jobs.free_rows])


@kernel
def wish(t: Tables, row: int) -> None:
    """*row*, whose components are filled in, cannot be placed by counting processors alone."""
    t.jobs.needs_placement[row] = 1
    t.queue.wishing += 1


@kernel
def give_load(t: Tables, row: int, load: float, deadline_s: float, application: int) -> None:
    """*row*, otherwise filled in, has a *load* that a policy gives processors (0: a job with a deadline)."""
    t.jobs.uneven = 1
    t.jobs.load[row] = load
    t.jobs.deadline_s[row] = deadline_s
    t.jobs.application[row] = application


@kernel
def expect_memory(t: Tables, row: int, memory_kb: float) -> None:
    """*row*, otherwise filled in, is expected to use *memory_kb* for each of its processors."""
    seldom()
    t.jobs.uneven = 1
    t.jobs.memory_kb[row] = memory_kb


@kernel
def choose_queue(t: Tables, row: int, queue: int) -> None:
    """The job of *row*, which names several queues, starts in the one of this number."""
    seldom()
    t.jobs.uneven = 1
    t.credentials.chosen_queue[row] = queue + 1


@kernel
def belong_to(t: Tables, row: int, array: int) -> None:
    """*row*, otherwise filled in, is an element of the array of this number."""
    seldom()
    t.jobs.uneven = 1
    t.queue.array[row] = array


@inner
def submit(t: Tables, row: int) -> None:
    """The job of *row*, its columns filled in, joins the queue."""
    t.jobs.state[row] = JobState.WAITING
    join_queue(t, row)


@inner
def start(t: Tables, row: int, now: float, rate: float, exclusive: bool) -> None:
    """A waiting job begins an attempt at *rate*; *exclusive* takes its processors out of ``free``."""
    t.jobs.state[row] = JobState.RUNNING
    t.queue.leaving += 1
    t.jobs.start_s[row] = now
    _go(t, row, now, rate, exclusive)


@inner
def _go(t: Tables, row: int, now: float, rate: float, exclusive: bool) -> None:
    t.jobs.updated_s[row] = now
    if rate != 1.0 or t.jobs.uneven:
        t.jobs.rate[row] = rate
        t.jobs.uneven = 1
    if exclusive:
        held = processors_of(t, row) if t.nodes.count > 0 else t.jobs.width[row]
        t.jobs.held[row] = held
        t.machine.free -= held
    left_s = t.jobs.estimate_s[row] - t.jobs.work_s[row]
    t.jobs.expected_end_s[row] = max(now, end_after(t, row, now, left_s, rate))
    join_running(t, row)
    if t.usage.charging:
        charge(t, row, now)
    if t.nodes.count > 0:
        take_entries(t, row)


end_of = inner(work.end_of)
_work_after = inner(work.work_after)


@inner
def end_after(t: Tables, row: int, now: float, left_s: float, rate: float) -> float:
    """When a running job, accounted up to *now*, that goes on at *rate* has done *left_s* of work."""
    if t.matrix.count > 0 and in_matrix(t, row):
        return end_of_row(t, row, now, left_s)
    return end_of(now, left_s, rate)


@kernel
def account(t: Tables, row: int, now: float) -> None:
    """Count the work done since the last change of rate."""
    if t.matrix.count > 0 and in_matrix(t, row):
        account_in_rows(t, row, now)
        return
    t.jobs.work_s[row] = _work_after(t.jobs.work_s[row], t.jobs.rate[row], t.jobs.updated_s[row], now)
    t.jobs.updated_s[row] = now


@inner
def _stop(t: Tables, row: int, now: float) -> None:
    """A running job stops, and gives its processors back."""
    leave_running(t, row)
    if t.usage.charging:
        charge_no_more(t, row, now)
    if t.matrix.count > 0:
        leave_rows(t, row, now)
    if t.cycle.planning:
        _open_hole(t, now, t.jobs.expected_end_s[row], t.jobs.held[row])
    t.jobs.expected_end_s[row] = NEVER
    t.machine.free += t.jobs.held[row]
    t.jobs.held[row] = 0
    if t.jobs.uneven:
        t.jobs.rate[row] = 0.0


@kernel
def _open_hole(t: Tables, from_s: float, until_s: float, width: int) -> None:
    """Tell planners that *width* processors, planned as busy in this interval, are not."""
    if until_s > from_s and width > 0:
        if t.holes.count == t.holes.width.size:
            t.cycle.replan = 1
            return
        t.holes.from_s[t.holes.count] = from_s
        t.holes.until_s[t.holes.count] = until_s
        t.holes.width[t.holes.count] = width
        t.holes.count += 1


@kernel
def start_in_rows(t: Tables, row: int, now: float) -> None:
    """A waiting job begins an attempt where this pass has put it in the matrix."""
    seldom()
    t.jobs.uneven = 1
    enter_rows(t, row, now)
    start(t, row, now, average_rate(t, row), False)


@kernel
def set_rows(t: Tables, row: int, now: float, stall_s: float) -> None:
    """A running job goes on where this pass has put it in the matrix; it loses *stall_s* of its slices."""
    seldom()
    if not alters_work(t, row):
        stand(t, row, now)
        return
    # Up to now it has progressed in its old rows.
    account(t, row, now)
    leave_running(t, row)
    if not in_matrix(t, row):
        t.jobs.uneven = 1
        enter_rows(t, row, now)
        if t.nodes.count > 0:
            give_entries(t, row)
        t.machine.free += t.jobs.held[row]
        t.jobs.held[row] = 0
    stand(t, row, now)
    t.matrix.stall_s[row] += stall_s
    t.jobs.rate[row] = average_rate(t, row)
    left_s = t.jobs.estimate_s[row] - t.jobs.work_s[row]
    t.jobs.expected_end_s[row] = max(now, end_of_row(t, row, now, left_s))
    join_running(t, row)
    if t.usage.charging:
        charge(t, row, now)


@inner
def end(t: Tables, row: int, now: float) -> None:
    """A running job has ended (in success, unless its lien was settled before); its row is free again."""
    if t.liens.count > 0:
        settle(t, row, now, True)
    if t.nodes.count > 0:
        give_entries(t, row)
    _stop(t, row, now)
    _free(t, row)


@inner
def _free(t: Tables, row: int) -> None:
    """The row belongs to no job, and holds again the values of a plain job that has not started."""
    t.jobs.state[row] = JobState.FREE
    t.jobs.start_s[row] = NEVER
    if t.jobs.uneven:
        t.jobs.rate[row] = 1.0
        t.jobs.work_s[row] = 0.0
        t.jobs.attempt[row] = 1
        t.jobs.reserved_s[row] = NEVER
        t.jobs.load[row] = 0.0
        t.jobs.deadline_s[row] = 0.0
        t.jobs.bypassed[row] = 0
        t.jobs.unqueued_s[row] = 0.0
        t.jobs.boost[row] = 0.0
        t.jobs.memory_kb[row] = 0.0
        t.queue.array[row] = 0
        if t.cycle.limiting:
            forget_limits(t, row)
        if t.jobs.deferring:
            forget_deferrals(t, row)
        t.credentials.chosen_queue[row] = 0
    if t.queue.wishing > 0 and t.jobs.needs_placement[row]:
        t.queue.wishing -= 1
        _forget_request(t, row)
    if t.cycle.planning:
        _clear_memory(t, row)
    t.jobs.free_row[t.jobs.free_rows] = row
    t.jobs.free_rows += 1


@kernel
def _clear_memory(t: Tables, row: int) -> None:
    for column in range(t.memory_f.shape[1]):
        t.memory_f[row, column] = 0.0
        t.memory_i[row, column] = 0


@kernel
def _forget_request(t: Tables, row: int) -> None:
    """Free the components of a job that wished for more; the row's request is a plain one again."""
    seldom()
    component = t.jobs.components[row]
    while component > 0:
        following = t.components.next[component]
        t.components.next[component] = t.components.free
        t.components.free = component
        t.components.spare += 1
        component = following
    t.jobs.needs_placement[row] = 0
    t.jobs.shape[row] = 0
    t.jobs.components[row] = 0
    t.jobs.component_count[row] = 1


@kernel
def suspend(t: Tables, row: int, now: float, in_place: bool = False) -> None:
    """A running job stops, keeps its work, and gives its processors back, *in_place* nothing else."""
    seldom()
    t.jobs.uneven = 1
    account(t, row, now)
    if t.nodes.count > 0:
        give_place(t, row, in_place)
    _stop(t, row, now)
    t.jobs.state[row] = JobState.SUSPENDED
    join_suspended(t, row)


@kernel
def resume(t: Tables, row: int, now: float, rate: float, exclusive: bool, in_place: bool = False) -> None:
    """A suspended job goes on where it stopped, perhaps on other processors, *in_place* on its own nodes."""
    seldom()
    leave_suspended(t, row)
    if in_place and t.nodes.count > 0:
        give_kept(t, row)
    t.jobs.state[row] = JobState.RUNNING
    _go(t, row, now, rate, exclusive)


@kernel
def set_share(t: Tables, row: int, now: float, rate: float) -> None:
    """A running job goes on at another rate; ``free`` does not change."""
    seldom()
    account(t, row, now)
    leave_running(t, row)
    t.jobs.uneven = 1
    t.jobs.rate[row] = rate
    left_s = t.jobs.estimate_s[row] - t.jobs.work_s[row]
    t.jobs.expected_end_s[row] = max(now, end_after(t, row, now, left_s, rate))
    join_running(t, row)
    if t.usage.charging:
        charge(t, row, now)


@kernel
def share_all(t: Tables, now: float, rate: float) -> None:
    """All running jobs go on at *rate*: ``set_share`` for each that has another, to the last bit."""
    seldom()
    t.jobs.uneven = 1
    for k in range(t.queue.running_count):
        row = t.queue.running[k]
        t.jobs.place[row] = k
        if t.jobs.rate[row] == rate:
            continue
        account(t, row, now)
        t.jobs.rate[row] = rate
        left_s = t.jobs.estimate_s[row] - t.jobs.work_s[row]
        t.jobs.expected_end_s[row] = max(now, end_after(t, row, now, left_s, rate))
        if t.usage.charging:
            charge(t, row, now)
    # Jobs of one rate keep their order but for rounding; a policy that needs it sorts.
    t.queue.running_sorted = 0


@kernel
def move(t: Tables, row: int, before: int) -> None:
    """A running job goes on in its new place; *before* is the first entry of its old allocation."""
    seldom()
    after = t.jobs.entries[row]
    t.jobs.entries[row] = before
    give_entries(t, row)
    t.jobs.entries[row] = after
    take_entries(t, row)


@kernel
def bypass(t: Tables, row: int, times: int) -> None:
    """Jobs of lower priority were backfilled past a waiting job."""
    seldom()
    t.jobs.uneven = 1
    t.jobs.bypassed[row] += times


@kernel
def accrue(t: Tables, row: int, after_s: float) -> None:
    """The queue time of a waiting job counts from *after_s* seconds after its submission (NEVER: not now)."""
    seldom()
    t.jobs.uneven = 1
    t.jobs.unqueued_s[row] = after_s


@kernel
def defer(t: Tables, row: int, rule: int, until_s: float) -> None:
    """The policy does not consider a waiting job, which *rule* keeps from starting, before *until_s*."""
    seldom()
    t.jobs.uneven = 1
    t.jobs.deferring = 1
    t.jobs.deferred_s[row] = until_s
    t.jobs.deferral[row] = rule
    t.jobs.deferrals[row] += 1


@kernel
def forget_deferrals(t: Tables, row: int) -> None:
    """The job of *row* was released: it is not deferred, and the count of its deferrals restarts at 0."""
    seldom()
    t.jobs.deferred_s[row] = 0.0
    t.jobs.deferral[row] = t.jobs.deferrals[row] = 0


@kernel
def reserve(t: Tables, row: int, at_s: float) -> None:
    """A waiting job gets the promise of a start."""
    t.jobs.uneven = 1
    t.jobs.reserved_s[row] = at_s


@kernel
def mold(t: Tables, row: int, width: int, estimate_s: float) -> None:
    """A waiting job gets another width, on which it takes *estimate_s*."""
    t.jobs.width[row] = width
    t.jobs.estimate_s[row] = estimate_s


@kernel
def give_back(t: Tables, row: int, processors: int) -> None:
    """A running job needs so many of its counted processors no longer."""
    t.jobs.held[row] -= processors
    t.machine.free += processors


@kernel
def _end_waiting(t: Tables, row: int) -> None:
    if t.matrix.count > 0:
        open_hole_in_row(t, row, -NEVER)
    elif t.jobs.reserved_s[row] < NEVER:
        # So long it was planned: a job may have kept work.
        left_s = t.jobs.estimate_s[row] - t.jobs.work_s[row]
        _open_hole(t, t.jobs.reserved_s[row], t.jobs.reserved_s[row] + left_s, t.jobs.width[row])
    t.jobs.reserved_s[row] = NEVER
    t.queue.leaving += 1


@kernel
def withdraw(t: Tables, row: int) -> None:
    """A waiting job goes: cancelled or refused."""
    seldom()
    t.jobs.state[row] = JobState.FREE
    _end_waiting(t, row)
    close_queue(t)
    _forgive(t, row)
    _free(t, row)


@inner
def _forgive(t: Tables, row: int) -> None:
    """A job goes: what its account has paid for work that it had kept no longer counts."""
    if t.liens.count > 0:
        forget_lien(t, row)


@kernel
def cancel(t: Tables, row: int, now: float) -> None:
    """A job goes, whatever its state; the caller has taken it off its agenda."""
    seldom()
    state = t.jobs.state[row]
    if t.liens.count > 0 and (state == JobState.RUNNING or state == JobState.SUSPENDED):
        settle(t, row, now, False)
    if state == JobState.WAITING:
        withdraw(t, row)
    elif state == JobState.RUNNING:
        t.jobs.uneven = 1
        account(t, row, now)
        end(t, row, now)
    elif state == JobState.SUSPENDED:
        forget_suspended(t, row)
        _free(t, row)
    elif state == JobState.HELD:
        _forgive(t, row)
        _free(t, row)


@kernel
def hold(t: Tables, row: int) -> None:
    """A waiting job steps out of the queue."""
    seldom()
    t.jobs.state[row] = JobState.HELD
    _end_waiting(t, row)
    close_queue(t)
    _clear_memory(t, row)


@kernel
def release(t: Tables, row: int) -> None:
    """A held job joins the queue again, at the place of its submit time."""
    t.jobs.state[row] = JobState.WAITING
    join_queue(t, row)


@kernel
def requeue(t: Tables, row: int, now: float, keep: bool) -> None:
    """A job that ran, or was suspended, goes back to the queue: submit time kept, work lost unless *keep*."""
    seldom()
    t.jobs.uneven = 1
    if t.liens.count > 0:
        settle_attempt(t, row, now, keep)
    if t.jobs.state[row] == JobState.SUSPENDED:
        forget_suspended(t, row)
    else:
        if keep:
            account(t, row, now)
        if t.nodes.count > 0:
            give_entries(t, row)
        _stop(t, row, now)
    t.jobs.attempt[row] += 1
    t.jobs.reserved_s[row] = t.jobs.start_s[row] = NEVER
    unlimit(t, row)
    t.credentials.chosen_queue[row] = 0
    if not keep:
        t.jobs.work_s[row] = 0.0
    t.jobs.state[row] = JobState.WAITING
    _clear_memory(t, row)
    join_queue(t, row)
    t.cycle.replan = 1


@kernel
def change_processors(t: Tables, amount: int) -> None:
    """Interchangeable processors are lost (negative) or return; jobs on them were taken off before."""
    t.machine.processors += amount
    t.machine.free += amount
    t.cycle.replan = 1


@kernel
def lose_node(t: Tables, node: int) -> None:
    """A node that was up is lost; its jobs were taken off it before."""
    t.nodes.state[node] = NodeState.DOWN
    t.machine.processors -= int(t.nodes.total[node, 0])
    t.machine.free -= int(t.nodes.total[node, 0])
    for resource in range(t.nodes.free.shape[1]):
        t.nodes.free[node, resource] = 0.0
    t.cycle.replan = 1


@kernel
def return_node(t: Tables, node: int) -> None:
    """A lost node is back, empty."""
    t.nodes.state[node] = NodeState.UP
    t.machine.processors += int(t.nodes.total[node, 0])
    t.machine.free += int(t.nodes.total[node, 0])
    for resource in range(t.nodes.free.shape[1]):
        t.nodes.free[node, resource] = t.nodes.total[node, resource]
    t.cycle.replan = 1
