"""The local rules of (period, slice) schedules: a task gets its slice in every period, earliest deadline
first.

One implementation: the process-level engine compiles these functions, and the slicer of an agent, an
interpreter with the standard library alone, calls them as they are. So this file imports nothing, and
everything is a whole number: instants and durations in one unit (both use nanoseconds), shares in
millionths of a processor.

Source: Lin, Sundararaj, Dinda (Cluster Computing 11, 2008), section 3.
"""

WHOLE = 1_000_000
"""A whole processor, or the full rate of an application."""


def slice_of(period: int, share: int) -> int:
    """The slice that gives *share* (millionths) of a processor in each *period*, rounded down."""
    return period * share // WHOLE


def periods_over(now: int, release: int, period: int) -> int:
    """How many periods have ended since *release*, the beginning of one, by *now*."""
    if now < release:
        return 0
    return (now - release) // period


def goes_before(deadline: int, task: int, other_deadline: int, other: int) -> bool:
    """Whether *task* goes before *other*: the earlier deadline, of equals the lower number."""
    if deadline != other_deadline:
        return deadline < other_deadline
    return task < other


def begins_anew(budget: int, deadline: int, now: int, slice_: int, period: int) -> bool:
    """Whether a task that wakes up gets a new period at once, where budgets count CPU time.

    It does where what is left of its budget, spent until its deadline, would be more than its share (the
    rule of constant bandwidth servers).
    """
    if deadline <= now:
        return True
    return budget * period > (deadline - now) * slice_


def has_missed(budget: int, tolerance: int) -> bool:
    """Whether a period is missed that ends with this *budget* left, of a task that could run throughout."""
    return budget > tolerance


def has_room(taken: int, more: int, cap: int) -> bool:
    """Whether tasks of this share (*taken*) and another's (*more*) fit below *cap*, all in millionths."""
    return taken + more <= cap
