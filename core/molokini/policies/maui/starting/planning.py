"""Priority reservations: each blocked job of the highest priorities gets the promise of a start.

CURRENTHIGHEST replans them at each iteration; under HIGHEST a job keeps its reservation until it
starts, and the reservation moves only to an earlier instant.
"""

from molokini.availability.beside_reserved import earliest_beside, fits_beside
from molokini.availability.placement import place
from molokini.availability.profile import plan
from molokini.availability.shadow import nodes_take_now, shadow_of
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import reserve, wake_at
from molokini.model.credentials import CredentialType
from molokini.model.states import JobState
from molokini.policies.maui.configuration.parameters import HEADER, parameters
from molokini.policies.maui.configuration.settings import MOST_BUCKETS
from molokini.policies.maui.configuration.slots import BUCKET_ROW, QOS_BITS
from molokini.policies.maui.configuration.words import BackfillPolicy, QosFlag, ReservationPolicy, Threshold
from molokini.policies.maui.knowledge.memory import DECIDED, INELIGIBLE, mine
from molokini.policies.maui.knowledge.scopes import ALWAYS_RESERVED, has_flag, scope_of
from molokini.policies.maui.knowledge.steps import Step
from molokini.policies.maui.knowledge.trace import note
from molokini.policies.maui.nodes.allocation import note_head, note_held
from molokini.policies.maui.nodes.holding import (
    activate,
    begin_holding,
    deactivate,
    find_nodes,
    find_other_nodes,
    find_same_nodes,
    forget_slots,
    free_slot,
    holding,
    next_change,
    note_nodes,
    slot_of,
    slots_full,
)
from molokini.policies.maui.selection.accrual import queue_time_s
from molokini.policies.maui.selection.eligibility import owns_reservation
from molokini.policies.maui.selection.paying import cannot_pay, put_off_unpaid
from molokini.policies.maui.selection.priority import expansion_factor
from molokini.policies.maui.selection.throttling import HARD_PASS, over_limit
from molokini.policies.maui.starting.free_slots import enough_started, fits_now, start_now
from molokini.tables.running import remaining_s
from molokini.tables.sizes import MOST_HELD
from molokini.tables.tables import NEVER, View


@kernel
def keep_reservations(view: View, count: int, now: float) -> None:
    """Plan the reservations of earlier iterations where they are or earlier; start the jobs that are due.

    A reservation that no longer fits (processors are lost, a job runs on) is planned again.
    """
    seldom()
    for k in range(MOST_BUCKETS):
        mine(view).bucket_taken[k] = 0
    mine(view).next_start_s = NEVER
    mine(view).head = 0
    begin_holding(view, _need_nodes(view))
    if parameters(view).reservation != ReservationPolicy.HIGHEST or not reserves(view):
        forget_slots(view)
        return
    _forget_others(view)
    _plan_kept(view, count, now)
    for k in range(count):
        row = view.cycle.ranked[k]
        if mine(view).reserved_s[row] < NEVER and cannot_pay(view, row):
            # The jobs that have started just now have taken what its account had.
            _unplan(view, row)
            free_slot(view, row)
            put_off_unpaid(view, row, now)
        if mine(view).reserved_s[row] < NEVER:
            _plan_earlier(view, row, now)
            if mine(view).reserved_s[row] <= now and over_limit(view, row, HARD_PASS) < 0:
                _start_reserved(view, row, now)


@kernel
def _need_nodes(view: View) -> bool:
    """Whether reservations have to be on particular nodes: to spare the first job in line is not enough."""
    if view.nodes.count == 0 or not reserves(view):
        return False
    if view.queue.wishing == 0 and view.placing.rules == 0 and view.hosts.count == 0:
        return False
    several = (
        parameters(view).reservation == ReservationPolicy.HIGHEST or mine(view).limits & ALWAYS_RESERVED > 0
    )
    return bool(several or view.reservations.count > 0 or _most(view) > 1.0)


@kernel
def _most(view: View) -> float:
    """How many reservations one iteration may make."""
    if view.parameters.size <= HEADER:
        return float(parameters(view).reservation_depth)
    first, most = parameters(view).buckets, 0.0
    for bucket in range(parameters(view).bucket_count):
        most += view.parameters[first + bucket * BUCKET_ROW]
    return most


@kernel
def _forget_others(view: View) -> None:
    """Slots of jobs that have lost their reservations, or are gone, are free."""
    for slot in range(MOST_HELD):
        row = mine(view).slots[slot] - 1
        if row >= 0 and not _keeps(view, row):
            mine(view).slots[slot] = 0


@inner
def _keeps(view: View, row: int) -> bool:
    return bool(
        view.jobs.state[row] == JobState.WAITING
        and owns_reservation(view, row)
        and mine(view).listed[row] != 0
        and mine(view).level[row] > INELIGIBLE
    )


@kernel
def _plan_kept(view: View, count: int, now: float) -> None:
    """Plan the reservations of earlier iterations: first those that stay as they are, then those that find
    other nodes at the same instant (their own are gone, or forgotten in a recovery), then those that do not
    fit at it.
    """
    seldom()
    for k in range(count):
        row = view.cycle.ranked[k]
        if not _keeps(view, row):
            continue
        note(view, Step.RESERVATIONS_KEPT)
        at_s = max(view.jobs.reserved_s[row], now)
        if not fits_beside(view, row, remaining_s(view, row), at_s):
            continue
        if not holding(view) or find_same_nodes(view, row, now, at_s):
            _plan_at(view, row, at_s, now)
    for k in range(count if holding(view) else 0):
        row = view.cycle.ranked[k]
        if not _keeps(view, row) or mine(view).reserved_s[row] < NEVER:
            continue
        at_s = max(view.jobs.reserved_s[row], now)
        fits = fits_beside(view, row, remaining_s(view, row), at_s)
        if fits and find_other_nodes(view, row, now, at_s):
            _plan_at(view, row, at_s, now)
    for k in range(count):
        row = view.cycle.ranked[k]
        if _keeps(view, row) and mine(view).reserved_s[row] == NEVER:
            _plan_at(view, row, _earliest(view, row, now, now, NEVER), now)


@kernel
def _earliest(view: View, row: int, now: float, from_s: float, before_s: float) -> float:
    """The earliest start of *row* from *from_s* on; NEVER where that is not before *before_s*."""
    if holding(view):
        return find_nodes(view, row, now, from_s, before_s)
    at_s = earliest_beside(view, row, remaining_s(view, row), from_s)
    return at_s if at_s < before_s else NEVER


@kernel
def _plan_at(view: View, row: int, at_s: float, now: float) -> None:
    seldom()
    mine(view).reserved_s[row] = at_s
    if at_s < NEVER:
        plan(view, at_s, at_s + remaining_s(view, row), view.jobs.width[row])
        if holding(view):
            activate(view, row, now)


@kernel
def _unplan(view: View, row: int) -> None:
    seldom()
    at_s = mine(view).reserved_s[row]
    if at_s < NEVER:
        plan(view, at_s, at_s + remaining_s(view, row), -view.jobs.width[row])
        if holding(view):
            deactivate(view, row)
    mine(view).reserved_s[row] = NEVER


@kernel
def _plan_earlier(view: View, row: int, now: float) -> None:
    at_s = mine(view).reserved_s[row]
    _unplan(view, row)
    _plan_at(view, row, min(at_s, _earliest(view, row, now, now, at_s)), now)


@kernel
def _start_reserved(view: View, row: int, now: float) -> None:
    seldom()
    at_s = mine(view).reserved_s[row]
    _unplan(view, row)
    if enough_started(view) or not fits_now(view, row, now) or not start_now(view, row, now):
        _plan_at(view, row, at_s, now)
    else:
        free_slot(view, row)
        note(view, Step.RESERVED_STARTED)


@inner
def reserves(view: View) -> bool:
    """Whether there are reservations at all."""
    backfill = parameters(view).backfill
    return bool(
        backfill != BackfillPolicy.PREEMPT
        and backfill != BackfillPolicy.NONE
        and parameters(view).reservation != ReservationPolicy.NEVER
    )


@kernel
def reservations_full(view: View) -> bool:
    """Whether this iteration has made all reservations, but for those of jobs that always get one."""
    if not reserves(view):
        return True
    if view.parameters.size <= HEADER:
        return bool(mine(view).bucket_taken[0] >= parameters(view).reservation_depth)
    first = parameters(view).buckets
    for bucket in range(parameters(view).bucket_count):
        if mine(view).bucket_taken[bucket] < view.parameters[first + bucket * BUCKET_ROW]:
            return False
    return True


@kernel
def count_reservation(view: View, row: int) -> None:
    """*row* keeps its reservation: it counts in its bucket."""
    seldom()
    bucket = _bucket_of(view, row)
    if bucket >= 0:
        mine(view).bucket_taken[bucket] += 1


@kernel
def may_reserve(view: View, row: int, now: float) -> bool:
    """Whether *row* may have a reservation besides those that there are."""
    seldom()
    if not reserves(view) or (holding(view) and slots_full(view)):
        return False
    qos = scope_of(view, row, CredentialType.QOS)
    if has_flag(view, qos, QosFlag.NO_RESERVATION) or not above_threshold(view, row, now):
        return False
    bucket = _bucket_of(view, row)
    return bool(has_flag(view, qos, QosFlag.RESERVE_ALWAYS) or (bucket >= 0 and not _taken(view, bucket)))


@kernel
def make_reservation(view: View, row: int, now: float) -> None:
    """Promise *row*, which may have one and cannot start now, its earliest start.

    Where no instant comes at which it could start (nodes are down, or reserved without end) it gets no
    reservation, and delays no other job.
    """
    seldom()
    if holding(view):
        at_s = find_nodes(view, row, now, next_change(view, now, now), NEVER)
    else:
        at_s = earliest_beside(view, row, remaining_s(view, row), now)
        if (view.queue.wishing > 0 or view.placing.rules > 0) and mine(view).head == 0:
            at_s = max(at_s, _spare_first(view, row, now, at_s))
    if at_s == NEVER:
        return
    bucket = _bucket_of(view, row)
    if bucket >= 0:
        mine(view).bucket_taken[bucket] += 1
    note(view, Step.RESERVED)
    mine(view).promised = int(parameters(view).reservation == ReservationPolicy.HIGHEST)
    _plan_at(view, row, at_s, now)
    if holding(view):
        note_held(view, slot_of(view, row), at_s)


@kernel
def _spare_first(view: View, row: int, now: float, counted_s: float) -> float:
    """The shadow time of *row*: enough processors may be free in number though no nodes take the job.

    Where nodes take it now that is *counted_s*, until when reservations keep it out. From now on other jobs
    spare it node by node.
    """
    shadow_s = counted_s
    if counted_s <= now or not nodes_take_now(view, row):
        shadow_s, _ = shadow_of(view, row, now)
    if shadow_s < NEVER:
        mine(view).head = row + 1
        mine(view).shadow_s = shadow_s
        note_head(view, row, shadow_s)
        if view.cycle.explain:
            # Answers name the nodes on which it will be.
            note_nodes(view, row, place(view, view.nodes.scratch, row))
    return shadow_s


@inner
def _taken(view: View, bucket: int) -> bool:
    depth = parameters(view).reservation_depth
    if view.parameters.size > HEADER:
        depth = view.parameters[parameters(view).buckets + bucket * BUCKET_ROW]
    return bool(mine(view).bucket_taken[bucket] >= depth)


@kernel
def above_threshold(view: View, row: int, now: float) -> bool:
    """Whether *row* has waited, or was bypassed, for more than the threshold of reservations."""
    kind, value = parameters(view).threshold, parameters(view).threshold_value
    if kind == Threshold.BYPASS:
        return bool(view.jobs.bypassed[row] > value)
    if kind == Threshold.QUEUE_TIME:
        return bool(queue_time_s(view, row, now) > value)
    if kind == Threshold.EXPANSION_FACTOR:
        return bool(int(expansion_factor(view, row, now)) > value)
    return True


@kernel
def _bucket_of(view: View, row: int) -> int:
    """The first bucket that has the job's QoS; -1: none."""
    seldom()
    if view.parameters.size <= HEADER:
        return 0
    qos = view.scopes.key[scope_of(view, row, CredentialType.QOS), 1]
    first = parameters(view).buckets
    for bucket in range(parameters(view).bucket_count):
        word = int(view.parameters[first + bucket * BUCKET_ROW + 1 + qos // QOS_BITS])
        if (word >> (qos % QOS_BITS)) & 1:
            return bucket
    return -1


@kernel
def tell_reservations(view: View, count: int, now: float) -> None:
    """Say which reservations are new, have moved, or are gone; wake for the next of them."""
    seldom()
    for k in range(count):
        row = view.cycle.ranked[k]
        at_s = mine(view).reserved_s[row]
        if at_s != view.jobs.reserved_s[row] and _waits_still(view, row):
            reserve(view, row, at_s)
        if now < at_s < NEVER:
            wake_at(view, at_s)


@inner
def _waits_still(view: View, row: int) -> bool:
    """Whether this pass has not decided that *row* starts or goes."""
    return bool(mine(view).level[row] != DECIDED)
