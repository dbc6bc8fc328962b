"""Transitions: the only functions that change the tables, in the engine and in the server alike.

Each applies one fact or one decision that has become a fact. They check nothing: a policy's verbs
and the server's checks come before. Work is counted here and nowhere else: a job's work grows by its
rate, piecewise constant, between transitions.
"""

from molokini.applications import work
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.states import JobState, NodeState
from molokini.tables.allocations import give_entries, take_entries
from molokini.tables.bank import forget_lien, settle, settle_attempt
from molokini.tables.running import join_running, join_suspended, leave_running, leave_suspended
from molokini.tables.tables import NEVER, Tables
from molokini.tables.usage import charge, charge_no_more
from molokini.tables.waiting import close_queue, join_queue

_FREE = int(JobState.FREE)
_HELD = int(JobState.HELD)
_WAITING = int(JobState.WAITING)
_RUNNING = int(JobState.RUNNING)
_SUSPENDED = int(JobState.SUSPENDED)
_UP = int(NodeState.UP)
_DOWN = int(NodeState.DOWN)


@inner
def new_row(t: Tables) -> int:
    """A free row for a job; there must be one (``free_rows`` > 0).

    A free row holds what a plain job that has not started holds; only the rest is to be filled in.
    """
    t.free_rows -= 1
    return int(t.free_row[t.free_rows])


@kernel
def wish(t: Tables, row: int) -> None:
    """*row*, whose components are filled in, cannot be placed by counting processors alone."""
    t.job_wishes[row] = 1
    t.wishing += 1


@kernel
def divide(t: Tables, row: int, load: float, deadline_s: float, application: int) -> None:
    """*row*, filled in otherwise, is a divisible load (or, with a *load* of 0, a job with a deadline)."""
    t.uneven = 1
    t.job_load[row] = load
    t.job_deadline_s[row] = deadline_s
    t.job_application[row] = application


@inner
def submit(t: Tables, row: int) -> None:
    """The job of *row*, its columns filled in, joins the queue."""
    t.job_state[row] = _WAITING
    join_queue(t, row)


@inner
def start(t: Tables, row: int, now: float, rate: float, exclusive: bool) -> None:
    """A waiting job begins an attempt at *rate*; *exclusive* takes its processors out of ``free``."""
    t.job_state[row] = _RUNNING
    t.leaving += 1
    t.job_start_s[row] = now
    _go(t, row, now, rate, exclusive)


@inner
def _go(t: Tables, row: int, now: float, rate: float, exclusive: bool) -> None:
    t.job_updated_s[row] = now
    if rate != 1.0 or t.uneven:
        t.job_rate[row] = rate
        t.uneven = 1
    if exclusive:
        t.job_held[row] = t.job_width[row]
        t.free -= t.job_width[row]
    t.job_expected_end_s[row] = max(now, end_of(now, t.job_estimate_s[row] - t.job_work_s[row], rate))
    join_running(t, row)
    if t.charging:
        charge(t, row, now)
    if t.nodes > 0:
        take_entries(t, row)


end_of = inner(work.end_of)
_work_after = inner(work.work_after)


@kernel
def account(t: Tables, row: int, now: float) -> None:
    """Count the work done since the last change of rate."""
    t.job_work_s[row] = _work_after(t.job_work_s[row], t.job_rate[row], t.job_updated_s[row], now)
    t.job_updated_s[row] = now


@inner
def _stop(t: Tables, row: int, now: float) -> None:
    """A running job leaves its processors."""
    leave_running(t, row)
    if t.charging:
        charge_no_more(t, row, now)
    if t.planning:
        _open_hole(t, now, t.job_expected_end_s[row], t.job_held[row])
    t.job_expected_end_s[row] = NEVER
    t.free += t.job_held[row]
    t.job_held[row] = 0
    if t.uneven:
        t.job_rate[row] = 0.0


@kernel
def _open_hole(t: Tables, from_s: float, until_s: float, width: int) -> None:
    """Tell planners that *width* processors, planned as busy in this interval, are not."""
    if until_s > from_s and width > 0:
        if t.hole_count == t.hole_width.size:
            t.replan = 1
            return
        t.hole_from_s[t.hole_count] = from_s
        t.hole_until_s[t.hole_count] = until_s
        t.hole_width[t.hole_count] = width
        t.hole_count += 1


@inner
def end(t: Tables, row: int, now: float) -> None:
    """A running job has ended, well unless its lien was settled before; its row is free again."""
    if t.liens > 0:
        settle(t, row, now, True)
    if t.nodes > 0:
        give_entries(t, row)
    _stop(t, row, now)
    _free(t, row)


@inner
def _free(t: Tables, row: int) -> None:
    """The row belongs to nobody, and holds again what a plain job that has not started holds."""
    t.job_state[row] = _FREE
    t.job_start_s[row] = NEVER
    if t.uneven:
        t.job_rate[row] = 1.0
        t.job_work_s[row] = 0.0
        t.job_attempt[row] = 1
        t.job_reserved_s[row] = NEVER
        t.job_load[row] = 0.0
        t.job_deadline_s[row] = 0.0
        t.job_bypassed[row] = 0
        t.job_unqueued_s[row] = 0.0
        t.job_boost[row] = 0.0
        if t.deferring:
            forget_deferrals(t, row)
    if t.wishing > 0 and t.job_wishes[row]:
        t.wishing -= 1
        _forget_request(t, row)
    if t.planning:
        _clear_memory(t, row)
    t.free_row[t.free_rows] = row
    t.free_rows += 1


@kernel
def _clear_memory(t: Tables, row: int) -> None:
    for column in range(t.memory_f.shape[1]):
        t.memory_f[row, column] = 0.0
        t.memory_i[row, column] = 0


@kernel
def _forget_request(t: Tables, row: int) -> None:
    """Free the components of a job that wished for more; the row's request is a plain one again."""
    seldom()
    component = t.job_components[row]
    while component > 0:
        following = t.component_next[component]
        t.component_next[component] = t.component_free
        t.component_free = component
        t.component_spare += 1
        component = following
    t.job_wishes[row] = 0
    t.job_shape[row] = 0
    t.job_components[row] = 0
    t.job_component_count[row] = 1


@kernel
def suspend(t: Tables, row: int, now: float) -> None:
    """A running job stops, keeps its work, and gives its processors back."""
    seldom()
    t.uneven = 1
    account(t, row, now)
    if t.nodes > 0:
        give_entries(t, row)
    _stop(t, row, now)
    t.job_state[row] = _SUSPENDED
    join_suspended(t, row)


@kernel
def resume(t: Tables, row: int, now: float, rate: float, exclusive: bool) -> None:
    """A suspended job goes on where it stopped, on processors that may be others."""
    seldom()
    leave_suspended(t, row)
    t.job_state[row] = _RUNNING
    _go(t, row, now, rate, exclusive)


@kernel
def set_share(t: Tables, row: int, now: float, rate: float) -> None:
    """A running job goes on at another rate; ``free`` does not change."""
    seldom()
    account(t, row, now)
    leave_running(t, row)
    t.uneven = 1
    t.job_rate[row] = rate
    t.job_expected_end_s[row] = max(now, end_of(now, t.job_estimate_s[row] - t.job_work_s[row], rate))
    join_running(t, row)
    if t.charging:
        charge(t, row, now)


@kernel
def bypass(t: Tables, row: int, times: int) -> None:
    """Jobs of lower priority were backfilled past a waiting job."""
    seldom()
    t.uneven = 1
    t.job_bypassed[row] += times


@kernel
def accrue(t: Tables, row: int, after_s: float) -> None:
    """The queue time of a waiting job counts from *after_s* seconds after its submission (NEVER: not now)."""
    seldom()
    t.uneven = 1
    t.job_unqueued_s[row] = after_s


@kernel
def defer(t: Tables, row: int, rule: int, until_s: float) -> None:
    """A waiting job, which *rule* keeps from starting, is not looked at before *until_s*."""
    seldom()
    t.uneven = 1
    t.deferring = 1
    t.job_deferred_s[row] = until_s
    t.job_deferral[row] = rule
    t.job_deferrals[row] += 1


@kernel
def forget_deferrals(t: Tables, row: int) -> None:
    """Somebody has released the job of *row*: it is looked at, and its deferrals are counted anew."""
    seldom()
    t.job_deferred_s[row] = 0.0
    t.job_deferral[row] = t.job_deferrals[row] = 0


@kernel
def reserve(t: Tables, row: int, at_s: float) -> None:
    """A waiting job is promised a start."""
    t.uneven = 1
    t.job_reserved_s[row] = at_s


@kernel
def mold(t: Tables, row: int, width: int, estimate_s: float) -> None:
    """A waiting job gets another width, on which it takes *estimate_s*."""
    t.job_width[row] = width
    t.job_estimate_s[row] = estimate_s


@kernel
def give_back(t: Tables, row: int, processors: int) -> None:
    """A running job needs so many of its counted processors no longer."""
    t.job_held[row] -= processors
    t.free += processors


@kernel
def _end_waiting(t: Tables, row: int) -> None:
    if t.job_reserved_s[row] < NEVER:
        _open_hole(t, t.job_reserved_s[row], t.job_reserved_s[row] + t.job_estimate_s[row], t.job_width[row])
        t.job_reserved_s[row] = NEVER
    t.leaving += 1


@kernel
def withdraw(t: Tables, row: int) -> None:
    """A waiting job goes: cancelled or refused."""
    seldom()
    t.job_state[row] = _FREE
    _end_waiting(t, row)
    close_queue(t)
    _forgive(t, row)
    _free(t, row)


@inner
def _forgive(t: Tables, row: int) -> None:
    """What a job that goes has paid for work that it had kept, nobody asks for any more."""
    if t.liens > 0:
        forget_lien(t, row)


@kernel
def cancel(t: Tables, row: int, now: float) -> None:
    """A job goes, whatever its state; the caller has taken it off its agenda."""
    seldom()
    state = t.job_state[row]
    if t.liens > 0 and (state == _RUNNING or state == _SUSPENDED):
        settle(t, row, now, False)
    if state == _WAITING:
        withdraw(t, row)
    elif state == _RUNNING:
        t.uneven = 1
        account(t, row, now)
        end(t, row, now)
    elif state == _SUSPENDED:
        leave_suspended(t, row)
        _free(t, row)
    elif state == _HELD:
        _forgive(t, row)
        _free(t, row)


@kernel
def hold(t: Tables, row: int) -> None:
    """A waiting job steps out of the queue."""
    seldom()
    t.job_state[row] = _HELD
    _end_waiting(t, row)
    close_queue(t)
    _clear_memory(t, row)


@kernel
def release(t: Tables, row: int) -> None:
    """A held job joins the queue again, at the place of its submit time."""
    t.job_state[row] = _WAITING
    join_queue(t, row)


@kernel
def requeue(t: Tables, row: int, now: float, keep: bool) -> None:
    """A running job goes back to the queue: submit time kept, work lost unless it is to be kept."""
    seldom()
    t.uneven = 1
    if t.liens > 0:
        settle_attempt(t, row, now, keep)
    if keep:
        account(t, row, now)
    if t.nodes > 0:
        give_entries(t, row)
    _stop(t, row, now)
    t.job_attempt[row] += 1
    t.job_reserved_s[row] = NEVER
    if not keep:
        t.job_work_s[row] = 0.0
    t.job_start_s[row] = NEVER
    t.job_state[row] = _WAITING
    _clear_memory(t, row)
    join_queue(t, row)
    t.replan = 1


@kernel
def change_processors(t: Tables, amount: int) -> None:
    """Interchangeable processors are lost (negative) or return; what ran there has left before."""
    t.processors += amount
    t.free += amount
    t.replan = 1


@kernel
def lose_node(t: Tables, node: int) -> None:
    """An up node is lost; its jobs have been taken off it before."""
    t.node_state[node] = _DOWN
    t.processors -= int(t.node_total[node, 0])
    t.free -= int(t.node_total[node, 0])
    for resource in range(t.node_free.shape[1]):
        t.node_free[node, resource] = 0.0
    t.replan = 1


@kernel
def return_node(t: Tables, node: int) -> None:
    """A lost node is back, empty."""
    t.node_state[node] = _UP
    t.processors += int(t.node_total[node, 0])
    t.free += int(t.node_total[node, 0])
    for resource in range(t.node_free.shape[1]):
        t.node_free[node, resource] = t.node_total[node, resource]
    t.replan = 1
