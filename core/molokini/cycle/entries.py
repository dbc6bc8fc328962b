"""What a live server calls, compiled: one pass, and one fact applied to one row.

The engine of the simulator is one long compiled call; a server waits between facts, so it enters compiled
code for each of them. Both go through the same transitions and call the same policy functions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from numba.core import types

from molokini.availability.placement import could_ever_place
from molokini.compiled.compilation import FLOAT, INT, VOID, compile_entry, interpreted, kernel, seldom
from molokini.cycle.complaints import NOT_IN_STATE, complain
from molokini.cycle.cycle import begin_pass, close_pass, end_pass, ends_turn, is_legal, stays_in_place
from molokini.cycle.ports import PolicyFunction
from molokini.cycle.verbs import apply_decision
from molokini.model.decisions import PLACED, Decision
from molokini.tables import transitions
from molokini.tables.allocations import drop_entries, give_entries, write_entries
from molokini.tables.bank_changes import settle
from molokini.tables.tables import Tables

POLICY_SIGNATURE = VOID(Tables.numba_type, FLOAT)
POLICY_TYPE = types.FunctionType(POLICY_SIGNATURE)
PLAIN = (
    *("nodes.count", "queue.wishing", "reservations.count", "usage.charging", "bank.on", "liens.count"),
    *("machine.overrun", "cycle.explain", "matrix.count"),
)
"""Numbers that stay 0 in the tables of a plain replay: code that needs them is not compiled for it."""
PLAIN_TABLES = Tables.with_zero(*PLAIN)
PLAIN_SIGNATURE = VOID(PLAIN_TABLES, FLOAT)
PLAIN_POLICY_TYPE = types.FunctionType(PLAIN_SIGNATURE)


class Change(IntEnum):
    """What ``apply_change`` does to a row beside decisions; the kinds of decisions are positive."""

    SUBMIT = -1
    END = -2
    RELEASE = -3
    WISH = -4
    SETTLE = -5


def begin_pass_entry(t: Tables, now: float) -> int:
    """Before a pass: make the tables ready; 1 when the policy's ``begin`` must run first."""
    begin_pass(t, now)
    return t.cycle.replan


def whole_pass(t: Tables, now: float, begin: PolicyFunction, schedule: PolicyFunction) -> int:
    """A pass, whose decisions are left in the buffer; how many there are."""
    begin_pass(t, now)
    if t.cycle.replan:
        begin(t, now)
    schedule(t, now)
    return t.cycle.decided


def check_decisions(t: Tables) -> int:
    """After a pass: check its decisions, which are in the buffer and not applied yet; how many there are.

    ``complaint`` is set, and the decisions are dropped, when the policy did what policies may not do.
    """
    end_pass(t)
    for k in range(t.cycle.decided):
        t.cycle.order_key[t.cycle.decisions[k, 1]] = 0.0
    for k in range(t.cycle.decided):
        # No decision is applied yet, so it is remembered whether an earlier one has ended the job's turn.
        row = t.cycle.decisions[k, 1]
        if not is_legal(t, k) or t.cycle.order_key[row] > 0.0:
            complain(t, NOT_IN_STATE, row)
        if ends_turn(t, k):
            t.cycle.order_key[row] = 1.0
    if t.cycle.complaint:
        drop_decisions(t)
    return t.cycle.decided


@kernel
def drop_decisions(t: Tables) -> None:
    """Throw the decisions of a pass away after ``end_pass``, which has given the room back."""
    seldom()
    for k in range(t.cycle.decided):
        take_allocation(t, k)
    t.cycle.decided = 0


def apply_change(
    t: Tables, change: int, row: int, now: float, value: float, argument: int, more: int, placed: int
) -> int:
    """Apply one fact to *row*: a kind of ``Decision`` with what its verb writes beside it, or a ``Change``.

    Its place, if any, is the first *placed* triples of ``placed_*``. *value* of SETTLE is 1 for a job that
    ended well. Returns 1; 0 where WISH finds that the row can never be placed.
    """
    if change > 0:
        if change == Decision.MIGRATE:
            give_entries(t, row)
            argument = -1
        if placed > 0:
            write_entries(t, row, placed)
        apply_decision(t, change, row, argument, more, value, now)
        close_pass(t)
    elif change == Change.SUBMIT:
        transitions.submit(t, row)
    elif change == Change.END:
        transitions.end(t, row, now)
    elif change == Change.RELEASE:
        transitions.release(t, row)
    elif change == Change.SETTLE:
        settle(t, row, now, value > 0.0)
    elif change == Change.WISH:
        transitions.wish(t, row)
        return int(could_ever_place(t, row))
    return 1


def submit_rows(t: Tables, count: int) -> int:
    """The first *count* rows of ``order``, plain jobs that are filled in, join the queue in this order."""
    for k in range(count):
        transitions.submit(t, t.cycle.order[k])
    return count


@kernel
def take_allocation(t: Tables, k: int) -> int:
    """Take the place of decision *k* out of the tables; how many triples of ``placed_*`` it is.

    ``end_pass`` has given the room back already. A journalled fact brings the place back.
    """
    kind, row = t.cycle.decisions[k, 0], t.cycle.decisions[k, 1]
    if t.nodes.count == 0 or not PLACED >> kind & 1:
        return 0
    count = 0
    entry = t.jobs.entries[row]
    while entry >= 0:
        count += 1
        entry = t.entries.next[entry]
    # The chain begins with the triple that was placed last.
    entry, place = t.jobs.entries[row], count - 1
    while entry >= 0:
        t.placing.node[place] = t.entries.node[entry]
        t.placing.tasks[place] = t.entries.tasks[entry]
        t.placing.component[place] = t.entries.component[entry]
        place -= 1
        entry = t.entries.next[entry]
    if stays_in_place(t, k):
        # It has its allocation since it started.
        return count
    drop_entries(t, row)
    if kind == Decision.MIGRATE:
        t.jobs.entries[row] = t.cycle.decisions[k, 2]
    return count


@dataclass(frozen=True)
class Entries:
    """The functions above as machine code (or as they are when numba is switched off)."""

    begin_pass: Callable[[Tables, float], int]
    check_decisions: Callable[[Tables], int]
    take_allocation: Callable[[Tables, int], int]
    submit_rows: Callable[[Tables, int], int]
    apply: Callable[[Tables, int, int, float, float, int, int, int], int]


def entries() -> Entries:
    """Compiled once a process, or taken from the disk cache."""
    return _PLAIN if interpreted() else _compiled()


@cache
def compiled_pass() -> Callable[[Tables, float, PolicyFunction, PolicyFunction], int]:
    """``whole_pass`` as machine code, which lets others run Python meanwhile; made at its first use."""
    signature = INT(Tables.numba_type, FLOAT, POLICY_TYPE, POLICY_TYPE)
    made: Callable[..., int] = compile_entry(whole_pass, signature, long=True)
    return made


_PLAIN = Entries(begin_pass_entry, check_decisions, take_allocation, submit_rows, apply_change)


@cache
def _compiled() -> Entries:
    t = Tables.numba_type
    return Entries(
        compile_entry(begin_pass_entry, INT(t, FLOAT)),
        compile_entry(check_decisions, INT(t)),
        compile_entry(take_allocation, INT(t, INT)),
        compile_entry(submit_rows, INT(t, INT)),
        compile_entry(apply_change, INT(t, INT, INT, FLOAT, FLOAT, INT, INT, INT)),
    )
