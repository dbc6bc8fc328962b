"""How one backfill window is filled: FIRSTFIT, and the orders by which BESTFIT and PREEMPT choose."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import wake_at
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import BackfillMetric, BackfillOrder, BackfillPolicy, QosFlag
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import has_flag, scope_of
from molokini.policies.maui.selection.throttling import over_limit
from molokini.policies.maui.starting.free_slots import enough_started, fits_now, start_now
from molokini.tables.requests import nodes_of, processor_equivalents
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View


@inner
def may_backfill(view: View, row: int, level: int) -> bool:
    """Whether *row* is in the list of this pass: within limits, without a reservation, not barred by QoS."""
    return bool(
        mine(view).level[row] >= level
        and mine(view).reserved_s[row] == NEVER
        and not has_flag(view, scope_of(view, row, CredentialType.QOS), QosFlag.NO_BACKFILL)
    )


@inner
def is_candidate(view: View, row: int, now: float, level: int, width: int, until_s: float) -> bool:
    """Whether *row* fits into a window of *width* processors up to *until_s*."""
    return bool(
        view.jobs.width[row] <= width
        and mine(view).level[row] >= level
        and now + remaining_s(view, row) <= until_s
        and may_backfill(view, row, level)
    )


@kernel
def backfill_now(view: View, row: int, now: float, limits: int) -> bool:
    """Start *row* as a backfilled job, if the limits of this pass and the nodes allow it."""
    seldom()
    if over_limit(view, row, limits) >= 0 or enough_started(view):
        return False
    if view.reservations.count > 0 and not fits_now(view, row, now):
        # Windows take no account of the reservations that administrators make.
        return False
    if not start_now(view, row, now):
        return False
    mine(view).backfilled[row] = 1
    return True


@kernel
def fill_first(
    view: View, count: int, now: float, level: int, limits: int, width: int, until_s: float
) -> int:
    """FIRSTFIT: by priority, each job that fits into what is left of the window; how many started."""
    seldom()
    left, looked, started = width, 0, 0
    depth, chunk = parameters(view).backfill_depth, parameters(view).chunk_processors
    keeping = False
    for k in range(count):
        if left <= 0:
            break
        row = view.cycle.ranked[k]
        if chunk > 0 and view.jobs.width[row] >= chunk and not keeping:
            keeping = _keep_for(view, row, now, level, left, until_s)
        if not is_candidate(view, row, now, level, width, until_s):
            continue
        looked += 1
        if 0 < depth < looked:
            break
        if view.jobs.width[row] > left or (keeping and view.jobs.width[row] < chunk):
            continue
        if backfill_now(view, row, now, limits):
            left -= view.jobs.width[row]
            started += 1
    return started


@kernel
def _keep_for(view: View, row: int, now: float, level: int, left: int, until_s: float) -> bool:
    """Whether processors are kept for the wide *row*: for a time, from when a wide job was first blocked."""
    seldom()
    if not may_backfill(view, row, level):
        return False
    if view.jobs.width[row] <= left and now + remaining_s(view, row) <= until_s:
        return False
    mine(view).chunk_blocked = 1
    if mine(view).chunk_until_s == 0.0:
        mine(view).chunk_until_s = now + parameters(view).chunk_duration_s
    if now < mine(view).chunk_until_s:
        wake_at(view, mine(view).chunk_until_s)
        return True
    return False


@kernel
def metric(view: View, row: int) -> float:
    """What BESTFIT and GREEDY maximize; under PREEMPT, how soon the job is over."""
    seldom()
    kind, length_s = parameters(view).backfill_metric, remaining_s(view, row)
    if parameters(view).backfill == BackfillPolicy.PREEMPT:
        return 0.0 if parameters(view).backfill_order == BackfillOrder.RANDOM else -length_s
    if kind == BackfillMetric.PROCESSORS:
        return float(view.jobs.width[row])
    if kind == BackfillMetric.PROCESSOR_SECONDS:
        return float(view.jobs.width[row] * length_s)
    if kind == BackfillMetric.SECONDS:
        return length_s
    if kind == BackfillMetric.PROCESSOR_EQUIVALENTS:
        return processor_equivalents(view, row)
    if kind == BackfillMetric.PROCESSOR_EQUIVALENT_SECONDS:
        return processor_equivalents(view, row) * length_s
    return float(nodes_of(view, row))


@kernel
def fill_best(view: View, count: int, now: float, level: int, limits: int, width: int, until_s: float) -> int:
    """BESTFIT: the largest metric first, in order of priority where equal; how many started.

    A job that did not fit, or was over a limit, stays so for the rest of the window, so one walk in this
    order is as good as a new choice after each start.
    """
    seldom()
    found = gather(view, count, now, level, width, until_s)
    for place in range(found // 2 - 1, -1, -1):
        _sift(view, place, found)
    left, started = width, 0
    while found > 0 and left > 0:
        row = view.cycle.ranked[view.cycle.order[0]]
        found -= 1
        view.cycle.order[0] = view.cycle.order[found]
        _sift(view, 0, found)
        if view.jobs.width[row] <= left and backfill_now(view, row, now, limits):
            left -= view.jobs.width[row]
            started += 1
    return started


@kernel
def gather(view: View, count: int, now: float, level: int, width: int, until_s: float) -> int:
    """Put the candidates' places in ``ranked`` into ``order``, and their metrics into ``cycle.order_key``."""
    seldom()
    found, depth = 0, parameters(view).backfill_depth
    for k in range(count):
        row = view.cycle.ranked[k]
        if is_candidate(view, row, now, level, width, until_s):
            view.cycle.order[found] = k
            view.cycle.order_key[row] = metric(view, row)
            found += 1
            if found == depth:
                break
    return found


@inner
def _better(view: View, one: int, other: int) -> bool:
    """Whether place *one* of ``ranked`` is chosen before place *other*."""
    first, second = (
        view.cycle.order_key[view.cycle.ranked[one]],
        view.cycle.order_key[view.cycle.ranked[other]],
    )
    return bool(first > second or (first == second and one < other))


@kernel
def _sift(view: View, place: int, found: int) -> None:
    seldom()
    moving = view.cycle.order[place]
    while True:
        child = 2 * place + 1
        if child >= found:
            break
        if child + 1 < found and _better(view, view.cycle.order[child + 1], view.cycle.order[child]):
            child += 1
        if not _better(view, view.cycle.order[child], moving):
            break
        view.cycle.order[place] = view.cycle.order[child]
        place = child
    view.cycle.order[place] = moving
