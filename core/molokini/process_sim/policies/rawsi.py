"""RAWSI: coscheduling of activity working sets that are found at run time (survey, section 4.4).

Sets take turns, the largest that fits first, until a quantum is over or all of the set wait; processors left
over run the next set that fits, then single activities. After each set has had its turn, the rest run
uncoordinated for a slot. One node of several processors, on which activities may move.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.activities import (
    CHOSEN,
    COLUMNS,
    RAN_AT,
    SET,
    SIZE,
    TURN_AT,
    average_rates,
    find_sets,
    is_alive,
    next_set,
    root,
)
from molokini.process_sim.agenda import touch
from molokini.process_sim.levels import place_where_fewest
from molokini.process_sim.needs import Needs, time, whole
from molokini.process_sim.ready import enqueue, is_useful
from molokini.process_sim.scenario import MS, S
from molokini.process_sim.stride import is_present
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import migrate, timer
from molokini.process_sim.words import Hook, State

NEEDS = Needs(
    parameters=(
        time("slot", 100 * MS, "A set runs so long."),
        time("interval", S, "Accesses are counted for so long; then sets are found again.", low=MS),
        whole("threshold", 10, "An object with so many accesses a second joins its activities.", 1, 10**9),
    ),
    process=COLUMNS,
    cluster=4,
)
SLOT, INTERVAL, THRESHOLD = range(3)
SERIAL, ROUND, TURN, FREE_SLOT = range(4)
"""Cells of the cluster: a number of the slot, and of the round of all sets; the set whose turn it is, or -1;
1: the slot
in which the rest runs."""
NEXT_INTERVAL = 0
"""A timer's value; that of a slot is its number."""


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for all CPUs of the node."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.READY:
        enqueue(w, subject, 0, False)
    elif hook == Hook.TIMER:
        if value == NEXT_INTERVAL:
            timer(w, w.now + w.own.given[INTERVAL], NEXT_INTERVAL)
            average_rates(w, w.own.given[INTERVAL])
            find_sets(w, w.own.given[THRESHOLD])
        elif value == w.own.cluster[SERIAL]:
            _next_slot(w)
    elif hook == Hook.SPUN:
        if _all_wait(w):
            w.own.cluster[SERIAL] += 1
            timer(w, w.now, w.own.cluster[SERIAL])
        return int(w.procs.spin[subject])
    elif hook == Hook.QUANTUM_END:
        w.cpus.quantum[subject] = w.own.given[SLOT]
        w.cpus.expired[subject] = 1
    elif hook == Hook.PLACE:
        place_where_fewest(w, subject)
        return 1
    elif hook == Hook.START:
        _prepare(w)
    return 0


@kernel
def _prepare(w: World) -> None:
    for p in range(w.procs.state.size):
        w.procs.spin[p] = max(3, w.asked.spin)
        w.procs.quantum[p] = w.own.given[SLOT]
        w.own.procs[p, SET] = p
    w.own.cluster[FREE_SLOT] = 1
    w.own.cluster[TURN] = -1
    w.own.cluster[ROUND] = 1
    w.own.cluster[SERIAL] = 1
    timer(w, w.own.given[INTERVAL], NEXT_INTERVAL)
    timer(w, w.own.given[SLOT], 1)


@kernel
def _next_slot(w: World) -> None:
    """The turn of the next set; behind the last one, that of the rest."""
    w.own.cluster[SERIAL] += 1
    timer(w, w.now + w.own.given[SLOT], w.own.cluster[SERIAL])
    cpus = w.cpus.key.size
    first = next_set(w, w.own.cluster[ROUND])
    w.own.cluster[TURN] = first
    w.own.cluster[FREE_SLOT] = int(first < 0)
    if first < 0:
        w.own.cluster[ROUND] += 1
    else:
        left = _choose_set(w, first, cpus)
        while left > 1:
            other = _set_beside(w, left)
            if other < 0:
                break
            left = _choose_set(w, other, left)
        while left > 0:
            p = _single(w)
            if p < 0:
                break
            _choose(w, p)
            left -= 1
        _spread(w)
    for cpu in range(cpus):
        touch(w, cpu)


@kernel
def _set_beside(w: World, left: int) -> int:
    """Another set that fits beside those that are chosen."""
    best = -1
    for p in range(w.procs.state.size):
        size = w.own.procs[p, SIZE]
        fits = w.own.procs[p, SET] == p and 2 <= size <= left and not _is_chosen(w, p)
        if fits and (best < 0 or size > w.own.procs[best, SIZE]):
            best = p
    return best


@inner
def _is_chosen(w: World, p: int) -> bool:
    return bool(w.own.procs[p, CHOSEN] == w.own.cluster[SERIAL])


@kernel
def _choose(w: World, p: int) -> None:
    w.own.procs[p, CHOSEN] = w.own.cluster[SERIAL]
    if w.own.procs[root(w, p), SIZE] < 2:
        w.own.procs[p, RAN_AT] = w.own.cluster[SERIAL]


@kernel
def _choose_set(w: World, first: int, left: int) -> int:
    """Choose the activities of a set, in parts where it is too large; how many processors are left."""
    parts = 0
    for p in range(w.procs.state.size):
        if is_alive(w, p) and root(w, p) == first and not _has_run(w, p):
            if left == 0:
                parts = 1
                break
            _choose(w, p)
            left -= 1
    if not parts:
        w.own.procs[first, TURN_AT] = w.own.cluster[ROUND]
    return left


@kernel
def _has_run(w: World, p: int) -> bool:
    """Whether *p* was of the part of its large set that ran in the slot before."""
    before = w.own.cluster[SERIAL] - 1
    too_large = w.own.procs[root(w, p), SIZE] > w.cpus.key.size
    return bool(too_large and w.own.procs[p, CHOSEN] == before)


@kernel
def _single(w: World) -> int:
    """The activity of no set that has waited longest for a processor left over; -1: none."""
    best = -1
    for p in range(w.procs.state.size):
        alone = is_alive(w, p) and w.own.procs[root(w, p), SIZE] < 2
        if (
            alone
            and not _is_chosen(w, p)
            and (best < 0 or w.own.procs[p, RAN_AT] < w.own.procs[best, RAN_AT])
        ):
            best = p
    return best


@kernel
def _spread(w: World) -> None:
    """Give each activity that is chosen a CPU of its own: where it is, or else the first that is free."""
    for p in range(w.procs.state.size):
        if not _is_chosen(w, p) or not is_alive(w, p) or w.procs.state[p] == State.RUNNING:
            continue
        if _is_taken(w, w.procs.cpu[p], p):
            for cpu in range(w.cpus.key.size):
                if not _is_taken(w, cpu, p):
                    migrate(w, p, cpu)
                    if w.procs.state[p] == State.READY:
                        enqueue(w, p, 0, False)
                    break


@kernel
def _is_taken(w: World, cpu: int, p: int) -> bool:
    """Whether another activity that is chosen is on *cpu*, before *p* or running."""
    q = w.cpus.first[cpu]
    while q >= 0:
        if q != p and _is_chosen(w, q) and is_alive(w, q):
            return True
        q = w.procs.beside[q]
    return False


@inner
def _pick(w: World, cpu: int) -> int:
    present = w.cpus.proc[cpu]
    if w.own.cluster[FREE_SLOT]:
        return _in_turn(w, cpu, present)
    p = w.cpus.first[cpu]
    while p >= 0:
        if _is_chosen(w, p) and is_present(w, p):
            return int(p)
        p = w.procs.beside[p]
    return _in_turn(w, cpu, present)


@kernel
def _in_turn(w: World, cpu: int, present: int) -> int:
    """First in, first out, activities of no set before others; the present one until its quantum is over."""
    if present >= 0 and w.cpus.expired[cpu] == 0 and w.own.procs[root(w, present), SIZE] < 2:
        return int(present)
    if w.cpus.mask[cpu] & 1:
        p = w.cpus.heads[cpu, 0]
        while p >= 0:
            if w.own.procs[root(w, p), SIZE] < 2:
                return int(p)
            p = w.procs.behind[p]
        if present < 0 or w.cpus.expired[cpu]:
            return int(w.cpus.heads[cpu, 0])
    return int(present)


@kernel
def _all_wait(w: World) -> bool:
    """Whether no activity of the set whose turn it is has anything to do."""
    turn = w.own.cluster[TURN]
    if turn < 0 or w.own.cluster[FREE_SLOT]:
        return False
    for p in range(w.procs.state.size):
        if is_alive(w, p) and root(w, p) == turn and is_present(w, p) and is_useful(w, p):
            return False
    return True
