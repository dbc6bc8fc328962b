"""Deferral: a job that cannot run as things are is put off for DEFERTIME, and then considered again.

Reference, section 12: NoResources (it asks for more processors than are in service) and CannotDebitAccount
(no account can pay). It loses its reservation, nothing but a release brings it back sooner, and more than
DEFERCOUNT deferrals are a hold. A job that these nodes could never run is refused instead, so that no job
waits without end and without a reason given.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import because, defer, hold, wake_at
from molokini.model.decisions import Rule
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.knowledge.memory import DECIDED, INELIGIBLE, mine
from molokini.policies.maui.selection.accrual import BY_HOLD
from molokini.tables.tables import View


@inner
def defers(view: View) -> bool:
    """Whether jobs are deferred at all."""
    return bool(parameters(view).defer_s > 0.0)


@kernel
def stay_deferred(view: View, row: int) -> int:
    """*row* is deferred still: ask for an iteration at the end of the deferral; the job's level."""
    seldom()
    until_s = view.jobs.deferred_s[row]
    wake_at(view, until_s)
    mine(view).blocked[row] = BY_HOLD
    because(view, row, Rule.DEFERRED, until_s, float(view.jobs.deferral[row]), -1)
    return INELIGIBLE


@kernel
def put_off(view: View, row: int, now: float, rule: int) -> int:
    """Defer *row*, which *rule* keeps from starting and which has no reservation; the job's level then."""
    seldom()
    level = INELIGIBLE
    if view.jobs.deferrals[row] >= parameters(view).defer_count:
        hold(view, row, rule)
        level = DECIDED
    else:
        until_s = now + parameters(view).defer_s
        defer(view, row, rule, until_s)
        wake_at(view, until_s)
    mine(view).blocked[row] = BY_HOLD
    mine(view).level[row] = level
    return level
