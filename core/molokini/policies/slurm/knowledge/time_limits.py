"""How long a job may run: by its limit, by the shorter one with which this pass tries it, at the least.

All are seconds of work from the job's first start on, as its estimate is. Reference, sections 2.3, d, and
3.3, h.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import limit_start, try_within
from molokini.model.states import JobState
from molokini.tables.tables import View

MINUTE_S = 60.0


@inner
def limit_of(view: View, row: int) -> float:
    """The limit of a job; of one that waits the limit with which it is tried, or has been started by now."""
    if view.cycle.tried_s[row] > 0.0 and view.jobs.state[row] == JobState.WAITING:
        return float(view.cycle.tried_s[row])
    return float(view.jobs.estimate_s[row])


@inner
def left_of(view: View, row: int) -> float:
    """What is left of that."""
    return limit_of(view, row) - float(view.jobs.work_s[row])


@inner
def least_of(view: View, row: int) -> float:
    """The shortest limit with which a job may start: its own where it accepts no shorter one."""
    if view.jobs.least_s[row] == 0.0:
        return float(view.jobs.estimate_s[row])
    return float(min(view.jobs.estimate_s[row], view.jobs.work_s[row] + view.jobs.least_s[row]))


@kernel
def try_with(view: View, row: int, limit_s: float) -> None:
    """This pass tries a job with another limit than its own, or has started it with one."""
    seldom()
    try_within(view, row, limit_s if limit_s < view.jobs.estimate_s[row] else 0.0)


@kernel
def try_with_least(view: View, row: int) -> None:
    """Try a job with the shortest limit that it accepts."""
    if view.jobs.least_s[row] > 0.0:
        try_with(view, row, least_of(view, row))


@kernel
def try_until_deadline(view: View, row: int, now: float) -> None:
    """Try a job that accepts a shorter limit with the minutes until its deadline, if these are fewer."""
    if view.jobs.least_s[row] == 0.0 or view.jobs.deadline_s[row] == 0.0:
        return
    most_s = until_s(view, row, now, view.jobs.deadline_s[row])
    if most_s < view.jobs.estimate_s[row]:
        try_with(view, row, most_s)


@kernel
def until_s(view: View, row: int, now: float, end_s: float) -> float:
    """The limit of a job that starts now and ends by *end_s*, in whole minutes; at least its least one."""
    minutes = (end_s - now) // MINUTE_S
    return float(max(least_of(view, row), view.jobs.work_s[row] + minutes * MINUTE_S))


@inner
def forget_try(view: View, row: int) -> None:
    """A job has not been started: its own limit holds."""
    if view.cycle.tried_s[row] > 0.0:
        try_within(view, row, 0.0)


@inner
def settle_limit(view: View, row: int) -> None:
    """The job whose start was decided last starts with the limit with which it was tried."""
    if view.cycle.tried_s[row] > 0.0:
        limit_start(view, view.cycle.tried_s[row])
