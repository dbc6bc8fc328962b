"""The schedulability test of Figure 3, and what follows from it: which jobs are admitted, refused, started.

Every admitted job has a planned start (``jobs.reserved_s``), and a divisible one its nodes (``jobs.width``)
and execution time: the plan is in the tables, made of decisions, so it outlives a restart. An arrival is
admitted if all admitted jobs and it can be planned again, in the policy's order, with every deadline met;
where not, it is refused, and the plan stays as it is. Jobs start by the plan alone.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.reasons import held_back
from molokini.cycle.verbs import because, mold, refuse, refuse_deadline, reserve, start_molded, wake_at
from molokini.model.decisions import Refusal, Rule
from molokini.policies.divisible.available import first_with, list_available, occupy, release_done
from molokini.policies.divisible.decisions import (
    deadline_of,
    given_nodes,
    is_staged,
    length_of,
    needed_nodes,
    port_is_shared,
    rank_of,
    rule_of,
)
from molokini.policies.divisible.memory import mine
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

_NOBODY = -1


def begin(view: View, now: float) -> None:
    """Something happened that may have broken the plan: rebuild it in the pass that follows."""
    mine(view).again = 1


def schedule(view: View, now: float) -> None:
    """Repair the plan if need be, test the arrivals, start the jobs that are due."""
    again = mine(view).again
    release_done(view, now)
    if again or view.queue.arrived > 0 or view.holes.count > 0:
        _recall(view)
        if again or view.holes.count > 0:
            _plan_again(view, now, again)
        if again or view.queue.arrived > 0:
            _test_arrivals(view, now)
        _tell(view, again)
        mine(view).again = 0
    else:
        _recall(view)
    _start_due(view, now)


@kernel
def _recall(view: View) -> None:
    """The plan as the tables hold it. A job that lost its nodes was admitted before, but has no start."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        planned = view.jobs.reserved_s[row] < NEVER or view.jobs.attempt[row] > 1
        mine(view).admitted[row] = int(planned)
        mine(view).nodes[row] = view.jobs.width[row]
        mine(view).start_s[row] = view.jobs.reserved_s[row]


@kernel
def _plan_again(view: View, now: float, broken: int) -> None:
    """Plan the admitted jobs again, because nodes became free early or, *broken*, were lost or are back.

    Early releases may lead to a worse plan (as in every list schedule): then the old one stays. A broken plan
    is replaced in any case, and a job that cannot meet its deadline any more starts as early as it can.
    """
    seldom()
    if _plan(view, now, _NOBODY, 0) or (broken and _plan(view, now, _NOBODY, 1)):
        _keep(view, _NOBODY)


@kernel
def _test_arrivals(view: View, now: float) -> None:
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).admitted[row] == 1:
            continue
        nodes = given_nodes(view, row)
        if nodes > view.machine.processors_in_all:
            refuse(view, row, Refusal.WIDER_THAN_MACHINE)
        elif nodes > view.machine.processors or view.machine.processors == 0:
            # Too wide for the nodes in service now: it waits, and is tested when nodes return.
            if not held_back(view, row, _NOBODY):
                because(view, row, Rule.NOT_ENOUGH_FREE, view.machine.processors, max(1, nodes), _NOBODY)
        elif not _could_meet(view, row, nodes, now):
            refuse_deadline(view, row, Refusal.DEADLINE_TOO_TIGHT, _earliest_deadline(view, row, now))
        elif _plan(view, now, row, 0):
            _keep(view, row)
        else:
            refuse_deadline(view, row, Refusal.DEADLINE_NOT_GUARANTEED, _earliest_deadline(view, row, now))


@kernel
def _earliest_deadline(view: View, row: int, now: float) -> float:
    """The earliest deadline with which *row* would be admitted now; 0: none, or the caller needs none.

    The test itself is made, deadline after deadline: its answer changes only where the place of *row* in the
    order, or its start or nodes, do, and ``offers`` says at which deadline that is next. So no deadline is
    missed, although a later one may be worse (fewer nodes, held longer). After ``most_trials`` the search
    goes on behind all admitted jobs: the deadline that it finds then can be met, but an earlier one might be.
    There may be none: under MWF a later deadline does not put a load behind the loads that cannot be delayed.
    """
    if not view.cycle.offering or view.jobs.deadline_s[row] <= 0.0:
        return 0.0
    seldom()
    mine(view).trying = row + 1
    found_s, tried_s, most = 0.0, shortest_end(view, row, now), most_trials(view)
    for trial in range(2 * most):
        if trial == most:
            tried_s = max(tried_s, latest_deadline(view))
        mine(view).tried_deadline_s = tried_s
        mine(view).next_deadline_s = NEVER
        if _plan(view, now, row, 0):
            found_s = tried_s
            break
        tried_s = min(mine(view).next_deadline_s, next_place(view, row, now))
        if tried_s == NEVER:
            break
    mine(view).trying = 0
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

    *forced*: go on where a deadline would be missed.
    """
    count = 0
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).admitted[row] == 1 or row == arrival:
            view.cycle.order[count] = row
            view.cycle.order_key[row] = rank_of(view, row, now)
            count += 1
    build(view, count)
    entries = list_available(view, now)
    port_s = _port_free(view, now)
    while count > 0:
        row = take_first(view, count)
        count -= 1
        entry, nodes = _earliest(view, row, entries, port_s, forced)
        if mine(view).trying == row + 1:
            mine(view).next_deadline_s = next_choice(view, row, entries, entry, nodes, port_s)
        if entry < 0:
            if not forced:
                return False
            mine(view).tried_start_s[row] = NEVER
            mine(view).tried_nodes[row] = 0
            continue
        start_s = view.profile.time_s[entry]
        if view.jobs.load[row] > 0.0:
            # A job that has nothing to send does not wait for the port.
            start_s = max(start_s, port_s)
        length_s = length_of(view, row, nodes)
        if start_s + length_s > deadline_of(view, row) and not forced:
            return False
        mine(view).tried_start_s[row] = start_s
        mine(view).tried_nodes[row] = nodes
        entries = occupy(view, entries, row, nodes, start_s, length_s)
        if port_is_shared(view) and view.jobs.load[row] > 0.0:
            port_s = start_s + transfer_of(view, row, rule_of(view), nodes)
    return True


@kernel
def _earliest(view: View, row: int, entries: int, port_s: float, forced: int) -> tuple[int, int]:
    """The first entry at which *row* finds the nodes that it needs if it starts then, and how many; or -1."""
    nodes = given_nodes(view, row)
    if nodes > 0:
        return first_with(view, entries, nodes), nodes
    available = 0
    for entry in range(entries):
        available += view.profile.free[entry]
        # The later the start, the more nodes: fewer than needed before are not enough now.
        if available >= nodes:
            nodes = needed_nodes(view, row, max(view.profile.time_s[entry], port_s))
            if nodes == 0:
                break
            if nodes <= available:
                return entry, nodes
    return (
        (first_with(view, entries, view.machine.processors), view.machine.processors) if forced else (-1, 0)
    )


@kernel
def _port_free(view: View, now: float) -> float:
    """When the head has sent all chunks of the running jobs; *now* where its port is not shared."""
    port_s = now
    if port_is_shared(view):
        for k in range(view.queue.running_count):
            row = view.queue.running[k]
            if view.jobs.load[row] > 0.0:
                sent_s = view.jobs.start_s[row] + transfer_of(view, row, rule_of(view), view.jobs.width[row])
                port_s = max(port_s, sent_s)
    return port_s


@kernel
def _keep(view: View, arrival: int) -> None:
    """The plan that was tried holds from now on."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).admitted[row] == 1 or row == arrival:
            mine(view).admitted[row] = 1
            mine(view).start_s[row] = mine(view).tried_start_s[row]
            mine(view).nodes[row] = mine(view).tried_nodes[row]


@kernel
def _tell(view: View, again: int) -> None:
    """Decide what the new plan changes in the tables: nodes of divisible jobs."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).admitted[row] == 0 or view.jobs.load[row] == 0.0:
            continue
        nodes = mine(view).nodes[row]
        if nodes == 0:
            # No node is up for it: it keeps its width until the plan is made again.
            continue
        if again or nodes != view.jobs.width[row] or view.jobs.reserved_s[row] == NEVER:
            mold(view, row, nodes, length_of(view, row, nodes), rule_of(view))


@kernel
def _start_due(view: View, now: float) -> None:
    """Start the jobs that are due and fit; promise the others their start, and wake for the first of them."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).admitted[row] == 0:
            continue
        start_s, nodes = mine(view).start_s[row], mine(view).nodes[row]
        if start_s <= now and nodes <= view.machine.idle and start_molded(view, row, nodes):
            if is_staged(view, row, nodes, length_of(view, row, nodes)):
                wake_at(view, now + equal_chunk_ends(view, row, nodes, 1))
            continue
        if start_s != view.jobs.reserved_s[row]:
            reserve(view, row, start_s)
        if now < start_s < NEVER:
            wake_at(view, start_s)
        because(view, row, Rule.RESERVED_LATER, start_s, nodes, _NOBODY)
