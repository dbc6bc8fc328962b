"""What a live server calls, compiled: one pass, and one fact applied to one row.

The engine of the simulator is one long compiled call; a server waits between facts, so it enters compiled
code for each of them. Both go through the same transitions and call the same policy functions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from numba.core import types

from molokini.compiled.compilation import FLOAT, INT, VOID, compile_entry, interpreted, kernel, seldom
from molokini.cycle.cycle import begin_pass, changes_state, close_pass, end_pass, is_legal
from molokini.cycle.verbs import NOT_IN_STATE, complain
from molokini.model.decisions import Decision
from molokini.room.placement import could_ever_place
from molokini.tables import transitions
from molokini.tables.allocations import drop_entries, give_entries, take_entries, write_entries
from molokini.tables.bank import settle
from molokini.tables.tables import Tables

POLICY_SIGNATURE = VOID(Tables.numba_type, FLOAT)
POLICY_TYPE = types.FunctionType(POLICY_SIGNATURE)
PLAIN = ("nodes", "wishing", "reservations", "charging", "banking", "liens", "overrun", "explain")
"""What is 0 in the tables of a plain replay, and stays so: what needs it is not compiled for it."""
PLAIN_TABLES = Tables.with_zero(*PLAIN)
PLAIN_SIGNATURE = VOID(PLAIN_TABLES, FLOAT)
PLAIN_POLICY_TYPE = types.FunctionType(PLAIN_SIGNATURE)


class Change:
    """What ``apply_change`` does to a row. Plain numbers: numba needs 40 µs to find out what a member is."""

    SUBMIT = 1
    START = 2
    SUSPEND = 3
    RESUME = 4
    MOVE = 5
    SHARE = 6
    RESERVE = 7
    END = 8
    CANCEL = 9
    HOLD = 10
    RELEASE = 11
    REQUEUE = 12
    WISH = 13
    SETTLE = 14


_SUBMIT = Change.SUBMIT
_START = Change.START
_SUSPEND = Change.SUSPEND
_RESUME = Change.RESUME
_MOVE = Change.MOVE
_SHARE = Change.SHARE
_RESERVE = Change.RESERVE
_END = Change.END
_CANCEL = Change.CANCEL
_HOLD = Change.HOLD
_RELEASE = Change.RELEASE
_REQUEUE = Change.REQUEUE
_WISH = Change.WISH
_SETTLE = Change.SETTLE
_DECIDE_START = int(Decision.START)
_DECIDE_RESUME = int(Decision.RESUME)
_DECIDE_MOVE = int(Decision.MIGRATE)


def ready(t: Tables, now: float) -> int:
    """Before a pass: make the tables ready; 1 when the policy's ``begin`` must run first."""
    begin_pass(t, now)
    return t.replan


def judge(t: Tables) -> int:
    """After a pass: its decisions are in the buffer, and nothing has happened yet; how many there are.

    ``complaint`` is set, and nothing decided, when the policy did what no policy may.
    """
    end_pass(t)
    for k in range(t.decided):
        t.order_key[t.decisions[k, 1]] = 0.0
    for k in range(t.decided):
        # None of them is applied yet, so what an earlier one has made of the job's state is remembered.
        row = t.decisions[k, 1]
        if not is_legal(t, k) or t.order_key[row] > 0.0:
            complain(t, NOT_IN_STATE, row)
        if changes_state(t, k):
            t.order_key[row] = 1.0
    if t.complaint:
        drop_decisions(t)
    return t.decided


@kernel
def drop_decisions(t: Tables) -> None:
    """Throw the decisions of a pass away after ``end_pass``, which has given the room back."""
    seldom()
    for k in range(t.decided):
        lift(t, k)
    t.decided = 0


def apply_change(
    t: Tables, change: int, row: int, now: float, value: float, exclusive: int, placed: int
) -> int:
    """Apply one fact to *row*; its allocation, if any, is the first *placed* triples of ``placed_*``.

    *value* is a rate, a promised start, or 1 of a job that ended well (SETTLE). Returns 1; 0 where WISH
    finds that the row can never be placed.
    """
    if change == _SUBMIT:
        transitions.submit(t, row)
    elif change == _START:
        if placed > 0:
            write_entries(t, row, placed)
        transitions.start(t, row, now, value, exclusive == 1)
        close_pass(t)
    elif change == _SUSPEND:
        transitions.suspend(t, row, now)
    elif change == _RESUME:
        if placed > 0:
            write_entries(t, row, placed)
        transitions.resume(t, row, now, value, exclusive == 1)
    elif change == _MOVE:
        give_entries(t, row)
        write_entries(t, row, placed)
        take_entries(t, row)
    elif change == _SHARE:
        transitions.set_share(t, row, now, value)
    elif change == _RESERVE:
        transitions.reserve(t, row, value)
    elif change == _END:
        transitions.end(t, row, now)
    elif change == _CANCEL:
        transitions.cancel(t, row, now)
    elif change == _HOLD:
        transitions.hold(t, row)
    elif change == _RELEASE:
        transitions.release(t, row)
    elif change == _REQUEUE:
        transitions.requeue(t, row, now, exclusive == 1)
    elif change == _SETTLE:
        settle(t, row, now, value > 0.0)
    elif change == _WISH:
        transitions.wish(t, row)
        return int(could_ever_place(t, row))
    return 1


def submit_rows(t: Tables, count: int) -> int:
    """The first *count* rows of ``order``, plain jobs that are filled in, join the queue in this order."""
    for k in range(count):
        transitions.submit(t, t.order[k])
    return count


@kernel
def lift(t: Tables, k: int) -> int:
    """Take the place that decision *k* has found out of the tables; how many triples of ``placed_*``.

    ``end_pass`` has given the room back already. A journalled fact brings the place back.
    """
    kind, row = t.decisions[k, 0], t.decisions[k, 1]
    if t.nodes == 0 or not (kind == _DECIDE_START or kind == _DECIDE_RESUME or kind == _DECIDE_MOVE):
        return 0
    count = 0
    entry = t.job_entries[row]
    while entry >= 0:
        count += 1
        entry = t.entry_next[entry]
    # The chain holds what was placed last first.
    entry, place = t.job_entries[row], count - 1
    while entry >= 0:
        t.placed_node[place] = t.entry_node[entry]
        t.placed_tasks[place] = t.entry_tasks[entry]
        t.placed_component[place] = t.entry_component[entry]
        place -= 1
        entry = t.entry_next[entry]
    drop_entries(t, row)
    if kind == _DECIDE_MOVE:
        t.job_entries[row] = t.decisions[k, 2]
    return count


@dataclass(frozen=True)
class Entries:
    """The functions above as machine code (or as they are when numba is switched off)."""

    ready: Callable[[Tables, float], int]
    judge: Callable[[Tables], int]
    lift: Callable[[Tables, int], int]
    submit_rows: Callable[[Tables, int], int]
    apply: Callable[[Tables, int, int, float, float, int, int], int]


@cache
def entries() -> Entries:
    """Compiled once a process, or taken from the disk cache."""
    if interpreted():
        return Entries(ready, judge, lift, submit_rows, apply_change)
    t = Tables.numba_type
    return Entries(
        compile_entry(ready, INT(t, FLOAT)),
        compile_entry(judge, INT(t)),
        compile_entry(lift, INT(t, INT)),
        compile_entry(submit_rows, INT(t, INT)),
        compile_entry(apply_change, INT(t, INT, INT, FLOAT, FLOAT, INT, INT)),
    )
