"""Which jobs may start in this iteration at all (step 4; reference, section 2.3)."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.reasons import blocked
from molokini.cycle.verbs import because, refuse, refuse_over
from molokini.model.decisions import Refusal, Rule
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import ReservationPolicy
from molokini.policies.maui.knowledge.memory import DECIDED, HARD, INELIGIBLE, SOFT, mine
from molokini.policies.maui.knowledge.scopes import JOB_CEILINGS
from molokini.policies.maui.knowledge.steps import Step
from molokini.policies.maui.knowledge.trace import note
from molokini.policies.maui.nodes.partitions import most_in_service, too_wide_for_all
from molokini.policies.maui.nodes.sharing import could_ever_run
from molokini.policies.maui.selection.accrual import BY_HOLD, BY_LIMIT, BY_PRIORITY
from molokini.policies.maui.selection.deferring import defers, put_off, stay_deferred
from molokini.policies.maui.selection.fairshare import over_cap, percent
from molokini.policies.maui.selection.paying import cannot_pay, put_off_unpaid
from molokini.policies.maui.selection.throttling import (
    HARD_PASS,
    SOFT_PASS,
    TOO_NARROW,
    forget_idle,
    over_ceiling,
    over_idle_limit,
    over_limit,
)
from molokini.tables.tables import NEVER, View

_SEEN = 2


@kernel
def select_jobs(view: View, count: int, now: float) -> None:
    """Find which limits each of the first *count* ranked jobs keeps; refuse jobs that may never run."""
    seldom()
    forget_idle(view)
    ceilings, banking, deferring = _has_ceilings(view), view.bank.on > 0, view.jobs.deferring > 0
    for k in range(count):
        row = view.cycle.ranked[k]
        mine(view).reserved_s[row] = NEVER
        if (ceilings or view.placing.rules > 0) and mine(view).listed[row] != _SEEN:
            # A job's own size does not change: one look is enough until ``begin`` runs again.
            mine(view).listed[row] = _SEEN
            ceiling, most = over_ceiling(view, row)
            if ceiling > 0:
                mine(view).level[row] = DECIDED
                refusal = Refusal.OVER_CEILING if ceiling < TOO_NARROW else Refusal.TOO_NARROW
                refuse_over(view, row, refusal, ceiling, most)
                continue
            if view.placing.rules > 0 and not could_ever_run(view, row):
                mine(view).level[row] = DECIDED
                refuse(view, row, Refusal.NEVER_PLACEABLE)
                continue
        mine(view).blocked[row] = 0
        if deferring and view.jobs.deferred_s[row] > now:
            level = stay_deferred(view, row)
        elif banking and cannot_pay(view, row):
            level = _unpaid(view, row, now)
        else:
            level = _level(view, row, now)
        mine(view).level[row] = level
        if level == SOFT:
            note(view, Step.ELIGIBLE_SOFT)
        else:
            note(view, Step.ELIGIBLE_HARD if level == HARD else Step.INELIGIBLE)


@kernel
def _has_ceilings(view: View) -> bool:
    return bool(
        parameters(view).max_processors > 0
        or parameters(view).max_processor_seconds > 0.0
        or parameters(view).max_wall_time_s > 0.0
        or mine(view).limits & JOB_CEILINGS
    )


@inner
def _level(view: View, row: int, now: float) -> int:
    if view.cycle.rank_key[row] < 0.0 and parameters(view).reject_negative != 0:
        because(view, row, Rule.NEGATIVE_PRIORITY, 0.0, view.cycle.rank_key[row], -1)
        mine(view).blocked[row] = BY_PRIORITY
        return INELIGIBLE
    if view.jobs.width[row] > view.machine.processors:
        blocked(view, row, -1)
        return _without_resources(view, row, now, Rule.NOT_ENOUGH_FREE)
    if too_wide_for_all(view, row):
        because(view, row, Rule.WIDER_THAN_PARTITIONS, most_in_service(view, row), view.jobs.width[row], -1)
        return _without_resources(view, row, now, Rule.WIDER_THAN_PARTITIONS)
    if owns_reservation(view, row):
        return SOFT
    if over_limit(view, row, HARD_PASS) >= 0:
        _explain_limit(view, row, Rule.OVER_HARD_LIMIT, over_limit(view, row, HARD_PASS))
        mine(view).blocked[row] = BY_LIMIT
        return INELIGIBLE
    scope = over_cap(view, row)
    if scope >= 0:
        because(view, row, Rule.OVER_FAIRSHARE_CAP, 0.0, percent(view, scope), -1)
        mine(view).blocked[row] = BY_LIMIT
        return INELIGIBLE
    limit = over_idle_limit(view, row)
    if limit >= 0:
        mine(view).kept_out = 1
        _explain_limit(view, row, Rule.OVER_IDLE_LIMIT, limit)
        mine(view).blocked[row] = BY_LIMIT
        return INELIGIBLE
    return SOFT if over_limit(view, row, SOFT_PASS) < 0 else HARD


@kernel
def _without_resources(view: View, row: int, now: float, rule: int) -> int:
    """*row* finds too few processors in service; nodes that have yet to register it awaits undeferred."""
    seldom()
    comes = view.jobs.width[row] > view.machine.processors_in_all or view.partitions.awaited > 0
    return INELIGIBLE if comes or not defers(view) else put_off(view, row, now, rule)


@kernel
def _unpaid(view: View, row: int, now: float) -> int:
    """No account can pay for *row*: it leaves the list, and loses its reservation."""
    seldom()
    limited = over_limit(view, row, HARD_PASS) >= 0 or over_cap(view, row) >= 0
    mine(view).blocked[row] = BY_LIMIT if limited else BY_HOLD
    return put_off_unpaid(view, row, now)


@inner
def owns_reservation(view: View, row: int) -> bool:
    """Whether *row* has a reservation that it keeps until its start."""
    return bool(
        view.jobs.reserved_s[row] < NEVER and parameters(view).reservation == ReservationPolicy.HIGHEST
    )


@kernel
def _explain_limit(view: View, row: int, rule: int, limit: int) -> None:
    """The reason: which limit, as ``over_limit`` numbers them."""
    seldom()
    because(view, row, rule, limit, view.jobs.width[row], -1)
