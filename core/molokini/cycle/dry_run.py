"""A pass of which nothing comes but its reasons: over a copy of the tables, for whoever asks why."""

from molokini.cycle.calling import compiled_function, nothing
from molokini.cycle.entries import entries
from molokini.cycle.ports import PolicyFunction
from molokini.tables.tables import Tables


def think_aloud(tables: Tables, begin: PolicyFunction | None, schedule: PolicyFunction, now: float) -> Tables:
    """A copy of *tables*, on which the policy has just said why each job waits; its decisions are in it."""
    t = tables.copy()
    t.explain = 1
    decide_on(t, begin, schedule, now)
    return t


def decide_on(t: Tables, begin: PolicyFunction | None, schedule: PolicyFunction, now: float) -> None:
    """A pass over tables that are nobody's truth; what is decided is left in them."""
    first, second = begin or nothing, schedule
    try:
        first, second = compiled_function(first), compiled_function(second)
    except Exception:
        # Not compilable: plain Python.
        first, second = begin or nothing, schedule
    if entries().ready(t, now):
        first(t, now)
    second(t, now)
