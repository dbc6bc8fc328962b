"""One iteration of Maui, in eight steps (paper, section 3).

1, 2: what resource managers say and what jobs have used is in the tables already. 3: reservations are kept
or forgotten, and jobs start whose reservations have come. 4, 5: jobs are weighed, sorted and selected (Maui
sorts first, too, because idle limits count jobs in order of priority). 6: jobs start in order of priority,
and the first jobs that cannot start get reservations. 7, 8: backfill within soft limits, then within hard
ones.
"""

from molokini.availability.node_rules import PARTITIONS
from molokini.availability.partition_capacity import most_free
from molokini.availability.profile import free_until, least_free, profile_of_running
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.reasons import blocked_beside, held_back, without_nodes
from molokini.cycle.verbs import because, bypass, refuse
from molokini.model.decisions import Refusal, Rule
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import BackfillPolicy, Component, QosFlag, Threshold
from molokini.policies.maui.knowledge.memory import DECIDED, HARD, INELIGIBLE, SOFT, mine
from molokini.policies.maui.knowledge.scopes import ALWAYS_RESERVED, LEAVES_AT_ONCE, find_scopes, is_flagged
from molokini.policies.maui.knowledge.steps import Step
from molokini.policies.maui.knowledge.trace import forget_steps, note, note_more
from molokini.policies.maui.nodes.allocation import choose_nodes
from molokini.policies.maui.nodes.node_rows import find_node_rows
from molokini.policies.maui.nodes.sharing import set_rules
from molokini.policies.maui.selection.accrual import BY_LIMIT, counts_blocked, note_blocked
from molokini.policies.maui.selection.eligibility import select_jobs
from molokini.policies.maui.selection.fairshare import add_up_usage
from molokini.policies.maui.selection.paying import ask_balances, cannot_pay, put_off_unpaid, tell_balance
from molokini.policies.maui.selection.priority import priority
from molokini.policies.maui.selection.ranking import refresh_ranks, sort_ranks
from molokini.policies.maui.selection.throttling import HARD_PASS, SOFT_PASS, count_active, over_limit
from molokini.policies.maui.starting.backfill import backfill
from molokini.policies.maui.starting.free_slots import enough_started, fits_now, start_now
from molokini.policies.maui.starting.planning import (
    count_reservation,
    keep_reservations,
    make_reservation,
    may_reserve,
    reservations_full,
    tell_reservations,
)
from molokini.policies.maui.starting.preempting import preempts, resume_suspended, start_preempting
from molokini.policies.maui.starting.window_filling import may_backfill
from molokini.policies.maui.waking.waking import note_busy, wake_in_time
from molokini.shared.backfilling import explain_beside
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View


@kernel
def iterate(view: View, now: float) -> None:
    """One iteration over the view as it is at *now*."""
    forget_steps(view)
    mine(view).started = mine(view).holding = mine(view).kept_out = mine(view).promised = 0
    note_busy(view, now)
    find_scopes(view)
    count = refresh_ranks(view)
    if count > 0 or view.queue.suspended_count > 0:
        find_node_rows(view)
        choose_nodes(view, now)
        set_rules(view)
    if count == 0:
        _resume_alone(view, now)
        return
    add_up_usage(view, now)
    count_active(view, now)
    ask_balances(view)
    _prioritize(view, count, now)
    select_jobs(view, count, now)
    profile_of_running(view, now)
    if view.queue.suspended_count > 0:
        resume_suspended(view, count, now)
    keep_reservations(view, count, now)
    _start_by_priority(view, count, now)
    if view.queue.suspended_count > 0:
        resume_suspended(view, 0, now)
    if parameters(view).backfill != BackfillPolicy.NONE:
        _backfill_twice(view, count, now)
    if mine(view).limits & LEAVES_AT_ONCE:
        _send_away(view, count)
    tell_reservations(view, count, now)
    if counts_blocked(view):
        _tell_blocked(view, count, now)
    mine(view).begun = 0
    _tell_bypassed(view, count)
    wake_in_time(view, count, now)
    if view.cycle.explain:
        _explain(view, count, now)


@kernel
def _resume_alone(view: View, now: float) -> None:
    """No job waits but suspended ones: resume those that find room."""
    seldom()
    if view.queue.suspended_count > 0:
        choose_nodes(view, now)
        add_up_usage(view, now)
        count_active(view, now)
        profile_of_running(view, now)
        resume_suspended(view, 0, now)


@kernel
def _prioritize(view: View, count: int, now: float) -> None:
    """Weigh every waiting job and sort them."""
    seldom()
    for k in range(count):
        row = view.cycle.ranked[k]
        view.cycle.rank_key[row] = priority(view, row, now)
        note(view, Step.PRIORITIZED)
    sort_ranks(view, count)


@kernel
def _start_by_priority(view: View, count: int, now: float) -> None:
    """Start jobs within soft limits in order of priority; reserve for those that find no room.

    The phase ends when all reservations are made (paper, step 6), or with the first job that finds neither
    room nor a reservation. Jobs that always get one (RESERVEALWAYS) get theirs after it, too.
    """
    seldom()
    ended, banking, leaving = False, view.bank.on > 0, mine(view).limits & LEAVES_AT_ONCE
    for k in range(count):
        if ended and reservations_full(view) and not mine(view).limits & ALWAYS_RESERVED:
            return
        row = view.cycle.ranked[k]
        if mine(view).level[row] != SOFT:
            continue
        if mine(view).reserved_s[row] < NEVER:
            count_reservation(view, row)
            ended = ended or reservations_full(view)
            continue
        if over_limit(view, row, SOFT_PASS) >= 0 or enough_started(view):
            continue
        if banking and cannot_pay(view, row):
            put_off_unpaid(view, row, now)
            continue
        if not ended and (_fits_and_starts(view, row, now) or _preempts(view, row, now)):
            note(view, Step.PRIORITY_STARTED)
        elif leaving and is_flagged(view, row, QosFlag.NO_QUEUE):
            continue
        elif not may_reserve(view, row, now):
            ended = True
        elif ended and _fits_and_starts(view, row, now):
            # Its reservation would begin now.
            note(view, Step.PRIORITY_STARTED)
        else:
            make_reservation(view, row, now)
            ended = ended or reservations_full(view)


@inner
def _fits_and_starts(view: View, row: int, now: float) -> bool:
    return bool(fits_now(view, row, now) and start_now(view, row, now))


@inner
def _preempts(view: View, row: int, now: float) -> bool:
    return bool(preempts(view) and start_preempting(view, row, now))


@kernel
def _backfill_twice(view: View, count: int, now: float) -> None:
    """Within soft limits, then within hard ones."""
    seldom()
    if view.machine.idle > 0:
        mine(view).chunk_blocked = 0
        started = backfill(view, count, now, SOFT, SOFT_PASS, Step.SOFT_WINDOWS)
        note_more(view, Step.SOFT_BACKFILLED, started)
    if view.machine.idle > 0:
        started = backfill(view, count, now, HARD, HARD_PASS, Step.HARD_WINDOWS)
        note_more(view, Step.HARD_BACKFILLED, started)
        if mine(view).chunk_blocked == 0:
            mine(view).chunk_until_s = 0.0


@kernel
def _send_away(view: View, count: int) -> None:
    """Refuse the jobs that were to start at once, and have not (NOQUEUE)."""
    seldom()
    for k in range(count):
        row = view.cycle.ranked[k]
        if mine(view).level[row] != DECIDED and is_flagged(view, row, QosFlag.NO_QUEUE):
            mine(view).level[row] = DECIDED
            mine(view).backfilled[row] = 0
            refuse(view, row, Refusal.NOT_AT_ONCE)


@kernel
def _tell_blocked(view: View, count: int, now: float) -> None:
    """Stop and go on with queue times; the starts of this iteration may have put jobs over a hard limit."""
    seldom()
    for k in range(count):
        row = view.cycle.ranked[k]
        if mine(view).level[row] == DECIDED:
            continue
        cause = mine(view).blocked[row]
        if mine(view).level[row] > INELIGIBLE and over_limit(view, row, HARD_PASS) >= 0:
            cause = BY_LIMIT
        note_blocked(view, row, now, cause)


@kernel
def _tell_bypassed(view: View, count: int) -> None:
    """Count, for every eligible job that still waits, the jobs behind it that were backfilled."""
    seldom()
    counts = (
        parameters(view).component_weight[Component.BYPASS] != 0.0
        or parameters(view).threshold == Threshold.BYPASS
    )
    if not counts or mine(view).started == 0:
        return
    passed = 0
    for k in range(count - 1, -1, -1):
        row = view.cycle.ranked[k]
        if mine(view).level[row] == DECIDED:
            passed += mine(view).backfilled[row]
        elif passed > 0 and mine(view).level[row] > INELIGIBLE:
            bypass(view, row, passed)


@inner
def _in_hard_pass(view: View, row: int) -> bool:
    """Whether backfill within hard limits has looked at *row*: then its soft limits have not kept it out."""
    return bool(parameters(view).backfill != BackfillPolicy.NONE and may_backfill(view, row, HARD))


@kernel
def _explain(view: View, count: int, now: float) -> None:
    """Why each selected job has not started; the reasons of the others were given at their selection."""
    seldom()
    head = -1
    divided = view.placing.rules & PARTITIONS
    for k in range(count):
        row = view.cycle.ranked[k]
        width, level = view.jobs.width[row], mine(view).level[row]
        if level <= INELIGIBLE:
            continue
        if mine(view).reserved_s[row] < NEVER:
            # Answers give its reservation beside the rule.
            if not held_back(view, row, head):
                because(view, row, Rule.RESERVED_LATER, mine(view).reserved_s[row], width, head)
            head = row
        elif without_nodes(view, row, head):
            continue
        elif width > view.machine.idle:
            until_s = now + remaining_s(view, row)
            blocked_beside(view, row, head, least_free(view, now, until_s))
        elif divided and width > most_free(view, row):
            because(view, row, Rule.NO_PARTITION_FREE, most_free(view, row), width, head)
        elif cannot_pay(view, row):
            tell_balance(view, row)
        elif over_limit(view, row, SOFT_PASS) >= 0 and not _in_hard_pass(view, row):
            because(view, row, Rule.OVER_SOFT_LIMIT, over_limit(view, row, SOFT_PASS), width, head)
        elif over_limit(view, row, HARD_PASS) >= 0:
            # The jobs that this iteration has started count, too.
            because(view, row, Rule.OVER_HARD_LIMIT, over_limit(view, row, HARD_PASS), width, head)
        elif enough_started(view):
            because(view, row, Rule.ENOUGH_STARTED, mine(view).started, width, head)
        elif parameters(view).backfill == BackfillPolicy.NONE:
            because(view, row, Rule.BEHIND_THE_HEAD, view.machine.idle, width, head)
        else:
            explain_beside(view, row, head, now, free_until(view, width, now))
