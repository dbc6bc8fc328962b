"""The process-level engine: an instant's facts in their ranks, then a choice on each CPU concerned.

The same function runs compiled, with the local policy passed as a first-class function, and as plain
Python. It returns when nothing is left to happen, at ``until``, when it needs more room, when its
budget of facts is used up, or when something is wrong; called again it goes on where it was.
"""

from numba.core import types

from molokini.compiled.compilation import INT, inner, kernel
from molokini.nodes.agenda import pop, push, touch
from molokini.nodes.programs import send
from molokini.nodes.ready import is_useful
from molokini.nodes.running import (
    MOST_AT_ONCE,
    end_period,
    go_on,
    in_a_tick,
    kill,
    message_is_there,
    stop_segment,
)
from molokini.nodes.settling import settle
from molokini.nodes.spending import become, spend
from molokini.nodes.tables import NO_END, RANK_BITS, LocalPolicy, World
from molokini.nodes.verbs import note, take_off
from molokini.nodes.words import Event, Hook, Rank, Segment, State, Stop, Wait, Why

SECOND = 1_000_000_000

POLICY_SIGNATURE = INT(World.numba_type, INT, INT, INT)
POLICY_TYPE = types.FunctionType(POLICY_SIGNATURE)
ENGINE_SIGNATURE = INT(World.numba_type, POLICY_TYPE)


def run(w: World, policy: LocalPolicy) -> int:
    """Go on until one of the reasons of ``Stop``; which one it was."""
    while True:
        best = w.agenda.tree[1]
        key = w.cpus.key[best]
        of_heap = w.agenda.count > 0 and w.agenda.heap[0, 0] < key
        if of_heap:
            key = w.agenda.heap[0, 0]
        instant = key >> RANK_BITS
        if instant != w.now or key == NO_END:
            if w.agenda.touched_count > 0:
                stop = _settle_all(w, policy)
                if stop != 0:
                    return stop
                continue
            stop = _leave_instant(w, instant, key == NO_END)
            if stop >= 0:
                return stop
        stop = _look_for_room(w)
        if stop != 0:
            return stop
        w.events += 1
        if of_heap:
            stop = _happen(w, policy)
        else:
            stop = _end_segment(w, policy, best)
        if stop != 0:
            return stop


@inner
def _leave_instant(w: World, instant: int, nothing_left: bool) -> int:
    """Go to the next instant; -1, or why not."""
    if w.live == 0:
        return Stop.FINISHED.value
    if nothing_left:
        return Stop.DEADLOCK.value
    if instant > w.until:
        return Stop.UNTIL.value
    if w.trace.on and 2 * w.trace.count > w.trace.rows.shape[0]:
        return Stop.TRACE_FULL.value
    if w.events >= w.budget:
        return Stop.PAUSED.value
    w.now = instant
    w.here = 0
    return -1


@inner
def _settle_all(w: World, policy: LocalPolicy) -> int:
    """At the end of an instant: a choice for each CPU that something happened to."""
    count = w.agenda.touched_count
    for place in range(count):
        cpu = w.agenda.touched[place]
        w.cpus.touched[cpu] = 0
        stop = settle(w, policy, cpu)
        if stop != 0:
            return stop
    # Whatever the choices have touched is chosen anew, behind the others.
    rest = w.agenda.touched_count - count
    for place in range(rest):
        w.agenda.touched[place] = w.agenda.touched[count + place]
    w.agenda.touched_count = rest
    return 0


@inner
def _look_for_room(w: World) -> int:
    """Whether another fact of this instant may happen."""
    w.here += 1
    if w.here > MOST_AT_ONCE + 100 * w.procs.state.size:
        w.culprit = -1
        return Stop.STUCK.value
    if w.agenda.count + w.agenda.spare > w.agenda.heap.shape[0]:
        return Stop.MORE_ROOM.value
    return 0


@inner
def _end_segment(w: World, policy: LocalPolicy, cpu: int) -> int:
    """The segment of *cpu* ends now, for the reason in its key."""
    rank = w.cpus.key[cpu] & ((1 << RANK_BITS) - 1)
    if w.cpus.segment[cpu] >= Segment.SWITCH:
        stop_segment(w, cpu)
        touch(w, cpu)
        return 0
    spend(w, cpu, w.now)
    p = w.cpus.proc[cpu]
    if rank == Rank.SEGMENT:
        if w.procs.segment[p] == Segment.SEND:
            send(w, p)
        return go_on(w, policy, cpu)
    stop_segment(w, cpu)
    touch(w, cpu)
    if rank == Rank.QUANTUM:
        policy(w, Hook.QUANTUM_END, cpu, 0)
        return 0
    _has_spun(w, policy, cpu, p)
    return 0


@kernel
def _has_spun(w: World, policy: LocalPolicy, cpu: int, p: int) -> None:
    what = policy(w, Hook.SPUN, p, 0)
    w.procs.left[p] = w.procs.spin[p]
    if what == Wait.BLOCK:
        _block(w, policy, cpu, p)


@kernel
def _block(w: World, policy: LocalPolicy, cpu: int, p: int) -> None:
    w.procs.quantum[p] = w.cpus.quantum[cpu]
    become(w, p, State.BLOCKED_MSG)
    w.cpus.proc[cpu] = -1
    w.cpus.present[cpu] -= 1
    w.cpus.expired[cpu] = 0
    if w.cpus.favoured[cpu] == p:
        w.cpus.favoured[cpu] = -1
    w.cpus.owed[cpu] += w.costs.move


@kernel
def _happen(w: World, policy: LocalPolicy) -> int:
    """The first entry of the heap."""
    subject = w.agenda.heap[0, 3]
    order = w.agenda.heap[0, 1]
    kind = w.agenda.heap[0, 2] & ((1 << RANK_BITS) - 1)
    pop(w)
    if kind == Event.MESSAGE:
        receiver = order & 0xFFFFFFFF
        w.channels.waiting[subject] += 1
        w.procs.inbox[receiver] += 1
        return message_is_there(w, policy, receiver)
    if kind == Event.TICK:
        if w.cpus.tick_at[subject] == w.now:
            w.cpus.tick_at[subject] = 0
        if w.cpus.segment[subject] < Segment.SWITCH and w.cpus.tick_cost[subject] < 0:
            touch(w, subject)
    elif kind == Event.RESUME:
        if w.procs.state[subject] == State.BLOCKED_IO or w.procs.state[subject] == State.SLEEPING:
            note(w, subject, Why.RESUMED)
    elif kind == Event.PERIOD:
        end_period(w, policy, subject)
    elif kind == Event.TIMER:
        policy(w, Hook.TIMER, 0, subject)
    elif kind == Event.WATCH:
        push(w, w.now + SECOND, Rank.TICK, 1 << 40, Event.WATCH, 0)
        policy(w, Hook.SECOND, 0, 0)
        if not _anything_moves(w):
            return Stop.DEADLOCK.value
    else:
        return _change_job(w, policy, kind, subject)
    return 0


@kernel
def _change_job(w: World, policy: LocalPolicy, kind: int, job: int) -> int:
    if kind == Event.ARRIVE:
        if job + 1 < w.jobs.count.size:
            push(w, w.jobs.arrival[job + 1], Rank.JOB, (1 << 32) + job + 1, Event.ARRIVE, job + 1)
        w.arrived = job + 1
        if policy(w, Hook.PLACE, job, 0) == 0 and w.jobs.patience[job] >= 0:
            gone = w.now + w.jobs.patience[job]
            push(w, gone, Rank.JOB, (2 << 32) + job, Event.EVICT, job)
        return _well_placed(w, job)
    if w.jobs.end[job] >= 0:
        return 0
    if kind == Event.EVICT:
        if w.jobs.placed[job] < 0 and policy(w, Hook.EVICT, job, 0):
            w.jobs.rejected[job] = 1
            w.jobs.end[job] = w.now
            w.live -= 1
        return 0
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        kill(w, p)
        take_off(w, p)
    w.jobs.end[job] = w.now
    w.live -= 1
    policy(w, Hook.DEPART, job, 0)
    return 0


@kernel
def _well_placed(w: World, job: int) -> int:
    if w.jobs.placed[job] < 0:
        return 0
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if w.procs.cpu[p] < 0 or w.procs.cpu[p] >= w.cpus.key.size:
            w.culprit = p
            return Stop.BAD_PLACE.value
    return 0


@kernel
def _anything_moves(w: World) -> bool:
    """Whether a message, an I/O, a job is still to come, or a process has something to do."""
    if w.agenda.pending > 0 or w.agenda.touched_count > 0 or w.live == 0:
        return True
    for p in range(w.procs.state.size):
        state = w.procs.state[p]
        if w.procs.notes[p] != 0:
            return True
        if (state == State.READY or state == State.RUNNING) and is_useful(w, p):
            return True
        if state == State.BLOCKED_MSG and is_useful(w, p):
            return True
    return False


def begin(w: World, policy: LocalPolicy) -> int:
    """Before the first instant: the policy's own beginning, and the first arrival."""
    policy(w, Hook.START, 0, 0)
    push(w, SECOND, Rank.TICK, 1 << 40, Event.WATCH, 0)
    if w.jobs.count.size > 0:
        push(w, w.jobs.arrival[0], Rank.JOB, 1 << 32, Event.ARRIVE, 0)
    return 0


def close(w: World, policy: LocalPolicy) -> int:
    """Book everything up to now; what goes on goes on."""
    for cpu in range(w.cpus.key.size):
        in_a_tick(w, cpu)
        spend(w, cpu, w.now)
    for p in range(w.procs.state.size):
        if w.procs.state[p] != State.DONE:
            become(w, p, w.procs.state[p])
    return 0
