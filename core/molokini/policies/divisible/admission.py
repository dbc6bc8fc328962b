"""The schedulability test of Figure 3, and what follows from it: who is admitted, refused, started.

Every admitted job has a planned start (``job_reserved_s``), and a divisible one its nodes (``job_width``) and
execution time: the plan is in the tables, made of decisions, so it outlives a restart. An arrival is admitted
if all admitted jobs and it can be planned anew, in the policy's order, with every deadline met; where not, it
is refused and the plan stays, which still holds. Nothing is started but by the plan.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import because, mold, refuse, refuse_deadline, reserve, start_molded, wake_at
from molokini.model.decisions import Refusal, Rule
from molokini.policies.divisible.available import first_with, list_available, occupy, release_done
from molokini.policies.divisible.decisions import (
    NEXT_DEADLINE_S,
    TRIED_DEADLINE_S,
    TRYING,
    deadline_of,
    given_nodes,
    is_staged,
    length_of,
    needed_nodes,
    port_is_shared,
    rank_of,
    rule_of,
)
from molokini.policies.divisible.offers import (
    latest_deadline,
    most_trials,
    next_choice,
    next_place,
    shortest_end,
)
from molokini.shared.dividing import equal_chunk_ends, transfer_of
from molokini.shared.order import build, take_first
from molokini.tables.tables import NEVER, View

_WIDER = int(Refusal.WIDER_THAN_MACHINE)
_TOO_TIGHT = int(Refusal.DEADLINE_TOO_TIGHT)
_NOT_GUARANTEED = int(Refusal.DEADLINE_NOT_GUARANTEED)
_RESERVED_LATER = int(Rule.RESERVED_LATER)
_NOT_ENOUGH_FREE = int(Rule.NOT_ENOUGH_FREE)

# A job row's memory within a pass: whether it is admitted; the plan that holds, and the one being tried.
_ADMITTED, _NODES, _TRIED_NODES = 0, 1, 2
_START_S, _TRIED_START_S = 0, 1
_AGAIN = 0
"""Place in the global line: 1 where the plan cannot be trusted any more."""
_NOBODY = -1


def begin(view: View, now: float) -> None:
    """What has happened may have broken the plan: make it anew in the pass that follows."""
    view.global_i[_AGAIN] = 1


def schedule(view: View, now: float) -> None:
    """Repair the plan if need be, test the arrivals, start who is due."""
    again = view.global_i[_AGAIN]
    release_done(view, now)
    if again or view.arrived > 0 or view.hole_count > 0:
        _recall(view)
        if again or view.hole_count > 0:
            _plan_again(view, now, again)
        if again or view.arrived > 0:
            _test_arrivals(view, now)
        _tell(view, again)
        view.global_i[_AGAIN] = 0
    else:
        _recall(view)
    _start_due(view, now)


@kernel
def _recall(view: View) -> None:
    """The plan as the tables hold it. A job that lost its nodes was admitted before, but has no start."""
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        planned = view.job_reserved_s[row] < NEVER or view.job_attempt[row] > 1
        view.memory_i[row, _ADMITTED] = int(planned)
        view.memory_i[row, _NODES] = view.job_width[row]
        view.memory_f[row, _START_S] = view.job_reserved_s[row]


@kernel
def _plan_again(view: View, now: float, broken: int) -> None:
    """Plan the admitted jobs anew, because nodes became free early or, *broken*, were lost or are back.

    Early releases may lead to a worse plan (as in every list schedule): then the old one stays. A broken plan
    is made anew in any case, and who cannot meet his deadline any more starts as early as he can.
    """
    seldom()
    if _plan(view, now, _NOBODY, 0) or (broken and _plan(view, now, _NOBODY, 1)):
        _keep(view, _NOBODY)


@kernel
def _test_arrivals(view: View, now: float) -> None:
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_i[row, _ADMITTED] == 1:
            continue
        nodes = given_nodes(view, row)
        if nodes > view.processors_in_all:
            refuse(view, row, _WIDER)
        elif nodes > view.processors or view.processors == 0:
            # Too wide for what is up today: it waits, and is tested when nodes return.
            because(view, row, _NOT_ENOUGH_FREE, view.processors, max(1, nodes), _NOBODY)
        elif not _could_meet(view, row, nodes, now):
            refuse_deadline(view, row, _TOO_TIGHT, _earliest_deadline(view, row, now))
        elif _plan(view, now, row, 0):
            _keep(view, row)
        else:
            refuse_deadline(view, row, _NOT_GUARANTEED, _earliest_deadline(view, row, now))


@kernel
def _earliest_deadline(view: View, row: int, now: float) -> float:
    """The earliest deadline with which *row* would be admitted now; 0 where there is none, or nobody asks.

    The test itself is asked, deadline after deadline: its answer changes only where the place of *row* in
    the order, or its start or nodes, do, and ``offers`` says at which deadline that is next. So none is
    passed over, although a later deadline may be worse (fewer nodes, held longer). After ``most_trials`` the
    search goes on behind all admitted jobs: what it finds then can be met, but an earlier one might be.
    There may be none: under MWF a later deadline does not put a load behind those that cannot be delayed.
    """
    if not view.offering or view.job_deadline_s[row] <= 0.0:
        return 0.0
    seldom()
    view.global_i[TRYING] = row + 1
    found_s, tried_s, most = 0.0, shortest_end(view, row, now), most_trials(view)
    for trial in range(2 * most):
        if trial == most:
            tried_s = max(tried_s, latest_deadline(view))
        view.global_f[TRIED_DEADLINE_S] = tried_s
        view.global_f[NEXT_DEADLINE_S] = NEVER
        if _plan(view, now, row, 0):
            found_s = tried_s
            break
        tried_s = min(view.global_f[NEXT_DEADLINE_S], next_place(view, row, now))
        if tried_s == NEVER:
            break
    view.global_i[TRYING] = 0
    return found_s


@kernel
def _could_meet(view: View, row: int, nodes: int, now: float) -> bool:
    """Whether *row* would meet its deadline on an empty machine."""
    if nodes == 0:
        return needed_nodes(view, row, now) > 0
    return now + length_of(view, row, nodes) <= deadline_of(view, row)


@kernel
def _plan(view: View, now: float, arrival: int, forced: int) -> bool:
    """Figure 3: plan all admitted jobs and *arrival*; False at the first deadline that would be missed.

    *forced*: go on where one would be.
    """
    count = 0
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_i[row, _ADMITTED] == 1 or row == arrival:
            view.order[count] = row
            view.order_key[row] = rank_of(view, row, now)
            count += 1
    build(view, count)
    entries = list_available(view, now)
    port_s = _port_free(view, now)
    while count > 0:
        row = take_first(view, count)
        count -= 1
        entry, nodes = _earliest(view, row, entries, port_s, forced)
        if view.global_i[TRYING] == row + 1:
            view.global_f[NEXT_DEADLINE_S] = next_choice(view, row, entries, entry, nodes, port_s)
        if entry < 0:
            if not forced:
                return False
            view.memory_f[row, _TRIED_START_S] = NEVER
            view.memory_i[row, _TRIED_NODES] = 0
            continue
        start_s = view.profile_time_s[entry]
        if view.job_load[row] > 0.0:
            # Who has nothing to send does not wait for the port.
            start_s = max(start_s, port_s)
        length_s = length_of(view, row, nodes)
        if start_s + length_s > deadline_of(view, row) and not forced:
            return False
        view.memory_f[row, _TRIED_START_S] = start_s
        view.memory_i[row, _TRIED_NODES] = nodes
        entries = occupy(view, entries, row, nodes, start_s, length_s)
        if port_is_shared(view) and view.job_load[row] > 0.0:
            port_s = start_s + transfer_of(view, row, rule_of(view), nodes)
    return True


@kernel
def _earliest(view: View, row: int, entries: int, port_s: float, forced: int) -> tuple[int, int]:
    """The first entry at which *row* finds the nodes that it needs if started then, and how many; or -1."""
    nodes = given_nodes(view, row)
    if nodes > 0:
        return first_with(view, entries, nodes), nodes
    available = 0
    for entry in range(entries):
        available += view.profile_free[entry]
        # The later the start, the more nodes: fewer than needed before are not enough now.
        if available >= nodes:
            nodes = needed_nodes(view, row, max(view.profile_time_s[entry], port_s))
            if nodes == 0:
                break
            if nodes <= available:
                return entry, nodes
    return (first_with(view, entries, view.processors), view.processors) if forced else (-1, 0)


@kernel
def _port_free(view: View, now: float) -> float:
    """When the head has sent all chunks of the running jobs; *now* where its port is not shared."""
    port_s = now
    if port_is_shared(view):
        for k in range(view.running_count):
            row = view.running[k]
            if view.job_load[row] > 0.0:
                sent_s = view.job_start_s[row] + transfer_of(view, row, rule_of(view), view.job_width[row])
                port_s = max(port_s, sent_s)
    return port_s


@kernel
def _keep(view: View, arrival: int) -> None:
    """The plan that was tried holds from now on."""
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_i[row, _ADMITTED] == 1 or row == arrival:
            view.memory_i[row, _ADMITTED] = 1
            view.memory_f[row, _START_S] = view.memory_f[row, _TRIED_START_S]
            view.memory_i[row, _NODES] = view.memory_i[row, _TRIED_NODES]


@kernel
def _tell(view: View, again: int) -> None:
    """Decide what the new plan changes in the tables: nodes of divisible jobs."""
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_i[row, _ADMITTED] == 0 or view.job_load[row] == 0.0:
            continue
        nodes = view.memory_i[row, _NODES]
        if nodes == 0:
            # No node is up for it: it stays as wide as it was until the plan is made again.
            continue
        if again or nodes != view.job_width[row] or view.job_reserved_s[row] == NEVER:
            mold(view, row, nodes, length_of(view, row, nodes), rule_of(view))


@kernel
def _start_due(view: View, now: float) -> None:
    """Start who is due and fits; promise the others their start, and wake for the first of them."""
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_i[row, _ADMITTED] == 0:
            continue
        start_s, nodes = view.memory_f[row, _START_S], view.memory_i[row, _NODES]
        if start_s <= now and nodes <= view.idle and start_molded(view, row, nodes):
            if is_staged(view, row, nodes, length_of(view, row, nodes)):
                wake_at(view, now + equal_chunk_ends(view, row, nodes, 1))
            continue
        if start_s != view.job_reserved_s[row]:
            reserve(view, row, start_s)
        if now < start_s < NEVER:
            wake_at(view, start_s)
        because(view, row, _RESERVED_LATER, start_s, nodes, _NOBODY)
