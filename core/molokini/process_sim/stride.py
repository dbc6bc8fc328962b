"""Stride scheduling with credits, borrowing and ticket tracking: shares of a CPU by tickets (survey, section
7).

A process has a pass, which grows by CPU time over tickets; that of the least pass runs. Columns of
``world.own.procs`` are numbered here. Tickets of a process are what its node grants it in this interval, less
what it pays back, more what it borrows, and those of a credit until that ends.
They are counted in parts of a ticket: a job of one ticket has a part of it on each of its nodes.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.ready import dequeue, enqueue
from molokini.process_sim.tables import World
from molokini.process_sim.words import Segment, State

PARTS = 64
"""Of a ticket: grants, borrowed tickets, debts and credits are whole numbers of these."""
SCALE = PARTS << 12
"""A nanosecond with one part of a ticket is so much of a pass."""
MOST_SHARE = 0.95
(
    PASS,
    COUNTED,
    GRANT,
    REPAYS,
    BORROWED,
    DEBT,
    CREDIT,
    CREDIT_UNTIL,
    LEFT_AT,
    LEFT_HOW,
    PASS_BEFORE,
    USED_BEFORE,
) = range(12)
"""Columns of a process; the last two are as of the beginning of this interval."""
COLUMNS = 12
SLEPT, PREEMPTED = 1, 2
"""Of ``LEFT_HOW``: what it will have a credit for."""
READY_LIST = 0


@kernel
def used_by(w: World, p: int) -> int:
    """CPU time of *p* so far, that of its present segment included."""
    used = 0
    for segment in range(Segment.SWITCH.value):
        used += w.procs.spent[p, segment]
    cpu = w.procs.cpu[p]
    if cpu >= 0 and w.cpus.proc[cpu] == p and w.cpus.segment[cpu] < Segment.SWITCH:
        used += w.now - w.cpus.started[cpu]
    return int(used)


@kernel
def plain_tickets(w: World, p: int) -> int:
    """Parts of tickets of *p* without a credit."""
    own = w.own.procs
    return int(max(1, own[p, GRANT] - own[p, REPAYS] + own[p, BORROWED]))


@kernel
def tickets_of(w: World, p: int) -> int:
    """Parts of tickets of *p* now."""
    if w.now < w.own.procs[p, CREDIT_UNTIL]:
        return int(plain_tickets(w, p) + w.own.procs[p, CREDIT])
    return plain_tickets(w, p)


@kernel
def charge(w: World, p: int) -> None:
    """Bring the pass of *p* up to now; what it has used was used in one piece, up to now."""
    used = used_by(w, p) - w.own.procs[p, COUNTED]
    if used <= 0:
        return
    w.own.procs[p, COUNTED] += used
    plain = plain_tickets(w, p)
    without = min(used, max(0, w.now - w.own.procs[p, CREDIT_UNTIL]))
    with_credit = used - without
    w.own.procs[p, PASS] += without * SCALE // plain
    w.own.procs[p, PASS] += with_credit * SCALE // (plain + w.own.procs[p, CREDIT])


@kernel
def charge_present(w: World, cpu: int) -> None:
    """The same of the process that runs there."""
    present = w.cpus.proc[cpu]
    if present >= 0:
        charge(w, present)


@kernel
def is_present(w: World, p: int) -> bool:
    """Whether *p* runs or is ready."""
    return bool(w.procs.state[p] == State.READY or w.procs.state[p] == State.RUNNING)


@kernel
def least_pass(w: World, cpu: int, but: int) -> int:
    """The least pass of those that run or are ready on *cpu*, *but* one; that of the last pick if none is."""
    least = -1
    p = w.cpus.first[cpu]
    while p >= 0:
        if p != but and is_present(w, p) and (least < 0 or w.own.procs[p, PASS] < least):
            least = w.own.procs[p, PASS]
        p = w.procs.beside[p]
    if least < 0:
        least = w.own.cpus[cpu, 0]
    return int(least)


@kernel
def least(w: World, cpu: int) -> int:
    """The process of the least pass that runs or is ready on *cpu*, the lowest of several; -1: none."""
    best = -1
    p = w.cpus.first[cpu]
    while p >= 0:
        if is_present(w, p) and (best < 0 or w.own.procs[p, PASS] < w.own.procs[best, PASS]):
            best = p
        p = w.procs.beside[p]
    return int(best)


@kernel
def join(w: World, p: int, afresh: bool) -> None:
    """*p* becomes ready: a newcomer at the least pass, one that slept not before it."""
    charge_present(w, w.procs.cpu[p])
    found = least_pass(w, w.procs.cpu[p], p)
    if afresh:
        w.own.procs[p, COUNTED] = used_by(w, p)
    w.own.procs[p, PASS] = max(w.own.procs[p, PASS], found)


@kernel
def give_credit(w: World, p: int, missed: int, most: int) -> None:
    """*p* was away for *missed* ns: tickets for as long again, *most* at most, that make up for it.

    A credit that is larger and not yet over stays.
    """
    if missed <= 0:
        return
    lasts = min(missed, most)
    own = plain_tickets(w, p)
    total = own
    q = w.cpus.first[w.procs.cpu[p]]
    while q >= 0:
        if q != p and is_present(w, q):
            total += tickets_of(w, q)
        q = w.procs.beside[q]
    before = own / total
    after = min(before * (missed + lasts) / lasts, MOST_SHARE)
    if after <= before:
        return
    credit = int(total * (after - before) / (1.0 - after) + 0.5)
    if w.now < w.own.procs[p, CREDIT_UNTIL] and w.own.procs[p, CREDIT] >= credit:
        return
    w.own.procs[p, CREDIT] = credit
    w.own.procs[p, CREDIT_UNTIL] = w.now + lasts


@kernel
def may_borrow(w: World, p: int) -> int:
    """How many parts of tickets *p* may still borrow in this interval: none while it has an earlier debt."""
    if w.own.procs[p, DEBT] > 0:
        return 0
    return int(max(0, w.own.procs[p, GRANT] - w.own.procs[p, BORROWED]))


@kernel
def borrow_to_be_first(w: World, p: int) -> bool:
    """Borrow what makes the pass of *p* the least, or all it may; whether it may run at once."""
    own = w.own.procs
    charge_present(w, w.procs.cpu[p])
    goal = least_pass(w, w.procs.cpu[p], p)
    if own[p, PASS] <= goal:
        return True
    most = may_borrow(w, p)
    if most == 0:
        return False
    used = own[p, COUNTED] - own[p, USED_BEFORE]
    room = goal - own[p, PASS_BEFORE]
    amount = most
    if room > 0 and used > 0:
        # With so many tickets from the beginning of the interval it would stand there.
        amount = min(most, max(1, -(-used * SCALE // room) - plain_tickets(w, p)))
    own[p, BORROWED] += amount
    own[p, PASS] = min(own[p, PASS], own[p, PASS_BEFORE] + used * SCALE // plain_tickets(w, p))
    return True


@kernel
def new_interval(w: World, p: int, grant: int) -> None:
    """What was borrowed becomes a debt; up to half of *grant*, in parts of tickets, pays it back."""
    charge(w, p)
    own = w.own.procs
    own[p, DEBT] = max(0, own[p, DEBT] - own[p, REPAYS]) + own[p, BORROWED]
    own[p, BORROWED] = 0
    own[p, GRANT] = grant
    own[p, REPAYS] = min(own[p, DEBT], grant // 2)
    own[p, PASS_BEFORE] = own[p, PASS]
    own[p, USED_BEFORE] = own[p, COUNTED]


@kernel
def to_ready_list(w: World, p: int) -> None:
    """One list for all: it is searched for the least pass."""
    dequeue(w, p)
    enqueue(w, p, READY_LIST, False)
