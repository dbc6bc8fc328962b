"""A pass over a copy of the tables, for its reasons alone: it says why jobs wait."""

from molokini.cycle.calling import compiled_function, nothing
from molokini.cycle.entries import entries
from molokini.cycle.ports import PolicyFunction
from molokini.tables.tables import Tables


def dry_run(tables: Tables, begin: PolicyFunction | None, schedule: PolicyFunction, now: float) -> Tables:
    """A copy of *tables* in which the policy has said why each job waits, and has left its decisions."""
    t = tables.copy()
    t.cycle.explain = 1
    decide_on(t, begin, schedule, now)
    return t


def decide_on(t: Tables, begin: PolicyFunction | None, schedule: PolicyFunction, now: float) -> None:
    """A pass over tables that are a copy; its decisions are left in them."""
    first, second = begin or nothing, schedule
    try:
        first, second = compiled_function(first), compiled_function(second)
    except Exception:
        # Not compilable: plain Python.
        first, second = begin or nothing, schedule
    if entries().begin_pass(t, now):
        first(t, now)
    second(t, now)
