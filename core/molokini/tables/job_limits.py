"""Limits of jobs that may be started with a shorter one than their estimate: parts of transitions."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.tables import Tables


@kernel
def accept_less(t: Tables, row: int, least_s: float) -> None:
    """*row*, otherwise filled in, may be started with a limit as short as *least_s*; 0: its estimate."""
    seldom()
    t.jobs.uneven = t.cycle.limiting = 1
    t.jobs.least_s[row] = least_s


@kernel
def limit(t: Tables, row: int, limit_s: float) -> None:
    """A job is ended after *limit_s* of work in this attempt, in place of its estimate."""
    seldom()
    t.jobs.uneven = t.cycle.limiting = 1
    t.jobs.asked_s[row] = t.jobs.estimate_s[row]
    t.jobs.estimate_s[row] = limit_s
    t.cycle.tried_s[row] = 0.0


@kernel
def unlimit(t: Tables, row: int) -> None:
    """The estimate of a job is again what it asked for."""
    seldom()
    if t.jobs.asked_s[row] > 0.0:
        t.jobs.estimate_s[row] = t.jobs.asked_s[row]
        t.jobs.asked_s[row] = 0.0


@inner
def forget_limits(t: Tables, row: int) -> None:
    """The row belongs to no job."""
    t.jobs.least_s[row] = t.jobs.asked_s[row] = t.cycle.tried_s[row] = 0.0
