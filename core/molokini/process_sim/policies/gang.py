"""1GS: one level of gang scheduling, whose rows are shared out between the classes (section 2.3).

Zhang and Sivasubramaniam 2001, section 4.1. All nodes run the same row for a quantum and then synchronize;
receives spin. A job keeps the columns in which it was placed, and is replicated there where rows have room.
A slot that is empty, or whose process is blocked, leaves its node idle.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import touch
from molokini.process_sim.matrix import cleanse, is_empty, optimise, place_queue, try_to_place
from molokini.process_sim.ready import START_LEVEL
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import drop, head_of, keep, synchronize, timer
from molokini.process_sim.words import NEVER, Hook, State


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for all CPUs at once: what each picks is in the matrix."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.TIMER:
        if value == w.queues.row_serial:
            _next_row(w)
    elif hook == Hook.PLACE:
        return _arrived(w, subject)
    elif hook == Hook.DEPART:
        cleanse(w)
        place_queue(w, w.jobs.kind[subject])
        _changed(w)
    elif hook == Hook.EVICT:
        drop(w, subject)
        cleanse(w)
        place_queue(w, w.jobs.kind[subject])
        _changed(w)
        return 1
    elif hook == Hook.QUANTUM_END:
        w.cpus.quantum[subject] = NEVER
    elif hook == Hook.START:
        _prepare(w)
    return 0


@kernel
def _prepare(w: World) -> None:
    # No process is in a queue: a change of rows costs synchronization and the switch.
    w.costs.move = 0
    for p in range(w.procs.state.size):
        w.procs.level[p] = START_LEVEL
        w.procs.quantum[p] = NEVER
        w.procs.spin[p] = NEVER


@kernel
def _arrived(w: World, job: int) -> int:
    cleanse(w)
    placed = head_of(w, w.jobs.kind[job]) < 0 and try_to_place(w, job)
    if not placed:
        keep(w, job)
    _changed(w)
    return int(placed)


@kernel
def _changed(w: World) -> None:
    """Fill the matrix, and go on; begin if nothing was there."""
    optimise(w)
    for cpu in range(w.cpus.key.size):
        touch(w, cpu)
    if w.queues.row < 0:
        w.queues.row = _row_behind(w, -1)
        if w.queues.row >= 0:
            w.queues.row_serial += 1
            timer(w, w.now + w.asked.row_quantum, w.queues.row_serial)


@kernel
def _row_behind(w: World, row: int) -> int:
    """The next row that is not empty, or -1."""
    for step in range(1, w.asked.rows + 1):
        following = (row + step) % w.asked.rows
        if not is_empty(w, following):
            return following
    return -1


@kernel
def _next_row(w: World) -> None:
    following = _row_behind(w, w.queues.row)
    begin = w.now
    if following >= 0 and following != w.queues.row:
        begin += w.asked.sync
        synchronize(w, begin)
    w.queues.row = following
    w.queues.row_serial += 1
    if following >= 0:
        timer(w, begin + w.asked.row_quantum, w.queues.row_serial)


@inner
def _pick(w: World, cpu: int) -> int:
    if w.queues.row < 0:
        return -1
    p = w.queues.slots[w.queues.row, cpu]
    if p >= 0 and (w.procs.state[p] == State.READY or w.procs.state[p] == State.RUNNING):
        return int(p)
    return -1
