"""Queue time: how long a job has waited with nothing but other jobs in its way.

Maui pushes the start of a blocked job's queue time to the present at each iteration. Here two facts say the
same: its queue time stops when it is blocked, and counts from the instant at which it is blocked no longer.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.cycle.verbs import accrue
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import Accrual
from molokini.policies.maui.knowledge.memory import mine
from molokini.tables.tables import NEVER, View

BY_LIMIT, BY_PRIORITY, BY_HOLD = 1, 2, 3
"""What blocks a job; BY_HOLD: it is deferred, or cannot be paid for."""


@inner
def queue_time_s(view: View, row: int, now: float) -> float:
    """Seconds that count as waited; 0 while the job is blocked."""
    return float(max(0.0, now - view.jobs.submit_s[row] - view.jobs.unqueued_s[row]))


@kernel
def policy_of(view: View) -> int:
    """Which jobs gather queue time; USESYSTEMQUEUETIME is the older way to ask for QUEUEPOLICY."""
    if parameters(view).accrual == Accrual.ALWAYS and parameters(view).system_queue_time != 0:
        return Accrual.QUEUE_POLICY
    return parameters(view).accrual


@kernel
def counts_blocked(view: View) -> bool:
    """Whether anything in the settings can stop a queue time, or could before the policy began."""
    policy = policy_of(view)
    could = mine(view).limits > 0 or mine(view).targets > 0
    return bool((policy != Accrual.ALWAYS and could) or policy == Accrual.FULL_POLICY or mine(view).begun)


@inner
def note_blocked(view: View, row: int, now: float, cause: int) -> None:
    """Stop or go on counting the queue time of *row*; *cause* 0: nothing blocks it."""
    policy = policy_of(view)
    held = cause == BY_PRIORITY or cause == BY_HOLD
    stops = (cause == BY_LIMIT and policy != Accrual.ALWAYS) or (held and policy == Accrual.FULL_POLICY)
    if stops:
        if view.jobs.unqueued_s[row] < NEVER:
            accrue(view, row, NEVER)
    elif view.jobs.unqueued_s[row] == NEVER:
        accrue(view, row, now - view.jobs.submit_s[row])
