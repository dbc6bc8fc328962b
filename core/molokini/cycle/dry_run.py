"""A pass over a copy of the tables, for its reasons alone: it says why jobs wait."""

from typing import Any

from molokini.compiled.compilation import interpreted
from molokini.cycle.calling import compiled_function, nothing
from molokini.cycle.entries import compiled_pass, entries
from molokini.cycle.ports import PolicyFunction
from molokini.tables.copying import copied
from molokini.tables.tables import Tables


def dry_run(tables: Tables, begin: PolicyFunction | None, schedule: PolicyFunction, now: float) -> Tables:
    """A copy of *tables* in which the policy has said why each job waits, and has left its decisions."""
    t = copied(tables)
    t.cycle.explain = 1
    decide_on(t, begin, schedule, now)
    return t


def machine_code(begin: PolicyFunction | None, schedule: PolicyFunction) -> tuple[Any, Any] | None:
    """The functions of a policy for ``decide_aside``; None where they are not compiled."""
    if interpreted():
        return None
    try:
        return compiled_function(begin or nothing), compiled_function(schedule)
    except Exception:
        # Not compilable: plain Python, which keeps others from running.
        return None


def decide_aside(t: Tables, functions: tuple[Any, Any], now: float) -> None:
    """``decide_on`` for a thread of its own: others run Python meanwhile."""
    compiled_pass()(t, now, *functions)


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
